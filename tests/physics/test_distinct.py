"""Distinct rows: a value worked out once per class equals the value of every row."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.physics.distinct import distinct


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 10**9), st.integers(0, 3)), min_size=1))
def test_spreading_restores_every_row(rows):
    """Representatives spread by the inverse give back all rows, small and huge values alike."""
    columns = [np.array(c, dtype=np.int64) for c in zip(*rows, strict=True)]
    classes = distinct(columns)
    for column in columns:
        assert np.array_equal(column[classes.first][classes.inverse], column)
    assert len(classes.first) == len(set(rows))


def test_large_key_range():
    """Columns whose codes multiply beyond the table limit still give the right classes."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 3000, 5000) for _ in range(4)]
    classes = distinct(columns)
    for column in columns:
        assert np.array_equal(column[classes.first][classes.inverse], column)
