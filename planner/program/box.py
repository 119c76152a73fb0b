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


def rack_load(room: Room) -> Load:
    """Return what one rack offers."""
    return Load(
        units=room.rack_units,
        milliwatts=round(room.rack_w * PER_UNIT),
        grams=round(room.rack_kg * PER_UNIT),
    )
