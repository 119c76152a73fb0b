"""Arithmetic of sets of moments against sets of integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.importers.intervals import (
    clip,
    difference,
    inside,
    intersection,
    length,
    union,
    window,
)

SPANS = st.lists(st.tuples(st.integers(-40, 40), st.integers(-5, 25)), max_size=25).map(
    lambda pairs: [(start, start + size) for start, size in pairs]
)


def moments(spans):
    """Return the integer moments of intervals, the plain way."""
    return {moment for start, end in spans for moment in range(start, end)}


def held(intervals):
    """Return the moments of a set, having checked that it is one."""
    assert all(intervals[:, 0] < intervals[:, 1])
    assert all(intervals[1:, 0] > intervals[:-1, 1]), "touching intervals are one"
    return moments(intervals.tolist())


@given(SPANS)
def test_a_union_holds_what_any_interval_holds(spans):
    """Overlapping, empty and touching intervals become one canonical set."""
    found = union(spans)
    assert held(found) == moments(spans)
    assert length(found) == len(moments(spans))
    assert np.array_equal(union(found), found)


@given(SPANS, SPANS)
def test_intersection_and_difference_split_a_set(spans, others):
    """They hold what sets of integers say, and together they are the set again."""
    one, other = union(spans), union(others)
    both, rest = intersection(one, other), difference(one, other)
    assert held(both) == moments(spans) & moments(others)
    assert held(rest) == moments(spans) - moments(others)
    assert length(both) + length(rest) == length(one)
    assert np.array_equal(union(np.concatenate((both, rest))), one)


@given(SPANS, st.integers(-50, 50), st.integers(0, 60))
def test_a_cut_is_the_intersection_with_a_window(spans, start, size):
    """Clipping equals meeting a window of the same bounds."""
    one = union(spans)
    assert held(clip(one, start, start + size)) == held(
        intersection(one, window(start, start + size))
    )


@given(SPANS, st.lists(st.integers(-60, 90), max_size=20))
def test_a_moment_is_inside_where_an_interval_holds_it(spans, asked):
    """Starts belong to an interval, ends do not."""
    found = inside(union(spans), np.array(asked, dtype=np.int64))
    assert found.tolist() == [moment in moments(spans) for moment in asked]
