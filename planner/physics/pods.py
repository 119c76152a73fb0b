"""Three tiers: pods of rail-optimised units whose leafs share spines, joined by cores.

The rules give the published NVIDIA SuperPODs beyond two tiers (512, 1024 and 2048 nodes):

1. Units as in a rail-optimised fabric; a pod holds as many whole units as a spine has down ports
   for their leafs (`fabric_pods`), the last pod what is left.
2. Spines of a pod: at least m = ceil(leafs u / down ports); with even spread the smallest s >= m
   that divides u (`fabric_spines`).
3. Every spine has as many uplinks as match the used down links of a full pod's spine; cores hold
   them all: ceil(spines x uplinks / ports) (`fabric_cores`). A core has a port for every pod.
"""

from __future__ import annotations

from planner.domain.design import FabricPlan, Pod, Unit
from planner.physics.fabric_need import FabricNeed, spine_count
from planner.physics.oversubscription import least_uplinks, split_ports
from planner.physics.refusal import Refusal


def three_tiers(need: FabricNeed) -> FabricPlan | Refusal:
    """Return the plan of a fabric with cores, or why it cannot be built.

    Refused where two tiers reach, unless the choice asks for cores: the third would only add
    switches and latency; and where one pod holds all, so that cores would join nothing.
    """
    group = need.links_per_server
    down, _ = split_ports(need.leaf_ports, need.choice.oversubscription)
    spine_down, spine_up = split_ports(need.spine_ports, need.choice.spine_oversubscription)
    if min(down, spine_down, spine_up) < 1:
        return Refusal(reason=f"a switch with {need.leaf_ports} ports has none to spare for tiers")
    count = -(-(need.servers + need.reserved_slots) // down)
    uplinks = least_uplinks(down, need.choice.oversubscription)
    even = need.choice.even_spread
    leafs = count * group
    two = spine_count(leafs, uplinks, need.spine_ports, even_spread=even)
    if two is not None and not need.choice.core_asked:
        return Refusal(reason=f"two tiers join {leafs} leafs; a third would only add switches")
    per_pod = spine_down // group
    if per_pod < 1:
        return Refusal(
            reason=f"a unit has {group} leafs, one a rail; a spine has {spine_down} down ports"
        )
    pods = _pods(count, per_pod, group, uplinks, spine_down, even_spread=even)
    if len(pods) == 1:
        return Refusal(reason=f"one pod holds all {need.servers} servers; cores would join nothing")
    if len(pods) > need.core_ports:
        return Refusal(
            reason=f"{need.servers} servers make {len(pods)} pods; a core has {need.core_ports} "
            "ports, one for each pod at least"
        )
    return _plan(need, count, down, uplinks, pods)


def _pods(
    units: int, per_pod: int, group: int, uplinks: int, spine_down: int, *, even_spread: bool
) -> tuple[Pod, ...]:
    sizes = [per_pod] * (units // per_pod) + ([units % per_pod] if units % per_pod else [])
    found = []
    for size in sizes:
        spines = spine_count(size * group, uplinks, spine_down, even_spread=even_spread)
        assert spines is not None
        found.append(Pod(units=size, leafs=size * group, spines=spines))
    return tuple(found)


def _plan(
    need: FabricNeed, count: int, down: int, uplinks: int, pods: tuple[Pod, ...]
) -> FabricPlan:
    sizes = [min(down, need.servers - k * down) for k in range(count)]
    group = need.links_per_server
    spines = sum(pod.spines for pod in pods)
    full = pods[0]
    used_down = -(-full.leafs * uplinks // full.spines)
    spine_up = least_uplinks(used_down, need.choice.spine_oversubscription)
    return FabricPlan(
        choice=need.choice,
        servers=need.servers,
        links_per_server=group,
        link_gbps=need.link_gbps,
        units=tuple(Unit(servers=max(0, size), leafs=group) for size in sizes),
        links_per_server_leaf=1,
        leafs=count * group,
        spines=spines,
        links_per_leaf_spine=uplinks // full.spines,
        down_ports_per_leaf=down,
        uplinks_per_leaf=uplinks,
        hosts_per_leaf=down,
        uplink_ratio=min(1.0, uplinks / down),
        pods=pods,
        cores=-(-spines * spine_up // need.core_ports),
        uplinks_per_spine=spine_up,
        pod_uplink_ratio=min(1.0, spine_up / used_down),
    )
