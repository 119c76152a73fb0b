"""Sets of moments as sorted, disjoint half-open intervals; the arithmetic of overlap.

A set is an integer array of shape (intervals, 2): starts and ends in nanoseconds, ascending, with
a gap between one interval and the next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Intervals = NDArray[np.int64]

NOTHING: Intervals = np.empty((0, 2), dtype=np.int64)


def union(intervals: ArrayLike) -> Intervals:
    """Return any intervals, in any order and overlapping, as a set; empty ones vanish."""
    given = np.asarray(intervals, dtype=np.int64).reshape(-1, 2)
    given = given[given[:, 1] > given[:, 0]]
    if not len(given):
        return NOTHING
    given = given[np.argsort(given[:, 0], kind="stable")]
    reach = np.maximum.accumulate(given[:, 1])
    first = np.concatenate(([True], given[1:, 0] > reach[:-1]))
    last = np.concatenate((first[1:], [True]))
    return np.column_stack((given[first, 0], reach[last]))


def length(intervals: Intervals) -> int:
    """Return the nanoseconds in a set."""
    return int((intervals[:, 1] - intervals[:, 0]).sum())


def inside(intervals: Intervals, moments: ArrayLike) -> NDArray[np.bool_]:
    """Return for each moment whether a set holds it."""
    when = np.asarray(moments, dtype=np.int64)
    if not len(intervals):
        return np.zeros(when.shape, dtype=np.bool_)
    place = np.searchsorted(intervals[:, 0], when, side="right") - 1
    held: NDArray[np.bool_] = (place >= 0) & (when < intervals[np.maximum(place, 0), 1])
    return held


def _where(one: Intervals, other: Intervals, in_one: bool, in_other: bool) -> Intervals:
    """Return the moments that are (or are not) in two sets, between their first and last."""
    edges = np.unique(np.concatenate((one.ravel(), other.ravel())))
    if len(edges) < 2:
        return NOTHING
    begins = edges[:-1]
    keep = (inside(one, begins) == in_one) & (inside(other, begins) == in_other)
    return union(np.column_stack((begins[keep], edges[1:][keep])))


def intersection(one: Intervals, other: Intervals) -> Intervals:
    """Return the moments that both sets hold."""
    return _where(one, other, in_one=True, in_other=True)


def difference(one: Intervals, other: Intervals) -> Intervals:
    """Return the moments of one set that another does not hold."""
    return _where(one, other, in_one=True, in_other=False)


def window(start: int, end: int) -> Intervals:
    """Return the set of one interval."""
    return union([(start, end)])


def clip(intervals: Intervals, start: int, end: int) -> Intervals:
    """Return the part of a set from a start to an end."""
    first = int(np.searchsorted(intervals[:, 1], start, side="right"))
    last = int(np.searchsorted(intervals[:, 0], end, side="left"))
    part = np.clip(intervals[first:last], start, end)
    return part[part[:, 1] > part[:, 0]]
