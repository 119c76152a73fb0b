"""Large rooms: the bound holds for every placement, the layout is one, both against the exact search."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from planner.physics.refusal import Refusal
from planner.program.cabling import cable
from planner.program.hall import arrangement, hall_bound_cents, is_hall, lay_hall
from planner.program.placement import Placement, place
from planner.program.placement_counts import Arrangement, Counts
from planner.program.rack_layout import spots_of
from tests.program.random_rooms import random_case
from tests.program.test_placement_superpod import superpod

ROOMS = 240


@pytest.mark.parametrize("batch", range(8))
def test_bound_exact_and_layout_stand_in_order(batch):
    """In small rooms: bound of a hall <= cheapest placement <= layout of a hall."""
    for seed in range(batch, ROOMS, 8):
        problem = random_case(seed, 1200).problem
        placed = place(problem)
        if isinstance(placed, Refusal) or not problem.even:
            continue
        assert hall_bound_cents(problem) <= placed.cost_cents, seed
        hall = lay_hall(problem)
        assert hall is None or hall.cents >= placed.cost_cents, seed


def _scattered(problem, rng: random.Random) -> Arrangement:
    """Return boxes put anywhere, whatever a rack holds."""
    racks, plan = problem.room.racks, problem.plan

    def put(count: int) -> list[int]:
        found = [0] * racks
        for _ in range(count):
            found[rng.randrange(racks)] += 1
        return found

    servers = [put(unit.servers) for unit in plan.units]
    leafs = [put(unit.leafs) for unit in plan.units]
    return Arrangement(
        servers=tuple(zip(*servers, strict=True)),
        leafs=tuple(zip(*leafs, strict=True)),
        spines=tuple(put(plan.spines)),
        oob=(0,) * racks,
    )


def test_the_bound_is_below_any_scattered_placement():
    """Boxes thrown into a roomy hall at random cost at least the bound."""
    room = replace(superpod().room, rack_w=1e6, rack_kg=1e5, rack_units=2000)
    problem = replace(superpod(), room=room)
    bound = hall_bound_cents(problem)
    rng = random.Random(5)
    for _ in range(20):
        at = _scattered(problem, rng)
        counts = Counts(
            problem=problem,
            down=problem.node_leaf[0],
            up=problem.leaf_spine[0],
            places=tuple(range(room.racks)),
        )
        parts = cable(counts, spots_of(counts, at)).parts
        used = sum(at.used(k) for k in range(room.racks))
        cents = problem.rack_cents * used
        cents += sum(problem.unit_cents[part] * n for part, n in parts.items())
        assert cents >= bound


def test_a_hall_costs_what_its_layout_says_and_is_near_its_bound():
    """The published 127 nodes laid out as a hall: recounted cable by cable, within three per cent."""
    problem = superpod()
    hall = lay_hall(problem)
    assert hall is not None
    at = arrangement(problem, hall.at)
    counts = Counts(problem=problem, down=hall.media[0], up=hall.media[1], places=tuple(range(48)))
    parts = cable(counts, spots_of(counts, at)).parts
    racks = sum(at.used(k) for k in range(48))
    cents = problem.rack_cents * racks
    cents += sum(problem.unit_cents[part] * n for part, n in parts.items())
    assert cents == hall.cents
    assert hall_bound_cents(problem) <= cents <= 1.03 * hall_bound_cents(problem)
    for k in range(48):
        boxes = ((sum(at.servers[k]), problem.server), (sum(at.leafs[k]), problem.leaf))
        watts = sum(n * box.max_w for n, box in boxes) + at.spines[k] * problem.spine.max_w
        assert watts <= problem.room.rack_w


def test_small_designs_are_searched_and_large_ones_laid_out():
    """127 nodes are searched rack by rack; four times as many links make a hall."""
    problem = superpod()
    assert not is_hall(problem)
    assert isinstance(place(problem, work_limit=1), Placement)
