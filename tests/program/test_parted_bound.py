"""The bound of planes with spines against every arrangement of tiny rooms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import pytest

from planner.domain.design import FabricChoice, FabricPlan
from planner.domain.instance import Instance
from planner.physics.fabric import size_fabric
from planner.physics.refusal import Refusal
from planner.program.box import load_of, rack_load
from planner.program.parted_bound import Joined, inside_pairs, nearest_steps, parted_bound_cents
from planner.program.parted_wiring import wirings
from planner.program.placement import place
from planner.program.placement_problem import PlacementProblem
from planner.study.decide import DecideOptions, decide
from tests.program.brute_placement import may_stand, rack_limits
from tests.program.random_rooms import PLANES, Ports, random_case, random_uneven_case

ARRANGEMENTS = 3000
BATCHES, BATCH = 6, 5


def all_racks(problem: PlacementProblem) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the racks of all boxes in every way that the limits allow, kind by kind."""
    plan = problem.plan
    kinds: list[tuple[Any, int]] = [(problem.server, unit.servers) for unit in plan.units]
    kinds += [(problem.leaf, 1)] * plan.leafs
    kinds += [(problem.spine, 1)] * plan.spines
    kinds += [(problem.oob, problem.oob_count)]
    racks = range(problem.room.racks)

    def extend(k: int, left: list[list[float]], chosen: list[Any]) -> Iterator[list[Any]]:
        if k == len(kinds):
            yield list(chosen)
            return
        box, count = kinds[k]
        for where in combinations_with_replacement(racks, count):
            after = [list(row) for row in left]
            for rack in where:
                high = rack_limits(problem, rack)[0] if box.whole_rack else box.units
                for part, load in enumerate((high, box.max_w, box.weight_kg)):
                    after[rack][part] -= load
            fits = all(x >= -1e-6 for row in after for x in row)
            if fits and all(may_stand(problem, box, rack) for rack in where):
                yield from extend(k + 1, after, [*chosen, where])

    yield from extend(0, [list(rack_limits(problem, rack)) for rack in racks], [])


def least_cents(problem: PlacementProblem) -> int | None:
    """Return the least cost over all arrangements and media; None where nothing fits."""
    plan, room = problem.plan, problem.room
    units, leafs = len(plan.units), plan.leafs
    per_unit = plan.units[0].leafs
    index = {metres: k for k, metres in enumerate(room.lengths_m)}
    best = None
    ways = list(wirings(problem))
    for chosen in all_racks(problem):
        nodes, others = chosen[:units], [row[0] for row in chosen[units : units + leafs]]
        spines = [row[0] for row in chosen[units + leafs : units + leafs + plan.spines]]
        bought = {*others, *spines, *chosen[-1]}
        bought |= set() if problem.server.whole_rack else {k for row in nodes for k in row}
        for wiring in ways:
            total = problem.racks_cents(bought) + wiring.base_cents
            for leaf, rack in enumerate(others):
                row = nodes[leaf // per_unit]
                for other in set(row):
                    step = index[room.route_m(rack, other)]
                    total += wiring.servers_cents(row.count(other), step)
            for leaf, spine, links in wiring.leaf_spine:
                step = index[room.route_m(others[leaf], spines[spine])]
                total += wiring.pair_cents(1, links, step)
            best = total if best is None else min(best, total)
    return best


def small(seed: int, *, uneven: bool = False) -> PlacementProblem:
    """Return a problem of planes with spines that fits its room; all arrangements can be tried."""
    for k in range(10_000):
        drawn = random_uneven_case if uneven else random_case
        problem = drawn(10_000 * seed + k, 10**9, PLANES).problem
        plan, racks = problem.plan, problem.room.racks
        if plan.parted and racks ** (plan.leafs + plan.spines) <= ARRANGEMENTS:
            problem = replace(problem, server=replace(problem.server, whole_rack=False))
            if not isinstance(place(problem), Refusal):
                return problem
    raise AssertionError("no such room")


def trays(seed: int) -> PlacementProblem:
    """Return two servers that are racks, with a fabric for each of two rails, in four racks."""
    choice = FabricChoice(
        family="roce", topology="rack_rails", leaf_switch="leaf", spine_switch="spine"
    )
    plan = size_fabric(choice, 2, 4, 400.0, Ports(8), Ports(8), tray_rails=2)
    assert isinstance(plan, FabricPlan)
    for k in range(10_000):
        problem = random_case(10_000 * seed + k, 10**9, PLANES).problem
        room = replace(problem.room, racks=4, rack_units=8)
        case = replace(
            problem, plan=plan, room=room, leaf_cages=8, oob=None, oob_count=0,
            server=replace(problem.server, whole_rack=True, units=8),
        )  # fmt: skip
        priced = case.leaf_spine and room.lengths_m == problem.room.lengths_m
        if priced and not isinstance(place(case), Refusal):
            return case
    raise AssertionError("no such room")


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_arrangement_costs_less_than_the_bound(batch: int, uneven: bool) -> None:
    """Nor does a layout that is placed, in rooms of equal racks and of others."""
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        problem = small(seed, uneven=uneven)
        least, placed = least_cents(problem), place(problem)
        assert least is not None
        assert not isinstance(placed, Refusal)
        assert placed.lower_bound_cents <= least <= placed.cost_cents, seed


@pytest.mark.parametrize("seed", range(6))
def test_racks_of_trays_cost_no_less_than_their_bound(seed: int) -> None:
    """Leafs of servers that are racks stand around them, as near as racks and limits allow."""
    problem = trays(seed)
    least, placed = least_cents(problem), place(problem)
    assert least is not None
    assert not isinstance(placed, Refusal)
    assert placed.lower_bound_cents <= least <= placed.cost_cents


def test_the_bound_is_often_the_optimum() -> None:
    """Half of the bounds at least are within a twentieth."""
    found = [(parted_bound_cents(p), least_cents(p)) for p in map(small, range(8))]
    near = [bound >= 0.95 * least for bound, least in found if least is not None]
    assert sum(near) * 2 >= len(near) == len(found)


def test_pairs_inside_racks_are_those_of_the_fullest_rack() -> None:
    """Every way to share few boxes over racks has at most so many joined pairs inside."""
    problem = small(0)
    rack = rack_load(problem.room)
    leaf, spine = (load_of(box, problem.room) for box in (problem.leaf, problem.spine))
    ways = [way for way in product(range(5), repeat=3) if sum(way) == 4]
    for leafs_met, spines_met in product((1, 2, 4), repeat=2):
        low, high = Joined(problem.leaf, 4, leafs_met), Joined(problem.spine, 4, spines_met)
        most = max(
            sum(min(y * min(z, spines_met), z * min(y, leafs_met)) for y, z in zip(*pair))
            for pair in product(ways, repeat=2)
            if all(rack.holds((y, leaf), (z, spine)) for y, z in zip(*pair))
        )
        assert most <= inside_pairs(problem, low, high) <= 4 * min(leafs_met, spines_met)


def test_racks_are_no_nearer_than_the_nearest() -> None:
    """The k-th nearest other rack of every rack is at least as far as the bound takes it."""
    for seed in range(20):
        room = random_case(seed).problem.room
        near = nearest_steps(room)
        for rack in range(room.racks):
            routes = sorted(room.route_m(rack, k) for k in range(room.racks) if k != rack)
            assert len(near) == len(routes)
            assert all(room.lengths_m[s] <= m for s, m in zip(near, routes, strict=True))


def test_racks_of_trays_are_placed_within_a_hundredth() -> None:
    """Eight NVL72 racks, a leaf for each rail of each: what placement decides is known to 1 %."""
    job = {"name": "a", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 1152,
           "step_time_s": 600.0, "margin": 0.0}  # fmt: skip
    asked = Instance.model_validate({
        "name": "trays", "workloads": [job],
        "site": {"racks": 40, "rack_kw": 140, "cooling": "liquid", "racks_per_row": 12},
        "grid": {"min_nodes": 8, "max_nodes": 8, "oversubscription": [1.0]},
        "fix": {"server": "gb200-nvl72", "topology": "rack_rails", "family": "infiniband",
                "switch": "qm9700"},
    })  # fmt: skip
    solution = decide(asked, Path("t.json"), DecideOptions(alternatives=False), lambda _: None)
    assert solution.solution.design is not None
    assert solution.solution.placement_gap <= 0.01
