"""What is known of one scale-up kind with one network family and topology."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from planner.domain.instance import ASKED_TOPOLOGIES, FAMILIES, TOPOLOGIES, Instance

DIRECT = "direct"
NO_FAMILY = "none"
"""Family of the topology `direct`: one server, no switch."""


class Combination(BaseModel):
    """The best design of a combination, the least that one would cost, or why there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scale_up: str
    family: str
    """`none` for one server without a switch."""
    topology: str
    status: Literal["chosen", "optimal", "feasible", "bounded", "infeasible"]
    """optimal: proved the cheapest of its combination; feasible: the cheapest found; bounded: not
    solved, and none costs less than `bound_usd`."""
    objective_usd: float | None = None
    bound_usd: float | None = None
    """Proved: no design of the combination costs less; None where there is none."""
    delta_usd: float | None = None
    """Objective, or the bound where there is none, less that of the answer."""
    summary: str = ""
    """The design in a buyer's words."""
    reason: str = ""
    """Why it is dearer or impossible, or what the bound rests on."""
    step_times_s: dict[str, float] = {}
    """By workload; empty where no design was solved."""


def combined(scale_ups: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield every combination: scale-up kinds by name, families and topologies in their order."""
    for kind in sorted(set(scale_ups)):
        yield kind, NO_FAMILY, DIRECT
        for family in FAMILIES:
            for topology in TOPOLOGIES:
                if topology != DIRECT:
                    yield kind, family, topology


def beside_grid(instance: Instance, topology: str) -> bool:
    """Return whether a topology is weighed only where it is asked for, and is not.

    Forced, it has designs that the answer's grid does not: no bound of the answer holds for them.
    Three tiers are such where two reach.
    """
    fixed = instance.fix.values().get("topology", ())
    if topology == "three_tier":
        return fixed != ("three_tier",)
    return topology in ASKED_TOPOLOGIES and topology not in fixed
