"""What can join two cages at a rate: cables with fixed ends, or module, fibre and module.

A cage carries `links` links of the rate; a plug must fill its cage, so that a switch keeps all
its ports. A cable with fixed ends is one *assembly* of `links` links; at each end it fills
`plugs` cages. Optics are counted by link: modules at a device = ceil(links / links of a module).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

from planner.domain.fabric_parts import (
    CableAssembly,
    Connector,
    Fibre,
    LinkProtocol,
    Transceiver,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cage:
    """A cage of a device at the rate of its links."""

    connector: Connector
    links: int
    """Links of the rate that the cage carries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedCable:
    """A cable with fixed ends in one stocked length; it reaches routes up to that length."""

    part: str
    length_m: float
    links: int
    """Links that one assembly carries."""
    plugs_a: int
    """Cages that it fills at end a."""
    plugs_b: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FibreLength:
    """A stocked fibre jumper."""

    part: str
    length_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Optic:
    """Two modules that understand each other and the jumpers between them, one a link."""

    module_a: str
    links_a: int
    """Links that a module at end a carries."""
    module_b: str
    links_b: int
    reach_m: float
    fibres: tuple[FibreLength, ...]
    """In order of length, none longer than the modules reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkMenu:
    """Everything that can join cage a to cage b."""

    link_gbps: float
    links_a: int
    """Links of one cage at end a (the lower tier's device)."""
    links_b: int
    fixed: tuple[FixedCable, ...]
    """All of one shape: every assembly has the same links and plugs."""
    optics: tuple[Optic, ...]

    @property
    def assembly_links(self) -> int:
        """Links of one fixed assembly: it fills whole cages at both ends."""
        return max(self.links_a, self.links_b)

    @property
    def empty(self) -> bool:
        """True where nothing joins the two cages."""
        return not self.fixed and not self.optics

    def within(self, known: Container[str]) -> LinkMenu:
        """Return the menu of the known parts only, for instance those that have a price."""
        optics = []
        for optic in self.optics:
            fibres = tuple(f for f in optic.fibres if f.part in known)
            if fibres and optic.module_a in known and optic.module_b in known:
                optics.append(replace(optic, fibres=fibres))
        fixed = tuple(cable for cable in self.fixed if cable.part in known)
        return replace(self, fixed=fixed, optics=tuple(optics))


def link_menu(
    protocol: LinkProtocol,
    link_gbps: float,
    a: Cage,
    b: Cage,
    cables: Iterable[CableAssembly],
    transceivers: Iterable[Transceiver],
    fibres: Iterable[Fibre],
) -> LinkMenu:
    """Return what joins cage a (lower tier) to cage b at a rate, sorted by length and id.

    Rule `cabling_menu`.

    Parameters
    ----------
    protocol
        What the link speaks: infiniband or ethernet.
    link_gbps
        Rate of one link, gigabit/s.
    a, b
        The cages at both ends with the links that each carries.
    cables, transceivers, fibres
        The catalogue's parts; the caller leaves out what cannot be bought.
    """
    fixed = [
        cable
        for part in cables
        if protocol in part.families and (cable := _fixed(part, link_gbps, a, b)) is not None
    ]
    modules = [m for m in transceivers if protocol in m.families]
    jumpers = [fibre for fibre in fibres if fibre.ends_b == 1]
    optics = [
        optic
        for first in modules
        if _fits(first.connector, a) and _straight(first, link_gbps, a)
        for second in modules
        if _fits(second.connector, b) and _straight(second, link_gbps, b)
        if (optic := _optic(first, second, link_gbps, jumpers)) is not None
    ]
    return LinkMenu(
        link_gbps=link_gbps,
        links_a=a.links,
        links_b=b.links,
        fixed=tuple(sorted(fixed, key=lambda cable: (cable.length_m, cable.part))),
        optics=tuple(sorted(optics, key=lambda optic: (optic.module_a, optic.module_b))),
    )


def alike(menu: LinkMenu) -> LinkMenu:
    """Return the menu without optics that differ at both ends: those of equal switches are alike.

    Rule `cabling_pair`.
    """
    return replace(menu, optics=tuple(o for o in menu.optics if o.module_a == o.module_b))


def _fits(plug: str, cage: Cage) -> bool:
    return plug in cage.connector.accepts


def _straight(module: Transceiver, link_gbps: float, cage: Cage) -> bool:
    """Return whether a module fills the cage and takes one jumper a link."""
    links = module.links_at(link_gbps)
    return links == cage.links and links == module.jumpers


def _fixed(part: CableAssembly, link_gbps: float, a: Cage, b: Cage) -> FixedCable | None:
    """Return the cable between the cages, either way round, where its plugs fill them."""
    links = part.links_at(link_gbps)
    if links == 0 or links % part.ends_b:
        return None
    share = links // part.ends_b
    forward = (part.connector_a, links, 1, part.connector_b, share, part.ends_b)
    backward = (part.connector_b, share, part.ends_b, part.connector_a, links, 1)
    for plug_a, per_a, plugs_a, plug_b, per_b, plugs_b in (forward, backward):
        if _fits(plug_a, a) and _fits(plug_b, b) and (per_a, per_b) == (a.links, b.links):
            return FixedCable(
                part=part.id,
                length_m=part.length_m,
                links=links,
                plugs_a=plugs_a,
                plugs_b=plugs_b,
            )
    return None


def _optic(
    first: Transceiver, second: Transceiver, link_gbps: float, jumpers: list[Fibre]
) -> Optic | None:
    """Return two modules with the jumpers that join them (`cabling_optics`), or None."""
    if first.optics != second.optics or first.fibre_type != second.fibre_type:
        return None
    reach_m = min(first.reach_m, second.reach_m)
    ends = {
        (first.fibre_connector, second.fibre_connector),
        (second.fibre_connector, first.fibre_connector),
    }
    fitting = [
        FibreLength(part=fibre.id, length_m=fibre.length_m)
        for fibre in jumpers
        if fibre.fibre_type == first.fibre_type
        and (fibre.connector_a, fibre.connector_b) in ends
        and fibre.length_m <= reach_m
    ]
    if not fitting:
        return None
    return Optic(
        module_a=first.id,
        links_a=first.links_at(link_gbps),
        module_b=second.id,
        links_b=second.links_at(link_gbps),
        reach_m=reach_m,
        fibres=tuple(sorted(fitting, key=lambda fibre: (fibre.length_m, fibre.part))),
    )
