"""`planner regions`: one job over several sites, with the lines between them and their encryption."""

from __future__ import annotations

import json
from pathlib import Path

import click

from planner.cli.progress import progress_line
from planner.cli.solve import EXIT_CODES, SelfCheckError
from planner.domain.text import folder_name


@click.command()
@click.argument("instance")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None,
              help="Folder of the report; reports/NAME-regions if absent.")  # fmt: skip
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True,
              help="Language of the reports.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def regions(instance: str, output: Path | None, lang: str, as_json: bool) -> int:
    """Decide how many servers stand at each site of INSTANCE, and which lines join them.

    INSTANCE has a section `regions`: sites, offers of lines between them, whether encryption is
    demanded, and which parallel dimension may cross. Writes index.html, regions.json, summary.md,
    a whole report for each site, and the star schema over all (bi/).
    """
    from planner.domain.instance import load_instance
    from planner.domain.regions_answer import ANSWER
    from planner.domain.seal import sealed
    from planner.export.whole_folder import report_folder
    from planner.report.regions import regions_markdown
    from planner.report.regions_files import regions_files
    from planner.report.write import SOLUTION, fill_folder
    from planner.study.regions import decide_regions
    from planner.verify.check import verify
    from planner.verify.regions import verify_regions

    loaded, path = load_instance(instance)
    with progress_line(f"{loaded.name}: reading") as line:
        decision = decide_regions(loaded, path, line.say)
        answer, sites = sealed(decision.answer), decision.sites
        line.say("checking every number")
        violations = [v for site in sites for v in verify(site.solution, site.catalog)]
        if sites:
            solutions = [site.solution for site in sites]
            violations += verify_regions(answer, solutions, sites[0].catalog)
        if violations:
            raise SelfCheckError(violations)
        folder = output or Path("reports") / f"{folder_name(loaded.name)}-regions"
        before = [path.parent.name for path in folder.glob(f"*/{SOLUTION}")]
        with report_folder(folder, ANSWER, ["bi", *before]) as new:
            fill_folder(regions_files(answer, [site.solution for site in sites], lang), new)
    if as_json:
        document = json.loads(answer.model_dump_json(by_alias=True))
        click.echo(json.dumps(document | {"report": str(folder)}, ensure_ascii=False))
    else:
        click.echo(regions_markdown(answer, lang).rstrip())
        click.echo(f"\nReport: {folder / 'index.html'}")
    return EXIT_CODES[answer.status]
