"""One limit of an instance, and how it gives way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce

from planner.domain.instance import Instance

SHOWN = 6
"""Values of a choice that are named."""
SIGNIFICANT = 3
"""Digits beyond the first to which a relaxation is found: steps of a thousandth or finer."""

FINEST = -9
"""Power of ten of the finest step: what a design uses can be counted in steps of any limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit: where it stands, and the instance with another value of it."""

    key: str
    """Where it stands in the instance."""
    words: Callable[[float | None], str]
    """The limit at a value in a buyer's words; None: as it stands."""
    put: Callable[[Instance, float | None], Instance]
    """The instance with the limit at a value; None lifts it as far as it goes."""
    value: float | None = None
    """None where it is a choice, which is held or lifted."""
    end: float | None = None
    """Loosest value; None where it can be left out altogether."""
    unit: str = ""
    whole: bool = False
    """Whether only whole numbers make sense."""
    costly: bool = False
    """Whether a looser value makes designs dearer, so that lifting it can break a budget."""

    @property
    def raised(self) -> bool:
        """Whether the limit gives way upwards."""
        return self.value is not None and (self.end is None or self.end > self.value)

    @property
    def quantum(self) -> float:
        """Step of the scale on which a relaxation is found."""
        if self.whole or not self.value:
            return 1.0
        if self.end is not None and 0 <= self.end <= 1 and self.value <= 1:
            return 0.001
        return float(10.0 ** max(FINEST, math.floor(math.log10(self.value)) - SIGNIFICANT))

    def at(self, ticks: int) -> float:
        """Return the value of so many steps of the scale, as it is written."""
        quantum = self.quantum
        digits = max(0, -math.floor(math.log10(quantum)))
        return round(ticks * quantum, digits)

    def ticks(self, value: float) -> int:
        """Return a value on the scale, rounded to the looser side."""
        exact = value / self.quantum
        near = round(exact)
        if math.isclose(exact, near, rel_tol=1e-9):
            return near
        return math.ceil(exact) if self.raised else math.floor(exact)

    def looser(self, share: float) -> float | None:
        """Return the value by a share looser, within its end; None of a choice."""
        if self.value is None:
            return None
        wanted = self.value * (1 + share) if self.raised else self.value / (1 + share)
        found = self.at(self.ticks(wanted))
        if self.end is None:
            return found
        return min(found, self.end) if self.raised else max(found, self.end)


def listed(values: Iterable[object]) -> str:
    """Return values in one line; of a long list the first ones and how many there are more."""
    names = [str(value) for value in values]
    if len(names) <= SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN:,} more"


def lifted(instance: Instance, limits: Iterable[Limit]) -> Instance:
    """Return the instance without some of its limits."""
    return reduce(lambda found, limit: limit.put(found, None), limits, instance)
