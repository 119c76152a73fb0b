"""The floor of a hall: which racks are used, in which order, and which lie in the middle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from planner.program.room import Room

Cell = tuple[int, int]
"""Row and column."""


@dataclass(frozen=True, kw_only=True)
class Floor:
    """Racks in use: the first `racks` of a rectangle so many columns wide, cut into strips."""

    room: Room
    racks: int
    width: int
    strip: int
    """Columns of one strip; strips are gone through up and down."""

    @cached_property
    def cells(self) -> list[Cell]:
        """Cells in use, row by row; fewer than asked for where the room has no more."""
        found: list[Cell] = []
        row = 0
        while len(found) < self.racks and row * self.room.racks_per_row < self.room.racks:
            for column in range(self.width):
                rack = row * self.room.racks_per_row + column
                if rack < self.room.racks and len(found) < self.racks:
                    found.append((row, column))
            row += 1
        return found

    @cached_property
    def sequence(self) -> list[Cell]:
        """Cells in the order in which clusters take them: strip by strip, row by row."""

        def order(cell: Cell) -> tuple[int, int, int]:
            row, column = cell
            strip, inside = divmod(column, self.strip)
            down = row if strip % 2 == 0 else -row
            return strip, down, inside if row % 2 == 0 else -inside

        return sorted(self.cells, key=order)

    def nearest(self, cells: list[Cell], count: int) -> list[Cell]:
        """Return the cells whose routes to all of `cells` are the shortest in sum, among them."""
        rows = sorted(row for row, _ in cells)
        columns = sorted(column for _, column in cells)
        middle = rows[len(rows) // 2], columns[len(columns) // 2]
        return sorted(cells, key=lambda cell: (self.apart_m(cell, middle), cell))[:count]

    def apart_m(self, one: Cell, other: Cell) -> float:
        """Return the distance over the trays, metres."""
        columns, rows = abs(one[1] - other[1]), abs(one[0] - other[0])
        return columns * self.room.pitch_m + rows * self.room.row_pitch_m

    def rack(self, cell: Cell) -> int:
        """Return the number of a rack in the room."""
        return cell[0] * self.room.racks_per_row + cell[1]
