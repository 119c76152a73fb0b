"""A laid-out hall made cheaper by racks that change places, one swap at a time, until none saves.

What stands in a rack stays there; racks change with each other or with a free place. A swap's
saving is exact for the media that the layout was priced with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.program.hall_blocks import Block, Routes, blocks
from planner.program.hall_layout import Positions
from planner.program.hall_tiers import Media, bundle_of_servers, pair_of_switches
from planner.program.link_prices import Medium
from planner.program.placement_problem import PlacementProblem

MOST_CELLS = 20_000_000
"""Racks x racks x places above which a hall is not searched so."""
FAR_CENTS = 10**9
"""Counted for links that reach nothing."""
ENDS = (("node", "leaf"), ("leaf", "spine"), ("spine", "core"))

Ints = NDArray[np.int64]


@dataclass(slots=True)
class _Swaps:
    """State of the search; racks and places are numbered from 0."""

    kind: Ints
    """What two racks are to each other, shape (racks, racks)."""
    cents: Ints
    """Cost of the links of two racks by kind and length, shape (kinds, lengths)."""
    steps: Ints
    """Index of the length between two places, shape (places, places)."""
    place: Ints
    """Place of every rack, shape (racks,)."""
    at: Ints
    """Cost of all links of a rack were it at a place, shape (racks, places)."""

    @classmethod
    def of(cls, kind: Ints, cents: Ints, steps: Ints, place: Ints) -> _Swaps:
        at = np.zeros((len(kind), len(steps)), dtype=np.int64)
        for other, where in enumerate(place):
            at += cents[kind[:, other, None], steps[None, :, where]]
        return cls(kind, cents, steps, place, at)

    def best(self) -> tuple[int, int, int]:
        """Return the saving of the best swap, a rack and the place that it takes."""
        racks = np.arange(len(self.place))
        now = self.at[racks, self.place]
        gain = now[:, None] - self.at
        own = self.cents[self.kind, self.steps[0, 0]]
        pair = self.cents[self.kind, self.steps[np.ix_(self.place, self.place)]]
        swap = gain[:, self.place]
        gain[:, self.place] = swap + swap.T + 2 * own - 2 * pair
        index = int(gain.argmax())
        rack, where = divmod(index, gain.shape[1])
        return int(gain[rack, where]), rack, where

    def take(self, rack: int, where: int) -> None:
        """Put a rack where another may stand, which takes its place."""
        old = int(self.place[rack])
        others = np.flatnonzero(self.place == where)
        self._move(rack, where)
        for other in others:
            self._move(int(other), old)

    def _move(self, rack: int, where: int) -> None:
        row = self.kind[:, rack, None]
        self.at -= self.cents[row, self.steps[None, :, self.place[rack]]]
        self.place[rack] = where
        self.at += self.cents[row, self.steps[None, :, where]]


def swapped(problem: PlacementProblem, at: Positions, media: Media, places: int) -> Positions:
    """Return a layout no dearer than `at` with these media, of which no swap of racks saves.

    Parameters
    ----------
    problem
        The design and its room of equal racks.
    at
        Where everything stands.
    media
        How each tier is built.
    places
        Racks of the room beyond those in use that are tried as well.
    """
    used = sorted({rack for racks in at.values() for rack in racks})
    routes = Routes.of(problem)
    cells = _cells(problem, used, places)
    if len(used) ** 2 * len(cells) > MOST_CELLS:
        return at
    kind, cents = _kinds(problem, at, media, used, blocks(problem, at, routes))
    steps = np.array([[routes.step(a, b) for b in cells] for a in cells], dtype=np.int64)
    place = np.array([cells.index(rack) for rack in used], dtype=np.int64)
    swaps = _Swaps.of(kind, cents, steps, place)
    for _ in range(4 * len(used)):
        saved, rack, where = swaps.best()
        if saved <= 0:
            break
        swaps.take(rack, where)
    moved = {rack: cells[swaps.place[k]] for k, rack in enumerate(used)}
    return {name: [moved[rack] for rack in racks] for name, racks in at.items()}


def _cells(problem: PlacementProblem, used: list[int], places: int) -> list[int]:
    """Return racks in use and the free ones nearest to their middle."""
    cells = [problem.room.cell(rack) for rack in used]
    row = sorted(cell[0] for cell in cells)[len(cells) // 2]
    column = sorted(cell[1] for cell in cells)[len(cells) // 2]
    middle = row * problem.room.racks_per_row + column
    taken = set(used)
    free = [rack for rack in range(problem.room.racks) if rack not in taken]
    free.sort(key=lambda rack: (problem.room.route_m(rack, middle), rack))
    return sorted(used + free[:places])


def _kinds(
    problem: PlacementProblem,
    at: Positions,
    media: Media,
    used: list[int],
    links: Iterable[Block],
) -> tuple[Ints, Ints]:
    """Return what racks are to each other, and what the links of each kind cost by length."""
    number = {rack: k for k, rack in enumerate(used)}
    shapes: dict[tuple[int, int], dict[tuple[int, int, int], int]] = {}
    for block in links:
        lower, upper = ENDS[block.tier]
        ends = number[at[lower][block.a]], number[at[upper][block.b]]
        count = block.b_count if block.tier == 0 else block.a_count * block.b_count
        shape = block.tier, block.a_count if block.tier == 0 else 1, block.each
        found = shapes.setdefault((min(ends), max(ends)), {})
        found[shape] = found.get(shape, 0) + count
    kinds: dict[tuple[tuple[tuple[int, int, int], int], ...], int] = {(): 0}
    kind = np.zeros((len(used), len(used)), dtype=np.int64)
    for (a, b), counts in shapes.items():
        name = tuple(sorted(counts.items()))
        kind[a, b] = kind[b, a] = kinds.setdefault(name, len(kinds))
    np.fill_diagonal(kind, 0)
    lengths = range(len(problem.room.lengths_m))
    rows = [
        [sum(n * _cents(media[s[0]], s, step) for s, n in name) for step in lengths]
        for name in kinds
    ]
    return kind, np.array(rows, dtype=np.int64)


def _cents(medium: Medium | None, shape: tuple[int, int, int], step: int) -> int:
    assert medium is not None
    tier, servers, each = shape
    if tier == 0:
        return min(FAR_CENTS, bundle_of_servers(medium, servers, each, step))
    return min(FAR_CENTS, pair_of_switches(medium, each, step))
