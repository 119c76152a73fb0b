"""Every scale-up kind with every network family and topology: its best design, or what is known.

Each combination is a forced choice like those of `study/alternatives.py`. First each is bounded:
its designs are opened by cost until the first that is fast enough on an ideal fabric and could be
wired. Then those whose bound is near the decision are solved, up to a limit of work, so that the
effort goes where a buyer might still hesitate; of the others the bound is stated. Designs, bounds
and step times that an earlier search opened serve here too, and what was proved of a choice bounds
every combination that holds it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from planner.domain.combination import DIRECT, Combination, beside_grid, combined
from planner.domain.solution import Alternative
from planner.domain.units import CENTS_PER_USD, cents
from planner.program import interrupt
from planner.program.market import Market
from planner.program.scan import Found, ScanResult, describe, scan
from planner.program.work import Work
from planner.study.alternatives import (
    FAMILY_WORDS,
    force,
    step_times_s,
    why_dearer,
    why_no_design,
    why_no_platform,
)

Depth = Literal["none", "bounded", "full"]
WORK = 20
"""Designs that are timed and placed in all, unless every combination is to be solved."""
NEAR = 0.25
"""How much dearer a combination may be at least, of the decision's cost, to be solved."""
BOUND_WORK = Work(numbers=20, columns=0)
"""What is done to bound one combination."""
EACH = Work(numbers=20, columns=4)
"""What is done to solve one combination."""
OWN_BOUND = (
    "at least: what was not ruled out of its designs costs no less; it was not solved further"
)
NO_BOUND = "at least nothing: time was up before it was looked at"
ANSWER_BOUND = "at least: no design of the grid costs less than the answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Combining:
    """A decision and what is known before its combinations are asked."""

    market: Market
    best: Found
    bound_cents: int
    """Proved bound of every design of the instance."""
    alternatives: Sequence[Alternative]
    """Forced choices that were answered already."""
    work: int | None
    """Designs to time and place in all; None to solve every combination."""
    deadline_s: float | None
    say: Callable[[str], None]

    def late(self) -> bool:
        """Return whether time is up or the user has asked to stop."""
        past = self.deadline_s is not None and time.monotonic() > self.deadline_s
        return past or interrupt.asked()


@dataclass(slots=True)
class _Cell:
    """One combination while it is searched."""

    scale_up: str
    family: str
    topology: str
    variant: Market | None = None
    """None where the answer is known without a search."""
    result: ScanResult | None = None
    answer: Combination | None = None

    @property
    def names(self) -> tuple[str, str, str]:
        """Return scale-up kind, family and topology."""
        return self.scale_up, self.family, self.topology

    @property
    def forced(self) -> dict[str, Any]:
        """Return the choices that it pins."""
        base: dict[str, Any] = {"scale_up": self.scale_up, "topology": self.topology}
        return base | ({"nodes": 1} if self.topology == DIRECT else {"family": self.family})

    @property
    def open_cents(self) -> int:
        """Return the bound of its search; 0 where none was begun."""
        return (self.result.bound_cents or 0) if self.result is not None else 0

    def impossible(self, reason: str) -> Combination:
        """Return the answer where there is no design."""
        return Combination(
            scale_up=self.scale_up, family=self.family, topology=self.topology,
            status="infeasible", reason=reason,
        )  # fmt: skip


def combinations(asked: Combining) -> list[Combination]:
    """Return what is known of every combination, in the order of `combined`."""
    kinds = {server.scale_up for server in asked.market.catalog.servers.values()}
    cells = [_Cell(*names) for names in combined(kinds)]
    barred: dict[str, str] = {kind: _no_server(asked.market, kind) for kind in kinds}
    for cell in cells:
        reason = barred[cell.scale_up]
        if reason:
            cell.answer = cell.impossible(reason)
        else:
            _begin(asked, cell)
    open_cells = [cell for cell in cells if cell.answer is None]
    for cell in open_cells:
        if not asked.late():
            asked.say(f"{asked.market.instance.name}: bounding {_named(cell)}")
            cell.result = _scanned(asked, cell, BOUND_WORK)
    _solve(asked, [cell for cell in open_cells if cell.result and cell.result.stopped])
    incumbents = _incumbents(asked.market)
    return [cell.answer or _answered(asked, cell, incumbents.get(cell.names)) for cell in cells]


def _solve(asked: Combining, cells: list[_Cell]) -> None:
    """Solve combinations, least bound first, until all are solved or the work is done."""
    spent, near = 0, asked.best.placed.cost_cents * (1 + NEAR)
    for cell in sorted(cells, key=lambda c: _bound(asked, c)[0]):
        all_near = spent >= (asked.work or 0) or _bound(asked, cell)[0] > near
        if asked.late() or (asked.work is not None and all_near):
            break
        asked.say(f"{asked.market.instance.name}: solving {_named(cell)}")
        cell.result = _scanned(asked, cell, None if asked.work is None else EACH)
        spent += cell.result.evaluated


def _incumbents(market: Market) -> dict[tuple[str, str, str], Found]:
    """Return the cheapest design of each combination that any search has placed and timed."""
    found: dict[tuple[str, str, str], Found] = {}
    for design in market.evaluated.values():
        choice = design.column.plan.choice
        names = (design.column.option.server.scale_up, choice.family, choice.topology)
        if names not in found or design.order < found[names].order:
            found[names] = design
    return found


def _no_server(market: Market, scale_up: str) -> str:
    """Return why no server of a scale-up kind can be bought, whatever the network; empty if one can."""
    forced = force(market.instance, {"scale_up": scale_up})
    if isinstance(forced, str):
        return forced
    if market.variant(forced).options:
        return ""
    return why_no_platform(market, {"scale_up": scale_up})


def _named(cell: _Cell) -> str:
    return f"{cell.scale_up}, {cell.family}, {cell.topology}"


def _begin(asked: Combining, cell: _Cell) -> None:
    """Set what is known of a combination without a search."""
    chosen = asked.best.column
    choice = chosen.plan.choice
    if cell.names == (chosen.option.server.scale_up, choice.family, choice.topology):
        cell.answer = _solved(asked, cell, asked.market, asked.best, asked.bound_cents, "chosen")
        return
    forced = force(asked.market.instance, cell.forced)
    if isinstance(forced, str):
        cell.answer = cell.impossible(forced)
        return
    known = next((a for a in _above(asked, cell) if a.status == "infeasible"), None)
    if known is not None:
        cell.answer = cell.impossible(known.reason)
        return
    variant = asked.market.variant(forced)
    if not any(variant.choices(option) for option in variant.options):
        family = FAMILY_WORDS.get(cell.family, cell.family)
        cell.answer = cell.impossible(f"no such server is on sale with cards for {family}")
    else:
        cell.variant = variant


def _above(asked: Combining, cell: _Cell) -> list[Alternative]:
    """Return the answered choices that leave all designs of a combination in."""
    beside = beside_grid(asked.market.instance, cell.topology)
    names = {"scale_up": cell.scale_up, "family": cell.family, "topology": cell.topology}
    return [
        a
        for a in asked.alternatives
        if a.forced
        and all(names.get(key) == value for key, value in a.forced.items())
        and ("topology" in a.forced or not beside)
    ]


def _scanned(asked: Combining, cell: _Cell, work: Work | None) -> ScanResult:
    assert cell.variant is not None
    return scan(cell.variant, deadline_s=asked.deadline_s, skip_slow=True, work=work)


def _answered(asked: Combining, cell: _Cell, incumbent: Found | None) -> Combination:
    """Return what the search of a combination found."""
    result, variant = cell.result, cell.variant
    assert variant is not None
    if result is not None and result.best is None and not result.stopped:
        return cell.impossible(why_no_design(variant, result))
    found = result.best if result is not None and result.best is not None else incumbent
    least, reason = _bound(asked, cell)
    if not least:
        reason = NO_BOUND
    if found is not None:
        proved = least >= found.placed.cost_cents
        return _solved(asked, cell, variant, found, least, "optimal" if proved else "feasible")
    return Combination(
        scale_up=cell.scale_up,
        family=cell.family,
        topology=cell.topology,
        status="bounded",
        bound_usd=least / CENTS_PER_USD,
        delta_usd=(least - asked.best.placed.cost_cents) / CENTS_PER_USD,
        reason=reason,
    )


def _bound(asked: Combining, cell: _Cell) -> tuple[int, str]:
    """Return the highest bound that is known of a combination, cents, and what it rests on."""
    beside = beside_grid(asked.market.instance, cell.topology)
    found = [(0 if beside else asked.bound_cents, ANSWER_BOUND), (cell.open_cents, OWN_BOUND)]
    found += [
        (cents(a.objective_usd), f"at least: the best design with {a.name}")
        for a in _above(asked, cell)
        if a.status == "optimal" and a.objective_usd is not None
    ]
    return max(found, key=lambda item: item[0])


def _solved(
    asked: Combining,
    cell: _Cell,
    variant: Market,
    found: Found,
    least: int,
    status: Literal["chosen", "optimal", "feasible"],
) -> Combination:
    cost = found.placed.cost_cents
    reason = "" if status == "chosen" else why_dearer(asked.market, asked.best, variant, found)
    return Combination(
        scale_up=cell.scale_up,
        family=cell.family,
        topology=cell.topology,
        status=status,
        objective_usd=cost / CENTS_PER_USD,
        bound_usd=min(least, cost) / CENTS_PER_USD,
        delta_usd=(cost - asked.best.placed.cost_cents) / CENTS_PER_USD,
        summary=describe(found.column),
        reason=reason,
        step_times_s=step_times_s(variant, found),
    )
