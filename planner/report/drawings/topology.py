"""Topology: units of servers below, their leafs, the spines above; identical boxes are grouped."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import Fabric, Solution
from planner.report.decision import part_name, taper
from planner.report.drawings.spine_groups import SpineGroup, spine_groups
from planner.report.notation import Notation
from planner.report.svg import (
    ACCENT,
    INK,
    MUTED,
    PAPER,
    RULE,
    Drawing,
    fitted,
    legible_on,
    text_width,
)
from planner.report.words import Words

MOST_UNITS = 4
"""Units that are drawn apart; of more, the middle ones stand behind three dots."""

MOST_LEAFS = 8
WIDTH = 820.0
LEAF_FILL, SPINE_FILL, CORE_FILL = "#c08a3e", "#8d6a8a", "#4f7d87"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCount:
    """Servers and leafs of one unit."""

    number: int
    servers: int
    leafs: int
    railed: bool
    """Whether each leaf serves one rail."""


def unit_counts(solution: Solution) -> list[UnitCount]:
    """Return the units of the fabric as the devices show them."""
    servers: dict[int, int] = {}
    leafs: dict[int, int] = {}
    railed: set[int] = set()
    for device in solution.devices:
        if device.kind == "node" and device.group >= 0:
            servers[device.group] = servers.get(device.group, 0) + 1
        elif device.kind == "leaf" and device.group >= 0:
            leafs[device.group] = leafs.get(device.group, 0) + 1
            if device.rail >= 0:
                railed.add(device.group)
    return [
        UnitCount(number=g, servers=servers[g], leafs=leafs.get(g, 0), railed=g in railed)
        for g in sorted(servers)
    ]


def topology_drawing(solution: Solution, w: Words, n: Notation) -> Drawing | None:
    """Return the drawing of the fabric, None without a design."""
    if solution.design is None:
        return None
    fabric = solution.design.fabric
    units = unit_counts(solution)
    if not fabric.tiers or not units:
        return _alone(solution, w, n)
    counts = {tier.tier: tier.count for tier in fabric.tiers}
    high = 62.0 if "core" in counts else 0.0
    spines = "spine" in counts
    top = 20.0 + high
    leaf_y = top + (120.0 if spines else 0.0)
    height = leaf_y + 250
    title = w("topology.title")
    drawing = Drawing(WIDTH, height, title, _description(solution, w, n), "topology")
    shown = units if len(units) <= MOST_UNITS else [*units[:2], *units[-1:]]
    hidden = len(units) - len(shown)
    slots = len(shown) + bool(hidden)
    gap = 20.0
    wide = (WIDTH - 2 - gap * (slots - 1)) / slots
    places = [0, 1, 3] if hidden else list(range(slots))
    for unit, place in zip(shown, places, strict=True):
        x = 1 + place * (wide + gap)
        _unit(drawing, solution, unit, (x, leaf_y, wide), w, n)
        if spines:
            _trunk(drawing, fabric, unit, (x + wide / 2, leaf_y, top + 44), n)
    if hidden:
        _dots(drawing, w.count("topology.more_units", hidden), 1 + 2 * (wide + gap), wide, leaf_y)
    groups = spine_groups(solution, [unit.number for unit in shown], places, slots, w)
    if high:
        _switch_row(drawing, solution, "core", CORE_FILL, top - high, w, n)
        for middle in [(g.left + g.right) * WIDTH / 2 for g in groups] or [WIDTH / 2]:
            drawing.line(middle, top - high + 44, middle, top, stroke=MUTED, stroke_width=2)
    if groups:
        _spine_boxes(drawing, solution, groups, top, w, n)
    elif spines:
        _switch_row(drawing, solution, "spine", SPINE_FILL, top, w, n)
    return drawing


def _description(solution: Solution, w: Words, n: Notation) -> str:
    assert solution.design is not None
    fabric = solution.design.fabric
    tiers = ", ".join(
        f"{n.number(tier.count)} x {w.label('tier', tier.tier)}" for tier in fabric.tiers
    )
    if fabric.cables.leaf_leaf:
        return w("topology.desc_pair", nodes=n.number(solution.design.nodes), tiers=tiers,
                 down=n.number(fabric.cables.node_leaf),
                 across=n.number(fabric.cables.leaf_leaf))  # fmt: skip
    return w("topology.desc", nodes=n.number(solution.design.nodes), tiers=tiers,
             down=n.number(fabric.cables.node_leaf), up=n.number(fabric.cables.leaf_spine),
             taper=taper(fabric, w, n))  # fmt: skip


def _alone(solution: Solution, w: Words, n: Notation) -> Drawing:
    assert solution.design is not None
    design = solution.design
    text = f"{n.number(design.nodes)} x {part_name(solution, design.platform.server, w)}"
    drawing = Drawing(WIDTH, 110, w("topology.title"), w("fabric.none"), "topology")
    drawing.rect(20, 20, 420, 70, fill=ACCENT, rx=3)
    drawing.text(40, 52, fitted(text, 380, 14), 14, fill=PAPER, font_weight=600)
    drawing.text(40, 74, w("fabric.none"), 12, fill=PAPER)
    return drawing


def _switch_row(
    drawing: Drawing, solution: Solution, tier: str, fill: str, y: float, w: Words, n: Notation
) -> None:
    """Draw the switches of a tier as one band with their count."""
    assert solution.design is not None
    found = next(t for t in solution.design.fabric.tiers if t.tier == tier)
    ink = legible_on(fill)
    drawing.rect(1, y, WIDTH - 2, 44, fill=fill, rx=3)
    text = f"{n.number(found.count)} x {part_name(solution, found.switch, w)}"
    drawing.text(WIDTH / 2, y + 20, fitted(text, WIDTH - 80, 13.5), 13.5, fill=ink,
                 text_anchor="middle", font_weight=600)  # fmt: skip
    drawing.text(WIDTH / 2, y + 36, w.label("tier", tier), 11.5, fill=ink, text_anchor="middle")


def _spine_boxes(
    drawing: Drawing, solution: Solution, groups: list[SpineGroup], y: float, w: Words, n: Notation
) -> None:
    """Draw each group of spines as a box over the units that it joins."""
    assert solution.design is not None
    fabric = solution.design.fabric
    found = next(t for t in fabric.tiers if t.tier == "spine")
    model, ink = part_name(solution, found.switch, w), legible_on(SPINE_FILL)
    for group in groups:
        x, wide = 1 + group.left * (WIDTH - 2), (group.right - group.left) * (WIDTH - 2)
        drawing.rect(x + 2, y, wide - 4, 44, fill=SPINE_FILL, rx=3)
        middle, text = x + wide / 2, f"{n.number(group.spines)} x {model}"
        drawing.text(middle, y + 20, fitted(text, wide - 20, 13), 13, fill=ink,
                     text_anchor="middle", font_weight=600)  # fmt: skip
        under = f"{w.label('tier', 'spine')}, {group.label}"
        drawing.text(middle, y + 36, fitted(under, wide - 20, 11.5), 11.5, fill=ink,
                     text_anchor="middle")  # fmt: skip
    hidden = fabric.pods - len(groups)
    if fabric.pods > 1 and hidden > 0:
        right = [g.right for g in groups[:-1]]
        middle = (max(right, default=0.0) + groups[-1].left) * WIDTH / 2
        drawing.text(middle, y + 26, w.count("topology.more_pods", hidden), 12, fill=MUTED,
                     text_anchor="middle")  # fmt: skip


def _unit(
    drawing: Drawing,
    solution: Solution,
    unit: UnitCount,
    box: tuple[float, float, float],
    w: Words,
    n: Notation,
) -> None:
    """Draw one unit: its leafs above, its servers below, one line a leaf between them."""
    assert solution.design is not None
    x, y, wide = box
    fabric = solution.design.fabric
    server_y = y + 148
    single = len(unit_counts(solution)) == 1
    drawing.rect(x, y - 8, wide, 242, fill="none", stroke=RULE, rx=4)
    shown = min(unit.leafs, MOST_LEAFS)
    cell = (wide - 20) / max(shown, 1)
    per_leaf = fabric.links_per_server * unit.servers / max(unit.leafs, 1)
    for k in range(shown):
        left = x + 10 + k * cell
        drawing.line(left + cell / 2, y + 30, left + cell / 2, server_y, stroke=MUTED,
                     stroke_width=1.4)  # fmt: skip
        drawing.rect(left + 2, y, cell - 4, 30, fill=LEAF_FILL, rx=2)
        number = unit.leafs - 1 if k == shown - 1 else k
        label = w("topology.rail", rail=number + 1) if unit.railed else f"leaf {number + 1}"
        for size, text in ((11.0, label), (11.0, str(number + 1))):
            if fitted(text, cell - 8, size) == text:
                drawing.text(left + cell / 2, y + 19, text, size, fill=INK, text_anchor="middle")
                break
    switch = next(t.switch for t in fabric.tiers if t.tier == "leaf")
    text = f"{n.number(unit.leafs)} x {part_name(solution, switch, w)}"
    if fabric.cables.leaf_leaf:
        _joint(drawing, (x + 10 + cell / 2, x + 10 + 1.5 * cell, y + 30))
        across = f"{n.number(fabric.cables.leaf_leaf)} x {n.short(fabric.link_gbps)}G"
        text = w("topology.joint", switches=text, links=across)
    _band(drawing, fitted(text, wide - 24, 11), x + wide / 2, y + 56, wide)
    phrase = "topology.links" if unit.leafs > 1 else "topology.links_one"
    links = w(phrase, links=n.number(round(per_leaf)), rate=n.short(fabric.link_gbps))
    _band(drawing, fitted(links, wide - 24, 11), x + wide / 2, y + 112, wide)
    drawing.rect(x + 10, server_y, wide - 20, 74, fill=ACCENT, rx=3)
    server = part_name(solution, solution.design.platform.server, w)
    gpus = w("topology.gpus", gpus=n.number(unit.servers * solution.design.platform.gpus))
    where = gpus if single else f"{w('topology.unit', unit=unit.number + 1)} · {gpus}"
    middle = x + wide / 2
    lines = ((f"{n.number(unit.servers)} x", 14.0), (server, 12.0), (where, 12.0))
    for k, (line, size) in enumerate(lines):
        drawing.text(middle, server_y + 23 + k * 20, fitted(line, wide - 30, size), size,
                     fill=PAPER, text_anchor="middle", font_weight=600 if k < 2 else 400)  # fmt: skip


def _joint(drawing: Drawing, place: tuple[float, float, float]) -> None:
    """Draw the links between the two leafs of a pair as one trunk below them."""
    left, right, y = place
    for x in (left + 12, right - 12):
        drawing.line(x, y, x, y + 9, stroke=MUTED, stroke_width=4)
    drawing.line(left + 12, y + 9, right - 12, y + 9, stroke=MUTED, stroke_width=4)


def _band(drawing: Drawing, text: str, middle: float, y: float, wide: float) -> None:
    """Draw text on a strip of paper, so that lines behind do not cross it."""
    half = min(text_width(text, 12) / 2 + 4, wide / 2 - 4)
    drawing.rect(middle - half, y - 13, half * 2, 18, fill=PAPER)
    drawing.text(middle, y, text, 12, text_anchor="middle")


def _trunk(
    drawing: Drawing,
    fabric: Fabric,
    unit: UnitCount,
    place: tuple[float, float, float],
    n: Notation,
) -> None:
    """Draw the uplinks of a unit as one trunk with their count."""
    x, low, high = place
    leafs = next(tier.count for tier in fabric.tiers if tier.tier == "leaf")
    links = round(fabric.cables.leaf_spine * unit.leafs / leafs)
    drawing.line(x, low - 8, x, high, stroke=MUTED, stroke_width=4)
    text = f"{n.number(links)} x {n.short(fabric.link_gbps)}G"
    _band(drawing, text, x, (low + high) / 2 + 1, 260)


def _dots(drawing: Drawing, text: str, x: float, wide: float, y: float) -> None:
    for k in (-1, 0, 1):
        drawing.element("circle", None, "", cx=x + wide / 2 + k * 16, cy=y + 92, r=4, fill=MUTED)
    drawing.text(x + wide / 2, y + 124, fitted(text, wide, 12.5), 12.5, fill=MUTED,
                 text_anchor="middle")  # fmt: skip
