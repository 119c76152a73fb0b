"""How much of a communication stays visible behind computation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from planner.physics.wiring import FloatArray


def exposed_s(total_s: ArrayLike, window_s: ArrayLike, edge_s: ArrayLike) -> FloatArray:
    """Return the visible time of communications that share one window.

    At least the unoverlappable edges (first and last bucket) and at least what the window cannot
    take in; communications that share a window are summed into `total_s` first.
    """
    total = np.asarray(total_s, dtype=np.float64)
    edge = np.minimum(np.asarray(edge_s, dtype=np.float64), total)
    return np.maximum(edge, total - np.asarray(window_s, dtype=np.float64))


def slowdown_s(total_s: ArrayLike, exposed: ArrayLike, per_second: float) -> FloatArray:
    """Return what computation loses to the communication hidden behind it."""
    hidden = np.asarray(total_s, dtype=np.float64) - np.asarray(exposed, dtype=np.float64)
    return per_second * np.maximum(hidden, 0.0)
