"""Put designs and offers side by side: whole cents, differences from the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planner.domain.comparison import (
    CategoryRow,
    Cell,
    Comparison,
    Offer,
    PartRow,
    Side,
    StepFigures,
)
from planner.domain.instance import Instance
from planner.domain.solution import BomLine, Solution
from planner.domain.units import cents
from planner.domain.workload import Workload

UNLISTED = "not in the bill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One of the things to compare, with the name that it goes by."""

    name: str
    what: Solution | Offer


@dataclass(frozen=True, slots=True)
class _Line:
    part: str
    text: str
    component: str
    quantity: int
    total_cents: int


def compare(subjects: list[Subject]) -> Comparison:
    """Return the comparison of at least two subjects with the first of them."""
    sides = [_side(subject) for subject in subjects]
    return Comparison(
        sides=sides,
        categories=list(_categories(subjects)),
        parts=list(_parts(subjects, sides)),
        notes=list(_notes(subjects)),
    )


def _side(subject: Subject) -> Side:
    what = subject.what
    if isinstance(what, Offer):
        return Side(
            name=subject.name,
            kind="offer",
            status="",
            summary="",
            capex_cents=sum(line.total_cents for line in what.lines),
            misses=what.notes,
        )
    cost, design = what.cost, what.design
    return Side(
        name=subject.name,
        kind="evaluated" if what.question == "evaluate" else "solution",
        status=what.status,
        summary=_summary(what),
        capex_cents=None if cost is None else cents(cost.capex_usd),
        energy_cents=None if cost is None else cents(cost.energy_usd),
        support_cents=None if cost is None else cents(cost.support_usd),
        other_cents=None if cost is None else cents(cost.other_usd),
        total_cents=None if cost is None else cents(cost.total_usd),
        years=None if cost is None else cost.years,
        gpus=None if design is None else design.gpus,
        nodes=None if design is None else design.nodes,
        racks=None if design is None else design.racks,
        max_power_kw=None if design is None else design.max_power_kw,
        steps=[
            StepFigures(
                workload=job.name,
                step_time_s=job.step_time_s,
                limit_s=job.limit_s,
                run_days=job.run_days,
            )
            for job in what.workloads
        ],
        misses=what.reasons,
    )


def _summary(solution: Solution) -> str:
    design = solution.design
    if design is None:
        return ""
    text = f"{design.nodes} x {design.platform.model}"
    fabric = design.fabric
    if not fabric.tiers:
        return f"{text}, no switch"
    tiers = " + ".join(f"{tier.count} x {tier.switch}" for tier in fabric.tiers)
    return f"{text}, {fabric.family} {fabric.link_gbps:g}G, {tiers}"


def _categories(subjects: list[Subject]) -> Iterator[CategoryRow]:
    tables: list[dict[str, int] | None] = []
    for subject in subjects:
        cost = subject.what.cost if isinstance(subject.what, Solution) else None
        tables.append(
            None if cost is None else {row.component: cents(row.total_usd) for row in cost.components}
        )  # fmt: skip
    for name in dict.fromkeys(name for table in tables if table for name in table):
        yield CategoryRow(
            component=name,
            cents=[None if table is None else table.get(name, 0) for table in tables],
        )


def _lines(subject: Subject, side: Side) -> Iterator[_Line]:
    """Yield the bill of a subject; the last line makes up for what the bill does not list."""
    what, listed = subject.what, 0
    if isinstance(what, Offer):
        for line in what.lines:
            yield _Line(line.part, line.text, "", line.quantity, line.total_cents)
        return
    for row in _bill(what):
        listed += cents(row.total_usd)
        name = row.description or row.part
        yield _Line(row.part, name, row.component, row.quantity, cents(row.total_usd))
    left = (side.capex_cents or 0) - listed
    if left:
        yield _Line("", UNLISTED, "other", 1, left)


def _bill(solution: Solution) -> list[BomLine]:
    if solution.bill_of_materials:
        return solution.bill_of_materials
    return [row for pool in solution.pools for row in pool.bill_of_materials]


def _key(line: _Line) -> str:
    return line.part or f"'{line.text}"


def _parts(subjects: list[Subject], sides: list[Side]) -> Iterator[PartRow]:
    bills = [list(_lines(s, side)) for s, side in zip(subjects, sides, strict=True)]
    for key in dict.fromkeys(_key(line) for bill in bills for line in bill):
        named = [line for bill in bills for line in bill if _key(line) == key]
        of_catalogue = [line for line in named if line.component] or named
        cells = [_cell(line for line in bill if _key(line) == key) for bill in bills]
        split = [_split(cell, cells[0]) for cell in cells]
        yield PartRow(
            part=named[0].part,
            text=of_catalogue[0].text,
            component=of_catalogue[0].component or "other",
            cells=cells,
            by_quantity_cents=[quantity for quantity, _ in split],
            by_price_cents=[price for _, price in split],
        )


def _cell(lines: Iterable[_Line]) -> Cell:
    found = list(lines)
    return Cell(
        quantity=sum(line.quantity for line in found),
        total_cents=sum(line.total_cents for line in found),
    )


def _split(cell: Cell, first: Cell) -> tuple[int, int]:
    """Return the difference by quantity and by price; together the difference of the totals."""
    difference = cell.total_cents - first.total_cents
    if not first.quantity or not cell.quantity:
        return difference, 0
    at_first_price = round(first.total_cents * cell.quantity / first.quantity)
    return at_first_price - first.total_cents, cell.total_cents - at_first_price


def _notes(subjects: list[Subject]) -> Iterator[str]:
    first = subjects[0].what
    if not isinstance(first, Solution):
        return
    for subject in subjects[1:]:
        what = subject.what
        if isinstance(what, Offer):
            continue
        asked, reference = (_asked(solution.instance) for solution in (what, first))
        if asked != reference:
            yield f"{subject.name} has other workloads or targets than {subjects[0].name}."
        elif what.instance.workloads != first.instance.workloads:
            yield f"{subject.name} pins or forbids other parallelism than {subjects[0].name}."
        if what.instance.finance != first.instance.finance:
            yield f"{subject.name} counts money over time otherwise than {subjects[0].name}."
        if what.instance.quotes != first.instance.quotes:
            yield f"{subject.name} has other quotes than {subjects[0].name}."


def _asked(instance: Instance) -> list[Workload]:
    """Return the workloads without what is pinned of their parallelism."""
    free = {name: Workload.model_fields[name].default for name in ("fix", "forbid")}
    return [workload.model_copy(update=free) for workload in instance.workloads]
