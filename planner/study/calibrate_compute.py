"""Fit how long a job computes to profiles of its steps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.domain.calibration import ComputeCalibration, ComputeResidual
from planner.domain.compute_constants import ModelConstants
from planner.domain.errors import Fault, InputError
from planner.domain.profile import StepProfile
from planner.study.profiled_job import ProfiledJob

BELIEVED = 10.0
"""A measurement further from the model than this factor is another job's."""
DOUBTED = 1.5
FEW_STEPS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiled:
    """A profile and the job that it was taken of."""

    log: str
    profile: StepProfile
    job: ProfiledJob

    @property
    def measured_s(self) -> float:
        """Seconds of a step in which the profiled GPU computed."""
        return self.profile.mean.compute_s


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """A profile beside the model's parts of its time."""

    taken: Profiled
    busy_s: float
    """What the factor applies to."""
    slowed_s: float
    """What hidden communication costs the kernels, which the model counts apart."""

    @property
    def ratio(self) -> float:
        return (self.taken.measured_s - self.slowed_s) / self.busy_s

    def predicted_s(self, factor: float) -> float:
        return self.busy_s * factor + self.slowed_s


def calibrate_compute(
    taken: Sequence[Profiled], constants: ModelConstants
) -> tuple[ComputeCalibration, ...]:
    """Return one factor per accelerator and family: the geometric mean of measured over model.

    The factor is on the time of the shipped model's kernels, less what hidden communication costs
    them in the model.

    Raises
    ------
    InputError
        If a profile computes nothing, or too long or short to be its job's.
    """
    groups: dict[tuple[str, str], list[_Held]] = defaultdict(list)
    for entry in taken:
        held = _Held(
            taken=entry,
            busy_s=entry.job.computing_s(constants.compute),
            slowed_s=entry.job.slowed_s(constants),
        )
        if not 1.0 / BELIEVED <= held.ratio <= BELIEVED:
            what = (
                f"computes {entry.measured_s:.4g} s a step, the model says"
                f" {held.predicted_s(1.0):.4g} s for workload {entry.job.workload}"
            )
            right = f"is it that job, with {entry.job.strategy.label()}?"
            raise InputError(entry.log, [Fault("profile", what, right)])
        key = (entry.job.machine.accelerator, entry.job.job.network.family)
        groups[key].append(held)
    return tuple(_fitted(key, groups[key]) for key in sorted(groups))


def _fitted(key: tuple[str, str], entries: list[_Held]) -> ComputeCalibration:
    factor = math.exp(float(np.mean([math.log(held.ratio) for held in entries])))
    residuals = tuple(
        ComputeResidual(
            log=held.taken.log,
            strategy=held.taken.job.strategy.label(),
            gpus=held.taken.job.strategy.gpus,
            measured_s=held.taken.measured_s,
            predicted_s=held.predicted_s(factor),
            error_pct=_error_pct(held, factor),
        )
        for held in entries
    )
    return ComputeCalibration(
        accelerator=key[0],
        family=key[1],
        factor=factor,
        networks=tuple(sorted({held.taken.job.network for held in entries})),
        error_before_pct=float(np.median([abs(_error_pct(held, 1.0)) for held in entries])),
        error_after_pct=float(np.median([abs(_error_pct(held, factor)) for held in entries])),
        extrapolates=_extrapolates(key, factor, [held.taken for held in entries]),
        residuals=residuals,
    )


def _error_pct(held: _Held, factor: float) -> float:
    return 100.0 * (held.predicted_s(factor) / held.taken.measured_s - 1.0)


def _extrapolates(key: tuple[str, str], factor: float, entries: list[Profiled]) -> tuple[str, ...]:
    """Return where the factor goes beyond what was measured, in sentences."""
    networks = ", ".join(sorted({entry.job.network for entry in entries}))
    strategies = sorted({entry.job.strategy.label() for entry in entries})
    precisions = ", ".join(sorted({entry.job.job.precision for entry in entries}))
    shown = "; ".join(strategies[:3]) + ("; and others" if len(strategies) > 3 else "")
    told = [
        f"{key[1]} networks other than {networks}",
        f"strategies other than {shown}, whose kernels have other shapes",
        f"precisions other than {precisions}",
    ]
    if any(entry.job.strategy.pp > 1 for entry in entries):
        told.append("pipeline stages other than that of the profiled rank")
    if not all(entry.job.networked for entry in entries):
        told.append("other fabrics: what hidden communication costs the kernels is in the factor")
    if not DOUBTED**-1 <= factor <= DOUBTED:
        told.append(
            f"a factor of {factor:.2f} is far from 1: check that workload, batch and strategy are"
            " those that were profiled"
        )
    if any(sum(step.counted for step in e.profile.steps) < FEW_STEPS for e in entries):
        told.append(f"steps beyond the fewer than {FEW_STEPS} that were counted")
    idle = max(entry.profile.mean.idle_s / entry.profile.mean.wall_s for entry in entries)
    if idle > 0.02:
        told.append(
            f"gaps in which nothing ran, up to {idle:.0%} of a step: the factor leaves them to the"
            " model"
        )
    return tuple(told)
