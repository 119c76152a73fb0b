"""Which racks of the room suffice for a placement with so many racks in use.

Taking out a column, or a row, without any rack in use brings the others nearer and makes no cable
longer, so some best placement uses rows and columns without gaps, from the first on
(`placement_compact`).
"""

from __future__ import annotations

from planner.program.box import load_in, rack_load_in
from planner.program.placement_problem import PlacementProblem
from planner.program.room import Room


def region(room: Room, used: int) -> tuple[int, ...]:
    """Return racks among which some best placement with at most `used` racks stands."""
    if room.racks <= room.racks_per_row:
        return tuple(range(min(room.racks, used)))
    cells = ((rack, *room.cell(rack)) for rack in range(room.racks))
    return tuple(rack for rack, row, column in cells if row < used and column < used)


def useful(problem: PlacementProblem) -> tuple[int, ...]:
    """Return the racks that hold any box of a design, where they are not alike.

    None can take another's place then, so that all of these are looked at.
    """
    room = problem.room
    boxes = (problem.server, problem.leaf, problem.spine, problem.oob)
    present = [box for box in boxes if box is not None]
    return tuple(
        k
        for k in range(room.racks)
        if any(rack_load_in(room, k).holds((1, load_in(box, room, k))) for box in present)
    )


def mirrors(room: Room, places: tuple[int, ...]) -> bool:
    """Return whether the places are one row, which reads the same from either end."""
    return places == tuple(range(len(places))) and len(places) <= room.racks_per_row
