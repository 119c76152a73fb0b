"""Error figures of predictions against measurements, plain and with each platform weighted once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def weighted_quantile(values: FloatArray, weights: FloatArray, quantile: float) -> float:
    """Return the smallest value below or at which `quantile` of the weight lies."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, quantile * reached[-1] * (1.0 - 1e-12)))
    return float(values[order][min(place, len(values) - 1)])


def error_figures(error_pct: FloatArray) -> dict[str, float | int]:
    """Return count, median, 90th percentile, worst and mean absolute error, and median signed."""
    size = np.abs(error_pct)
    return {
        "mapped": len(size),
        "median_abs_error_pct": float(np.median(size)),
        "p90_abs_error_pct": float(np.percentile(size, 90)),
        "max_abs_error_pct": float(size.max()),
        "mean_abs_error_pct": float(size.mean()),
        "bias_pct": float(np.median(error_pct)),
    }


def macro_figures(error_pct: FloatArray, owners: Sequence[str]) -> dict[str, float]:
    """Return median and 90th percentile with each row weighted 1 / rows of its owner."""
    names, place, counts = np.unique(np.asarray(owners), return_inverse=True, return_counts=True)
    del names
    weights = 1.0 / counts[place]
    size = np.abs(error_pct)
    return {
        "macro_median_abs_error_pct": weighted_quantile(size, weights, 0.5),
        "macro_p90_abs_error_pct": weighted_quantile(size, weights, 0.9),
    }


def figures_by(error_pct: FloatArray, owners: Sequence[str]) -> dict[str, dict[str, float | int]]:
    """Return the error figures of each owner, sorted by name."""
    names = np.asarray(owners)
    return {str(name): error_figures(error_pct[names == name]) for name in np.unique(names)}
