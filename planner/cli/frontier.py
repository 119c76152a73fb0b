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
    from planner.domain.frontier import Frontier
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
              help="Stop after N designs.")  # fmt: skip
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
        click.echo(frontier_text(traced))
        click.echo(f"Points: {folder / 'bi' / 'fact_frontier.csv'}")
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


def frontier_text(traced: Frontier) -> str:
    """Return the points as a table, with what is proved of them."""
    from planner.cli.plain_table import plain_table

    rows = []
    for point in traced.points:
        gap = "proved" if point.status == "optimal" else str(point.status)
        if point.status == "feasible" and point.gap is not None:
            gap = f"gap {point.gap:.2%}"
        mark = "the decision" if point.chosen else ""
        seconds = None if point.step_time_s is None else float(f"{point.step_time_s:.4g}")
        cost = None if point.objective_usd is None else round(point.objective_usd)
        limit = float(f"{point.limit_s:.4g}")
        rows.append([point.workload, limit, seconds, cost, gap, point.summary, mark])
    table = plain_table(["workload", "limit s", "step s", "USD", "proof", "design", ""], rows)
    end = "nothing is missing between them" if traced.complete else traced.note
    return f"{table}\n{len(rows)} points; {end} (step times to {traced.tick:.1%})."
