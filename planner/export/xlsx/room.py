"""Racks with what stands in them, and the cable schedule."""

from __future__ import annotations

import itertools
from collections import Counter

from planner.domain.solution import Solution
from planner.export.lists import cable_rows
from planner.export.xlsx.book import Sheet, Value
from planner.export.xlsx.field import Field
from planner.export.xlsx.phrases import Phrases

MAX_CABLES = 20_000
"""Links shown; the cable schedule as CSV has no limit."""

RACKS = (
    Field(key="rack"),
    Field(key="row", kind="integer"),
    Field(key="place", kind="integer"),
    Field(key="used_units", kind="decimal", total=True),
    Field(key="units", kind="decimal"),
    Field(key="power_used", kind="decimal", total=True, width=17),
    Field(key="power_limit", kind="decimal", width=17),
    Field(key="power_share", kind="share", formula="{power_used}/{power_limit}"),
    Field(key="weight", kind="decimal", total=True, width=17),
    Field(key="weight_limit", kind="decimal", width=17),
    Field(key="contents", kind="long", width=70),
)
CABLES = (
    Field(key="cable", width=16),
    Field(key="assembly", width=16),
    Field(key="tier", width=12),
    Field(key="a_rack", width=10),
    Field(key="a_unit", kind="integer", width=6),
    Field(key="a_device"),
    Field(key="a_port", width=10),
    Field(key="a_module", width=22),
    Field(key="b_rack", width=10),
    Field(key="b_unit", kind="integer", width=6),
    Field(key="b_device"),
    Field(key="b_port", width=10),
    Field(key="b_module", width=22),
    Field(key="part", width=26),
    Field(key="needed", kind="decimal"),
    Field(key="length", kind="decimal"),
)


def write_racks(sheet: Sheet, solution: Solution, w: Phrases) -> None:
    """Fill the sheet, one row a rack; rows and places count from 1."""
    inside: dict[str, Counter[str]] = {}
    for device in solution.devices:
        inside.setdefault(device.rack, Counter())[device.part] += 1
    sheet.heading(w("sheet.racks"))
    rows: list[tuple[Value, ...]] = [
        (
            rack.id, rack.row + 1, rack.column + 1, rack.used_units, rack.units, rack.max_w,
            rack.limit_w, rack.max_w / rack.limit_w if rack.limit_w else None, rack.weight_kg,
            rack.limit_kg,
            ", ".join(f"{n} x {part}" for part, n in inside.get(rack.id, Counter()).items()),
        )
        for rack in solution.racks
    ]  # fmt: skip
    sheet.table("Racks", RACKS, rows, freeze=True)


def write_cables(sheet: Sheet, solution: Solution, w: Phrases) -> None:
    """Fill the sheet, one row a link, both ends with rack, unit, device, port and transceiver."""
    sheet.heading(w("sheet.cables"))
    count = solution.link_count
    if count > MAX_CABLES:
        sheet.line(w("too_many", shown=MAX_CABLES, count=count))
    shown = itertools.islice(cable_rows(solution), MAX_CABLES)
    rows = [[None if value == "" else value for value in row] for row in shown]
    sheet.table("Cables", CABLES, rows, freeze=True)
