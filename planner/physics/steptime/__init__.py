"""Step time: what a training step takes on a machine, a wiring and a strategy.

`step_times` times a table of strategies, `best` finds the fastest, `explain` opens one up;
`compute_bound_s` and `free_network_best` are true lower bounds.
"""

from __future__ import annotations

from planner.physics.steptime.best import BestStep, best
from planner.physics.steptime.bound import compute_bound_s, free_network_best
from planner.physics.steptime.explain import CollectiveDetail, StepDetail, explain
from planner.physics.steptime.table import PARTS, StepTable, step_times
from planner.physics.steptime.timeline import Segment

__all__ = [
    "PARTS",
    "BestStep",
    "CollectiveDetail",
    "Segment",
    "StepDetail",
    "StepTable",
    "best",
    "compute_bound_s",
    "explain",
    "free_network_best",
    "step_times",
]
