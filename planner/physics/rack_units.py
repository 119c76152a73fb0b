"""Units of a rack each: top of rack, and servers that are racks of trays."""

from __future__ import annotations

from dataclasses import replace

from planner.physics.fabric_need import FabricNeed, LeafUnit
from planner.physics.oversubscription import least_uplinks
from planner.physics.refusal import Refusal


def rack_unit(need: FabricNeed) -> LeafUnit | Refusal:
    """Return the unit that one rack makes (`fabric_rack_unit`), or why there is none.

    Servers: as many as the rack holds beside their leafs; leafs: the fewest that share a server's
    links evenly and have ports for all these servers and the uplinks. Of a server that is a rack of
    trays every rail has a leaf, as in the DGX GB200 SuperPOD: 18 links of a rack on each of four.
    """
    links = need.links_per_server
    if need.tray_rails:
        return _checked(need, LeafUnit(
            leafs=need.tray_rails,
            links_per_server_leaf=links // need.tray_rails,
            servers=1,
        ))  # fmt: skip
    for leafs, servers in enumerate(need.servers_beside, 1):
        if links % leafs or not servers:
            continue
        unit = LeafUnit(leafs=leafs, links_per_server_leaf=links // leafs, servers=servers)
        found = _checked(need, unit)
        if isinstance(found, LeafUnit):
            return found
    return Refusal(
        reason=f"no number of leafs with {need.leaf_ports} ports serves all servers that a rack "
        "holds beside them"
    )


def keeping_slots(need: FabricNeed, unit: LeafUnit) -> LeafUnit | None:
    """Return the unit whose leafs keep ports for the reserved slots that its racks have no place for.

    As many in every unit; None where the places of the last rack suffice, or ports do not.
    """
    units = -(-need.servers // unit.servers)
    lacking = need.servers + need.reserved_slots - units * unit.servers
    if lacking <= 0:
        return None
    kept = _checked(need, replace(unit, kept_slots=-(-lacking // units)))
    return None if isinstance(kept, Refusal) else kept


def _checked(need: FabricNeed, unit: LeafUnit) -> LeafUnit | Refusal:
    down = unit.down_links
    taken = down + least_uplinks(down, need.choice.oversubscription)
    if taken <= need.leaf_ports:
        return unit
    return Refusal(
        reason=f"a leaf in the rack takes {taken} ports with its uplinks; it has {need.leaf_ports}"
    )
