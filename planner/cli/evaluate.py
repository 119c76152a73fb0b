"""`planner evaluate`: price and time one pinned design."""

from __future__ import annotations

from pathlib import Path

import click

from planner.cli.progress import progress_line
from planner.cli.solve import EXIT_CODES, SelfCheckError, show
from planner.domain.text import folder_name


@click.command()
@click.argument("instance")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None,
              help="Folder of the report; reports/NAME-evaluate if absent.")  # fmt: skip
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True,
              help="Language of report and console.")  # fmt: skip
@click.option("--calibration", type=click.Path(path_type=Path), default=None, metavar="FILE",
              help="Constants from your own measurements (planner calibrate).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def evaluate(
    instance: str, output: Path | None, lang: str, calibration: Path | None, as_json: bool
) -> int:
    """Price and time the one design that INSTANCE pins: what you have, or what a vendor offers.

    `fix` must leave one design (server, nodes, family, switch, topology, oversubscription); a
    workload's own `fix` pins its parallelism, and what it leaves open runs at its fastest. Exit
    code 3: the design breaks a limit; everything is still reported.
    """
    from planner.domain.calibration import read_calibration
    from planner.domain.instance import load_instance
    from planner.report.write import write_report
    from planner.study.evaluate import evaluate as run
    from planner.verify.check import verify

    loaded, path = load_instance(instance)
    own = None if calibration is None else read_calibration(calibration)
    with progress_line(f"{loaded.name}: timing") as line:
        decision = run(loaded, path, own)
        solution = decision.solution
        line.say("checking every number")
        violations = verify(solution, decision.catalog)
        if violations:
            raise SelfCheckError(violations)
        folder = (
            output
            if output is not None
            else Path("reports") / f"{folder_name(loaded.name)}-evaluate"
        )
        write_report(solution, folder, lang)
    show(solution, folder, lang, as_json=as_json)
    return EXIT_CODES[solution.status]
