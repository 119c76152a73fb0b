"""The cable schedule in a few lines: links, assemblies and modules by tier, part and length."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import Cable

TIERS = ("node_leaf", "leaf_spine", "spine_core", "oob")


@dataclass(frozen=True, slots=True, kw_only=True)
class CableGroup:
    """Cables of one tier, part and bought length."""

    tier: str
    part: str
    length_m: float
    links: int
    assemblies: int
    """Physical cables to buy; links of one twin-port assembly share it."""
    modules: int
    """Ends that carry a transceiver."""
    longest_m: float
    """Longest route of the group."""


def cable_groups(cables: list[Cable]) -> list[CableGroup]:
    """Return the groups by tier, part and length."""
    members: dict[tuple[str, str, float], list[Cable]] = {}
    for cable in cables:
        members.setdefault((cable.tier, cable.part, cable.length_m), []).append(cable)
    order = sorted(members, key=lambda key: (TIERS.index(key[0]), key[1], key[2]))
    return [
        CableGroup(
            tier=tier,
            part=part,
            length_m=length,
            links=len(group := members[tier, part, length]),
            assemblies=len({cable.assembly for cable in group}),
            modules=sum(bool(c.a_module) + bool(c.b_module) for c in group),
            longest_m=max(cable.needed_m for cable in group),
        )
        for tier, part, length in order
    ]
