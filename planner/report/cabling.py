"""The cable schedule in a few lines: links, assemblies and modules by tier, part and length."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import Solution

TIERS = (
    "node_leaf", "leaf_leaf", "leaf_spine", "spine_core", "oob",
    "fabric_manager", "storage_network", "in_band_network",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CableLine:
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
    """Longest route of the line."""


@dataclass(slots=True)
class _Sum:
    links: int = 0
    assemblies: int = 0
    modules: int = 0
    longest_m: float = 0.0


def cable_lines(solution: Solution) -> list[CableLine]:
    """Return the links of a solution by tier, part and length; groups are not taken apart."""
    sums: dict[tuple[str, str, float], _Sum] = {}
    seen: set[str] = set()
    for cable in solution.cables:
        one = sums.setdefault((cable.tier, cable.part, cable.length_m), _Sum())
        one.links += 1
        one.assemblies += cable.assembly not in seen
        one.modules += bool(cable.a_module) + bool(cable.b_module)
        one.longest_m = max(one.longest_m, cable.needed_m)
        seen.add(cable.assembly)
    for group in solution.cable_groups:
        one = sums.setdefault((group.tier, group.part, group.length_m), _Sum())
        one.links += group.links
        one.assemblies += group.links // group.assembly_links
        one.modules += group.links * (bool(group.a_module) + bool(group.b_module))
        one.longest_m = max(one.longest_m, group.needed_m)
    order = sorted(sums, key=lambda key: (TIERS.index(key[0]), key[1], key[2]))
    return [
        CableLine(
            tier=key[0],
            part=key[1],
            length_m=key[2],
            links=sums[key].links,
            assemblies=sums[key].assemblies,
            modules=sums[key].modules,
            longest_m=sums[key].longest_m,
        )
        for key in order
    ]
