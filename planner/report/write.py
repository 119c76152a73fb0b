"""Write the report folder: all files into a sibling first, then one swap."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from planner.domain.solution import Solution
from planner.domain.text import folder_name
from planner.export.lists import bill_of_materials_csv, cable_schedule_csv
from planner.export.star import star_files
from planner.export.whole_folder import report_folder
from planner.export.xlsx.book import MISSING
from planner.export.xlsx.workbook import WORKBOOK, can_write, workbook
from planner.report.document import solution_json
from planner.report.drawings.plates import plates
from planner.report.html import page_of
from planner.report.markdown import summary_markdown
from planner.report.view import view
from planner.report.words import words

SOLUTION = "solution.json"
OWN = ("bi", "drawings", "pools", "phases", WORKBOOK)
"""What a new report replaces or removes, even if it does not write it again."""


def report_files(solution: Solution, lang: str) -> Iterator[tuple[str, str | bytes]]:
    """Yield each file's path inside the report and its content, in writing order.

    The workbook is left out where XlsxWriter is not installed.
    """
    seen = view(solution, lang)
    yield SOLUTION, solution_json(solution)
    yield "index.html", page_of(seen)
    yield "summary.md", summary_markdown(solution, lang)
    yield "bill_of_materials.csv", bill_of_materials_csv(solution)
    if can_write():
        yield WORKBOOK, workbook(solution, lang)
    yield "cable_schedule.csv", cable_schedule_csv(solution)
    for name, text in star_files(solution):
        yield f"bi/{name}", text
    for kind, documents in (("pools", solution.pools), ("phases", solution.phases)):
        for document in documents:
            for name, content in report_files(document, lang):
                yield f"{kind}/{folder_name(document.instance.name)}/{name}", content
    for name, drawing in plates(seen).items():
        yield f"drawings/{name}.svg", drawing.file_text()


def write_report(solution: Solution, folder: Path, lang: str = "en") -> list[Path]:
    """Write the whole report and return its files.

    Everything is written into a hidden sibling folder, which then takes the place of `folder` in
    one step; a run that is interrupted or killed leaves the old report whole. Files of others in
    an old report are kept.

    Parameters
    ----------
    solution
        The answer.
    folder
        The report's folder: absent, empty, or an older report.
    lang
        One of `words.LANGUAGES`.

    Raises
    ------
    UsageError
        If the folder cannot be written, holds something other than a report, or the language is
        unknown.
    """
    words(lang)
    with report_folder(folder, SOLUTION, OWN) as new:
        names = fill_folder(report_files(solution, lang), new)
    if WORKBOOK not in names:
        sys.stderr.write(f"{WORKBOOK} is left out; {MISSING}\n")
    return [folder / name for name in names]


def fill_folder(files: Iterable[tuple[str, str | bytes]], folder: Path) -> list[str]:
    """Write every file of a report into a folder that nobody reads yet; return their names.

    Raises
    ------
    OSError
        If a file cannot be written.
    """
    return [_write(folder, name, content) for name, content in files]


def _write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return name
