"""A comparison in sentences and tables: what `planner compare` prints, and what its page shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from planner.domain.comparison import Comparison, PartRow, Side
from planner.domain.units import CENTS_PER_USD
from planner.report.notation import Notation
from planner.report.plain import clip, plain, wrap
from planner.report.words import Words

WIDTH = 100
LABEL = 30
MOST_PARTS = 12
"""Lines of the bills that fit a terminal; the files hold all."""


class Figure(NamedTuple):
    """One value of one side: unrounded, and as it is written; empty where there is none."""

    value: float | str | None
    text: str


class FigureRow(NamedTuple):
    """One key figure of every side."""

    label: str
    cells: list[Figure]


def figure_rows(found: Comparison, w: Words, n: Notation) -> list[FigureRow]:
    """Return the key figures, without those that no side has."""

    def money(cents: int | None) -> Figure:
        usd = None if cents is None else cents / CENTS_PER_USD
        return Figure(usd, "" if usd is None else n.money(usd, 2))

    def count(value: float | None, unit: str = "") -> Figure:
        return Figure(value, "" if value is None else f"{n.short(value, 1)}{unit}")

    makers: list[tuple[str, Callable[[Side], Figure]]] = [
        ("what", lambda s: _said(w(f"compare.kind.{s.kind}"))),
        ("status", lambda s: _said(_status(s, w))),
        ("design", lambda s: _said(w.said(plain(s.summary)))),
        ("capex", lambda s: money(s.capex_cents)),
        ("energy", lambda s: money(s.energy_cents)),
        ("support", lambda s: money(s.support_cents)),
        ("other", lambda s: money(s.other_cents)),
        ("total", lambda s: money(s.total_cents)),
        ("gpus", lambda s: count(s.gpus)),
        ("nodes", lambda s: count(s.nodes)),
        ("racks", lambda s: count(s.racks)),
        ("power", lambda s: count(s.max_power_kw, " kW")),
    ]
    rows = [
        FigureRow(w(f"compare.row.{key}"), [made(side) for side in found.sides])
        for key, made in makers
    ]
    rows += _step_rows(found, w, n)
    return [row for row in rows if any(cell.text for cell in row.cells)]


def _said(text: str) -> Figure:
    return Figure(None, text)


def _status(side: Side, w: Words) -> str:
    if side.kind == "evaluated":
        return w("status.meets" if side.status == "optimal" else "status.misses")
    return w(f"status.{side.status}") if side.status else ""


def _step_rows(found: Comparison, w: Words, n: Notation) -> Iterator[FigureRow]:
    for name in dict.fromkeys(step.workload for side in found.sides for step in side.steps):
        steps = [next((s for s in side.steps if s.workload == name), None) for side in found.sides]
        yield FigureRow(
            w("compare.row.step", name=plain(name)),
            [
                Figure(None, "")
                if step is None
                else Figure(
                    step.step_time_s, f"{n.seconds(step.step_time_s)} ({n.seconds(step.limit_s)})"
                )
                for step in steps
            ],
        )
        yield FigureRow(
            w("compare.row.days", name=plain(name)),
            [
                Figure(None, "")
                if step is None or step.run_days is None
                else Figure(step.run_days, w("compare.days", n=n.short(step.run_days, 2)))
                for step in steps
            ],
        )


def verdicts(found: Comparison, w: Words, n: Notation) -> list[str]:
    """Return the sentences: what each side costs more than the first, and which targets it misses."""
    lines: list[str] = []
    for index, side in enumerate(found.sides):
        if index:
            lines += _cost(found, index, w, n)
        lines += _missed(side, w, n)
    return [*lines, *(w.said(plain(note)) for note in found.notes)]


def _cost(found: Comparison, index: int, w: Words, n: Notation) -> Iterator[str]:
    first, side = found.sides[0], found.sides[index]
    names = {"name": plain(side.name), "first": plain(first.name)}
    offers = "offer" in (side.kind, first.kind)
    ours, theirs = (
        (first.capex_cents, side.capex_cents) if offers else (first.total_cents, side.total_cents)
    )
    if theirs is None:
        yield w("compare.nothing", name=names["name"])
        return
    if ours is None:
        return
    difference = theirs - ours
    key = "more" if difference > 0 else "less" if difference < 0 else "same"
    values = names | {
        "amount": n.money(abs(difference) / CENTS_PER_USD, 2),
        "share": ("+" if difference > 0 else "") + n.percent(difference / ours if ours else 0.0),
    }
    if offers:
        yield w(
            f"compare.offer.{key}",
            quantity=n.signed_money(_sum(found, index, "by_quantity_cents"), 2),
            price=n.signed_money(_sum(found, index, "by_price_cents"), 2),
            **values,
        )
        yield from _left_out(found, index, difference, w, n)
        yield w(
            "compare.offer.steps", name=names["name"] if side.kind == "offer" else names["first"]
        )
        return
    capex = ((side.capex_cents or 0) - (first.capex_cents or 0)) / CENTS_PER_USD
    yield w(f"compare.{key}", capex=n.signed_money(capex, 2), **values)


def _left_out(
    found: Comparison, index: int, difference: int, w: Words, n: Notation
) -> Iterator[str]:
    """Yield what lines that one side does not list make of the difference."""
    alone = [
        row for row in found.parts if bool(row.cells[index].quantity) != bool(row.cells[0].quantity)
    ]
    if alone:
        worth = sum(row.by_quantity_cents[index] + row.by_price_cents[index] for row in alone)
        yield w(
            "compare.offer.alone",
            count=len(alone),
            worth=n.signed_money(worth / CENTS_PER_USD, 2),
            rest=n.signed_money((difference - worth) / CENTS_PER_USD, 2),
        )


def _sum(found: Comparison, index: int, name: str) -> float:
    return float(sum(getattr(row, name)[index] for row in found.parts)) / CENTS_PER_USD


def _missed(side: Side, w: Words, n: Notation) -> Iterator[str]:
    name = plain(side.name)
    late = [step for step in side.steps if step.over_share > 0]
    for step in late:
        yield w(
            "compare.missed",
            name=name,
            workload=plain(step.workload),
            step=n.seconds(step.step_time_s),
            share=n.percent(step.over_share),
            limit=n.seconds(step.limit_s),
        )
    for text in side.misses:
        told = any(text.startswith(f"{step.workload} steps in ") for step in late)
        if not told:
            yield f"{name}: {w.said(plain(text))}"


def largest_first(rows: list[PartRow]) -> list[PartRow]:
    """Return the lines with the largest difference of any side first."""

    def spread(row: PartRow) -> int:
        return max(abs(cell.total_cents - row.cells[0].total_cents) for cell in row.cells)

    return sorted(rows, key=spread, reverse=True)


def comparison_text(found: Comparison, w: Words, n: Notation) -> str:
    """Return the comparison for a terminal of 100 columns."""
    names = [plain(side.name) for side in found.sides]
    lines = [w("compare.page", names=", ".join(names))]
    lines += wrap(w("compare.against", first=names[0]), WIDTH, 2)
    for text in verdicts(found, w, n):
        lines += ["  - " + line if i == 0 else "    " + line
                  for i, line in enumerate(wrap(text, WIDTH - 4, 4))]  # fmt: skip
    for row in figure_rows(found, w, n):
        lines += _columns(row.label, [cell.text for cell in row.cells])
    lines += [w("compare.categories", currency=n.currency)]
    for category in found.categories:
        texts = ["" if c is None else n.amount(c / CENTS_PER_USD) for c in category.cents]
        lines += _columns(w.label("component", category.component), texts)
    lines += [w("compare.parts", currency=n.currency)]
    shown = largest_first(found.parts)
    for part in shown[:MOST_PARTS]:
        cells = [f"{n.number(c.quantity)}: {n.amount(c.total_cents / CENTS_PER_USD)}"
                 if c.quantity else "" for c in part.cells]  # fmt: skip
        lines += _columns(plain(part.part or w.said(part.text)), cells)
    if len(shown) > MOST_PARTS:
        lines.append("  " + w("compare.more_parts", n=len(shown) - MOST_PARTS))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _columns(label: str, cells: list[str]) -> list[str]:
    """Return one row of a table: the label, then a column for each side; long texts wrap."""
    width = max(14, (WIDTH - LABEL - 2) // len(cells))
    wrapped = [wrap(cell, width - 2, 4) or [""] for cell in cells]
    lines = []
    for index in range(max(map(len, wrapped))):
        head = clip(label, LABEL - 1) if index == 0 else ""
        texts = [column[index] if index < len(column) else "" for column in wrapped]
        lines.append(f"  {head:<{LABEL}}" + "".join(f"{text:<{width}}" for text in texts))
    return lines
