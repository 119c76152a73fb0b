"""The floor: racks on a grid and the length of a cable between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from planner.domain.site import Site
from planner.domain.site_parts import Rack
from planner.program.stands import Stand, cross_span_m, stands_of

MM_PER_M = 1000.0
LENGTH_DIGITS = 6
"""Routes are rounded to a micrometre, so that sums of decimals compare as they are written."""


@dataclass(frozen=True, kw_only=True)
class Room:
    """Racks in rows, limits of one rack, and the trays above them.

    Where all racks are alike, a rack's number is row x racks_per_row + column, from 0. Else
    `stands` lists the usable racks in that order, and the limits here are the largest of any.
    """

    racks: int
    """Usable ones."""
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
    model: str = ""
    """Catalogue id of the rack."""
    stands: tuple[Stand, ...] = ()
    """Every usable rack, where they are not all alike."""
    cross_m: tuple[float, ...] = ()
    """Where trays cross between rows, along the rows; at every rack if empty."""
    places: int = 0
    """Places of the floor, blocked ones included; as many as racks if 0."""
    kept: int = 0
    """Last places of the whole floor that are kept for services and are no racks of this room."""

    @property
    def alike(self) -> bool:
        """Whether all racks are the same and stand on a plain grid."""
        return not self.stands

    @property
    def rows(self) -> int:
        """Rows of the floor."""
        return -(-(self.places or self.racks) // self.racks_per_row)

    @property
    def named_rows(self) -> int:
        """Rows of the whole floor, by which racks are named."""
        return -(-((self.places or self.racks) + self.kept) // self.racks_per_row)

    @property
    def columns(self) -> int:
        """Places of a full row."""
        return min(self.places or self.racks, self.racks_per_row)

    def cell(self, rack: int) -> tuple[int, int]:
        """Return row and column of a rack."""
        if self.stands:
            return self.stands[rack].row, self.stands[rack].column
        return divmod(rack, self.racks_per_row)

    def route_m(self, rack: int, other: int) -> float:
        """Return the length of a cable between devices of two racks, metres.

        Inside a rack `inside_rack_m`; else rise and drop, Manhattan over the trays, and slack.
        """
        if rack == other:
            return self.inside_rack_m
        if self.stands:
            over = cross_span_m(self.stands[rack], self.stands[other], self.cross_m)
            return round(2 * self.rise_m + over + self.slack_m, LENGTH_DIGITS)
        (row, column), (other_row, other_column) = self.cell(rack), self.cell(other)
        return self.span_m(abs(row - other_row), abs(column - other_column))

    def span_m(self, rows: int, columns: int) -> float:
        """Return the length of a cable between racks so many rows and columns apart, metres."""
        over = columns * self.pitch_m + rows * self.row_pitch_m
        return round(2 * self.rise_m + over + self.slack_m, LENGTH_DIGITS)

    @cached_property
    def routes_m(self) -> list[list[float]]:
        """Route between every two racks that are not all alike, metres."""
        racks = range(self.racks)
        return [[self.route_m(rack, other) for other in racks] for rack in racks]

    @cached_property
    def nearest_m(self) -> float | None:
        """Shortest cable between two racks, metres; None in a room of one rack."""
        if self.racks < 2:
            return None
        if self.stands:
            return min(m for k, row in enumerate(self.routes_m) for m in row[:k])
        spans = []
        if self.racks_per_row > 1:
            spans.append(self.span_m(0, 1))
        if self.racks > self.racks_per_row:
            spans.append(self.span_m(1, 0))
        return min(spans)

    @cached_property
    def lengths_m(self) -> tuple[float, ...]:
        """Every length that a cable can need, ascending, the one inside a rack included."""
        if self.stands:
            return tuple(sorted({m for row in self.routes_m for m in row}))
        spans = {
            self.span_m(row, column)
            for row in range(self.rows)
            for column in range(self.columns)
            if row or column
        }
        return tuple(sorted(spans | {self.inside_rack_m}))


def room_of(site: Site, racks: dict[str, Rack], kept: int = 0) -> Room:
    """Return the room of a site.

    Parameters
    ----------
    site
        The floor and the limits of its racks.
    racks
        Rack models of the catalogue by id.
    kept
        Last usable racks that are kept for services and left out.
    """
    usual = racks[site.rack]
    stands = stands_of(site, racks)
    stands = stands[: len(stands) - kept]
    return Room(
        racks=len(stands) if stands else site.racks - kept,
        racks_per_row=site.racks_per_row,
        pitch_m=usual.width_mm / MM_PER_M,
        row_pitch_m=site.row_pitch_m,
        rise_m=site.rise_m,
        slack_m=site.slack_m,
        inside_rack_m=site.inside_rack_m,
        rack_units=max((s.units for s in stands), default=usual.rack_units),
        rack_w=max((s.free_w for s in stands), default=site.rack_kw * 1000.0),
        rack_kg=max((s.free_kg for s in stands), default=site.rack_weight_kg),
        cooling=_cooling(site, stands),
        model=site.rack,
        stands=stands,
        cross_m=tuple(site.floor.cross_trays_m),
        places=site.racks if stands else site.racks - kept,
        kept=0 if stands else kept,
    )


def _cooling(site: Site, stands: tuple[Stand, ...]) -> str:
    if not stands:
        return site.cooling
    return "liquid" if any(stand.cooling == "liquid" for stand in stands) else "air"
