"""The safety that a step-time target carries: the instance's, or the model's own error."""

from __future__ import annotations

from typing import NamedTuple

from planner.domain.step_margins import step_margin
from planner.domain.workload import Workload

UNMEASURED = 0.10
"""For a family of networks whose error is not measured; an estimate."""


class Margin(NamedTuple):
    """A margin on the step time and where it comes from."""

    value: float
    kind: str
    """default (given by the instance), estimate or sourced."""
    source: str


def margin_of(workload: Workload, family: str) -> Margin:
    """Return the margin of a workload whose network is of a family.

    Without one in the instance it is the model's own optimistic error on networks of that family:
    the 90th percentile over published runs of sources that the fit had not seen.
    """
    if workload.margin is not None:
        return Margin(workload.margin, "default", "the instance")
    measured = step_margin(family)
    if measured is None:
        return Margin(
            UNMEASURED, "estimate", f"error of the model on {family} networks not measured"
        )
    kind = "estimate" if measured.status == "unvalidated" else "sourced"
    return Margin(measured.margin, kind, measured.source)
