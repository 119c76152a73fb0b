"""The constants that a run uses: the shipped ones, or those with a user's calibration on top."""

from __future__ import annotations

from planner.domain.calibration import Calibration, calibrated
from planner.domain.compute_constants import MeasuredCompute, ModelConstants, shipped_constants


def model_constants(calibration: Calibration | None) -> ModelConstants:
    """Return every constant of the physics under a calibration; None is the shipped ones."""
    shipped = shipped_constants()
    if calibration is None:
        return shipped
    measured = tuple(
        MeasuredCompute(accelerator=part.accelerator, family=part.family, factor=part.factor)
        for part in calibration.compute
    )
    return shipped.model_copy(
        update={
            "collectives": calibrated(shipped.collectives, calibration),
            "compute": shipped.compute.model_copy(update={"measured": measured}),
        }
    )
