"""Names and rack units of the boxes: heavy ones low, switches at the top, units side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from planner.domain.solution import Device, RackUse
from planner.program.box import Box
from planner.program.placement_counts import Arrangement, Counts
from planner.program.room import Room
from planner.program.stands import Stand
from planner.program.switch_pairs import leaf_plane

Kind = Literal[
    "node", "leaf", "spine", "core", "oob",
    "storage_switch", "in_band_switch", "fabric_manager", "appliance",
]  # fmt: skip
DIGITS: dict[Kind, int] = {"node": 3, "leaf": 2, "spine": 2, "core": 2, "oob": 1}
"""Least digits of the numbers in names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One device before it has a rack unit."""

    id: str
    kind: Kind
    box: Box
    rack: int
    group: int
    rail: int = -1
    pod: int = -1
    plane: int = -1


def spots_of(counts: Counts, at: Arrangement) -> list[Spot]:
    """Return every device with its name: nodes by unit and rack, then leafs, spines, others.

    Nodes of one unit have consecutive numbers in the order of their racks; the leafs of a unit
    are numbered by rail in the order of theirs.
    """
    problem = counts.problem
    plan = problem.plan
    units = range(len(plan.units))
    racks = range(counts.racks)
    places = counts.places
    rails = counts.group > 1 and plan.links_per_server_leaf == 1
    nodes = [(k, u) for u in units for k in racks for _ in range(at.servers[k][u])]
    spots = [
        Spot(id=name, kind="node", box=problem.server, rack=places[k], group=u)
        for name, (k, u) in zip(names("node", len(nodes), 3), nodes, strict=True)
    ]
    leafs = [(k, u) for u in units for k in racks for _ in range(at.leafs[k][u])]
    for n, (name, (k, u)) in enumerate(zip(names("leaf", len(leafs), 2), leafs, strict=True)):
        assert problem.leaf is not None
        rail = n % counts.group if rails else -1
        plane = leaf_plane(plan, n) if plan.planes > 1 else -1
        spots.append(
            Spot(
                id=name,
                kind="leaf",
                box=problem.leaf,
                rack=places[k],
                group=u,
                rail=rail,
                plane=plane,
            )
        )
    spines = [k for k in racks for _ in range(at.spines[k])]
    for name, k in zip(names("spine", len(spines), 2), spines, strict=True):
        assert problem.spine is not None
        spots.append(Spot(id=name, kind="spine", box=problem.spine, rack=places[k], group=-1))
    others = [k for k in racks for _ in range(at.oob[k])]
    for name, k in zip(names("oob", len(others), 1), others, strict=True):
        assert problem.oob is not None
        spots.append(Spot(id=name, kind="oob", box=problem.oob, rack=places[k], group=-1))
    return spots


def names(kind: str, count: int, digits: int) -> list[str]:
    """Return the names of so many devices of a kind."""
    width = max(digits, len(str(count)))
    return [f"{kind}-{k:0{width}d}" for k in range(1, count + 1)]


def rack_name(room: Room, rack: int) -> str:
    """Return the name of a rack: row and column from 1."""
    row, column = room.cell(rack)
    digits = len(str(room.named_rows)), len(str(room.columns))
    return f"r{row + 1:0{digits[0]}d}-{column + 1:0{digits[1]}d}"


def units_of(room: Room, rack: int) -> int:
    """Return the rack units of a rack, free or not."""
    return room.stands[rack].units if room.stands else room.rack_units


def height_of(box: Box, rack_units: int) -> int:
    """Return the rack units that a box fills; one delivered as a rack fills all of it."""
    return rack_units if box.whole_rack else box.units


def devices_of(room: Room, spots: Sequence[Spot]) -> list[Device]:
    """Return the devices with their rack units, in the order of the spots.

    Servers stand from the floor up, switches from the top down with the heavier lower, so that
    nothing overlaps as long as the rack has units for all (`placement_units`).
    """
    lowest: dict[str, int] = {}
    by_rack: dict[int, list[Spot]] = {}
    for spot in spots:
        by_rack.setdefault(spot.rack, []).append(spot)
    for rack, here in by_rack.items():
        floor = 1 + (room.stands[rack].taken_units if room.stands else 0)
        for spot in (s for s in here if s.kind == "node"):
            lowest[spot.id] = floor
            floor += spot.box.units
        top = units_of(room, rack) + 1
        switches = (s for s in here if s.kind != "node")
        for spot in sorted(switches, key=lambda s: s.box.weight_kg):
            top -= spot.box.units
            lowest[spot.id] = top
    return [
        Device(
            id=spot.id,
            kind=spot.kind,
            part=spot.box.part,
            rack=rack_name(room, spot.rack),
            unit=lowest[spot.id],
            height_units=height_of(spot.box, units_of(room, spot.rack)),
            max_w=spot.box.max_w,
            weight_kg=spot.box.weight_kg,
            group=spot.group,
            rail=spot.rail,
            pod=spot.pod,
            plane=spot.plane,
        )
        for spot in spots
    ]


def racks_of(room: Room, spots: Sequence[Spot]) -> list[RackUse]:
    """Return the racks in use with what they carry (`placement_own_rack`: some are no purchase)."""
    inside: dict[int, list[Box]] = {}
    for spot in spots:
        inside.setdefault(spot.rack, []).append(spot.box)
    return [_rack_use(room, rack, inside[rack]) for rack in sorted(inside)]


def _rack_use(room: Room, rack: int, boxes: list[Box]) -> RackUse:
    row, column = room.cell(rack)
    plain = Stand(
        row=row,
        column=column,
        x_m=round(column * room.pitch_m, 6),
        y_m=round(row * room.row_pitch_m, 6),
        width_m=room.pitch_m,
        model=room.model,
        units=room.rack_units,
        taken_units=0,
        limit_w=room.rack_w,
        taken_w=0.0,
        limit_kg=room.rack_kg,
        taken_kg=0.0,
        cooling=room.cooling,
    )
    stand = room.stands[rack] if room.stands else plain
    return RackUse(
        id=rack_name(room, rack),
        row=row,
        column=column,
        x_m=stand.x_m,
        y_m=stand.y_m,
        units=stand.units,
        used_units=sum(height_of(box, stand.units) for box in boxes),
        limit_w=stand.limit_w,
        max_w=round(sum(box.max_w for box in boxes), 3),
        limit_kg=stand.limit_kg,
        weight_kg=round(sum(box.weight_kg for box in boxes), 3),
        width_m=stand.width_m,
        model=stand.model,
        taken_units=stand.taken_units,
        taken_w=stand.taken_w,
        taken_kg=stand.taken_kg,
        delivered_whole=any(box.whole_rack for box in boxes),
    )
