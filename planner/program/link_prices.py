"""Prices of a menu of links over every cable length of a room, in whole cents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from planner.physics.links import FixedCable, LinkMenu, Optic
from planner.program.room import Room

FORBIDDEN = 10**15
"""Cents of what cannot be built; far above any sum of money that occurs."""
IMPOSSIBLE = FORBIDDEN // 2
"""A total from here on holds something that cannot be built, even where savings are counted."""


LeafEnd = Literal["a", "b", ""]
"""Which end of a tier's links is the leaf: b below it, a above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The cheapest stocked part for a route."""

    part: str
    length_m: float
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Medium:
    """How the links of one tier are built: fixed cables where they save, one optic elsewhere.

    All optical links of a tier use the same pair of modules (`cabling_one_optic`). Tuples are by
    index into the room's `lengths_m`.
    """

    optic: Optic | None
    """None where every link is a fixed cable."""
    module_a_cents: int
    module_b_cents: int
    fibre: tuple[Choice | None, ...]
    fixed: tuple[Choice | None, ...]
    links_a: int
    links_b: int
    assembly_links: int

    def bundle_cents(self, links: int, assemblies: int, length: int) -> int:
        """Return the cost of the links between two racks' devices, relative to all optics.

        The modules of all links are counted once at the devices (`base`); an assembly takes the
        place of its links' modules and fibres. The cheaper of all optics and as many assemblies
        as fit is taken (`cabling_one_medium`); links that fill no assembly stay optical
        (`cabling_odd_link`).

        Parameters
        ----------
        links
            Links of the bundle.
        assemblies
            Most fixed assemblies that the bundle can hold.
        length
            Index of the route's length.
        """
        fibre = self.fibre[length]
        all_optical = FORBIDDEN if fibre is None else links * fibre.cents
        fixed = self.fixed[length]
        if fixed is None or not assemblies:
            return all_optical if links else 0
        rest = links - assemblies * self.assembly_links
        if rest and fibre is None:
            return FORBIDDEN
        mixed = assemblies * (fixed.cents - self.assembly_module_cents)
        if rest and fibre is not None:
            mixed += rest * fibre.cents
        return min(all_optical, mixed)

    def uses_assemblies(self, links: int, assemblies: int, length: int) -> bool:
        """Return whether the bundle is built with fixed assemblies; on a tie it is."""
        fixed = self.fixed[length]
        if fixed is None or not assemblies:
            return False
        fibre = self.fibre[length]
        if fibre is None:
            return True
        saved = self.assembly_links * fibre.cents + self.assembly_module_cents
        return fixed.cents <= saved and links > 0

    @property
    def assembly_module_cents(self) -> int:
        """Modules whose place one fixed assembly takes, cents."""
        return (
            self.assembly_links // self.links_a * self.module_a_cents
            + self.assembly_links // self.links_b * self.module_b_cents
        )

    @property
    def module_a(self) -> str:
        """Catalogue id of the module at end a, empty without optics."""
        return self.optic.module_a if self.optic else ""

    @property
    def module_b(self) -> str:
        """Catalogue id of the module at end b, empty without optics."""
        return self.optic.module_b if self.optic else ""


def media(
    menu: LinkMenu,
    unit_cents: Mapping[str, int],
    room: Room,
    leaf_end: LeafEnd,
    least_m: float = 0.0,
) -> tuple[Medium, ...]:
    """Return the ways to build a tier in a room: one for each pair of modules that may be best.

    Parameters
    ----------
    menu
        What joins the tier's cages; parts without a price are left out.
    unit_cents
        Present value of one unit by catalogue id, energy of modules included.
    room
        The room, for its cable lengths.
    leaf_end
        The end at the leaf, whose modules both tiers may share.
    least_m
        Cables are at least this long.
    """
    priced = menu.within(unit_cents)
    lengths_m = [max(m, least_m) for m in room.lengths_m]
    fixed = tuple(_cheapest_fixed(priced.fixed, unit_cents, m) for m in lengths_m)
    found = [_medium(priced, optic, fixed, unit_cents, lengths_m) for optic in priced.optics]
    if priced.fixed and not found:
        found.append(_medium(priced, None, fixed, unit_cents, lengths_m))
    return undominated(tuple(found), leaf_end)


def undominated(found: tuple[Medium, ...], leaf_end: LeafEnd = "") -> tuple[Medium, ...]:
    """Return the media without those that another never loses to.

    Parameters
    ----------
    found
        Media of one tier.
    leaf_end
        Where given, only media with the same leaf module are compared, because the other tier
        may fill the second half of a twin-port module and tip the balance.
    """
    kept: list[Medium] = []
    for medium in found:
        if not any(_dominates(other, medium, leaf_end) for other in kept):
            kept = [other for other in kept if not _dominates(medium, other, leaf_end)]
            kept.append(medium)
    return tuple(kept)


def _medium(
    menu: LinkMenu,
    optic: Optic | None,
    fixed: tuple[Choice | None, ...],
    unit_cents: Mapping[str, int],
    lengths_m: Sequence[float],
) -> Medium:
    fibres = tuple(_cheapest_fibre(optic, unit_cents, m) for m in lengths_m)
    return Medium(
        optic=optic,
        module_a_cents=unit_cents[optic.module_a] if optic else 0,
        module_b_cents=unit_cents[optic.module_b] if optic else 0,
        fibre=fibres,
        fixed=fixed,
        links_a=menu.links_a,
        links_b=menu.links_b,
        assembly_links=menu.assembly_links,
    )


def _cheapest_fixed(
    cables: tuple[FixedCable, ...], unit_cents: Mapping[str, int], needed_m: float
) -> Choice | None:
    """Return the cheapest cable that reaches; ties go to the lower id (`cabling_length`)."""
    reaching = [
        Choice(part=cable.part, length_m=cable.length_m, cents=unit_cents[cable.part])
        for cable in cables
        if cable.length_m >= needed_m
    ]
    return min(reaching, key=lambda choice: (choice.cents, choice.part), default=None)


def _cheapest_fibre(
    optic: Optic | None, unit_cents: Mapping[str, int], needed_m: float
) -> Choice | None:
    reaching = [
        Choice(part=fibre.part, length_m=fibre.length_m, cents=unit_cents[fibre.part])
        for fibre in (optic.fibres if optic else ())
        if fibre.length_m >= needed_m
    ]
    return min(reaching, key=lambda choice: (choice.cents, choice.part), default=None)


def _dominates(better: Medium, worse: Medium, leaf_end: LeafEnd) -> bool:
    """Return whether `better` never costs more than `worse`, on any route and for any count.

    True where its modules cost no more at either end (equal cages take equally many) and the
    fibres and modules of one assembly's worth of links cost no more at any length.
    """
    if better.optic is None or worse.optic is None:
        return False
    if leaf_end == "a" and better.module_a != worse.module_a:
        return False
    if leaf_end == "b" and better.module_b != worse.module_b:
        return False
    return (
        better.module_a_cents <= worse.module_a_cents
        and better.module_b_cents <= worse.module_b_cents
        and all(_link_cost(better, k) <= _link_cost(worse, k) for k in range(len(better.fibre)))
    )


def _link_cost(medium: Medium, length: int) -> int:
    """Return fibre and modules of all links of one assembly's worth, cents."""
    fibre = medium.fibre[length]
    if fibre is None:
        return FORBIDDEN
    return medium.assembly_links * fibre.cents + medium.assembly_module_cents
