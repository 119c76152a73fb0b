"""The safety that a step-time target carries: the instance's, or the model's own error."""

from __future__ import annotations

from typing import NamedTuple

from planner.domain.workload import Workload

UNMEASURED = 0.10
"""Until the model's optimistic error is measured for a family of networks; an estimate."""


class Margin(NamedTuple):
    """A margin on the step time and where it comes from."""

    value: float
    kind: str
    """default (given by the instance), estimate or sourced."""
    source: str


def margin_of(workload: Workload, family: str) -> Margin:
    """Return the margin of a workload whose network is of a family."""
    if workload.margin is not None:
        return Margin(workload.margin, "default", "the instance")
    return Margin(UNMEASURED, "estimate", f"error of the model on {family} networks not measured")
