"""The files of an answer over several sites: its own, the star schema, and each site's report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.domain.regions_answer import ANSWER, RegionsAnswer
from planner.domain.solution import Solution
from planner.domain.text import folder_name
from planner.export.region_facts import region_rows
from planner.export.star import star_files
from planner.report.regions import regions_markdown
from planner.report.regions_page import regions_page
from planner.report.write import report_files


def regions_files(
    answer: RegionsAnswer, sites: Sequence[Solution], lang: str
) -> Iterator[tuple[str, str | bytes]]:
    """Yield each file's path inside the report and its content.

    Parameters
    ----------
    answer
        What joins the sites.
    sites
        The solution of each site, in the order of the answer.
    lang
        One of `words.LANGUAGES`.
    """
    names = {share.name: folder_name(share.name) for share in answer.sites}
    yield "index.html", regions_page(answer, names, lang)
    yield ANSWER, answer.model_dump_json(by_alias=True, indent=1) + "\n"
    yield "summary.md", regions_markdown(answer, lang)
    for name, text in star_files(sites, region_rows([answer])):
        yield f"bi/{name}", text
    for share, solution in zip(answer.sites, sites, strict=True):
        for name, content in report_files(solution, lang):
            yield f"{names[share.name]}/{name}", content
