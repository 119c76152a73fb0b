"""How few racks hold all boxes: exact bin packing of identical boxes, by counts."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from planner.program.box import Load, load_in, load_of, rack_load, rack_load_in
from planner.program.placement_bound import least_racks
from planner.program.placement_problem import PlacementProblem

NEVER = -(10**6)
MOST_WORK = 200_000_000
"""Table cells that are filled at most."""


@lru_cache(maxsize=256)
def _switch_sets(limits: tuple[int, int, int]) -> tuple[tuple[int, int, int], ...]:
    leafs, spines, oob = limits
    return tuple(product(range(leafs + 1), range(spines + 1), range(oob + 1)))


def racks_needed(problem: PlacementProblem) -> int | None:
    """Return the fewest racks that hold every box, or None if the room has not enough.

    With r racks, f_r(y, z, o) servers fit beside y leafs, z spines and o out-of-band switches:
    f_r is the best sum of f_(r-1) and one more rack. Distances play no part. Above MOST_WORK table
    cells the sums of watts, units and weight count alone: no fewer racks can do, a few more may be
    needed. Where racks differ, each is taken to offer the most that any does, and no fewer racks
    than the answer can do; whether the boxes fit is told by `all_fit`.
    """
    plan, room = problem.plan, problem.room
    rack = rack_load(room)
    server, leaf, spine, oob = (
        load_of(box, room) for box in (problem.server, problem.leaf, problem.spine, problem.oob)
    )
    shape = (plan.leafs + 1, plan.spines + 1, problem.oob_count + 1 if problem.oob else 1)
    alone = [
        min(size - 1, rack.most(load)) for size, load in zip(shape, (leaf, spine, oob), strict=True)
    ]
    contents = _contents(rack, (server, leaf, spine, oob), (alone[0], alone[1], alone[2]))
    start = least_racks(problem)
    if start * len(contents) * shape[0] * shape[1] * shape[2] > MOST_WORK:
        return start if start <= room.racks else None
    most = np.full(shape, NEVER, dtype=np.int64)
    most[0, 0, 0] = 0
    for racks in range(1, room.racks + 1):
        most = _with_one_more(most, contents)
        if racks >= start and most[-1, -1, -1] >= plan.servers:
            return racks
    return None


def all_fit(problem: PlacementProblem) -> bool:
    """Return whether the racks of a room, all different, hold every box, whatever the distances.

    The same recursion as `racks_needed`, with one rack after another.
    """
    plan, room = problem.plan, problem.room
    boxes = (problem.server, problem.leaf, problem.spine, problem.oob)
    shape = (plan.leafs + 1, plan.spines + 1, problem.oob_count + 1 if problem.oob else 1)
    most = np.full(shape, NEVER, dtype=np.int64)
    most[0, 0, 0] = 0
    for k in range(room.racks):
        rack = rack_load_in(room, k)
        server, leaf, spine, oob = (load_in(box, room, k) for box in boxes)
        switches = zip(shape, (leaf, spine, oob), strict=True)
        alone = [min(size - 1, rack.most(load)) for size, load in switches]
        contents = _contents(rack, (server, leaf, spine, oob), (alone[0], alone[1], alone[2]))
        most = _with_one_more(most, contents)
    return bool(most[-1, -1, -1] >= plan.servers)


def _contents(
    rack: Load, loads: tuple[Load, Load, Load, Load], alone: tuple[int, int, int]
) -> list[tuple[int, int, int, int]]:
    """Return what one rack can hold: leafs, spines, out-of-band switches and most servers beside."""
    server, leaf, spine, oob = loads
    found = []
    for y, z, o in _switch_sets(alone):
        if rack.holds((y, leaf), (z, spine), (o, oob)):
            left = rack.less(leaf, y).less(spine, z).less(oob, o)
            found.append((y, z, o, left.most(server)))
    return found


def _with_one_more(
    most: NDArray[np.int64], contents: list[tuple[int, int, int, int]]
) -> NDArray[np.int64]:
    """Return the most servers beside any switches with one more rack, same shape as `most`."""
    shape = most.shape
    after = np.full(shape, NEVER, dtype=np.int64)
    for y, z, o, servers in contents:
        target = after[y:, z:, o:]
        source = most[: shape[0] - y, : shape[1] - z, : shape[2] - o]
        np.maximum(target, source + servers, out=target)
    return after
