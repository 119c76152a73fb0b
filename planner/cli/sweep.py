"""`planner sweep`: solve an instance under every combination of varied values."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.progress import progress_line
from planner.cli.solve import finite
from planner.domain.errors import UsageError
from planner.domain.text import folder_name

if TYPE_CHECKING:
    from planner.domain.solution import Solution
    from planner.export.sweep_table import SweepRow
    from planner.study.sweep_points import Plan, Point
    from planner.study.sweep_pools import Pool
    from planner.study.sweep_store import SweepStore
    from planner.study.sweep_task import Task

NOTE_EVERY_S = 30.0
SHOWN_ROWS = 60


@click.command()
@click.argument("instance")
@click.option("--vary", "axes", multiple=True, metavar="KEY=VALUES",
              help="Path in the instance and its values: a list (2,4,8) or a range with both "
              "ends (2:8:2, or 1:8:x2 to multiply). instance=a,b takes other files. Repeat it "
              "for every combination.")  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=None,
    help="Folder of journal and results; reports/NAME-sweep if absent. The same folder again "
    "goes on where a sweep ended.",
)  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 1024), default=None,
              help="Local processes; one for each core if absent.")  # fmt: skip
@click.option("--scheduler", default=None, metavar="ADDRESS",
              help="Use the workers of this Dask scheduler (tcp://host:8786) instead.")  # fmt: skip
@click.option("--tries", type=click.IntRange(1, 20), default=3, show_default=True,
              help="Times that an instance may kill its worker before it is left out.")  # fmt: skip
@click.option("--retry-failed", is_flag=True,
              help="Try again what failed in an earlier run of this sweep.")  # fmt: skip
@click.option("--time-limit", type=click.FloatRange(min=0.1), default=None, metavar="S",
              callback=finite, help="Stop each instance after S seconds.")  # fmt: skip
@click.option("--gap", type=click.FloatRange(0, 1), default=0.0, show_default=True, callback=finite,
              help="Relative gap between cost and bound that is enough.")  # fmt: skip
@click.option("--alternatives/--no-alternatives", default=False, show_default=True,
              help="Also solve what the runners-up would cost.")  # fmt: skip
@click.option("--calibration", type=click.Path(path_type=Path), default=None, metavar="FILE",
              help="Constants from your own logs (planner calibrate).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def sweep(instance: str, axes: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Solve INSTANCE under every combination of varied values, in parallel.

    A sweep that was interrupted goes on when it is called again: what is solved is kept. Writes
    summary.csv and the star schema (bi/) over all instances. Exit code 4: some instance has no
    answer.
    """
    from planner.domain.calibration import read_calibration
    from planner.study.decide import DecideOptions
    from planner.study.sweep_axes import parse_axis
    from planner.study.sweep_points import Plan
    from planner.study.sweep_store import SweepStore

    own = options["calibration"]
    constants = None if own is None else read_calibration(own).model_dump_json()
    decide = DecideOptions(
        time_limit_s=options["time_limit"], gap=options["gap"], alternatives=options["alternatives"]
    )
    plan = Plan(
        instance=instance,
        axes=tuple(parse_axis(text) for text in axes),
        question=repr(decide),
        calibration=constants or "",
    )
    points = plan.points()
    name = folder_name(Path(instance).stem)
    folder = options["output"] or Path("reports") / f"{name}-sweep"
    store = SweepStore(folder)
    began = time.monotonic()
    try:
        todo, kept = still_to_do(points, store, again=options["retry_failed"])
        if todo:
            pool = _pool(options["scheduler"], options["workers"])
            _run(store, pool, _tasks(plan, todo, store, decide, constants), len(todo), options)
        rows = _write(plan, points, store, folder)
    except KeyboardInterrupt:
        click.echo(f"Interrupted; {_found(points, store)} of {len(points)} instances are kept. "
                   "The same command goes on.", err=True)  # fmt: skip
        return 130
    finally:
        store.close()
    _show(plan, rows, folder, as_json=as_json, solved=len(todo), kept=kept,
          wall_s=time.monotonic() - began)  # fmt: skip
    return 4 if any(row.outcome not in ("optimal", "feasible", "infeasible") for row in rows) else 0


def still_to_do(
    points: Sequence[Point], store: SweepStore, *, again: bool
) -> tuple[list[Point], int]:
    """Return the first point of every key that has no result, and how many keys have one."""
    from planner.study.sweep_store import SOLVED

    first = {point.key: point for point in reversed(points)}
    todo = []
    for key, point in sorted(first.items(), key=lambda item: item[1].number):
        record = store.records.get(key) or store.adopt(key)
        if record is not None and again and record.outcome not in SOLVED:
            store.forget(key)
            record = None
        if record is None:
            todo.append(point)
    return todo, len(first) - len(todo)


def _found(points: Sequence[Point], store: SweepStore) -> int:
    return sum(point.key in store.records for point in points)


def _pool(scheduler: str | None, workers: int | None) -> Pool:
    from planner.study.sweep_pools import DaskPool, LocalPool, cores

    if scheduler is not None:
        return DaskPool(scheduler)
    return LocalPool(workers or cores())


def _tasks(
    plan: Plan, todo: Sequence[Point], store: SweepStore, decide: Any, constants: str | None
) -> Iterator[Task]:
    """Yield the tasks one by one, so that documents wait nowhere."""
    from planner.study.sweep_task import Task
    from planner.verify.check import verify

    for point in todo:
        document, file = plan.document(point.values)
        yield Task(
            key=point.key,
            document=json.dumps(document),
            file=file,
            options=decide,
            calibration=constants,
            check=verify,
            folder=str(store.folder),
            token=store.token,
        )


def _run(
    store: SweepStore, pool: Pool, tasks: Iterator[Task], total: int, options: dict[str, Any]
) -> None:
    """Solve the tasks and show how far they are."""
    from planner.study.sweep import Sweep, SweepStoppedError
    from planner.study.sweep_task import solve_task

    began = noted = time.monotonic()
    with progress_line(f"0 of {total:,} instances") as line:

        def say(ended: int) -> None:
            nonlocal noted
            now = time.monotonic()
            left = (now - began) / ended * (total - ended) if ended else 0.0
            about = f", about {left:,.0f} s left" if ended else ""
            text = f"{ended:,} of {total:,} instances{about}"
            line.say(text)
            if not sys.stderr.isatty() and now - noted >= NOTE_EVERY_S:
                noted = now
                click.echo(text, err=True)

        try:
            Sweep(store=store, pool=pool, work=solve_task, tries=options["tries"], say=say).run(
                tasks
            )
        except SweepStoppedError as error:
            message = f"{error}; what is solved is kept, and the same command goes on"
            raise SweepStoppedError(message) from None


def _write(plan: Plan, points: Sequence[Point], store: SweepStore, folder: Path) -> list[SweepRow]:
    """Write star schema and summary in one pass over the stored solutions."""
    from planner.export.star import write_star
    from planner.export.sweep_table import SweepRow, answer_cells, sweep_text
    from planner.export.text_file import write_text
    from planner.export.whole_folder import real_place, whole_folder

    answers: dict[str, Any] = {}

    def solutions() -> Iterator[Solution]:
        for key in dict.fromkeys(point.key for point in points):
            solution = store.solution(key)
            if solution is not None:
                answers[key] = answer_cells(solution)
                yield solution

    try:
        with whole_folder(real_place(folder / "bi")) as new:
            write_star(solutions(), new)
    except OSError as error:
        raise UsageError(f"{folder / 'bi'}: cannot be written ({error.strerror})") from None
    rows = []
    for point in points:
        record = store.records[point.key]
        rows.append(
            SweepRow(
                number=point.number,
                values=point.values,
                outcome=record.outcome,
                reason=record.reason,
                answer=answers.get(point.key, ()),
            )
        )
    write_text(folder / "summary.csv", sweep_text([axis.key for axis in plan.axes], rows))
    return rows


def _show(
    plan: Plan, rows: Sequence[SweepRow], folder: Path, *, as_json: bool, **figures: Any
) -> None:
    """Print the table, or one JSON document."""
    from planner.cli.plain_table import plain_table
    from planner.export.sweep_table import columns, shown_value

    keys = [axis.key for axis in plan.axes]
    outcomes = {o: sum(r.outcome == o for r in rows) for o in sorted({r.outcome for r in rows})}
    if as_json:
        names = [column.name for column in columns(keys)]
        table = [dict(zip(names, (r.number, *r.values, *r.cells()), strict=True)) for r in rows]
        document = {"instances": len(rows), "outcomes": outcomes, **figures,
                    "output": str(folder), "rows": table}  # fmt: skip
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    header = ["number", *keys, "outcome", "USD", "server", "nodes", "family", "step s"]
    shown = []
    for row in rows[:SHOWN_ROWS]:
        cells = dict(zip([c.name for c in columns([])][1:], row.cells(), strict=True))
        shown.append(
            [row.number, *(shown_value(v) for v in row.values), row.outcome,
             None if row.objective_usd is None else round(row.objective_usd),
             cells["server"], cells["nodes"], cells["family"], cells["step_times_s"]]
        )  # fmt: skip
    click.echo(plain_table(header, shown))
    if len(rows) > SHOWN_ROWS:
        click.echo(f"... and {len(rows) - SHOWN_ROWS:,} more in summary.csv")
    parts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
    click.echo(f"{len(rows):,} instances: {parts}. {figures['solved']:,} solved now, "
               f"{figures['kept']:,} kept from before, {figures['wall_s']:.1f} s.")  # fmt: skip
    click.echo(f"Summary: {folder / 'summary.csv'}; star schema: {folder / 'bi'}")
