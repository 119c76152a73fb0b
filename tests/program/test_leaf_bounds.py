"""Bounds of leaf racks never exceed what the best filling of those racks costs."""

from __future__ import annotations

import random

from planner.program.leaf_racks import Incumbent, LeafSearch
from planner.program.module_base import media_pairs
from planner.program.placement_counts import Counts
from planner.program.rack_fill import RackFill
from planner.program.rack_fill_flow import RackFillFlow
from tests.program.random_rooms import random_case


def searches():
    """Yield (search, random full leaf racks) of rooms with leafs."""
    for seed in range(6000, 6300):
        problem = random_case(seed, 1500).problem
        if not problem.plan.leafs:
            continue
        rng = random.Random(seed)
        for down, up in media_pairs(problem):
            places = tuple(range(problem.room.racks))
            counts = Counts(problem=problem, down=down, up=up, places=places)
            rows = [[0] * len(counts.unit_servers) for _ in places]
            for unit in range(len(counts.unit_servers)):
                for _ in range(counts.group):
                    rng.choice(rows)[unit] += 1
            if all(counts.most_servers(sum(row)) >= 0 for row in rows):
                search = LeafSearch(counts=counts, incumbent=Incumbent(), work_limit=10**9)
                yield search, tuple(tuple(row) for row in rows)


def test_every_prefix_of_leaf_racks_bounds_its_completion():
    """Root, partial and full bounds rise towards the cost of the best filling."""
    compared = 0
    for search, rows in searches():
        filled = RackFill(search.counts).solve(rows)
        if filled is None:
            continue
        cost = filled[0]
        assert search.root() <= cost
        for known in range(len(rows) + 1):
            leafs = [row if k < known else (0,) * len(row) for k, row in enumerate(rows)]
            left = tuple(sum(row[u] for row in rows[known:]) for u in range(len(rows[0])))
            assert search.bound(leafs, left) <= cost
        compared += 1
    assert compared >= 40


def test_root_bound_rises_with_racks_in_use():
    """Asking for more racks in use never lowers the root bound."""
    for search, _ in searches():
        bounds = [search.root(n) for n in range(search.counts.racks + 1)]
        assert bounds == sorted(bounds)


def test_the_flow_fills_legally_and_never_below_the_optimum():
    """What the flow finds is an arrangement of the given leafs that costs at least the optimum."""
    compared = 0
    for search, rows in searches():
        found = RackFillFlow(search.counts).solve(rows)
        if found is None:
            continue
        cents, at = found
        best = RackFill(search.counts).solve(rows)
        assert best is not None
        assert best[0] <= cents == search.counts.cost(at)
        assert at.leafs == rows
        compared += 1
    assert compared >= 30
