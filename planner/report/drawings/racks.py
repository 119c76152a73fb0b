"""Rack elevations: one drawing for each group of racks that hold the same."""

from __future__ import annotations

from planner.domain.solution import Device, Solution
from planner.report.decision import part_name
from planner.report.drawings.floor_places import TAKEN
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.racks_alike import RackGroup, rack_groups, span
from planner.report.svg import ACCENT, INK, MUTED, PAPER, RULE, Drawing, fitted, legible_on
from planner.report.words import Words

UNIT = 12.0
"""Height of one rack unit in the drawing."""

MOST_GROUPS = 24
WIDTH, LEFT, TOP, INSIDE, ROOM = 232.0, 26.0, 60.0, 180.0, 204.0
FILLS = {"node": ACCENT, "leaf": "#c08a3e", "spine": "#8d6a8a", "core": "#4f7d87",
         "oob": "#a9b4bd", "storage": "#79a07a",
         "storage_switch": "#5f7f60", "in_band_switch": "#7c8f9c",
         "fabric_manager": "#b5654a", "appliance": "#79a07a"}  # fmt: skip


def rack_drawings(solution: Solution, w: Words, n: Notation) -> tuple[list[Drawing], int]:
    """Return one elevation for each group of identical racks, and how many are left out."""
    groups = rack_groups(solution.racks, solution.devices)
    shown = groups[:MOST_GROUPS]
    drawings = [_elevation(solution, g, f"rack-{k}", w, n) for k, g in enumerate(shown, 1)]
    return drawings, len(groups) - len(shown)


def _elevation(solution: Solution, group: RackGroup, name: str, w: Words, n: Notation) -> Drawing:
    rack = group.racks[0]
    height = TOP + rack.units * UNIT + 78
    ids = span([plain(r.id) for r in group.racks])
    title = w.count("racks.group", len(group.racks), n.number(len(group.racks)))
    role = w.label("role", group.role)
    description = w("racks.desc", racks=ids, units=n.short(rack.used_units, 1),
                    power=n.short(rack.max_w / 1000, 2), limit=n.short(rack.limit_w / 1000, 2),
                    devices=_contents(group.devices, w, n))  # fmt: skip
    drawing = Drawing(WIDTH, height, f"{ids}: {title} ({role})", description, name)
    drawing.text(LEFT, 16, fitted(ids, ROOM, 12.5), 12.5, font_weight=600)
    drawing.text(LEFT, 33, fitted(title, ROOM, 11.5), 11.5, fill=MUTED)
    drawing.text(LEFT, 49, fitted(role, ROOM, 11.5), 11.5, fill=MUTED)
    bottom = TOP + rack.units * UNIT
    drawing.rect(LEFT, TOP, INSIDE, rack.units * UNIT, fill=PAPER, stroke=INK, stroke_width=1.2)
    for unit in range(1, rack.units + 1):
        y = bottom - unit * UNIT
        if unit % 6 == 0:
            drawing.line(LEFT, y, LEFT + INSIDE, y, stroke=RULE, stroke_width=0.6)
        if unit == 1 or unit % 6 == 0:
            drawing.text(LEFT - 5, y + UNIT - 1, str(unit), 10.5, fill=MUTED, text_anchor="end")
    if rack.taken_units:
        taken = rack.taken_units * UNIT
        drawing.rect(LEFT + 2, bottom - taken + 0.6, INSIDE - 4, taken - 1.2, w("floor.taken"),
                     fill=TAKEN, rx=1)  # fmt: skip
        if taken >= 16:
            text = fitted(w("floor.taken"), INSIDE - 14, 11.5)
            drawing.text(LEFT + 9, bottom - taken / 2 + 4, text, 11.5, fill=INK)
    for device in group.devices:
        _box(drawing, solution, device, bottom, w)
    watts, units = rack.max_w + rack.taken_w, rack.used_units + rack.taken_units
    kilos = rack.weight_kg + rack.taken_kg
    _load(drawing, bottom + 18, w("racks.power"), watts, rack.limit_w,
          f"{n.short(watts / 1000, 1)} / {n.short(rack.limit_w / 1000, 1)} kW")  # fmt: skip
    _load(drawing, bottom + 38, w("racks.height"), units, rack.units,
          f"{n.short(units, 1)} / {rack.units} U")  # fmt: skip
    _load(drawing, bottom + 58, w("racks.weight"), kilos, rack.limit_kg,
          f"{n.number(kilos)} / {n.number(rack.limit_kg)} kg")  # fmt: skip
    return drawing


def _box(drawing: Drawing, solution: Solution, device: Device, bottom: float, w: Words) -> None:
    fill = FILLS[device.kind]
    height = device.height_units * UNIT
    y = bottom - (device.unit - 1) * UNIT - height
    name = part_name(solution, device.part, w)
    tip = f"{device.id}: {name}, U{device.unit}, {device.max_w:g} W"
    drawing.rect(LEFT + 2, y + 0.6, INSIDE - 4, height - 1.2, tip, fill=fill, rx=1)
    label = name if height >= 16 else w.label("device", device.kind)
    size = 11.5 if height >= 16 else 10.0
    shown = fitted(label, INSIDE - 14, size)
    drawing.text(LEFT + 9, y + height / 2 + size * 0.35, shown, size, fill=legible_on(fill))


def _load(drawing: Drawing, y: float, label: str, used: float, limit: float, figures: str) -> None:
    share = min(used / limit, 1.0) if limit else 0.0
    drawing.text(LEFT, y, fitted(label, 62, 10.5), 10.5, fill=MUTED)
    drawing.text(LEFT + INSIDE, y, figures, 10.5, text_anchor="end")
    drawing.rect(LEFT, y + 4, INSIDE, 4, fill=RULE)
    drawing.rect(LEFT, y + 4, INSIDE * share, 4, fill=ACCENT)


def _contents(devices: list[Device], w: Words, n: Notation) -> str:
    counts: dict[str, int] = {}
    for device in devices:
        counts[device.kind] = counts.get(device.kind, 0) + 1
    return ", ".join(f"{n.number(k)} x {w.label('device', kind)}" for kind, k in counts.items())
