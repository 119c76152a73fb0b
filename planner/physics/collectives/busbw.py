"""Bus and algorithm bandwidth as nccl-tests defines them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from planner.physics.wiring import FloatArray


def busbw_factor(collective: str, ranks: FloatArray) -> FloatArray:
    """Return bus over algorithm bandwidth: the bytes on each link of a ring over the message's.

    nccl-tests doc/PERFORMANCE.md: 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather,
    reduce-scatter and all-to-all, 1 for the others.
    """
    if collective == "all_reduce":
        return 2.0 * (ranks - 1.0) / ranks
    if collective in ("all_gather", "reduce_scatter", "all_to_all"):
        return (ranks - 1.0) / ranks
    return np.ones_like(ranks)


def busbw_gbytes_per_s(
    collective: str, size_bytes: ArrayLike, time_s: ArrayLike, ranks: ArrayLike
) -> FloatArray:
    """Return the bus bandwidth in GB/s of messages of `size_bytes` (the total array) in `time_s`.

    The arrays broadcast; algorithm bandwidth is size over time.
    """
    count = np.asarray(ranks, dtype=np.float64)
    algbw = np.asarray(size_bytes, dtype=np.float64) / np.asarray(time_s, dtype=np.float64) / 1e9
    return np.asarray(algbw * busbw_factor(collective, count))
