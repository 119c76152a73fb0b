"""Several equal fabrics side by side, joined by no switch: one a rail, or two planes.

*Rail-only*: every rail is a fabric of its own; what is bound for another rail first crosses the
scale-up links of its server. *Dual-plane*: the ports of every NIC go alternately to two fabrics,
so that a switch needs ports for half of the links and a lost plane leaves half of the bandwidth.
"""

from __future__ import annotations

from dataclasses import replace

from planner.domain.design import FabricPlan
from planner.physics.fabric_need import FabricNeed
from planner.physics.refusal import Refusal

DUAL = 2


def planes_of(need: FabricNeed) -> int | Refusal:
    """Return how many fabrics stand side by side (`fabric_planes`), or why they cannot."""
    links = need.links_per_server
    if links < 2:
        return Refusal(reason="a server with one link joins one fabric; take a single switch")
    if need.choice.topology == "rail_only":
        return links
    if links % DUAL:
        return Refusal(reason=f"{links} links of a server do not share evenly over two planes")
    return DUAL


def side_by_side(plan: FabricPlan, planes: int) -> FabricPlan:
    """Return the plan of so many fabrics like the one given."""
    return replace(
        plan,
        planes=planes,
        links_per_server=planes * plan.links_per_server,
        units=tuple(replace(unit, leafs=planes * unit.leafs) for unit in plan.units),
        leafs=planes * plan.leafs,
        spines=planes * plan.spines,
        cores=planes * plan.cores,
        pods=tuple(
            replace(pod, leafs=planes * pod.leafs, spines=planes * pod.spines) for pod in plan.pods
        ),
    )
