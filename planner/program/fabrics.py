"""Which fabrics may join the servers of a platform, dominated switches left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from planner.domain.catalog import Catalog
from planner.domain.design import FabricChoice
from planner.domain.fabric_parts import Switch
from planner.domain.instance import ASKED_TOPOLOGIES, FAMILIES, TOPOLOGIES, Instance
from planner.program.platforms import PlatformOption
from planner.program.prices import PriceBook
from planner.program.wire import DEFAULT_SWITCH_NS

DIRECT = FabricChoice(family="none", topology="direct")
ONE_TIER = ("single", "joined_pair", "rail_only", "dual_plane")
TWO_TIERS = ("leaf_spine", "rail_optimised", "top_of_rack", "rack_rails", "rail_only", "dual_plane")
THREE_TIERS = ("three_tier", "rail_only", "dual_plane")


def protocol_of(family: str) -> str:
    """Return what the switches of a family carry."""
    return "infiniband" if family == "infiniband" else "ethernet"


def allowed(instance: Instance, key: str, value: object) -> bool:
    """Return whether `fix` and `forbid` admit a value of a choice."""
    fixed, forbidden = getattr(instance.fix, key), getattr(instance.forbid, key)
    return (fixed is None or _names(fixed, value)) and not _names(forbidden, value)


def _names(choice: object, value: object) -> bool:
    return value in choice if isinstance(choice, list) else value == choice


def usable_switches(
    instance: Instance, catalog: Catalog, book: PriceBook, family: str, link_gbps: float
) -> list[Switch]:
    """Return the switches of a family that may be bought and run at a rate, none dominated."""
    forbidden = set(instance.forbid.values().get("product", ()))
    found = [
        switch
        for switch in catalog.switches.values()
        if switch.family == protocol_of(family)
        and (family != "roce" or switch.roce)
        and switch.ports_at(link_gbps) > 1
        and switch.id not in forbidden
        and allowed(instance, "switch", switch.id)
        and not book.switch_unusable(switch)
        and (switch.cooling == "air" or instance.site.cooling == "liquid")
    ]
    rivals: dict[tuple[object, ...], list[tuple[str, tuple[float, ...]]]] = {}
    for switch in found:
        if switch.buyable:
            alike = rivals.setdefault(_place_of(switch, link_gbps), [])
            alike.append((switch.id, _burden(book, switch)))
    return [
        s
        for s in found
        if (s.id, "switches") in book.stock
        or not _dominated(s.id, _burden(book, s), rivals.get(_place_of(s, link_gbps), ()))
    ]


def _place_of(switch: Switch, link_gbps: float) -> tuple[object, ...]:
    """Return what a switch that replaces another must equal: every cable plan of one fits both."""
    return (
        switch.connector,
        switch.links_per_cage(link_gbps),
        switch.sharp,
        switch.ports_at(link_gbps),
    )


def _burden(book: PriceBook, switch: Switch) -> tuple[float, ...]:
    """Return cost, power, weight, space and latency of a switch."""
    unit = book.unit(switch.id)
    return (
        unit.total,
        unit.capex,
        book.watts(switch.id).maximum,
        book.weight_kg(switch.id),
        switch.rack_units or 0,
        switch.latency_ns or DEFAULT_SWITCH_NS,
    )


def _dominated(
    name: str, burden: tuple[float, ...], rivals: Iterable[tuple[str, tuple[float, ...]]]
) -> bool:
    """Whether another switch can stand in everywhere at no more burden; ties to the lesser id."""
    return any(
        all(x <= y for x, y in zip(other, burden, strict=True)) and (other != burden or one < name)
        for one, other in rivals
        if one != name
    )


def fabric_choices(
    instance: Instance, catalog: Catalog, book: PriceBook, option: PlatformOption
) -> list[FabricChoice]:
    """Return every fabric that may join servers of a platform, in a fixed order."""
    choices = [DIRECT] if allowed(instance, "topology", "direct") else []
    for family in FAMILIES:
        if family in option.nics.families and allowed(instance, "family", family):
            link_gbps = option.platform.link_gbps
            switches = usable_switches(instance, catalog, book, family, link_gbps)
            choices.extend(_of_family(instance, family, switches))
    return choices


def _of_family(instance: Instance, family: str, switches: list[Switch]) -> Iterable[FabricChoice]:
    """Yield the fabrics of one tier, then of two, then of three, for every leaf."""
    asked = "topology" in instance.fix.values()
    topologies = [
        t
        for t in TOPOLOGIES
        if allowed(instance, "topology", t) and (asked or t not in ASKED_TOPOLOGIES)
    ]
    ratios = [
        ratio
        for ratio in instance.grid.oversubscription
        if allowed(instance, "oversubscription", ratio)
    ]
    even = instance.fabric.even_spread
    for leaf in switches:
        for topology in ONE_TIER:
            if topology in topologies:
                yield FabricChoice(family=family, topology=topology, leaf_switch=leaf.id)
        spines = switches if instance.grid.mixed_tiers else [leaf]
        for topology in TWO_TIERS:
            for spine, ratio in product(spines if topology in topologies else (), ratios):
                yield FabricChoice(
                    family=family,
                    topology=topology,
                    leaf_switch=leaf.id,
                    spine_switch=spine.id,
                    oversubscription=ratio,
                    even_spread=even,
                )
        yield from _with_cores(
            instance,
            FabricChoice(family=family, topology="", leaf_switch=leaf.id, even_spread=even),
            [s.id for s in spines],
            topologies,
            ratios,
        )


def _with_cores(
    instance: Instance,
    base: FabricChoice,
    spines: list[str],
    topologies: list[str],
    ratios: list[float],
) -> Iterable[FabricChoice]:
    """Yield the fabrics of three tiers: cores are of the spines' model.

    Sizing refuses them where two tiers reach, unless the instance fixes no other topology.
    """
    asked = topologies == ["three_tier"]
    above = [
        ratio
        for ratio in instance.grid.spine_oversubscription
        if allowed(instance, "spine_oversubscription", ratio)
    ]
    for topology in THREE_TIERS:
        for spine, ratio, over in product(spines if topology in topologies else (), ratios, above):
            yield replace(
                base,
                topology=topology,
                spine_switch=spine,
                core_switch=spine,
                oversubscription=ratio,
                spine_oversubscription=over,
                core_asked=asked,
            )
