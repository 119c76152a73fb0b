"""A few points that show a whole frontier: both ends, the instance's own target, and between them.

Each point is the cheapest design within a limit, with its proof. What a limit's design reaches says
that nothing undominated lies between the two, so every search closes a part of the range; the next
limit halves the widest part that is open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planner.program.scan import ScanResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """The cheapest design within a limit."""

    share: float
    """Multiple of the instance's limits that it had to hold."""
    limits: tuple[float, ...]
    result: ScanResult
    reached: float | None
    """Multiple of the limits that it takes; None where there is no design."""

    @property
    def cents(self) -> int:
        """Cost of the design; 0 where there is none."""
        return 0 if self.result.best is None else self.result.best.placed.cost_cents


Solve = Callable[[float], Solved]
Ends = Callable[[Solved], bool]


@dataclass(slots=True, kw_only=True)
class Spread:
    """Searches of a frontier so far, and how much of it they leave open."""

    solve: Solve
    stop: Ends
    """Whether a search was the last one that there is time for."""
    tick: float
    found: list[Solved]
    """Designs, slowest first, none twice."""
    too_fast: Solved | None = None
    """The loosest limit that no design holds."""
    stopped: bool = False
    unfinished: Solved | None = None
    """A search that time ended without a design."""

    def at(self, share: float) -> Solved:
        """Solve at a limit and keep what is found."""
        point = self.solve(share)
        if point.reached is not None:
            self._keep(point)
        elif point.result.stopped:
            self.unfinished = point
        elif self.too_fast is None or share > self.too_fast.share:
            self.too_fast = point
        self.stopped = self.stopped or self.stop(point)
        return point

    def _keep(self, point: Solved) -> None:
        """Add a design; of equal costs the faster one stays, under the loosest limit of them."""
        alike = [point, *(other for other in self.found if other.cents == point.cents)]
        rest = [other for other in self.found if other.cents != point.cents]
        loosest = max(alike, key=lambda other: other.share)
        best = replace(min(alike, key=_reached), share=loosest.share, limits=loosest.limits)
        self.found = sorted([*rest, best], key=lambda other: -_reached(other))

    def fastest(self, end: float) -> None:
        """Find the fastest design that there is, or the cheapest that holds an end of the range."""
        if end > 0 and not self.stopped:
            self.at(end)
        while self.found and not self.stopped:
            high = _reached(self.found[-1])
            low = max(end, 0.0 if self.too_fast is None else self.too_fast.share)
            if high * (1 - self.tick) <= low:
                return
            share = high / 2 if low == 0 else math.sqrt(low * high)
            self.at(min(share, high * (1 - self.tick)))

    def widest(self) -> float | None:
        """Return the limit in the middle of the widest part that is open; None where none is."""
        open_parts = [
            (_distance(slower, faster, self.found), math.sqrt(faster.share * _reached(slower)))
            for slower, faster in zip(self.found, self.found[1:], strict=False)
            if faster.share < _reached(slower) * (1 - self.tick)
        ]
        return max(open_parts)[1] if open_parts else None


def spread(
    solve: Solve, stop: Ends, *, points: int, slowest: float, fastest: float, tick: float
) -> tuple[list[Solved], Solved | None, bool]:
    """Return at most so many points, the limit where they end, and whether these are all.

    They end at a limit that no design holds, or where time ended a search.

    Parameters
    ----------
    solve
        Finds the cheapest design within a multiple of the instance's limits.
    stop
        Whether a search was the last one that there is time for.
    points
        Most designs. The own target comes first, then the cheapest and the fastest design.
    slowest, fastest
        Range of the limits, as multiples of the instance's own.
    tick
        Relative: designs nearer to each other than this count as equally fast.
    """
    state = Spread(solve=solve, stop=stop, tick=tick, found=[])
    own = min(max(1.0, fastest), slowest)
    first = state.at(own)
    if points > 1 and not state.stopped and slowest != own:
        state.at(slowest)
    if points > 2:
        state.fastest(fastest)
    while len(state.found) < points and not state.stopped:
        share = state.widest()
        if share is None:
            break
        state.at(share)
    whole = points > 2 and not state.stopped and state.widest() is None
    kept = _chosen(state.found, first, points)
    return kept, state.unfinished or state.too_fast, whole and len(kept) == len(state.found)


def _reached(point: Solved) -> float:
    assert point.reached is not None
    return point.reached


def _distance(one: Solved, other: Solved, found: Sequence[Solved]) -> float:
    """Return how far two points lie apart on the drawing of all, where it is one wide and high."""
    steps = math.log(_reached(found[0]) / _reached(found[-1])) or 1.0
    costs = math.log(found[-1].cents / found[0].cents) or 1.0
    across = math.log(_reached(one) / _reached(other)) / steps
    return math.hypot(across, math.log(other.cents / one.cents) / costs)


def _chosen(found: list[Solved], first: Solved, points: int) -> list[Solved]:
    """Return so many of the designs: own target, both ends, then those farthest from all chosen."""
    if len(found) <= points:
        return found
    own = [p for p in found if p.cents == first.cents] if first.reached is not None else []
    kept = list({id(p): p for p in (*own, found[0], found[-1])}.values())[:points]
    while len(kept) < points:
        rest = [p for p in found if p not in kept]
        kept.append(max(rest, key=lambda p: min(_distance(*_order(p, k), found) for k in kept)))
    return sorted(kept, key=lambda p: -_reached(p))


def _order(one: Solved, other: Solved) -> tuple[Solved, Solved]:
    """Return two points, the slower and cheaper one first."""
    return (one, other) if _reached(one) >= _reached(other) else (other, one)
