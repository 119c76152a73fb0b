"""The floor as the instance gives it: what every place offers, and where its racks stand.

Read anew from the instance and the rack models, apart from the program's own reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from planner.domain.catalog import Catalog
from planner.domain.site import Site
from planner.domain.site_parts import Rack
from planner.domain.solution import RackUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the rack of one place offers in all, and what is taken of it."""

    model: str
    units: int | None
    """None for a model that the catalogue does not know."""
    width_m: float | None
    kw: float
    kg: float
    cooling: str
    taken_units: int
    taken_kw: float
    taken_kg: float


@dataclass(frozen=True)
class FloorPlan:
    """Places of one site."""

    site: Site
    catalog: Catalog

    @cached_property
    def blocked(self) -> set[tuple[int, int]]:
        """Rows and columns, from 0, where nothing may stand."""
        return {
            (entry.row - 1, column - 1)
            for entry in self.site.floor.places
            if entry.blocked
            for column in entry.columns
        }

    def limits(self, row: int, column: int) -> Limits:
        """Return what a place offers; the site's usual rack where nothing else is said."""
        site = self.site
        entry = next(
            (p for p in site.floor.places if p.row == row + 1 and column + 1 in p.columns), None
        )
        kind = site.floor.kinds.get(entry.kind or "") if entry else None
        name = (kind.rack if kind else None) or site.rack
        model = self.catalog.racks.get(name)
        return Limits(
            model=name,
            units=model.rack_units if model else None,
            width_m=model.width_mm / 1000.0 if model else None,
            kw=(kind.rack_kw if kind else None) or site.rack_kw,
            kg=(kind.rack_weight_kg if kind else None) or site.rack_weight_kg,
            cooling=(kind.cooling if kind else None) or site.cooling,
            taken_units=entry.used_units if entry else 0,
            taken_kw=entry.used_kw if entry else 0.0,
            taken_kg=entry.used_kg if entry else 0.0,
        )

    def left_m(self, row: int, column: int) -> float:
        """Return the left side of a place: the widths of all places before it."""
        if not self.site.floor.places:
            return column * (self.limits(row, column).width_m or 0.0)
        return sum(self.limits(row, k).width_m or 0.0 for k in range(column))

    def middle_m(self, row: int) -> float:
        """Return the middle of a row from that of the first: row pitch, or depths and aisles."""
        aisles = self.site.floor.aisles
        if not aisles:
            return row * self.site.row_pitch_m
        depths = [self._depth_m(k) for k in range(row + 1)]
        between = sum(aisle.width_m for aisle in aisles[:row])
        return between + sum(depths) - (depths[0] + depths[row]) / 2

    def _depth_m(self, row: int) -> float:
        columns = min(self.site.racks_per_row, self.site.racks - row * self.site.racks_per_row)
        models = (self.catalog.racks.get(self.limits(row, k).model) for k in range(columns))
        usual = self.catalog.racks.get(self.site.rack)
        return max((_depth(m) for m in (*models, usual)), default=0.0)

    def way_m(self, a: RackUse, b: RackUse) -> float:
        """Return the length of a cable between two racks from where the document puts them."""
        site = self.site
        if a.id == b.id:
            return site.inside_rack_m
        x, y = a.x_m + a.width_m / 2, b.x_m + b.width_m / 2
        crossings = site.floor.cross_trays_m if a.row != b.row else []
        along = min((abs(x - at) + abs(y - at) for at in crossings), default=abs(x - y))
        return 2 * site.rise_m + along + abs(a.y_m - b.y_m) + site.slack_m


def _depth(model: Rack | None) -> float:
    return model.depth_mm / 1000.0 if model else 0.0
