"""Failures, checkpoints and spares of the workloads that model them."""

from __future__ import annotations

from planner.domain.goodput_part import GoodputPart
from planner.domain.solution import WorkloadResult
from planner.report.extra import Extra
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.sections.table_section import table_section
from planner.report.view import View
from planner.report.words import Words

SECONDS_PER_MINUTE = 60.0


def _table(view: View) -> Extra:
    """Return failures, checkpoints and spares of every workload that models them."""
    w, n = view.w, view.n
    rows = [
        (plain(result.name), *_goodput_cells(result.goodput, n))
        for result in view.solution.workloads
        if result.goodput is not None
    ]
    keys = ("workload", "servers", "spares", "mtbf", "every", "write", "lost", "waiting",
            "availability", "failures")  # fmt: skip
    return Extra(
        caption=w("goodput.caption"),
        heads=tuple(w(f"goodput.{key}") for key in keys),
        rows=tuple(rows),
    )


def _goodput_cells(part: GoodputPart, n: Notation) -> tuple[str, ...]:
    failures = part.expected_failures
    return (
        n.number(part.servers),
        n.number(part.spares),
        n.number(part.mtbf_h, 1),
        n.number(part.checkpoint_interval_s / SECONDS_PER_MINUTE, 1),
        n.number(part.checkpoint_write_s, 1),
        n.percent(1 - part.checkpoint_share, 2),
        n.percent(part.waiting_share, 2),
        n.percent(part.availability, 2),
        "" if failures is None else n.number(failures, 1),
    )


def goodput_line(result: WorkloadResult, w: Words, n: Notation) -> list[str]:
    """Return a workload's modelled availability in one sentence, none where it is given."""
    part = result.goodput
    if part is None:
        return []
    text = w(
        "goodput.console",
        workload=plain(result.name),
        availability=n.percent(part.availability),
        servers=n.number(part.servers),
        spares=n.number(part.spares),
        mtbf=n.number(part.mtbf_h, 1),
        every=n.number(part.checkpoint_interval_s / SECONDS_PER_MINUTE),
    )
    return [text]


SECTION = table_section(
    key="goodput",
    title="goodput.title",
    shown=lambda solution: any(result.goodput for result in solution.workloads),
    make=_table,
)
