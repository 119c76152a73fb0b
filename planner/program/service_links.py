"""How the links of services are built: for each kind the cheapest part that reaches the length.

Every link of one kind is alike (`service_alike`): a cable with fixed ends, or two modules and a
fibre. Modules at a switch are counted leaf by leaf (`service_modules`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.physics.links import LinkMenu


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """Links of one kind that are to be built."""

    links: int
    at_a: tuple[int, ...]
    """Links of each device at end a whose plugs are counted by device."""
    at_b: tuple[int, ...]
    pairs: tuple[int, ...] = ()
    """Links between each two devices; where given, a cable with several links may join a pair."""
    half_filled: int = 0
    """Modules of end b that are there already and take links of this lot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The parts of a lot."""

    links: int
    part: str
    cables: int
    length_m: float
    module_a: str = ""
    modules_a: int = 0
    module_b: str = ""
    modules_b: int = 0

    @property
    def parts(self) -> dict[str, int]:
        """Units by catalogue id."""
        found = {self.part: self.cables}
        for module, count in ((self.module_a, self.modules_a), (self.module_b, self.modules_b)):
            if module:
                found[module] = found.get(module, 0) + count
        return found


def cheapest(
    menu: LinkMenu, lot: Lot, unit_cents: Mapping[str, int], needed_m: float
) -> Built | None:
    """Return the cheapest way to build a lot over a length (`service_reach`), None if none reaches.

    Ties go to the lower ids.
    """
    offers = [*_fixed(menu, lot, needed_m), *_optical(menu, lot, unit_cents, needed_m)]
    return min(offers, key=lambda one: (_cents(one, unit_cents), _ids(one)), default=None)


def _cents(built: Built, unit_cents: Mapping[str, int]) -> int:
    return sum(unit_cents[part] * count for part, count in built.parts.items())


def _ids(built: Built) -> tuple[str, str, str]:
    return built.part, built.module_a, built.module_b


def _fixed(menu: LinkMenu, lot: Lot, needed_m: float) -> list[Built]:
    """Return the cables that reach: one a link, or several links where every pair fills them."""
    each = menu.assembly_links
    if each > 1 and (not lot.pairs or any(links % each for links in lot.pairs)):
        return []
    return [
        Built(links=lot.links, part=c.part, cables=lot.links // each, length_m=c.length_m)
        for c in menu.fixed
        if c.length_m >= needed_m
    ]


def _optical(
    menu: LinkMenu, lot: Lot, unit_cents: Mapping[str, int], needed_m: float
) -> list[Built]:
    found = []
    for optic in menu.optics:
        fibres = [fibre for fibre in optic.fibres if fibre.length_m >= needed_m]
        fibre = min(fibres, key=lambda f: (unit_cents[f.part], f.part), default=None)
        if fibre is not None:
            found.append(
                Built(
                    links=lot.links,
                    part=fibre.part,
                    cables=lot.links,
                    length_m=fibre.length_m,
                    module_a=optic.module_a,
                    modules_a=sum(-(-links // optic.links_a) for links in lot.at_a),
                    module_b=optic.module_b,
                    modules_b=sum(-(-links // optic.links_b) for links in lot.at_b)
                    - lot.half_filled,
                )
            )
    return found
