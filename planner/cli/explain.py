"""`planner explain`: why nothing fits and what would; or which limits bind and what they cost."""

from __future__ import annotations

import time
from pathlib import Path

import click

from planner.cli.progress import progress_line
from planner.cli.solve import finite

EXIT_CODES = {"feasible": 0, "infeasible": 3, "stopped": 4}


@click.command()
@click.argument("instance")
@click.option("--time-limit", type=click.FloatRange(min=0.1), default=None, metavar="S",
              callback=finite, help="Stop after S seconds with what was found.")  # fmt: skip
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True,
              help="Language of the text.")  # fmt: skip
@click.option("--calibration", type=click.Path(path_type=Path), default=None, metavar="FILE",
              help="Constants from your own measurements (planner calibrate).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def explain(
    instance: str, time_limit: float | None, lang: str, calibration: Path | None, as_json: bool
) -> int:
    """Say why INSTANCE has no design: limits that contradict each other, and what would do.

    A minimal conflict of limits, the least by which each of them alone must give, and all of them
    together; every figure is solved with, and so is the next tighter one. Where a design exists:
    the limits that make it dearer, and by how much. Exit code 3: infeasible; 0: a design exists.
    """
    from planner.domain.calibration import read_calibration
    from planner.domain.instance import load_instance
    from planner.report.explanation import explanation_text
    from planner.study.explain import explain as run

    loaded, path = load_instance(instance)
    own = None if calibration is None else read_calibration(calibration)
    until = None if time_limit is None else time.monotonic() + time_limit
    with progress_line(f"{loaded.name}: reading") as line:
        found = run(loaded, path, own, deadline_s=until, say=line.say)
    if as_json:
        click.echo(found.model_dump_json())
    else:
        click.echo(explanation_text(found, loaded, lang), nl=False)
    return EXIT_CODES[found.status]
