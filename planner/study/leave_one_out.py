"""The error of the step-time model on sources it has not seen: each left out of the fit in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.domain.compute_constants import FAMILY_OF, ComputeConstants, ModelConstants
from planner.physics.steptime import step_times
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import FloatArray
from planner.study.error_figures import error_figures, macro_figures, weighted_quantile
from planner.study.step_rows import StepRow

FACTORS = np.round(np.arange(0.72, 1.2801, 0.04), 4)
"""Factors tried on the sustained rate of each accelerator and kernel family."""

MARGIN_QUANTILE = 0.9
"""Quantile of the optimistic error that a margin covers."""

Group = tuple[str, str]


def group_of(row: StepRow, constants: ComputeConstants) -> Group:
    """Return the accelerator whose constants a row uses and the family of its products."""
    name = row.machine.accelerator
    name = constants.stands_in.get(name, name)
    if name not in constants.accelerators:
        name = constants.stands_in.get(row.machine.architecture, "unknown")
    return name, row.machine.family(row.job.precision)


def scaled(constants: ModelConstants, group: Group, factor: float) -> ModelConstants:
    """Return constants with one sustained rate multiplied."""
    name, family = group
    part = constants.compute.accelerators[name]
    product = part.product(family)
    rate = product.sustained.model_copy(update={"value": product.sustained.value * factor})
    gemm = dict(part.gemm) | {family: product.model_copy(update={"sustained": rate})}
    parts = dict(constants.compute.accelerators)
    parts[name] = part.model_copy(update={"gemm": gemm})
    compute = constants.compute.model_copy(update={"accelerators": parts})
    return constants.model_copy(update={"compute": compute})


def times_by_factor(rows: Sequence[StepRow], constants: ModelConstants) -> FloatArray:
    """Return predicted times, shape (rows, factors), each row's own sustained rate multiplied."""
    times = np.empty((len(rows), len(FACTORS)))
    groups = [group_of(row, constants.compute) for row in rows]
    for group in set(groups):
        members = [i for i, g in enumerate(groups) if g == group]
        for column, factor in enumerate(FACTORS):
            changed = scaled(constants, group, float(factor))
            for i in members:
                row = rows[i]
                found = step_times(
                    row.job, row.machine, row.wiring, row.nodes, StrategyTable.of([row.strategy]),
                    constants=changed, only_feasible=False,
                )  # fmt: skip
                times[i, column] = found.step_time_s[0]
    return times


def unseen_times(rows: Sequence[StepRow], constants: ModelConstants) -> FloatArray:
    """Return each row's time under rates fitted without its source, shape (rows,).

    The rate of an accelerator and kernel family is the factor with the least median absolute
    error over the other sources, each source weighing the same. Where no other source has the
    accelerator and family, its rate is the median of all others.
    """
    times = times_by_factor(rows, constants)
    measured = np.array([row.step_time_s for row in rows])
    error = np.abs(times / measured[:, None] - 1.0)
    sources = np.array([row.source for row in rows])
    groups = [group_of(row, constants.compute) for row in rows]
    result = np.empty(len(rows))
    for group in set(groups):
        inside = np.array([g == group for g in groups])
        for source in np.unique(sources[inside]):
            own = inside & (sources == source)
            others = inside & (sources != source)
            column = _fitted(error, sources, others)
            if column is None:
                column = _usual(constants, group)
            result[own] = times[own, column]
    return result


def _fitted(error: FloatArray, sources: NDArray[np.str_], rows: NDArray[np.bool_]) -> int | None:
    """Return the column of the least weighted median error; the nearest to 1 among equals."""
    if not rows.any():
        return None
    _, place, counts = np.unique(sources[rows], return_inverse=True, return_counts=True)
    weights = 1.0 / counts[place]
    medians = [weighted_quantile(column, weights, 0.5) for column in error[rows].T]
    order = sorted(range(len(FACTORS)), key=lambda i: (medians[i], abs(FACTORS[i] - 1.0)))
    return order[0]


def _usual(constants: ModelConstants, group: Group) -> int:
    """Return the column nearest to the median sustained rate of the other accelerators."""
    rates = [
        product.sustained.value
        for name, part in constants.compute.accelerators.items()
        for family, product in part.gemm.items()
        if family in FAMILY_OF.values() and (name, family) != group
        and product.sustained.status == "fitted"
    ]  # fmt: skip
    own = constants.compute.accelerators[group[0]].product(group[1]).sustained.value
    wanted = float(np.median(rates)) / own if rates else 1.0
    return int(np.argmin(np.abs(FACTORS - wanted)))


def leave_one_source_out(rows: Sequence[StepRow], constants: ModelConstants) -> dict[str, Any]:
    """Return error figures on unseen sources, in all and by family, and the margins they imply.

    A family's `margin` is the 90th percentile over rows of measured / predicted - 1 where the
    prediction was too fast (0 where it was not); `margin_by_source` weighs each source the same,
    so that a source with a single odd run counts as much as one with a hundred.
    """
    times = unseen_times(rows, constants)
    measured = np.array([row.step_time_s for row in rows])
    families = np.array([row.family for row in rows])
    result = _figures(rows, times, measured, np.ones(len(rows), dtype=bool))
    result["by_family"] = {
        str(family): _figures(rows, times, measured, families == family)
        for family in np.unique(families)
    }
    return result


def _figures(
    rows: Sequence[StepRow], times: FloatArray, measured: FloatArray, chosen: NDArray[np.bool_]
) -> dict[str, Any]:
    error = (times[chosen] / measured[chosen] - 1.0) * 100.0
    owners = [row.source for row, kept in zip(rows, chosen, strict=True) if kept]
    _, place, counts = np.unique(np.array(owners), return_inverse=True, return_counts=True)
    late = np.maximum(measured[chosen] / times[chosen] - 1.0, 0.0)
    ones = np.ones(len(late))
    return {
        **error_figures(error), **macro_figures(error, owners),
        "sources": len(counts),
        "margin": weighted_quantile(late, ones, MARGIN_QUANTILE),
        "margin_by_source": weighted_quantile(late, 1.0 / counts[place], MARGIN_QUANTILE),
    }  # fmt: skip
