"""Placement against exhaustive search, and what a placed design must hold."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from planner.domain.solution import Device
from planner.physics.refusal import Refusal
from planner.program.placement import Placement, place
from planner.program.placement_bound import fits, placement_lower_bound_cents
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_layout import rack_name
from tests.program.brute_placement import cheapest
from tests.program.random_rooms import in_room, random_case, random_uneven_case, random_whole_case

ROOMS = 240
BATCHES = 12
ARRANGEMENTS = 1200


@pytest.mark.parametrize("batch", range(BATCHES))
def test_equals_exhaustive_search(batch):
    """The placement of a small room costs what trying everything finds, to the cent, proved."""
    for seed in range(batch, ROOMS, BATCHES):
        case = random_case(seed, ARRANGEMENTS)
        best = cheapest(case.problem, case.down, case.up)
        placed = place(case.problem)
        if isinstance(placed, Refusal):
            assert best is None, seed
            continue
        assert placed.cost_cents == best, seed
        assert placed.proved, seed
        assert placement_lower_bound_cents(case.problem) <= best, seed
        assert fits(case.problem) is None, seed


@pytest.mark.parametrize("batch", range(3))
def test_joined_pairs_equal_exhaustive_search(batch):
    """Two joined leafs stand where trying everything puts them, in equal and in mixed racks."""
    placed_pairs = 0
    for seed in range(batch, 60, 3):
        for draw in (random_case, random_uneven_case):
            case = draw(seed, ARRANGEMENTS, ["joined_pair"])
            best = cheapest(case.problem, case.down, case.up)
            placed = place(case.problem)
            if isinstance(placed, Refusal):
                assert best is None, seed
                continue
            assert placed.cost_cents == best, seed
            assert placed.proved, seed
            assert placement_lower_bound_cents(case.problem) <= best, seed
            tiers = Counter(cable.tier for cable in placed.cables)
            assert tiers["leaf_leaf"] == case.problem.plan.joint_links, seed
            placed_pairs += 1
    assert placed_pairs >= 10


@pytest.mark.parametrize("batch", range(3))
def test_top_of_rack_equals_exhaustive_search(batch):
    """Units that fill a rack each stand where trying everything puts them, in all kinds of rooms."""
    placed_rooms = 0
    for seed in range(batch, 90, 3):
        for draw in (random_case, random_uneven_case):
            case = draw(seed, ARRANGEMENTS, ["top_of_rack"])
            best = cheapest(case.problem, case.down, case.up)
            placed = place(case.problem)
            if isinstance(placed, Refusal):
                assert best is None, seed
                continue
            assert placed.cost_cents == best, seed
            assert placed.proved, seed
            assert placement_lower_bound_cents(case.problem) <= best, seed
            placed_rooms += 1
    assert placed_rooms >= 5


def test_a_bound_of_many_spines_is_below_the_optimum(monkeypatch):
    """Where not all spreads of spines are tried, bound and layout enclose the optimum."""
    enclosed = 0
    for seed in range(60):
        problem = random_case(seed, ARRANGEMENTS, ["top_of_rack"]).problem
        exact = place(problem)
        monkeypatch.setattr("planner.program.rack_units.MOST_SPREADS", 0)
        found = place(problem)
        monkeypatch.undo()
        if isinstance(exact, Refusal) or isinstance(found, Refusal):
            continue
        assert found.lower_bound_cents <= exact.cost_cents <= found.cost_cents, seed
        enclosed += 1
    assert enclosed >= 5


def test_servers_that_are_racks_bring_their_own():
    """Cabinets are bought for switches only, as exhaustive search counts them."""
    placed_rooms = 0
    for seed in range(30):
        case = random_whole_case(seed, ARRANGEMENTS)
        best = cheapest(case.problem, case.down, case.up)
        placed = place(case.problem)
        if isinstance(placed, Refusal):
            assert best is None, seed
            continue
        assert (placed.cost_cents, placed.proved) == (best, True), seed
        assert placement_lower_bound_cents(case.problem) <= best, seed
        assert sum(rack.delivered_whole for rack in placed.racks) == case.problem.plan.servers
        placed_rooms += 1
    assert placed_rooms >= 5


def test_random_rooms_cover_what_matters():
    """A fifth of the rooms hold nothing; the rest cover all topologies and several units."""
    placed = [(random_case(s, ARRANGEMENTS).problem) for s in range(ROOMS)]
    refused = sum(isinstance(place(problem), Refusal) for problem in placed)
    assert ROOMS // 5 <= refused <= ROOMS // 2
    topologies = Counter(problem.plan.choice.topology for problem in placed)
    assert min(topologies.values()) >= 20
    assert len(topologies) == 4
    assert sum(len(problem.plan.units) > 1 for problem in placed) >= 20


def placements() -> list[tuple[PlacementProblem, Placement]]:
    """Return the random rooms that hold their design, placed."""
    found = []
    for seed in range(1000, 1120):
        problem = random_case(seed, ARRANGEMENTS).problem
        placed = place(problem)
        if isinstance(placed, Placement):
            found.append((problem, placed))
    return found


@pytest.fixture(scope="module")
def placed_rooms():
    return placements()


def test_every_device_stands_once_and_within_limits(placed_rooms):
    """All devices have units of their own in their rack, and no rack carries too much."""
    for problem, placed in placed_rooms:
        plan, room = problem.plan, problem.room
        kinds = Counter(device.kind for device in placed.devices)
        assert kinds["node"] == plan.servers
        assert (kinds["leaf"], kinds["spine"]) == (plan.leafs, plan.spines)
        assert kinds["oob"] == problem.oob_count
        assert len({device.id for device in placed.devices}) == len(placed.devices)
        inside: dict[str, list[Device]] = defaultdict(list)
        for device in placed.devices:
            inside[device.rack].append(device)
        assert sorted(inside) == sorted(rack.id for rack in placed.racks)
        for rack in placed.racks:
            taken = [
                unit
                for device in inside[rack.id]
                for unit in range(device.unit, device.unit + int(device.height_units))
            ]
            assert len(taken) == len(set(taken))
            assert all(1 <= unit <= room.rack_units for unit in taken)
            assert rack.max_w <= room.rack_w + 1e-9
            assert rack.weight_kg <= room.rack_kg + 1e-9


def test_every_link_has_two_ports_of_its_own(placed_rooms):
    """Links join each server to its unit's leafs and each leaf to each spine, one a port."""
    for problem, placed in placed_rooms:
        plan = problem.plan
        devices = {device.id: device for device in placed.devices}
        ports = [(c.a, c.a_port) for c in placed.cables] + [(c.b, c.b_port) for c in placed.cables]
        assert len(ports) == len(set(ports))
        pairs = Counter((c.tier, c.a, c.b) for c in placed.cables)
        for (tier, a, b), links in pairs.items():
            if tier == "node_leaf":
                assert devices[a].group == devices[b].group
                assert links == plan.links_per_server_leaf
            else:
                assert links == plan.links_per_leaf_spine
        tiers = Counter(c.tier for c in placed.cables)
        assert tiers["node_leaf"] == plan.node_leaf_links
        assert tiers["leaf_spine"] == plan.leaf_spine_links


def test_quantities_follow_from_the_cable_list(placed_rooms):
    """Cables count by assembly, modules by device as ceil(links / links of a module)."""
    for problem, placed in placed_rooms:
        media = [*problem.node_leaf, *problem.leaf_spine]
        per_module = {m.module_a: m.links_a for m in media} | {m.module_b: m.links_b for m in media}
        parts: Counter[str] = Counter()
        assemblies = {(c.part, c.assembly) for c in placed.cables}
        parts.update(part for part, _ in assemblies)
        optical: Counter[tuple[str, str]] = Counter()
        for c in placed.cables:
            optical.update((end, m) for end, m in ((c.a, c.a_module), (c.b, c.b_module)) if m)
        for (_, module), links in optical.items():
            parts[module] += math.ceil(links / per_module[module])
        assert dict(parts) == placed.parts
        cents = sum(problem.unit_cents[part] * n for part, n in parts.items())
        assert placed.cost_cents == cents + problem.rack_cents * sum(
            rack.bought for rack in placed.racks
        )


def test_cages_hold_their_plugs(placed_rooms):
    """A leaf never needs more cages than it has, and a cage holds one plug or module."""
    for problem, placed in placed_rooms:
        plugs: dict[tuple[str, str], set[str]] = defaultdict(set)
        for c in placed.cables:
            for device, port, module in ((c.a, c.a_port, c.a_module), (c.b, c.b_port, c.b_module)):
                plugs[device, port.split("/")[0]].add(module or c.assembly)
        assert all(len(inside) == 1 for inside in plugs.values())
        cages = Counter(device for device, _ in plugs if device.startswith("leaf"))
        assert max(cages.values(), default=0) <= max(problem.leaf_cages, 0)


def test_routes_are_reached(placed_rooms):
    """Bought lengths reach the Manhattan route between the racks of both ends."""
    for problem, placed in placed_rooms:
        room = problem.room
        number = {rack_name(room, k): k for k in range(room.racks)}
        devices = {device.id: device for device in placed.devices}
        for c in placed.cables:
            route = room.route_m(number[devices[c.a].rack], number[devices[c.b].rack])
            assert c.needed_m == route
            assert c.length_m >= route


def test_rails_meet_one_leaf(placed_rooms):
    """With one leaf a rail, NIC r of every server of a unit is wired to leaf r."""
    seen = 0
    for problem, placed in placed_rooms:
        if problem.plan.choice.topology != "rail_optimised" or problem.group_leafs == 1:
            continue
        rail = {device.id: device.rail for device in placed.devices if device.kind == "leaf"}
        ends: dict[tuple[int, int], set[str]] = defaultdict(set)
        group = {device.id: device.group for device in placed.devices}
        for c in placed.cables:
            if c.tier == "node_leaf":
                ends[group[c.b], rail[c.b]].add(c.a_port)
                seen += 1
        assert all(len(ports) == 1 for ports in ends.values())
    assert seen


def test_names_follow_unit_rack_and_height(placed_rooms):
    """Node numbers rise with unit, then rack, then height."""
    for _, placed in placed_rooms:
        nodes = [d for d in placed.devices if d.kind == "node"]
        keys = [(d.group, d.rack, d.unit) for d in nodes]
        assert keys == sorted(keys)


def test_same_problem_same_answer():
    """Two runs give equal documents."""
    problem = random_case(7, ARRANGEMENTS).problem
    assert place(problem) == place(problem)


def test_more_racks_never_cost_more():
    """A rack added at the end of the room never raises the cost."""
    compared = 0
    for seed in range(300, 360):
        case = random_case(seed, 300)
        placed = place(case.problem)
        if isinstance(placed, Refusal):
            continue
        wider = place(in_room(case, replace(case.problem.room, racks=case.problem.room.racks + 1)))
        assert isinstance(wider, Placement)
        assert wider.cost_cents <= placed.cost_cents
        compared += 1
    assert compared >= 20


def test_a_stopped_search_keeps_a_true_bound():
    """With hardly any work allowed the bound stays below the proven optimum."""
    for seed in range(500, 620):
        problem = random_case(seed, ARRANGEMENTS).problem
        best, stopped = place(problem), place(problem, work_limit=1)
        if isinstance(best, Placement) and isinstance(stopped, Placement):
            assert stopped.lower_bound_cents <= best.cost_cents <= stopped.cost_cents
        if isinstance(best, Refusal):
            assert isinstance(stopped, Refusal)


def test_an_uneven_spread_is_cabled_exactly():
    """Without even spread the pairs differ by one link, the cost is of the cable list, the bound true."""
    from planner.domain.design import FabricChoice
    from planner.physics.fabric import size_fabric
    from tests.program.random_rooms import Ports

    choice = FabricChoice(family="roce", topology="rail_optimised", even_spread=False)
    plan = size_fabric(choice, 5, 3, 400.0, Ports(8), Ports(8))
    assert plan.uplinks_per_leaf % plan.spines
    seen = 0
    for case in (random_case(seed, ARRANGEMENTS) for seed in range(3000, 3300)):
        if case.up is None:
            continue
        placed = place(replace(case.problem, plan=plan, leaf_cages=8))
        if isinstance(placed, Refusal):
            continue
        seen += 1
        pairs = Counter((c.a, c.b) for c in placed.cables if c.tier == "leaf_spine")
        few = plan.links_per_leaf_spine
        assert set(pairs.values()) == {few, few + 1}
        assert sum(pairs.values()) == plan.leaf_spine_links
        assert placed.lower_bound_cents <= placed.cost_cents
    assert seen >= 5


def test_equal_problems_are_searched_once_under_their_own_names(monkeypatch) -> None:
    """Products of other names with the same sizes and prices get the same places, by their names."""
    problem = next(
        case.problem
        for case in map(random_case, range(100))
        if case.problem.plan.spines and not isinstance(place(case.problem), Refusal)
    )
    first = place(problem)
    monkeypatch.setattr("planner.program.placement.MediaSearch", None)
    other = replace(problem, server=replace(problem.server, part="another-server"))
    second = place(other)
    assert second.cost_cents == first.cost_cents
    assert second.lower_bound_cents == first.lower_bound_cents
    assert {d.rack for d in second.devices if d.part == "another-server"} == {
        d.rack for d in first.devices if d.part == problem.server.part
    }
    dearer = replace(problem, rack_cents=problem.rack_cents + 1)
    with pytest.raises(TypeError):
        place(dearer)
