"""Large rooms: the bound holds for every placement, the layout is one, both against the exact search."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from planner.physics.refusal import Refusal
from planner.program.cabling import cable
from planner.program.hall import (
    Pricing,
    arrangement,
    hall_bound_cents,
    is_hall,
    lay_hall,
    starts_as_hall,
    styles,
)
from planner.program.hall_bound import HallBound, by_units
from planner.program.hall_layout import HallLayout
from planner.program.hall_swaps import swapped
from planner.program.hall_tiers import Tiers
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
    """Sixteen nodes are searched rack by rack, 127 are laid out as a hall."""
    small = random_case(1, 1200).problem
    assert not starts_as_hall(small)
    problem = superpod()
    assert is_hall(problem)
    assert isinstance(place(problem, work_limit=1), Placement)


@pytest.mark.parametrize(("pitch_m", "row_pitch_m"), [(0.6, 3.0), (0.8, 1.2), (0.75, 2.4)])
def test_racks_near_are_those_of_the_room(pitch_m, row_pitch_m):
    """At every length of a room, as many racks as the middle one has within it."""
    plan = replace(
        superpod().room, pitch_m=pitch_m, row_pitch_m=row_pitch_m, racks=143, racks_per_row=13
    )
    problem = replace(superpod(), room=plan)
    bounds = HallBound(tiers=Tiers(problem=problem))
    middle = 71
    for length in plan.lengths_m:
        near_m = length - 2 * plan.rise_m - plan.slack_m
        if length != plan.inside_rack_m and near_m < 5 * pitch_m:
            near = [k for k in range(plan.racks) if k != middle]
            near = [k for k in near if plan.route_m(middle, k) <= length + 1e-9]
            assert bounds.racks_near(near_m) == len(near), length


def test_servers_share_a_rack_only_with_leafs_of_their_unit():
    """Two leafs of two units beside four servers save what the best split of the servers saves."""
    one_leaf = np.array([0.0, 5.0, 10.0, 15.0, 20.0])
    table = by_units(one_leaf, np.array([4, 3]), 1)
    assert table[1, 4] == 20.0
    assert table[2, 4] == 20.0
    assert by_units(one_leaf, np.array([4, 3]), 2)[2, 4] == 40.0
    assert by_units(one_leaf, np.array([4, 3]), 2)[3, 4] == 40.0


def test_swaps_only_save():
    """Racks that change places leave every box in a rack like its own and cost no more."""
    problem = superpod()
    layout = HallLayout(problem)
    pricing = Pricing(problem)
    for style in list(styles(problem))[::40]:
        at = layout.lay(style)
        before = pricing.hall(at) if at else None
        if at is None or before is None:
            continue
        moved = swapped(problem, at, before.media, 12)
        after = pricing.hall(moved)
        assert after is not None
        assert after.cents <= before.cents
        for kind, racks in at.items():
            pairs = set(zip(racks, moved[kind], strict=True))
            assert len(pairs) == len(set(racks)) == len(set(moved[kind]))
