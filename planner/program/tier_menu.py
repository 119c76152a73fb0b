"""What the links of one tier can be built of, with present value and purchase price side by side.

Unlike a `Medium`, which keeps the cheapest part for a route, a menu keeps every part that may be
best in either sum: within a purchase budget the cheapest part over the years need not be the one
to take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from planner.physics.links import FixedCable, LinkMenu, Optic
from planner.program.link_prices import Choice, Medium
from planner.program.placement_problem import PlacementProblem
from planner.program.prices import PriceBook


class Money(NamedTuple):
    """Present value and purchase price, cents."""

    present: int
    capex: int
    stocked: tuple[tuple[str, int], ...] = ()
    """Units of parts of which some are owned; the money is that of buying them."""

    def times(self, count: int) -> Money:
        """Return the money of a quantity."""
        stocked = tuple((part, n * count) for part, n in self.stocked)
        return Money(self.present * count, self.capex * count, stocked)

    def plus(self, more: Money) -> Money:
        """Return the sum of both."""
        present, capex = self.present + more.present, self.capex + more.capex
        return Money(present, capex, self.stocked + more.stocked)

    def less(self, other: Money) -> Money:
        """Return the difference of both."""
        return self.plus(other.times(-1))


NO_MONEY = Money(0, 0)


class Part(NamedTuple):
    """A stocked part that reaches a route."""

    part: str
    length_m: float
    money: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OpticPrices:
    """Two modules with the cheapest fibre for every length of the room."""

    optic: Optic | None
    """None stands for no optics: every link is a fixed cable."""
    module_a: Money
    module_b: Money
    fibre: tuple[Part | None, ...]
    """By index into the room's lengths; None where the modules or fibres do not reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierMenu:
    """All ways to build one tier."""

    links_a: int
    links_b: int
    assembly_links: int
    optics: tuple[OpticPrices, ...]
    """Empty where nothing joins the devices."""
    cables: tuple[tuple[Part, ...], ...]
    """Fixed cables by index into the room's lengths; none is worse than another in both sums."""

    def replaced(self, optic: OpticPrices) -> Money:
        """Return the modules whose place one fixed assembly takes."""
        a = optic.module_a.times(self.assembly_links // self.links_a)
        return a.plus(optic.module_b.times(self.assembly_links // self.links_b))

    def medium(self, optic: OpticPrices, fixed: tuple[Part | None, ...]) -> Medium:
        """Return the medium that uses a fixed cable on exactly the lengths where one is given.

        A fixed cable counts nothing in it, so that it is taken wherever an assembly can be filled:
        the medium lays cables as decided, it does not price them.
        """
        return Medium(
            optic=optic.optic,
            module_a_cents=0,
            module_b_cents=0,
            fibre=tuple(_free(part) for part in optic.fibre),
            fixed=tuple(_free(part) for part in fixed),
            links_a=self.links_a,
            links_b=self.links_b,
            assembly_links=self.assembly_links,
        )


def _free(part: Part | None) -> Choice | None:
    return None if part is None else Choice(part=part.part, length_m=part.length_m, cents=0)


def tier_menu(menu: LinkMenu, book: PriceBook, lengths_m: Iterable[float]) -> TierMenu:
    """Return a menu of purchasable parts priced over the lengths of a room.

    Parameters
    ----------
    menu
        Parts that can be bought.
    book
        Prices of the instance.
    lengths_m
        Every length that a cable can need, metres.
    """

    def money(part: str) -> Money:
        unit = book.unit(part)
        stocked = ((part, 1),) if book.owns(part) else ()
        return Money(unit.total, unit.capex, stocked)

    lengths = list(lengths_m)
    cables = tuple(_reaching(menu.fixed, m, money) for m in lengths)
    optics = [_optic(optic, lengths, money) for optic in menu.optics]
    if not optics and menu.fixed:
        none: tuple[Part | None, ...] = (None,) * len(lengths)
        optics = [OpticPrices(optic=None, module_a=NO_MONEY, module_b=NO_MONEY, fibre=none)]
    return TierMenu(
        links_a=menu.links_a,
        links_b=menu.links_b,
        assembly_links=menu.assembly_links,
        optics=tuple(optics),
        cables=cables,
    )


def without_worse(menu: TierMenu, leaf_end: str) -> TierMenu:
    """Return a menu without optics that another never loses to, in value or in price.

    Parameters
    ----------
    menu
        Menu of one tier.
    leaf_end
        End at the leaf, a or b: only optics with the same module there are compared, because the
        other tier may fill the rest of a module and tip the balance. Empty where it cannot.
    """
    kept: list[OpticPrices] = []
    for optic in sorted(menu.optics, key=lambda o: (o.module_a[:2], o.module_b[:2])):
        if not any(_beats(other, optic, leaf_end) for other in kept):
            kept = [other for other in kept if not _beats(optic, other, leaf_end)]
            kept.append(optic)
    return replace(menu, optics=tuple(kept))


def _beats(one: OpticPrices, two: OpticPrices, leaf_end: str) -> bool:
    if one.optic is None or two.optic is None:
        return False
    fibres = [part.money for part in two.fibre if part is not None]
    if any(money.stocked for money in (two.module_a, two.module_b, *fibres)):
        return False
    if leaf_end == "a" and one.optic.module_a != two.optic.module_a:
        return False
    if leaf_end == "b" and one.optic.module_b != two.optic.module_b:
        return False
    pairs = [(one.module_a, two.module_a), (one.module_b, two.module_b)]
    for mine, other in zip(one.fibre, two.fibre, strict=True):
        if other is not None:
            if mine is None:
                return False
            pairs.append((mine.money, other.money))
    return all(a.present <= b.present and a.capex <= b.capex for a, b in pairs)


def _reaching(
    cables: Iterable[FixedCable], needed_m: float, money: Callable[[str], Money]
) -> tuple[Part, ...]:
    """Return the cables that reach a route, without those that another beats in both sums."""
    parts = [Part(c.part, c.length_m, money(c.part)) for c in cables if c.length_m >= needed_m]
    parts.sort(key=lambda part: (part.money.present, part.money.capex, part.part))
    kept: list[Part] = []
    for part in parts:
        least = min((one.money.capex for one in kept), default=part.money.capex + 1)
        if part.money.capex < least or part.money.stocked:
            kept.append(part)
    return tuple(kept)


def _optic(optic: Optic, lengths: list[float], money: Callable[[str], Money]) -> OpticPrices:
    fibres: list[Part | None] = []
    for needed_m in lengths:
        parts = [
            Part(f.part, f.length_m, money(f.part)) for f in optic.fibres if f.length_m >= needed_m
        ]
        # a fibre takes no power, so the cheapest to buy is the cheapest over the years
        fibres.append(min(parts, key=lambda part: (part.money[:2], part.part), default=None))
    return OpticPrices(
        optic=optic,
        module_a=money(optic.module_a),
        module_b=money(optic.module_b),
        fibre=tuple(fibres),
    )


def module_money(
    problem: PlacementProblem, down: OpticPrices | None, up: OpticPrices | None
) -> Money | None:
    """Return all modules of both tiers if every link were optical; None if a leaf lacks cages.

    A device carries ceil(links / links of a module); on a leaf both tiers share a module of the
    same kind. A fixed assembly fills whole cages, so it takes the place of whole modules and needs
    as many cages as they.
    """
    plan = problem.plan
    total = NO_MONEY
    for unit in plan.units:
        links = unit.servers * plan.links_per_server_leaf
        modules = _leaf_modules(links, plan.links_beyond_leaf, down, up)
        if sum(count for count, _ in modules) > problem.leaf_cages:
            return None
        for count, money in modules:
            total = total.plus(money.times(count * unit.leafs))
    if down is not None and down.optic is not None:
        each = -(-plan.links_per_server // down.optic.links_a)
        total = total.plus(down.module_a.times(each * plan.servers))
    if up is not None and up.optic is not None and plan.spines:
        each = -(-plan.leafs * plan.links_per_leaf_spine // up.optic.links_b)
        total = total.plus(up.module_b.times(each * plan.spines))
    return total


def _leaf_modules(
    down_links: int, up_links: int, down: OpticPrices | None, up: OpticPrices | None
) -> list[tuple[int, Money]]:
    below = down if down is not None and down.optic is not None and down_links else None
    above = up if up is not None and up.optic is not None and up_links else None
    if below and above:
        assert below.optic is not None
        assert above.optic is not None
        if below.optic.module_b == above.optic.module_a:
            return [(-(-(down_links + up_links) // below.optic.links_b), below.module_b)]
    result = []
    if below and below.optic:
        result.append((-(-down_links // below.optic.links_b), below.module_b))
    if above and above.optic:
        result.append((-(-up_links // above.optic.links_a), above.module_a))
    return result
