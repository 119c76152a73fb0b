"""Rooms of mixed, partly used and missing racks: exact against exhaustive search."""

from __future__ import annotations

from collections import defaultdict

from planner.physics.refusal import Refusal
from planner.program.placement import place
from planner.program.placement_bound import placement_lower_bound_cents
from planner.program.rack_layout import rack_name
from tests.program.brute_placement import cheapest, route
from tests.program.random_rooms import random_uneven_case

ROOMS = 240


def check(seeds: range) -> tuple[int, int]:
    """Compare rooms with exhaustive search; return how many can be placed and how many cannot."""
    placed, refused = 0, 0
    for seed in seeds:
        case = random_uneven_case(seed)
        expected = cheapest(case.problem, case.down, case.up)
        found = place(case.problem)
        if isinstance(found, Refusal):
            assert expected is None, (seed, expected, found.reason)
            refused += 1
            continue
        assert expected is not None, seed
        assert (found.cost_cents, found.lower_bound_cents) == (expected, expected), seed
        assert placement_lower_bound_cents(case.problem) <= expected, seed
        placed += 1
    return placed, refused


def test_mixed_rooms_cost_what_exhaustive_search_finds():
    """Over 200 random rooms agree to the cent, and are refused only where nothing fits."""
    placed, refused = check(range(ROOMS))
    assert placed >= 100
    assert refused >= 30


def test_boxes_keep_clear_of_what_stands_there():
    """Units in use, watts and kilograms that are taken, and cooling are respected box by box."""
    seen = 0
    for seed in range(200):
        problem = random_uneven_case(seed).problem
        placed = place(problem)
        if isinstance(placed, Refusal):
            continue
        stands = {rack_name(problem.room, k): s for k, s in enumerate(problem.room.stands)}
        inside = defaultdict(list)
        for device in placed.devices:
            inside[device.rack].append(device)
        for rack in placed.racks:
            stand = stands[rack.id]
            taken = set(range(1, stand.taken_units + 1))
            seen += bool(taken)
            for device in inside[rack.id]:
                units = set(range(device.unit, device.unit + int(device.height_units)))
                assert not units & taken
                assert max(units) <= stand.units
                taken |= units
                if device.kind == "node" and problem.server.cooling == "liquid":
                    assert stand.cooling == "liquid"
            assert rack.max_w + stand.taken_w <= stand.limit_w + 1e-6
            assert rack.weight_kg + stand.taken_kg <= stand.limit_kg + 1e-6
    assert seen >= 10


def test_cables_follow_the_trays():
    """Every route is the shortest over the crossing trays, and the bought length reaches."""
    crossed = 0
    for seed in range(120):
        problem = random_uneven_case(seed).problem
        placed = place(problem)
        if isinstance(placed, Refusal):
            continue
        number = {rack_name(problem.room, k): k for k in range(problem.room.racks)}
        where = {device.id: number[device.rack] for device in placed.devices}
        for cable in placed.cables:
            assert cable.needed_m == route(problem, where[cable.a], where[cable.b])
            assert cable.length_m >= cable.needed_m
            crossed += bool(problem.room.cross_m) and where[cable.a] != where[cable.b]
    assert crossed
