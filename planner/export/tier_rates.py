"""What the links of a tier carry, and how fast: the fabric's, or those of a network of services."""

from __future__ import annotations

from planner.domain.solution import Solution

MANAGEMENT_GBPS = 1.0


def tier_rate(solution: Solution, tier: str) -> tuple[str, float]:
    """Return family and rate of a tier's links, gigabit/s; nothing without a design."""
    if solution.design is None:
        return "", 0.0
    for network in solution.services.networks if solution.services else ():
        if network.network == tier:
            return network.family, network.link_gbps
    if tier == "oob":
        return "ethernet", MANAGEMENT_GBPS
    return solution.design.fabric.family, solution.design.fabric.link_gbps
