"""Racks that are not all alike: where each stands, what it offers and what is taken of it."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.site import Site
from planner.domain.site_parts import Rack

MM_PER_M = 1000.0
DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """One usable rack."""

    row: int
    column: int
    x_m: float
    """Left side."""
    y_m: float
    """Middle of its row, from that of the first."""
    width_m: float
    model: str
    """Catalogue id."""
    units: int
    taken_units: int
    """Filled already, from the lowest unit up."""
    limit_w: float
    taken_w: float
    limit_kg: float
    taken_kg: float
    cooling: str

    @property
    def partly_used(self) -> bool:
        """Whether something stands in it already: cabinet and PDUs are there."""
        return bool(self.taken_units or self.taken_w or self.taken_kg)

    @property
    def free_units(self) -> int:
        """Rack units that are left."""
        return self.units - self.taken_units

    @property
    def free_w(self) -> float:
        """Watts that are left."""
        return self.limit_w - self.taken_w

    @property
    def free_kg(self) -> float:
        """Kilograms that are left."""
        return self.limit_kg - self.taken_kg

    @property
    def middle_m(self) -> float:
        """Middle of the rack along its row: where its cables rise to the tray."""
        return self.x_m + self.width_m / 2


def cross_span_m(a: Stand, b: Stand, cross_m: tuple[float, ...]) -> float:
    """Return the way over the trays between two racks, metres: along the rows and across.

    Rule `placement_trays`: from one row to another only over a crossing tray, the one with the
    shortest way; at every place if there are none named.
    """
    along = abs(a.middle_m - b.middle_m)
    if a.row != b.row and cross_m:
        along = min(abs(a.middle_m - at) + abs(b.middle_m - at) for at in cross_m)
    return along + abs(a.y_m - b.y_m)


def stands_of(site: Site, racks: dict[str, Rack]) -> tuple[Stand, ...]:
    """Return the usable racks in the order of rows and columns; empty where all are alike."""
    if site.plain:
        return ()
    special = site.special_places()
    tops = row_middles_m(site, racks)
    found = []
    for row in range(site.rows):
        left = 0.0
        for column in range(min(site.racks_per_row, site.racks - row * site.racks_per_row)):
            place = special.get((row, column))
            kind = site.kind_of(place)
            model = racks[kind.rack or site.rack]
            width = model.width_mm / MM_PER_M
            if place is None or not place.blocked:
                found.append(
                    Stand(
                        row=row,
                        column=column,
                        x_m=round(left, DIGITS),
                        y_m=tops[row],
                        width_m=width,
                        model=model.id,
                        units=model.rack_units,
                        taken_units=place.used_units if place else 0,
                        limit_w=(kind.rack_kw or 0.0) * 1000.0,
                        taken_w=place.used_kw * 1000.0 if place else 0.0,
                        limit_kg=kind.rack_weight_kg or 0.0,
                        taken_kg=place.used_kg if place else 0.0,
                        cooling=kind.cooling or site.cooling,
                    )
                )
            left += width
    return tuple(found)


def row_middles_m(site: Site, racks: dict[str, Rack]) -> list[float]:
    """Return the middle of every row from that of the first, metres.

    With aisles: half the depth of either row and the aisle between; else the row pitch.
    """
    if not site.floor.aisles:
        return [round(row * site.row_pitch_m, DIGITS) for row in range(site.rows)]
    special = site.special_places()
    depths = [racks[site.rack].depth_mm / MM_PER_M] * site.rows
    for (row, _), place in special.items():
        depths[row] = max(depths[row], racks[site.kind_of(place).rack or ""].depth_mm / MM_PER_M)
    middles = [0.0]
    for row, aisle in enumerate(site.floor.aisles):
        gap = depths[row] / 2 + aisle.width_m + depths[row + 1] / 2
        middles.append(round(middles[-1] + gap, DIGITS))
    return middles
