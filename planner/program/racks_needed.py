"""How few racks hold all boxes: exact bin packing of identical boxes, by counts."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from planner.program.box import load_of, rack_load
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
    needed.
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
    contents = []
    for y, z, o in _switch_sets((alone[0], alone[1], alone[2])):
        if rack.holds((y, leaf), (z, spine), (o, oob)):
            left = rack.less(leaf, y).less(spine, z).less(oob, o)
            contents.append((y, z, o, left.most(server)))
    start = least_racks(problem)
    if start * len(contents) * shape[0] * shape[1] * shape[2] > MOST_WORK:
        return start if start <= room.racks else None
    most = np.full(shape, NEVER, dtype=np.int64)
    most[0, 0, 0] = 0
    for racks in range(1, room.racks + 1):
        after = np.full(shape, NEVER, dtype=np.int64)
        for y, z, o, servers in contents:
            target = after[y:, z:, o:]
            source = most[: shape[0] - y, : shape[1] - z, : shape[2] - o]
            np.maximum(target, source + servers, out=target)
        most = after
        if racks >= start and most[-1, -1, -1] >= plan.servers:
            return racks
    return None
