"""Work once per distinct row: most strategies share their layer shapes and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.physics.wiring import IntArray

_DENSE_LIMIT = 1 << 22


@dataclass(frozen=True, slots=True)
class Distinct:
    """Distinct rows of several integer columns.

    `first[j]` is the position of one row of class j, `inverse[i]` the class of row i, so that
    ``values_of(rows[first])[inverse]`` equals ``values_of(rows)``.
    """

    first: IntArray
    inverse: NDArray[np.int32]


def _codes(column: NDArray[np.integer]) -> tuple[NDArray[np.int32], int]:
    """Return small codes of a column of non-negative integers, and how many there are."""
    top = int(column.max()) if column.size else 0
    if top >= _DENSE_LIMIT:
        values, inverse = np.unique(column, return_inverse=True)
        return inverse.astype(np.int32), len(values)
    seen = np.zeros(top + 1, dtype=bool)
    seen[column] = True
    table = np.cumsum(seen, dtype=np.int32) - 1
    return table[column], int(table[-1]) + 1


def distinct(columns: Sequence[NDArray[np.integer]]) -> Distinct:
    """Return the distinct rows of `columns`, one-dimensional arrays of equal length.

    Codes are packed in one mixed-radix key; a table over the key's range finds the classes in
    linear time, and sorting takes over where the range is large.
    """
    key = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column in columns:
        codes, count = _codes(column)
        if count > 1:
            if span * count >= _DENSE_LIMIT:
                key, span = _compact(key, span)
            key *= count
            key += codes
            span *= count
    if span < _DENSE_LIMIT:
        position = np.full(span, -1, dtype=np.int64)
        position[key] = np.arange(len(key))
        present = np.flatnonzero(position >= 0)
        table = np.zeros(span, dtype=np.int32)
        table[present] = np.arange(len(present), dtype=np.int32)
        return Distinct(position[present], table[key])
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return Distinct(first.astype(np.int64), inverse.astype(np.int32))


def _compact(key: IntArray, span: int) -> tuple[IntArray, int]:
    """Return the key renumbered over the values that occur."""
    if span < _DENSE_LIMIT:
        seen = np.zeros(span, dtype=bool)
        seen[key] = True
        table = np.cumsum(seen) - 1
        return table[key], int(table[-1]) + 1
    values, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64), len(values)
