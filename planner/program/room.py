"""The floor: identical racks on a grid and the length of a cable between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from planner.domain.site import Site
from planner.domain.site_parts import Rack

MM_PER_M = 1000.0
LENGTH_DIGITS = 6
"""Routes are rounded to a micrometre, so that sums of decimals compare as they are written."""


@dataclass(frozen=True, kw_only=True)
class Room:
    """Racks in rows, limits of one rack, and the trays above them.

    A rack's number is row x racks_per_row + column, from 0.
    """

    racks: int
    racks_per_row: int
    pitch_m: float
    """Distance between neighbouring racks of a row: the width of a rack."""
    row_pitch_m: float
    rise_m: float
    slack_m: float
    inside_rack_m: float
    rack_units: int
    rack_w: float
    rack_kg: float
    cooling: str
    """air or liquid; liquid racks also take air-cooled devices."""

    def cell(self, rack: int) -> tuple[int, int]:
        """Return row and column of a rack."""
        return divmod(rack, self.racks_per_row)

    def route_m(self, rack: int, other: int) -> float:
        """Return the length of a cable between devices of two racks, metres.

        Inside a rack `inside_rack_m`; else rise and drop, Manhattan over the trays, and slack.
        """
        if rack == other:
            return self.inside_rack_m
        (row, column), (other_row, other_column) = self.cell(rack), self.cell(other)
        return self.span_m(abs(row - other_row), abs(column - other_column))

    def span_m(self, rows: int, columns: int) -> float:
        """Return the length of a cable between racks so many rows and columns apart, metres."""
        over = columns * self.pitch_m + rows * self.row_pitch_m
        return round(2 * self.rise_m + over + self.slack_m, LENGTH_DIGITS)

    @cached_property
    def nearest_m(self) -> float | None:
        """Shortest cable between two racks, metres; None in a room of one rack."""
        if self.racks < 2:
            return None
        spans = []
        if self.racks_per_row > 1:
            spans.append(self.span_m(0, 1))
        if self.racks > self.racks_per_row:
            spans.append(self.span_m(1, 0))
        return min(spans)

    @cached_property
    def lengths_m(self) -> tuple[float, ...]:
        """Every length that a cable can need, ascending, the one inside a rack included."""
        rows = -(-self.racks // self.racks_per_row)
        columns = min(self.racks, self.racks_per_row)
        spans = {
            self.span_m(row, column)
            for row in range(rows)
            for column in range(columns)
            if row or column
        }
        return tuple(sorted(spans | {self.inside_rack_m}))


def room_of(site: Site, rack: Rack) -> Room:
    """Return the room of a site with a rack model of the catalogue."""
    return Room(
        racks=site.racks,
        racks_per_row=site.racks_per_row,
        pitch_m=rack.width_mm / MM_PER_M,
        row_pitch_m=site.row_pitch_m,
        rise_m=site.rise_m,
        slack_m=site.slack_m,
        inside_rack_m=site.inside_rack_m,
        rack_units=rack.rack_units,
        rack_w=site.rack_kw * 1000.0,
        rack_kg=site.rack_weight_kg,
        cooling=site.cooling,
    )
