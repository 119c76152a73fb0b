"""Sections that only some answers have, as tables that every kind of report shows alike."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.goodput_part import GoodputPart
from planner.domain.solution import Solution, WorkloadResult
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.words import Words

SECONDS_PER_MINUTE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """One section: a title, sentences, and a table whose figures are text already."""

    key: str
    title: str
    caption: str
    lines: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def extras(solution: Solution, w: Words, n: Notation) -> list[Extra]:
    """Return the sections that the answer has, in reading order."""
    found = [goodput_extra(solution, w, n)]
    return [extra for extra in found if extra is not None]


def goodput_extra(solution: Solution, w: Words, n: Notation) -> Extra | None:
    """Return failures, checkpoints and spares of every workload that models them."""
    rows = [
        (plain(result.name), *_goodput_cells(result.goodput, n))
        for result in solution.workloads
        if result.goodput is not None
    ]
    if not rows:
        return None
    keys = ("workload", "servers", "spares", "mtbf", "every", "write", "lost", "waiting",
            "availability", "failures")  # fmt: skip
    return Extra(
        key="goodput",
        title=w("goodput.title"),
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
