"""The fewest racks that hold all boxes equal what trying every packing finds."""

from __future__ import annotations

from functools import cache
from itertools import product

from planner.program.placement_bound import least_racks
from planner.program.placement_problem import PlacementProblem
from planner.program.racks_needed import racks_needed
from tests.program.random_rooms import random_case


def packed(problem: PlacementProblem) -> int | None:
    """Return the fewest racks by recursion over what the next rack takes."""
    room, plan = problem.room, problem.plan
    boxes = (problem.server, problem.leaf, problem.spine, problem.oob)
    counts = (plan.servers, plan.leafs, plan.spines, problem.oob_count)

    def holds(taken: tuple[int, ...]) -> bool:
        here = [(n, box) for n, box in zip(taken, boxes) if n]
        if any(box.whole_rack for _, box in here):
            return sum(n for n, _ in here) == 1 and fits(here)
        return fits(here)

    def fits(here) -> bool:
        return (
            sum(n * box.units for n, box in here) <= room.rack_units
            and sum(n * box.max_w for n, box in here) <= room.rack_w + 1e-9
            and sum(n * box.weight_kg for n, box in here) <= room.rack_kg + 1e-9
        )

    @cache
    def least(left: tuple[int, ...]) -> float:
        if not any(left):
            return 0
        return 1 + min(
            (
                least(tuple(a - b for a, b in zip(left, taken)))
                for taken in product(*(range(n + 1) for n in left))
                if any(taken) and holds(taken)
            ),
            default=float("inf"),
        )

    racks = least(counts)
    return int(racks) if racks <= room.racks else None


def test_equals_every_packing():
    """Counts by rack are enough: 150 random rooms, with and without room for all."""
    found = set()
    for seed in range(8000, 8150):
        problem = random_case(seed, 600).problem
        needed = racks_needed(problem)
        assert needed == packed(problem), seed
        if needed is not None:
            assert least_racks(problem) <= needed
        found.add(needed)
    assert len(found) >= 4
