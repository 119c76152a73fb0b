"""Floor plan: the room's rack places from above, what each is for and how full of power it is."""

from __future__ import annotations

from planner.domain.solution import RackUse, Solution
from planner.report.drawings.floor_places import (
    BLOCKED,
    TAKEN,
    Cells,
    draw_aisles,
    draw_places,
    kinds_of,
)
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.racks_alike import devices_by_rack, rack_role
from planner.report.svg import INK, MUTED, PAPER, RULE, Drawing, fitted, legible_on, text_width
from planner.report.words import Words

ROLE_FILLS = {"servers": "#1f4e79", "mixed": "#4f7d87", "network": "#c08a3e",
              "storage": "#79a07a", "services": "#7f9a6a", "empty": PAPER}  # fmt: skip


LEAST_LABELLED = 40.0
"""Width of a rack from which its name and power are written into it; narrower neighbours that are
alike are drawn as one box."""

SHEET, LEAST_PITCH = 850.0, 14.0
"""Height of all rows on a sheet of A4 below its heading, and the least from row to row."""
LEAST_TALL, MOST_TALL_ROWS = 40.0, 12
"""Height of a labelled rack, and rows up to which racks are drawn that high."""


def floor_drawing(solution: Solution, w: Words, n: Notation) -> Drawing | None:
    """Return the plan of the room, None without racks."""
    racks = solution.racks
    if not racks:
        return None
    site = solution.instance.site
    first_row = min(rack.row for rack in racks) if site.plain else 0
    first_column = min(0, *(rack.column for rack in racks))
    last_column = max(rack.column for rack in racks)
    columns = max(last_column - first_column + 1, min(site.racks_per_row, site.racks))
    rows = max(rack.row for rack in racks) - first_row + 1 if site.plain else site.rows
    cell_w = max(8.0, min(62.0, 750.0 / columns))
    cell_h, aisle = (46.0, 26.0) if rows <= MOST_TALL_ROWS else _low(rows)
    apart = cell_w >= LEAST_LABELLED and cell_h >= LEAST_TALL
    left, top = 54.0, 20.0
    width = left + columns * cell_w + 16
    legend_y = top + rows * (cell_h + aisle) + 6
    roles = _roles(solution)
    used = w("floor.used", used=n.number(len(racks)), of=n.number(site.usable_racks))
    legend = _entries(set(roles.values()), kinds_of(site), w)
    wide = left + sum(each for _, _, each in legend) if not site.plain else 0.0
    drawing = Drawing(
        max(width, wide, left + text_width(used, 11.5) + 4),
        legend_y + 44,
        w("floor.title"),
        used,
        "floor",
    )
    for row in range(rows):
        y = top + row * (cell_h + aisle)
        label = w("floor.row", row=first_row + row + 1)
        drawing.text(left - 10, y + cell_h / 2 + 4, label, 11, fill=MUTED, text_anchor="end")
        each = cell_w if apart else columns * cell_w
        for k in range(round(columns * cell_w / each)):
            drawing.rect(left + k * each + 1, y, each - 2, cell_h, fill=PAPER,
                         stroke=RULE, stroke_dasharray="3 3")  # fmt: skip
    cells = Cells(left=left, top=top, width=cell_w, height=cell_h, aisle=aisle,
                  first_row=first_row, first_column=first_column)  # fmt: skip
    draw_places(drawing, site, cells, w, n)
    if cell_h >= LEAST_TALL:
        draw_aisles(drawing, site, cells, w, n)
    for run in _runs(racks, roles, apart=apart):
        x, y = cells.at(run[0].row, run[0].column)
        _rack(drawing, run, roles[run[0].id], (x, y, len(run) * cell_w - 2, cell_h), w, n)
    _legend(drawing, legend, (left, legend_y))
    drawing.text(left, legend_y + 32, used, 11.5, fill=MUTED)
    return drawing


def _low(rows: int) -> tuple[float, float]:
    """Return height of a rack and aisle of many rows, which fit one sheet of paper while they can."""
    pitch = max(LEAST_PITCH, min(28.0, SHEET / rows))
    return 5 / 7 * pitch, 2 / 7 * pitch


def _runs(racks: list[RackUse], roles: dict[str, str], *, apart: bool) -> list[list[RackUse]]:
    """Return the racks one by one, or as runs of neighbours that are for the same and as full."""
    if apart:
        return [[rack] for rack in racks]
    runs: list[list[RackUse]] = []
    for rack in sorted(racks, key=lambda r: (r.row, r.column)):
        last = runs[-1][-1] if runs else None
        alike = last is not None and (
            (last.row, last.column + 1, roles[last.id], last.max_w, last.limit_w)
            == (rack.row, rack.column, roles[rack.id], rack.max_w, rack.limit_w)
        )
        if alike:
            runs[-1].append(rack)
        else:
            runs.append([rack])
    return runs


def _roles(solution: Solution) -> dict[str, str]:
    inside = devices_by_rack(solution.devices)
    return {rack.id: rack_role(inside.get(rack.id, [])) for rack in solution.racks}


def _rack(
    drawing: Drawing,
    run: list[RackUse],
    role: str,
    box: tuple[float, float, float, float],
    w: Words,
    n: Notation,
) -> None:
    """Draw one rack, or a run of racks alike as one box; `run` is not empty."""
    rack = run[0]
    x, y, width, height = box
    fill = ROLE_FILLS[role]
    power = n.short((rack.max_w + rack.taken_w) / 1000, 1)
    limit = n.short(rack.limit_w / 1000, 1)
    names = rack.id if len(run) == 1 else f"{rack.id} … {run[-1].id}"
    count = "" if len(run) == 1 else f"{n.number(len(run))} x "
    tip = f"{names}: {count}{w.label('role', role)}, {power} / {limit} kW"
    drawing.rect(x, y, width, height, tip, fill=fill, stroke=INK, stroke_width=0.8)
    if len(run) > 1 or width < LEAST_LABELLED or height < LEAST_TALL:
        return
    ink = legible_on(fill)
    middle = x + width / 2
    size = 11.0
    name = fitted(plain(rack.id), width - 4, size)
    drawing.text(middle, y + 17, name, size, fill=ink, text_anchor="middle", font_weight=600)
    shown = f"{power} kW" if width >= 50 else power
    drawing.text(middle, y + 32, fitted(shown, width - 2, size), size, fill=ink,
                 text_anchor="middle")  # fmt: skip
    share = min((rack.max_w + rack.taken_w) / rack.limit_w, 1.0) if rack.limit_w else 0.0
    drawing.rect(x + 3, y + height - 7, width - 6, 4, fill=ink, fill_opacity=0.25)
    drawing.rect(x + 3, y + height - 7, (width - 6) * share, 4, fill=ink)


def _entries(roles: set[str], others: set[str], w: Words) -> list[tuple[str, str, float]]:
    """Return what the legend explains: words, fill and the width that they take."""
    entries = [(w.label("role", r), fill) for r, fill in ROLE_FILLS.items() if r in roles]
    entries += [
        (w(f"floor.{kind}"), fill)
        for kind, fill in (("taken", TAKEN), ("blocked", BLOCKED))
        if kind in others
    ]
    return [(label, fill, 18 + len(label) * 6.6 + 20) for label, fill in entries]


def _legend(
    drawing: Drawing, entries: list[tuple[str, str, float]], at: tuple[float, float]
) -> None:
    x, y = at
    for label, fill, width in entries:
        drawing.rect(x, y, 12, 12, fill=fill, stroke=INK, stroke_width=0.8)
        drawing.text(x + 18, y + 10.5, label, 11.5)
        x += width
