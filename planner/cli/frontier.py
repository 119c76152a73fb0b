"""`planner frontier`: cost against step time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.progress import progress_line
from planner.cli.solve import SelfCheckError, finite, show
from planner.domain.errors import UsageError
from planner.domain.text import folder_name

if TYPE_CHECKING:
    from planner.domain.instance import Instance


@click.command()
@click.argument("instance")
@click.option("--workload", default=None, metavar="NAME",
              help="The job whose step time varies; all targets together if absent.")  # fmt: skip
@click.option("--slowest", type=click.FloatRange(min=0, min_open=True), default=2.0,
              show_default=True, callback=finite, metavar="X",
              help="Begin at X times the limits.")  # fmt: skip
@click.option("--fastest", type=click.FloatRange(min=0), default=0.0, show_default=True,
              callback=finite, metavar="X",
              help="End at X times the limits; 0 goes on until nothing is faster.")  # fmt: skip
@click.option("--points", type=click.IntRange(min=1), default=None, metavar="N",
              help="N designs: both ends, the own target, the rest between.")  # fmt: skip
@click.option("--tick", type=click.FloatRange(1e-9, 0.5), default=0.001, show_default=True,
              callback=finite,
              help="Share of the step time below which two designs count as equally fast.")  # fmt: skip
@click.option("--time-limit", type=click.FloatRange(min=0.1), default=None, metavar="S",
              callback=finite, help="Stop after S seconds with what is known.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None,
              help="Folder of the report; reports/NAME-frontier if absent.")  # fmt: skip
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True,
              help="Language of report and console.")  # fmt: skip
@click.option("--calibration", type=click.Path(path_type=Path), default=None, metavar="FILE",
              help="Constants from your own measurements (planner calibrate).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def frontier(instance: str, output: Path | None, as_json: bool, lang: str, **options: Any) -> int:
    """Trace the cheapest design of INSTANCE for every step time.

    No design of the declared grid that is cheaper than all faster ones is missed; each is proved or
    carries its gap. The report's `bi/fact_frontier.csv` holds the points.
    """
    from planner.domain.calibration import read_calibration
    from planner.domain.instance import load_instance
    from planner.report.write import write_report
    from planner.study.asked import Asked
    from planner.study.decide import DecideOptions, decide
    from planner.study.frontier import FrontierOptions
    from planner.verify.check import verify

    loaded, path = load_instance(instance)
    own = options["calibration"]
    asked = FrontierOptions(
        workload=_number(loaded, options["workload"]),
        slowest=options["slowest"],
        fastest=options["fastest"],
        points=options["points"],
        tick=options["tick"],
    )
    decide_options = DecideOptions(
        time_limit_s=options["time_limit"], alternatives=False, asked=Asked(frontier=asked)
    )
    with progress_line(f"{loaded.name}: reading") as line:
        decision = decide(
            loaded, path, decide_options, say=line.say,
            calibration=None if own is None else read_calibration(own),
        )  # fmt: skip
        solution = decision.solution
        line.say("checking every number")
        violations = verify(solution, decision.catalog)
        if violations:
            raise SelfCheckError(violations)
        folder = output or Path("reports") / f"{folder_name(loaded.name)}-frontier"
        write_report(solution, folder, lang)
    traced = solution.frontier
    assert traced is not None
    if as_json:
        show(solution, folder, lang, as_json=True)
    else:
        from planner.cli.plain_table import plain_table
        from planner.report.frontier_text import frontier_lines
        from planner.report.view import view

        header, rows, foot = frontier_lines(view(solution, lang), traced)
        click.echo(f"{plain_table(header, rows, (1, 2, 3))}\n{foot}")
        file = folder / "bi" / "fact_frontier.csv"
        click.echo(f"{view(solution, lang).w('frontier.file')}: {file}")
    if any(point.objective_usd is not None for point in traced.points):
        return 0
    return 4 if any(point.status == "stopped" for point in traced.points) else 3


def _number(instance: Instance, name: str | None) -> int | None:
    """Return the number of a workload; the only one's where none is named."""
    names = [workload.name for workload in instance.workloads]
    if name is None:
        return 0 if len(names) == 1 else None
    if name not in names:
        raise UsageError(f"--workload {name}: {instance.name} has {', '.join(names)}")
    return names.index(name)
