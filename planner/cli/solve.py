"""`planner solve`: decide, check, write the report, print the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.progress import progress_line
from planner.domain.errors import SolverError
from planner.domain.text import folder_name

if TYPE_CHECKING:
    from planner.domain.solution import Solution
    from planner.verify.violation import Violation

SHOWN_VIOLATIONS = 10


class SelfCheckError(SolverError):
    """The independent checker contradicts the answer, which is therefore not written."""

    def __init__(self, violations: list[Violation]) -> None:
        lines = [f"  {v}" for v in violations[:SHOWN_VIOLATIONS]]
        head = f"the answer fails its own check ({len(violations)} contradictions); not written:"
        super().__init__("\n".join([head, *lines]))


EXIT_CODES = {"optimal": 0, "feasible": 0, "infeasible": 3, "stopped": 4}


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse NaN, which every range admits."""
    del ctx
    if value is not None and value != value:  # noqa: PLR0124  only NaN differs from itself
        raise click.BadParameter("is not a number", param=param)
    return value


@click.command()
@click.argument("instance")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=None,
    help="Folder of the report; reports/NAME if absent.",
)  # fmt: skip
@click.option("--time-limit", type=click.FloatRange(min=0.1), default=None, metavar="S",
              callback=finite,
              help="Stop after S seconds with the best design found.")  # fmt: skip
@click.option("--gap", type=click.FloatRange(0, 1), default=0.0, show_default=True, callback=finite,
              help="Relative gap between cost and bound that is enough.")  # fmt: skip
@click.option("--solver", default="highs", show_default=True,
              type=click.Choice(["highs", "cbc", "scip", "gurobi", "cplex"]),
              help="Engine of the selection program.")  # fmt: skip
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True,
              help="Threads of the engine.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True,
              help="Seed of the engine.")  # fmt: skip
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True,
              help="Language of report and console.")  # fmt: skip
@click.option("--alternatives/--no-alternatives", default=True, show_default=True,
              help="Also solve what the runners-up would cost.")  # fmt: skip
@click.option("--combinations", type=click.Choice(["none", "bounded", "full"]), default="bounded",
              show_default=True,
              help="Also answer every scale-up kind with every network family and topology; bounded: "
                   "solve those nearest to the decision, and bound the others; full: solve all. None "
                   "without alternatives.")  # fmt: skip
@click.option("--sensitivity", type=click.Choice(["none", "prices", "full"]), default="prices",
              show_default=True,
              help="Also prove what would change the decision: prices, electricity and a slower "
                   "model; full: a faster model too.")  # fmt: skip
@click.option("--free", is_flag=True,
              help="Ignore every `fix`: what would be better than what the instance pins?")  # fmt: skip
@click.option("--calibration", type=click.Path(path_type=Path), default=None, metavar="FILE",
              help="Constants from your own logs (planner calibrate).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def solve(instance: str, output: Path | None, as_json: bool, lang: str, **options: Any) -> int:
    """Decide which cluster INSTANCE should buy, and write the report.

    INSTANCE is a JSON file, or the bare name of a shipped instance (planner solve budget).
    """
    from planner.domain.calibration import read_calibration
    from planner.domain.instance import load_instance
    from planner.program import interrupt
    from planner.report.write import write_report
    from planner.study.asked import Asked
    from planner.study.decide import DecideOptions, decide
    from planner.verify.check import verify

    loaded, path = load_instance(instance)
    if options["free"]:
        loaded = loaded.unpinned()
    own = options["calibration"]
    calibration = None if own is None else read_calibration(own)
    with progress_line(f"{loaded.name}: reading") as line, interrupt.armed():
        decision = decide(
            loaded,
            path,
            DecideOptions(
                time_limit_s=options["time_limit"],
                gap=options["gap"],
                engine=options["solver"],
                threads=options["threads"],
                seed=options["seed"],
                alternatives=options["alternatives"],
                asked=Asked(
                    sensitivity=options["sensitivity"],
                    combinations=options["combinations"] if options["alternatives"] else "none",
                ),
            ),
            say=line.say,
            calibration=calibration,
        )
        solution = decision.solution
        if interrupt.asked():
            _stopped_by_user(solution)
        line.say("checking every number")
        violations = verify(solution, decision.catalog)
        if violations:
            raise SelfCheckError(violations)
        line.say("writing the report")
        folder = output if output is not None else Path("reports") / folder_name(loaded.name)
        write_report(solution, folder, lang)
    show(solution, folder, lang, as_json=as_json)
    return EXIT_CODES[solution.status]


def _stopped_by_user(solution: Solution) -> None:
    """Say what the answer is worth that a Ctrl-C ended; without a design there is none."""
    if solution.status == "stopped":
        raise KeyboardInterrupt
    if solution.status == "feasible" and solution.gap is not None:
        click.echo(f"Stopped early: no design is more than {solution.gap:.2%} cheaper than this "
                   "one, the best found so far.", err=True)  # fmt: skip


def show(solution: Solution, folder: Path, lang: str, *, as_json: bool) -> None:
    """Print the answer on standard output."""
    if as_json:
        from planner.domain.seal import sealed

        document = sealed(solution).model_dump(mode="json", by_alias=True)
        document["wall_s"] = solution.run.wall_s
        document["report"] = str(folder)
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    from planner.report.console import console_text

    click.echo(console_text(solution, lang, folder))
