"""Growth: what runs in each phase, what is bought and sold when, what deciding otherwise costs."""

from __future__ import annotations

from collections import defaultdict

from planner.domain.growth_part import HoldingPart, PhasePart
from planner.domain.solution import Solution
from planner.report.extra import Extra
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.sections.table_section import table_section
from planner.report.view import View
from planner.report.words import Words

NOW = "now"
HEADS = ("phase", "runs", "purchase", "running", "moved", "power")


def _table(view: View) -> Extra:
    """Return one row for each phase, and what deciding otherwise would cost."""
    solution, w, n = view.solution, view.w, view.n
    part = solution.growth
    pairs = zip(part.phases, solution.phases, strict=True) if part else ()
    rows = [
        (
            phase_name(row, w, n),
            _runs(document, w, n),
            n.amount(row.capex_usd, 0),
            n.amount(row.running_usd, 0),
            n.number(row.moved_links),
            n.number(row.max_power_kw, 1),
        )
        for row, document in pairs
    ]
    return Extra(
        caption=w("growth.caption", currency=n.currency),
        lines=(*_trades(solution, w, n), *growth_lines(solution, w, n)),
        heads=tuple(w(f"growth.{key}") for key in HEADS),
        rows=tuple(rows),
    )


def phase_name(row: PhasePart, w: Words, n: Notation) -> str:
    """Return a phase with its month."""
    if row.name == NOW:
        return w("growth.now")
    return w("growth.month", name=plain(row.name), month=n.number(row.month))


def _runs(document: Solution, w: Words, n: Notation) -> str:
    design = document.design
    if design is None:
        return ""
    count, reserved = n.number(design.nodes), document.instance.fabric.reserved_leafs
    text = f"{count} x {w.said(plain(design.platform.model))}"
    switches = ", ".join(f"{n.number(t.count)} x {plain(t.switch)}" for t in design.fabric.tiers)
    text += f", {switches}" if switches else ""
    if reserved and len(design.fabric.tiers) > 1:
        text += f" ({w('growth.reserved', leafs=n.number(reserved))})"
    return text


def _trades(solution: Solution, w: Words, n: Notation) -> list[str]:
    """Return what each phase buys and sells, one sentence a phase."""
    return [
        w(
            "growth.trade",
            phase=phase_name(row, w, n),
            what="; ".join(_bought(solution, row, w, n)) or w("growth.nothing"),
        )
        for row in (solution.growth.phases if solution.growth else ())
    ]


def _bought(solution: Solution, row: PhasePart, w: Words, n: Notation) -> list[str]:
    """Return what a phase buys and sells: servers and switches; all else is of their number."""
    part = solution.growth
    found: dict[tuple[str, str], int] = defaultdict(int)
    for held in part.holdings if part else ():
        if _counted(held) and held.phase == row.name:
            found["growth.buys", held.description] += held.quantity
        if _counted(held) and held.until == row.name:
            found["growth.sells", held.description] += held.quantity
    return [
        w(key, count=n.number(count), what=w.said(plain(what)))
        for (key, what), count in found.items()
    ]


def _counted(held: HoldingPart) -> bool:
    return held.component in ("servers", "switches")


def growth_lines(solution: Solution, w: Words, n: Notation) -> list[str]:
    """Return how prices fall, and what deciding otherwise would cost."""
    part, total = solution.growth, solution.objective_usd
    if part is None or total is None:
        return []
    lines = [
        w(
            "growth.decline",
            servers=n.percent(part.decline_servers_per_year),
            network=n.percent(part.decline_network_per_year),
        )
    ]
    for other in part.others:
        name = w(f"growth.{other.name}")
        if other.total_usd is None:
            lines.append(w("portfolio.impossible", name=name))
        elif other.total_usd > total:
            lines.append(
                w("portfolio.dearer", name=name, amount=n.money(other.total_usd),
                  share=n.percent(other.total_usd / total - 1, 1))
            )  # fmt: skip
        else:
            lines.append(w("portfolio.same", name=name, amount=n.money(other.total_usd)))
    return lines


def growth_console(solution: Solution, w: Words, n: Notation) -> list[str]:
    """Return one line for each phase, then what deciding otherwise would cost."""
    part = solution.growth
    if part is None:
        return []
    lines = [
        w(
            "growth.line",
            phase=phase_name(row, w, n),
            runs=_runs(document, w, n),
            amount=n.amount(row.capex_usd, 0),
        )
        for row, document in zip(part.phases, solution.phases, strict=True)
    ]
    return [*lines, *growth_lines(solution, w, n)]


SECTION = table_section(
    key="growth",
    title="growth.title",
    shown=lambda solution: solution.growth is not None,
    make=_table,
)
"""Shown where the answer has phases."""
