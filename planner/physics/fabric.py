"""Exact counts of a scale-out fabric: units, leafs, spines, links.

The rules reproduce the published reference designs (NVIDIA DGX SuperPOD H100, B200, B300 and
others; see ``models/formulation/placement.md``, "Fabric counts"):

1. A leaf has d down and u up ports with d + u <= ports and d <= a u, d as large as possible
   (`fabric_split`); only the down ports that whole servers fill are matched by uplinks
   (`fabric_uplinks`).
2. Fabrics are sized for whole units (`fabric_unit`), even when the last one is not full
   (`fabric_whole_units`); reserved slots count as servers (`fabric_reserved`).
3. Spines: at least m = ceil(leafs u / ports); with even spread the smallest s >= m that divides
   u, so that every leaf has the same number of links to every spine (`fabric_spines`); leafs to
   come count where ports are kept free for them (`fabric_reserved_leafs`).
4. Two tiers reach as far as a spine has ports for every leaf (`fabric_two_tiers`); beyond, pods
   of leafs that share spines are joined by cores (`planner/physics/pods.py`).
5. Two switches are joined by as many links as each has to servers (`fabric_pair`).
6. A unit of `top_of_rack` is a rack, see `planner/physics/rack_units.py`.
7. Rail-only and dual-plane fabrics are several equal fabrics that no switch joins
   (`fabric_planes`, `planner/physics/planes.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planner.domain.design import FabricChoice, FabricPlan, Unit
from planner.physics.clos import joined_pair
from planner.physics.fabric_need import FabricNeed, LeafUnit, PortCount, spine_count
from planner.physics.oversubscription import least_uplinks, oversubscription, split_ports
from planner.physics.planes import planes_of, side_by_side
from planner.physics.pods import three_tiers
from planner.physics.rack_units import keeping_slots, rack_unit
from planner.physics.refusal import Refusal


def size_fabric(
    choice: FabricChoice,
    servers: int,
    links_per_server: int,
    link_gbps: float,
    leaf: PortCount | None = None,
    spine: PortCount | None = None,
    reserved_slots: int = 0,
    core: PortCount | None = None,
    reserved_leafs: int = 0,
    servers_beside: tuple[int, ...] = (),
    tray_rails: int = 0,
) -> FabricPlan | Refusal:
    """Return the exact counts of a fabric, or the reason why it cannot be built.

    Parameters
    ----------
    choice
        Topology, oversubscription and spread.
    servers
        Servers bought, at least 1.
    links_per_server
        NIC ports of one server on this fabric, at least 1.
    link_gbps
        Rate of every link, gigabit/s.
    leaf, spine
        Switch models; a single switch is the leaf.
    reserved_slots
        Server slots kept free in the units, for instance for the fabric manager.
    core
        Switch model above the spines.
    reserved_leafs
        Leafs to come for which the spines of two tiers keep ports free.
    servers_beside
        Servers that one rack holds beside 1, 2, ... leafs, for `top_of_rack`.
    tray_rails
        NIC ports of one tray of a server that is a rack, else 0.

    Raises
    ------
    ValueError
        If a count is out of range or the topology has no rule here.
    """
    if servers < 1 or links_per_server < 1 or min(reserved_slots, reserved_leafs) < 0:
        raise ValueError("servers and links_per_server must be at least 1, what is reserved 0")
    if choice.topology not in _TOPOLOGIES:
        raise ValueError(f"no sizing rule for topology {choice.topology!r}")
    if reserved_leafs and choice.topology == "three_tier":
        return Refusal(reason="ports for leafs to come are kept in two tiers only")
    need = FabricNeed(
        choice=choice,
        servers=servers,
        links_per_server=links_per_server,
        link_gbps=link_gbps,
        leaf_ports=leaf.ports_at(link_gbps) if leaf else 0,
        spine_ports=spine.ports_at(link_gbps) if spine else 0,
        core_ports=core.ports_at(link_gbps) if core else 0,
        reserved_slots=reserved_slots,
        reserved_leafs=reserved_leafs,
        servers_beside=servers_beside,
        tray_rails=tray_rails,
    )
    return _TOPOLOGIES[choice.topology](need)


def _plan(need: FabricNeed, unit: LeafUnit, uplinks: int, spines: int, down: int) -> FabricPlan:
    """Return the plan of whole units with `uplinks` a leaf spread over `spines`."""
    count = unit.units(need.servers, need.reserved_slots) if unit.leafs else 1
    sizes = [min(unit.servers, need.servers - k * unit.servers) for k in range(count)]
    ratio = 1.0
    if spines:
        a = oversubscription(unit.down_links, need.link_gbps, uplinks, need.link_gbps)
        ratio = min(1.0, float(1 / a))
    return FabricPlan(
        choice=need.choice,
        servers=need.servers,
        links_per_server=need.links_per_server,
        link_gbps=need.link_gbps,
        units=tuple(Unit(servers=max(0, size), leafs=unit.leafs) for size in sizes),
        links_per_server_leaf=unit.links_per_server_leaf,
        leafs=count * unit.leafs,
        spines=spines,
        links_per_leaf_spine=uplinks // spines if spines else 0,
        down_ports_per_leaf=down,
        uplinks_per_leaf=uplinks,
        hosts_per_leaf=unit.servers,
        uplink_ratio=ratio,
        kept_slots=unit.kept_slots,
    )


def _direct(need: FabricNeed) -> FabricPlan | Refusal:
    if need.servers > 1:
        return Refusal(reason=f"{need.servers} servers need a switch; only one server needs none")
    alone = LeafUnit(leafs=0, links_per_server_leaf=0, servers=1)
    return _plan(need, alone, uplinks=0, spines=0, down=0)


def _single(need: FabricNeed) -> FabricPlan | Refusal:
    links = need.links_per_server
    slots = need.leaf_ports // links
    if need.servers + need.reserved_slots > slots:
        return Refusal(
            reason=f"{need.servers} servers with {links} links of {need.link_gbps:g} Gb/s need "
            f"{need.servers * links} ports{_reserved(need)}; one switch has {need.leaf_ports}"
        )
    unit = LeafUnit(leafs=1, links_per_server_leaf=links, servers=slots)
    return _plan(need, unit, uplinks=0, spines=0, down=need.leaf_ports)


def _joined_pair(need: FabricNeed) -> FabricPlan | Refusal:
    links = need.links_per_server
    if links % 2:
        return Refusal(reason=f"{links} links of a server do not share evenly over two switches")
    each = links // 2
    pair = joined_pair(need.servers + need.reserved_slots, each, need.leaf_ports)
    if isinstance(pair, Refusal):
        return pair
    slots = need.leaf_ports // links
    unit = LeafUnit(leafs=2, links_per_server_leaf=each, servers=slots)
    plan = _plan(need, unit, uplinks=0, spines=0, down=slots * each)
    return replace(plan, joint_links=pair.across_links)


def _planes(need: FabricNeed) -> FabricPlan | Refusal:
    """Return equal fabrics side by side, each of as many tiers as switches are named."""
    planes = planes_of(need)
    if isinstance(planes, Refusal):
        return planes
    one = replace(need, links_per_server=need.links_per_server // planes)
    fewest = _single(one)
    if not need.choice.spine_switch:
        return fewest if isinstance(fewest, Refusal) else side_by_side(fewest, planes)
    if not isinstance(fewest, Refusal):
        return Refusal(reason="one switch a plane holds all servers; spines would join nothing")
    plan = three_tiers(one) if need.choice.core_switch else _rail_optimised(one)
    return plan if isinstance(plan, Refusal) else side_by_side(plan, planes)


def _leaf_spine(need: FabricNeed) -> FabricPlan | Refusal:
    down, _ = split_ports(need.leaf_ports, need.choice.oversubscription)
    links = need.links_per_server
    divisors = (g for g in range(1, links + 1) if links % g == 0 and links // g <= down)
    leafs = next(divisors, None)
    if leafs is None:
        return _no_down_ports(need)
    share = links // leafs
    unit = LeafUnit(leafs=leafs, links_per_server_leaf=share, servers=down // share)
    return _two_tiers(need, unit, down)


def _rail_optimised(need: FabricNeed) -> FabricPlan | Refusal:
    down, _ = split_ports(need.leaf_ports, need.choice.oversubscription)
    if down < 1:
        return _no_down_ports(need)
    unit = LeafUnit(leafs=need.links_per_server, links_per_server_leaf=1, servers=down)
    return _two_tiers(need, unit, down)


def _top_of_rack(need: FabricNeed) -> FabricPlan | Refusal:
    """Return units of a rack each; slots kept free take ports, or racks where that is less (`fabric_reserved`)."""
    unit = rack_unit(need)
    if isinstance(unit, Refusal):
        return unit
    down = split_ports(need.leaf_ports, need.choice.oversubscription)[0]
    plan = _two_tiers(need, unit, down)
    kept = keeping_slots(need, unit)
    if kept is not None:
        within = _two_tiers(need, kept, down)
        if isinstance(plan, Refusal) or (
            not isinstance(within, Refusal) and within.switches <= plan.switches
        ):
            plan = within
    if isinstance(plan, Refusal):
        return plan
    return replace(plan, leafs_beside=not need.tray_rails, tray_rails=need.tray_rails)


def _rack_rails(need: FabricNeed) -> FabricPlan | Refusal:
    """Return a fabric for each rail of the trays, like `fabric_planes`."""
    rails = need.tray_rails
    if rails < 2:
        return Refusal(reason="only racks of trays with several links each have rails of their own")
    one = replace(need, links_per_server=need.links_per_server // rails, tray_rails=1)
    plan = _top_of_rack(one)
    return (
        plan if isinstance(plan, Refusal) else replace(side_by_side(plan, rails), tray_rails=rails)
    )


def _two_tiers(need: FabricNeed, unit: LeafUnit, down: int) -> FabricPlan | Refusal:
    leafs = unit.units(need.servers, need.reserved_slots) * unit.leafs
    if leafs == 1:
        return Refusal(
            reason=f"one leaf holds all {need.servers} servers, so a spine would join nothing; "
            "take a single switch"
        )
    most = least_uplinks(unit.down_links, need.choice.oversubscription)
    least = most
    if leafs == unit.leafs and not unit.kept_slots:
        filled = min(unit.servers, need.servers + need.reserved_slots)
        unit = replace(unit, servers=filled)
        least = least_uplinks(unit.down_links, need.choice.oversubscription)
    uplinks, spines = fewest_spines(leafs + need.reserved_leafs, least, most, need)
    if spines is None:
        if need.reserved_leafs:
            return Refusal(
                reason=f"{leafs} leafs and {need.reserved_leafs} leafs to come exceed two tiers; a "
                f"spine has {need.spine_ports} ports"
            )
        return Refusal(
            reason=f"{need.servers} servers need {leafs} leafs with {uplinks} uplinks each, "
            f"but a spine has {need.spine_ports} ports at {need.link_gbps:g} Gb/s and two tiers "
            f"end at {need.spine_ports} leafs"
        )
    return _plan(need, unit, uplinks=uplinks, spines=spines, down=down)


def fewest_spines(leafs: int, least: int, most: int, need: FabricNeed) -> tuple[int, int | None]:
    """Return uplinks of a leaf and spines: fewest spines, then fewest uplinks.

    A lone unit that is not full may take from `least` to `most` uplinks: a few more than its
    servers need can spare spines, because the spines must divide them.
    """
    found = [
        (spines, uplinks)
        for uplinks in range(least, most + 1)
        if (
            spines := spine_count(
                leafs, uplinks, need.spine_ports, even_spread=need.choice.even_spread
            )
        )
        is not None
    ]
    if not found:
        return most, None
    spines, uplinks = min(found)
    return uplinks, spines


def _no_down_ports(need: FabricNeed) -> Refusal:
    return Refusal(
        reason=f"a leaf with {need.leaf_ports} ports at {need.link_gbps:g} Gb/s cannot serve a "
        f"server with {need.links_per_server} links at "
        f"{need.choice.oversubscription:g}:1 oversubscription"
    )


def _reserved(need: FabricNeed) -> str:
    return f" and {need.reserved_slots} slots are reserved" if need.reserved_slots else ""


_TOPOLOGIES: dict[str, Callable[[FabricNeed], FabricPlan | Refusal]] = {
    "direct": _direct,
    "single": _single,
    "joined_pair": _joined_pair,
    "rail_only": _planes,
    "dual_plane": _planes,
    "leaf_spine": _leaf_spine,
    "rail_optimised": _rail_optimised,
    "top_of_rack": _top_of_rack,
    "rack_rails": _rack_rails,
    "three_tier": three_tiers,
}
