"""What a floor plan shows beside the racks of the answer: aisles, blocked places, racks in use."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.floor import Places
from planner.domain.site import Site
from planner.report.notation import Notation
from planner.report.svg import INK, MUTED, Drawing, fitted
from planner.report.words import Words

BLOCKED, TAKEN = "#cfd6dc", "#e6dcc8"
LEAST_LABELLED = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Where the places of a floor plan are drawn."""

    left: float
    top: float
    width: float
    """Of one place."""
    height: float
    aisle: float
    first_row: int
    first_column: int

    def at(self, row: int, column: int) -> tuple[float, float]:
        """Return the upper left corner of a place."""
        x = self.left + (column - self.first_column) * self.width + 1
        return x, self.top + (row - self.first_row) * (self.height + self.aisle)


def kinds_of(site: Site) -> set[str]:
    """Return what a legend must explain: blocked, taken, or neither."""
    places = site.floor.places
    blocked = {"blocked"} if any(p.blocked for p in places) else set()
    return blocked | ({"taken"} if any(p.partly_used for p in places) else set())


def draw_places(drawing: Drawing, site: Site, cells: Cells, w: Words, n: Notation) -> None:
    """Draw blocked and partly used places."""
    for (row, column), place in site.special_places().items():
        if place.blocked:
            _blocked(drawing, cells, (row, column), place, w)
        elif place.partly_used:
            _taken(drawing, cells, (row, column), place, w, n)


def draw_aisles(drawing: Drawing, site: Site, cells: Cells, w: Words, n: Notation) -> None:
    """Write what is between each row and the next."""
    for row, aisle in enumerate(site.floor.aisles):
        x, y = cells.at(row, cells.first_column)
        text = w(f"floor.{aisle.air}_aisle", width=n.short(aisle.width_m, 1))
        drawing.text(x, y + cells.height + cells.aisle / 2 + 4, text, 10.5, fill=MUTED)


def _blocked(
    drawing: Drawing, cells: Cells, cell: tuple[int, int], place: Places, w: Words
) -> None:
    x, y = cells.at(*cell)
    width, height = cells.width - 2, cells.height
    label = w("floor.blocked")
    tip = f"{label}: {place.note}" if place.note else label
    drawing.rect(x, y, width, height, tip, fill=BLOCKED, stroke=MUTED, stroke_width=0.8)
    drawing.line(x, y, x + width, y + height, stroke=MUTED, stroke_width=0.8)
    drawing.line(x, y + height, x + width, y, stroke=MUTED, stroke_width=0.8)


def _taken(
    drawing: Drawing,
    cells: Cells,
    cell: tuple[int, int],
    place: Places,
    w: Words,
    n: Notation,
) -> None:
    x, y = cells.at(*cell)
    width = cells.width - 2
    figures = w("floor.taken_figures", units=place.used_units, kw=n.short(place.used_kw, 1))
    tip = f"{w('floor.taken')}: {figures}{f' ({place.note})' if place.note else ''}"
    drawing.rect(x, y, width, cells.height, tip, fill=TAKEN, stroke=INK, stroke_width=0.8)
    if cells.width >= LEAST_LABELLED:
        for k, text in enumerate((f"{place.used_units} U", f"{n.short(place.used_kw, 1)} kW")):
            drawing.text(x + width / 2, y + 18 + 15 * k, fitted(text, width - 4, 10.5), 10.5,
                         fill=INK, text_anchor="middle")  # fmt: skip
