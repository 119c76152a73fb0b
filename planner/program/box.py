"""What stands in a rack: its height, watts, weight and cooling."""

from __future__ import annotations

from dataclasses import dataclass

from planner.program.room import Room

PER_UNIT = 1000
"""Watts and kilograms are compared in thousandths, as integers."""
MANY = 10**6
"""How many boxes without any load fit a rack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One kind of device."""

    part: str
    """Catalogue id."""
    units: int
    """Rack units."""
    max_w: float
    weight_kg: float
    cooling: str = "air"
    whole_rack: bool = False
    """Delivered as a rack of its own (NVL72)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a box, or a rack, takes or offers, in integers."""

    units: int
    milliwatts: int
    grams: int

    def holds(self, *parts: tuple[int, Load]) -> bool:
        """Return whether this rack carries so many of each load together."""
        return (
            sum(count * load.units for count, load in parts) <= self.units
            and sum(count * load.milliwatts for count, load in parts) <= self.milliwatts
            and sum(count * load.grams for count, load in parts) <= self.grams
        )

    def most(self, load: Load) -> int:
        """Return how many of one load this rack carries."""
        limits = [
            have // need
            for have, need in (
                (self.units, load.units),
                (self.milliwatts, load.milliwatts),
                (self.grams, load.grams),
            )
            if need > 0
        ]
        return max(0, min(limits, default=MANY))

    def less(self, load: Load, count: int = 1) -> Load:
        """Return what is left after so many of a load."""
        return Load(
            units=self.units - count * load.units,
            milliwatts=self.milliwatts - count * load.milliwatts,
            grams=self.grams - count * load.grams,
        )


NOTHING = Load(units=0, milliwatts=0, grams=0)


def load_of(box: Box | None, room: Room) -> Load:
    """Return a box's load; a whole-rack box fills its place (`placement_whole_rack`)."""
    if box is None:
        return NOTHING
    return Load(
        units=room.rack_units if box.whole_rack else box.units,
        milliwatts=round(box.max_w * PER_UNIT),
        grams=round(box.weight_kg * PER_UNIT),
    )


def load_in(box: Box | None, room: Room, rack: int) -> Load:
    """Return a box's load in one rack; more units than are free where it cannot stand.

    A whole-rack box needs a place where nothing stands, a liquid-cooled one a rack with liquid
    (`placement_whole_rack`, `placement_cooling`).
    """
    load = load_of(box, room)
    if box is None or not room.stands:
        return load
    stand = room.stands[rack]
    units = stand.units if box.whole_rack else box.units
    if (box.whole_rack and stand.partly_used) or (
        box.cooling == "liquid" and stand.cooling != "liquid"
    ):
        units = stand.free_units + 1
    return Load(units=units, milliwatts=load.milliwatts, grams=load.grams)


def rack_load(room: Room) -> Load:
    """Return what one rack offers; where racks differ, the most that any offers of each."""
    return Load(
        units=room.rack_units,
        milliwatts=round(room.rack_w * PER_UNIT),
        grams=round(room.rack_kg * PER_UNIT),
    )


def rack_load_in(room: Room, rack: int) -> Load:
    """Return what one rack offers beside what it holds already (`placement_taken`)."""
    if not room.stands:
        return rack_load(room)
    stand = room.stands[rack]
    return Load(
        units=stand.free_units,
        milliwatts=round(stand.free_w * PER_UNIT),
        grams=round(stand.free_kg * PER_UNIT),
    )
