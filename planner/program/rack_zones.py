"""Where the racks of several pools stand in one room: placements moved, never changed.

A placement keeps its cables when all its racks move by the same rows and columns. Pools whose
racks can be moved apart so stand together at the sum of their own costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from planner.program.room import Room

Cell = tuple[int, int]
"""Row and column of a rack."""


def zones(room: Room, pools: Sequence[frozenset[Cell]]) -> list[Cell] | None:
    """Return how far each pool's racks move, or None if no move keeps them apart.

    Every order of the pools is tried, each moved to the first place that is free.
    """
    for order in permutations(range(len(pools))):
        taken: set[Cell] = set()
        moves: list[Cell | None] = [None] * len(pools)
        for index in order:
            move = _first_free(room, pools[index], taken)
            if move is None:
                break
            moves[index] = move
            taken |= {(r + move[0], c + move[1]) for r, c in pools[index]}
        else:
            return [move for move in moves if move is not None]
    return None


def _first_free(room: Room, cells: frozenset[Cell], taken: set[Cell]) -> Cell | None:
    rows = -(-room.racks // room.racks_per_row)
    low_row, low_column = min(r for r, _ in cells), min(c for _, c in cells)
    for row in range(rows):
        for column in range(room.racks_per_row):
            move = (row - low_row, column - low_column)
            moved = {(r + move[0], c + move[1]) for r, c in cells}
            inside = all(
                c < room.racks_per_row and r * room.racks_per_row + c < room.racks for r, c in moved
            )
            if inside and not moved & taken:
                return move
    return None
