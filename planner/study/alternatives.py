"""Why this and not that: the best design under each forced choice, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from planner.domain.instance import FAMILIES, HardwareChoice, Instance
from planner.program.columns import Column

SCALE_UP_WORDS = {
    "pcie_host": "PCIe through the host",
    "pcie_p2p": "PCIe peer-to-peer",
    "nvlink_bridge": "NVLink bridges",
    "nvlink_mesh": "NVLink mesh",
    "nvswitch": "NVSwitch",
    "nvl72": "NVL72",
    "xgmi": "Infinity Fabric",
    "none": "no scale-up link",
}
FAMILY_WORDS = {"infiniband": "InfiniBand", "roce": "RoCE", "ethernet": "Ethernet (TCP)"}
TOPOLOGY_WORDS = {
    "direct": "one server",
    "single": "a single switch",
    "leaf_spine": "leaf-spine",
    "rail_optimised": "rail-optimised",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One forced choice."""

    name: str
    question: str
    forced: dict[str, Any]
    family: bool = False
    """True where the choice compares network families, which `fix` may have narrowed."""


def questions(chosen: Column, scale_ups: Iterable[str], servers: dict[str, str]) -> list[Question]:
    """Return what a buyer asks about a chosen column.

    Parameters
    ----------
    chosen
        The column that was chosen.
    scale_ups
        Scale-up kinds of all servers of the catalogue.
    servers
        Model by id of the servers that may be bought.
    """
    choice, plan = chosen.plan.choice, chosen.plan
    asked: list[Question] = [
        Question(
            name=FAMILY_WORDS[family],
            question="InfiniBand or RoCE?",
            forced={"family": family},
        )
        for family in FAMILIES
        if family != choice.family
    ]
    asked += [
        Question(
            name=SCALE_UP_WORDS[kind],
            question="NVSwitch or PCIe?",
            forced={"scale_up": kind},
        )
        for kind in sorted(set(scale_ups))
        if kind != chosen.option.server.scale_up
    ]
    asked += _shape_questions(choice.topology, 1 / plan.uplink_ratio if plan.spines else None)
    asked += [
        Question(name=model, question="Which server?", forced={"server": server})
        for server, model in sorted(servers.items())
        if server != chosen.option.server.id
    ]
    if chosen.nodes > 1:
        asked.append(
            Question(
                name=f"{chosen.nodes - 1} servers of the same model",
                question="Fewer or more servers?",
                forced={"server": chosen.option.server.id, "nodes": chosen.nodes - 1},
            )
        )
    return asked


def _shape_questions(topology: str, ratio: float | None) -> list[Question]:
    """Ask for the other topologies, and for another oversubscription of the two-tier ones."""
    found = [
        Question(
            name=TOPOLOGY_WORDS[other],
            question="Which topology?",
            forced={"topology": other},
        )
        for other in ("single", "leaf_spine", "rail_optimised")
        if other != topology
    ]
    two_tier = ["leaf_spine", "rail_optimised"]
    if ratio is None or ratio > 1:
        forced = {"topology": two_tier, "oversubscription": 1.0}
        found.append(Question(name="non-blocking 1:1", question="1:1 or less?", forced=forced))
    if ratio is None or ratio < 2:
        forced = {"topology": two_tier, "oversubscription": 2.0}
        found.append(Question(name="2:1 oversubscribed", question="1:1 or less?", forced=forced))
    return found


def force(instance: Instance, forced: dict[str, Any]) -> Instance | str:
    """Return the instance with a choice pinned, or why its own `fix` or `forbid` excludes it."""
    fixed, forbidden = instance.fix.values(), instance.forbid.values()
    for key, value in forced.items():
        wanted = value if isinstance(value, list) else [value]
        kept = [v for v in wanted if key not in fixed or v in fixed[key]]
        kept = [v for v in kept if v not in forbidden.get(key, ())]
        if not kept:
            return f"the instance does not allow {key} {', '.join(map(str, wanted))}"
    merged = {k: list(v) for k, v in fixed.items()} | forced
    return instance.model_copy(update={"fix": HardwareChoice(**merged)})


Solve = Callable[[Instance], Any]
