"""Placement where some racks, cables and modules are owned: the first units of each are free.

The cost of a part is then convex in its number: `owned_stock` units at what they still cost (energy
and the like), the rest at the full price. For any split of the owned parts into those priced as if
the stock had no end (`free`) and those priced in full less the value of the whole stock, the
placement problem is linear again and its optimum bounds the true one from below. A placement whose
own numbers agree with its split costs exactly its bound and is optimal. Splits follow the numbers
of the last placement until they agree; what is then still open is reported as a gap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from planner.physics.costs import UnitCost
from planner.physics.refusal import Refusal
from planner.program.columns import Column
from planner.program.limits import racks_for
from planner.program.placement import Placement, bound_cents
from planner.program.placement_within import Within, place_within
from planner.program.placer import Placer
from planner.program.prices import PriceBook

ROUNDS = 12
"""Most splits that are tried for one column."""


@dataclass(frozen=True)
class SplitBook(PriceBook):
    """Prices under which some parts are as cheap as if any number of them were owned."""

    free: frozenset[str] = frozenset()

    def _value(self, part: str, component: str) -> UnitCost:
        whole = super()._value(part, component)
        if part not in self.free:
            return whole
        return whole + self.saved(part, component).times(-1)

    def listed(self, part: str) -> UnitCost:
        """Return the present value of one unit that is bought."""
        return super()._value(part, self.component(part))


@dataclass
class OwnedPlacer:
    """Places columns under the prices that are left for what is bought beside the stock."""

    placer: Placer
    _splits: dict[frozenset[str], Placer] = field(default_factory=dict)

    @property
    def book(self) -> PriceBook:
        """Full prices and the stock."""
        return self.placer.book

    @cached_property
    def parts(self) -> dict[str, int]:
        """Owned units of racks, PDUs, cables and modules."""
        wanted = ("transceivers", "cables", "racks")
        stock = self.book.stock
        return {part: n for (part, component), n in stock.items() if component in wanted}

    def split(self, free: frozenset[str]) -> Placer:
        """Return a placer with some parts priced as owned without end."""
        if free not in self._splits:
            one = self.placer
            book = SplitBook(instance=one.instance, catalog=one.catalog, free=free)
            self._splits[free] = Placer(one.instance, one.catalog, book, one.weights)
        return self._splits[free]

    def racks_net(self, racks: int) -> UnitCost:
        """Return the present value of racks with their PDUs, less what is owned of both."""
        rack, book = self.placer.rack, self.book
        return book.net(rack.rack, "racks", racks) + book.net(rack.pdu, "racks", racks * rack.pdus)

    def fewest_rack_cents(self, watts: float) -> int:
        """Return the least that the racks for so many watts cost beside the stock, cents."""
        if self.placer.room.alike:
            return self.racks_net(racks_for(watts, self.placer.room.rack_w / 1000.0)).total
        owned = frozenset(p for p in self.parts if self.book.component(p) == "racks")
        return max(0, self.placer.fewest_rack_cents(watts) - self._whole(owned))

    def net(self, placement: Placement) -> UnitCost:
        """Return the present value of a placement's racks, cables and modules."""
        total = UnitCost()
        for part, count in self.placer.bought(placement.racks).items():
            total = total + self.book.net(part, "racks", count)
        for part, count in placement.parts.items():
            total = total + self.book.net(part, self.book.component(part), count)
        return total

    def lower_bound_cents(self, column: Column) -> int:
        """Return a bound on racks, cables and modules of a column over all placements."""
        bound = bound_cents(self.placer.problem(column)) - self._whole(frozenset(self.parts))
        if not self.parts:
            return bound
        free = self.split(frozenset(self.parts))
        return max(bound, bound_cents(free.problem(column)))

    def place(
        self, column: Column, capex_cents: int | None, reach_m: float | None = None
    ) -> Within | Refusal:
        """Return the cheapest placement within a purchase budget and a longest route.

        Parameters
        ----------
        column
            The design.
        capex_cents
            Most that racks, cables and modules may cost to buy, the stock left out; no limit if
            absent.
        reach_m
            Longest route that a cable may take; no limit if absent.
        """
        if not self.parts:
            return place_within(self.placer, column, capex_cents, reach_m)
        best: Within | None = None
        bound = 0
        free, seen = frozenset(self.parts), set[frozenset[str]]()
        while free not in seen and len(seen) < ROUNDS:
            seen.add(free)
            found = self._priced(column, free, capex_cents, reach_m)
            if isinstance(found, Refusal):
                return found
            bound = max(bound, found.bound_cents)
            met = capex_cents is None or found.capex_cents <= capex_cents
            if met and (best is None or found.cost_cents < best.cost_cents):
                best = found
            if best is not None and bound >= best.cost_cents:
                break
            free = self._agreeing(found.placement, free)
        if best is None:
            reason = "whether owned racks and cables bring a design within the budget stayed open"
            return Refusal(limit="work_limit", reason=reason)
        return Within(
            placement=best.placement,
            cost_cents=best.cost_cents,
            capex_cents=best.capex_cents,
            bound_cents=min(bound, best.cost_cents),
        )

    def _priced(
        self,
        column: Column,
        free: frozenset[str],
        capex_cents: int | None,
        reach_m: float | None,
    ) -> Within | Refusal:
        """Return the optimum of one split with its true cost; its bound holds for all."""
        full = frozenset(self.parts) - free
        budget = None
        if capex_cents is not None:
            budget = capex_cents + self._whole(full, capex=True)
        found = place_within(self.split(free), column, budget, reach_m)
        if isinstance(found, Refusal):
            return found
        money = self.net(found.placement)
        return Within(
            placement=found.placement,
            cost_cents=money.total,
            capex_cents=money.capex,
            bound_cents=found.bound_cents - self._whole(full),
        )

    def _whole(self, parts: frozenset[str], *, capex: bool = False) -> int:
        """Return what the whole stock of some parts spares, cents."""
        total = 0
        for part in parts:
            saved = self.book.saved(part, self.book.component(part)).times(self.parts[part])
            total += saved.capex if capex else saved.total
        return total

    def _agreeing(self, placement: Placement, free: frozenset[str]) -> frozenset[str]:
        """Return the split that a placement's numbers ask for."""
        counts = dict(placement.parts)
        counts |= self.placer.bought(placement.racks)
        return frozenset(
            part
            for part, owned in self.parts.items()
            if counts.get(part, 0) < owned or (counts.get(part, 0) == owned and part in free)
        )
