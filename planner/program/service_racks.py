"""Where the gear of services stands: spread over the last racks of the room.

One box after another, the hungriest first, goes to the rack with the fewest watts that still has
units, watts and weight for it (`service_racks`).
"""

from __future__ import annotations

from collections.abc import Sequence

from planner.physics.refusal import Refusal
from planner.program.box import Box, Load, load_in, rack_load_in
from planner.program.rack_layout import Kind, Spot
from planner.program.room import Room

Gear = tuple[str, Kind, Box]
"""Name, kind and box of one device."""


def stand_in(room: Room, racks: Sequence[int], gear: Sequence[Gear]) -> list[Spot] | Refusal:
    """Return every device with its rack, in the order given, or what no rack holds.

    Parameters
    ----------
    room
        The whole room.
    racks
        Racks that are kept for services.
    gear
        Devices by name.
    """
    free = {rack: rack_load_in(room, rack) for rack in racks}
    used = dict.fromkeys(racks, (0, 0))
    found: dict[str, int] = {}
    for name, _, box in sorted(gear, key=lambda item: (-item[2].max_w, -item[2].units)):
        loads = {rack: load_in(box, room, rack) for rack in racks}
        fitting = [rack for rack in racks if free[rack].holds((1, loads[rack]))]
        if not fitting:
            return Refusal(
                limit="service_racks",
                reason=f"the racks of services ({len(racks)}) do not hold all of it: {box.part} of "
                f"{box.units} U and {box.max_w:,.0f} W finds no place",
            )
        rack = min(fitting, key=lambda one: (*used[one], one))
        found[name] = rack
        free[rack] = free[rack].less(loads[rack])
        used[rack] = _more(used[rack], loads[rack])
    return [
        Spot(id=name, kind=kind, box=box, rack=found[name], group=-1) for name, kind, box in gear
    ]


def _more(used: tuple[int, int], load: Load) -> tuple[int, int]:
    return used[0] + load.milliwatts, used[1] + load.units
