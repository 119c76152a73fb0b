"""How a link between two cages can be bought: fixed cables, or two modules and a fibre."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from planner.domain.catalog import Catalog
from planner.domain.fabric_parts import CableAssembly, Fibre, LinkProtocol, Switch, Transceiver
from planner.domain.hardware import FabricFamily, HardwareRow, NicOption
from planner.domain.price import PriceLevel

PartT = TypeVar("PartT", CableAssembly, Fibre)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEnd:
    """One cage and the links of the wanted rate that it carries."""

    connector: str
    links: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A row of the catalogue and how many of it one set takes."""

    table: str
    row: HardwareRow
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOffer:
    """The smallest set of parts that joins two kinds of cage; cages of both ends are used whole."""

    kind: str
    """DAC, ACC, AEC, AOC, LACC or optics."""
    links: int
    """Links that one set makes."""
    cages_a: int
    cages_b: int
    length_m: float
    """Length in stock, at least the length asked for."""
    power_w_a: float
    """Power of the plugs in all a cages of one set, watts."""
    power_w_b: float
    parts: tuple[Part, ...]

    def usd(self, level: PriceLevel = "base") -> float:
        """Return the price of one set in US dollars; 0 for a part without a price."""
        return sum(
            part.count * part.row.price.at(level)
            for part in self.parts
            if part.row.price is not None
        )

    @property
    def usd_per_link(self) -> float:
        """Price of one link, with its share of plugs that several links use."""
        return self.usd() / self.links

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the parts: a cable, or module a, module b and fibre."""
        return tuple(part.row.id for part in self.parts)


def nic_end(option: NicOption) -> LinkEnd:
    """Return the cage of a server with these NICs."""
    return LinkEnd(connector=option.connector, links=option.links_per_cage)


def switch_end(switch: Switch, link_gbps: float) -> LinkEnd:
    """Return the cage of a switch that runs links of one rate."""
    return LinkEnd(connector=switch.connector, links=switch.links_per_cage(link_gbps))


def protocol_of(family: FabricFamily) -> LinkProtocol:
    """Return what cables and modules of a fabric family carry."""
    return "infiniband" if family == "infiniband" else "ethernet"


def link_offers(
    catalog: Catalog,
    a: LinkEnd,
    b: LinkEnd,
    *,
    link_gbps: float,
    protocol: LinkProtocol,
    length_m: float,
    buyable_only: bool = True,
) -> tuple[LinkOffer, ...]:
    """Return every way to build links between cages `a` and `b`, the cheapest link first.

    Of each cable type and each pair of modules only the shortest length in stock that reaches
    `length_m` is offered. Every plug fills its cage: a twin-port cage takes a plug of two links.
    """
    found = (
        *_cable_offers(catalog, a, b, link_gbps, protocol, length_m),
        *_optic_offers(catalog, a, b, link_gbps, protocol, length_m),
    )
    offers = (
        offer
        for offer in found
        if not buyable_only or all(part.row.buyable for part in offer.parts)
    )
    return tuple(sorted(offers, key=lambda offer: (offer.usd_per_link, offer.ids)))


def _fits(catalog: Catalog, cage: str, plug: str) -> bool:
    return plug in catalog.connectors[cage].accepts


def _shortest(parts: Iterable[PartT], length_m: float) -> PartT | None:
    """Return the shortest part that reaches, the buyable and cheaper one first among equals."""
    reaching = [part for part in parts if part.length_m >= length_m]
    return min(
        reaching,
        key=lambda part: (
            not part.buyable,
            part.length_m,
            part.price.usd if part.price else 0.0,
            part.id,
        ),
        default=None,
    )


def _cable_offers(
    catalog: Catalog,
    a: LinkEnd,
    b: LinkEnd,
    link_gbps: float,
    protocol: LinkProtocol,
    length_m: float,
) -> Iterator[LinkOffer]:
    types: dict[tuple[object, ...], list[CableAssembly]] = {}
    for cable in catalog.cables.values():
        if protocol in cable.families and cable.links_at(link_gbps):
            key = (cable.kind, cable.connector_a, cable.connector_b, cable.ends_b, cable.modes)
            types.setdefault(key, []).append(cable)
    for cables in types.values():
        best = _shortest(cables, length_m)
        if best is None:
            continue
        if _cable_joins(catalog, best, a, b, link_gbps):
            yield _cable_offer(best, link_gbps, 1, best.ends_b)
        elif _cable_joins(catalog, best, b, a, link_gbps):
            yield _cable_offer(best, link_gbps, best.ends_b, 1)


def _cable_joins(
    catalog: Catalog, cable: CableAssembly, a: LinkEnd, b: LinkEnd, link_gbps: float
) -> bool:
    links = cable.links_at(link_gbps)
    return (
        links == a.links
        and links == b.links * cable.ends_b
        and _fits(catalog, a.connector, cable.connector_a)
        and _fits(catalog, b.connector, cable.connector_b)
    )


def _cable_offer(cable: CableAssembly, link_gbps: float, cages_a: int, cages_b: int) -> LinkOffer:
    return LinkOffer(
        kind=cable.kind,
        links=cable.links_at(link_gbps),
        cages_a=cages_a,
        cages_b=cages_b,
        length_m=cable.length_m,
        power_w_a=cages_a * cable.power_w_per_end,
        power_w_b=cages_b * cable.power_w_per_end,
        parts=(Part(table="cables", row=cable, count=1),),
    )


def _modules(
    catalog: Catalog, end: LinkEnd, link_gbps: float, protocol: LinkProtocol
) -> list[Transceiver]:
    return [
        module
        for module in catalog.transceivers.values()
        if protocol in module.families
        and module.links_at(link_gbps) == end.links
        and _fits(catalog, end.connector, module.connector)
    ]


def _optic_offers(
    catalog: Catalog,
    a: LinkEnd,
    b: LinkEnd,
    link_gbps: float,
    protocol: LinkProtocol,
    length_m: float,
) -> Iterator[LinkOffer]:
    if not a.links or not b.links:
        return
    links = math.lcm(a.links, b.links)
    many_b = _modules(catalog, b, link_gbps, protocol)
    for module_a in _modules(catalog, a, link_gbps, protocol):
        for module_b in many_b:
            same = module_a.optics == module_b.optics
            if not same or module_a.fibre_type != module_b.fibre_type:
                continue
            cages_a, cages_b = links // a.links, links // b.links
            found = _fibre(catalog, (module_a, cages_a), (module_b, cages_b), length_m)
            if found is None:
                continue
            fibre, jumpers = found
            yield LinkOffer(
                kind="optics",
                links=links,
                cages_a=cages_a,
                cages_b=cages_b,
                length_m=fibre.length_m,
                power_w_a=cages_a * module_a.power_w,
                power_w_b=cages_b * module_b.power_w,
                parts=(
                    Part(table="transceivers", row=module_a, count=cages_a),
                    Part(table="transceivers", row=module_b, count=cages_b),
                    Part(table="fibres", row=fibre, count=jumpers),
                ),
            )


def _fibre(
    catalog: Catalog, a: tuple[Transceiver, int], b: tuple[Transceiver, int], length_m: float
) -> tuple[Fibre, int] | None:
    """Return the fibre between modules and how many; a splitter where one side has fewer plugs."""
    (few, few_plugs), (many, many_plugs) = sorted(
        ((module, count * module.jumpers) for module, count in (a, b)), key=lambda pair: pair[1]
    )
    if many_plugs % few_plugs:
        return None
    reach_m = min(few.reach_m, many.reach_m)
    fibre = _shortest(
        (
            fibre
            for fibre in catalog.fibres.values()
            if fibre.fibre_type == few.fibre_type
            and fibre.ends_b == many_plugs // few_plugs
            and (fibre.connector_a, fibre.connector_b)
            == (few.fibre_connector, many.fibre_connector)
            and fibre.length_m <= reach_m
        ),
        length_m,
    )
    return None if fibre is None else (fibre, few_plugs)
