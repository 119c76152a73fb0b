"""The brute force itself: its counting against device-by-device counting, its sizes against ours."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from planner.domain.design import FabricChoice, FabricPlan
from planner.physics.fabric import size_fabric
from tests.program.brute_cables import Menu, Optics, costs
from tests.program.brute_money import whole_cents
from tests.program.brute_placement import cheapest
from tests.program.brute_places import Box, Floor, signatures
from tests.program.brute_sizing import direct, joined_pair, single, two_tiers
from tests.program.random_rooms import Ports, random_case


def own_menu(menu: Any) -> Menu | None:
    """Return a made-up menu as the brute force writes them."""
    if menu is None:
        return None
    optics = [
        Optics(o.module_a, o.module_b, [(f.length_m, f.part) for f in o.fibres])
        for o in menu.optics
    ]
    return Menu(menu.links_a, menu.links_b, [(c.length_m, c.part) for c in menu.fixed], optics)


def own_cheapest(case: Any) -> int | None:
    """Return the least cost of a made-up room by signatures."""
    problem = case.problem
    room = problem.room
    site = SimpleNamespace(
        racks=room.racks, rack_kw=room.rack_w / 1000, rack_weight_kg=room.rack_kg,
        racks_per_row=room.racks_per_row, row_pitch_m=room.row_pitch_m, rise_m=room.rise_m,
        slack_m=room.slack_m, inside_rack_m=room.inside_rack_m,
    )  # fmt: skip
    rack = SimpleNamespace(width_mm=room.pitch_m * 1000, rack_units=room.rack_units)
    floor = Floor(site, rack)
    boxes = {}
    for name in ("server", "leaf", "spine", "oob"):
        box = getattr(problem, name)
        units = 0 if box is None else room.rack_units if box.whole_rack else box.units
        boxes[name] = Box(0, 0, 0) if box is None else Box(units, box.max_w, box.weight_kg)
    cents = problem.unit_cents
    purse = SimpleNamespace(
        vector=lambda part: (cents[part], cents[part]),
        nothing=(0, 0),
        spared=lambda counts: (0, 0),
        racks=lambda n: (n * problem.rack_cents,) * 2,
    )
    menus = own_menu(case.down), own_menu(case.up)
    found = [
        point[0]
        for what in signatures(
            floor, problem.plan, boxes, problem.oob_count, menus, bring=problem.server.whole_rack
        )
        for point in costs(purse, problem.plan, menus, problem.leaf_cages, what)
    ]
    return min(found, default=None)


@pytest.mark.parametrize("batch", range(4))
def test_sums_by_length_cost_what_counting_devices_costs(batch: int) -> None:
    """Signatures find the same least cost as counting every module of every device."""
    for seed in range(7000 + batch, 7060, 4):
        case = random_case(seed, 600)
        assert own_cheapest(case) == cheapest(case.problem, case.down, case.up), seed


@pytest.mark.parametrize("ports", [8, 32, 64, 128])
def test_sizes_are_those_of_the_planner(ports: int) -> None:
    """Two programs written from the same rules count the same switches and links."""
    compared = 0
    for servers, links, ratio in product(range(1, 14), (1, 2, 4, 8), (1.0, 1.5, 2.0, 4.0)):
        switch = Ports(ports)
        own = {
            "direct": direct(servers, links),
            "single": single(servers, links, ports),
            "joined_pair": joined_pair(servers, links, ports),
            "leaf_spine": two_tiers(servers, links, ports, ports, ratio, rails=False),
            "rail_optimised": two_tiers(servers, links, ports, ports, ratio, rails=True),
        }
        for topology, sizes in own.items():
            choice = FabricChoice(family="roce", topology=topology, oversubscription=ratio)
            plan = size_fabric(choice, servers, links, 400.0, switch, switch)
            assert (sizes is None) == (not isinstance(plan, FabricPlan)), (servers, links, topology)
            if sizes is None or not isinstance(plan, FabricPlan):
                continue
            assert [(u.servers, u.leafs) for u in sizes.units] == [
                (u.servers, u.leafs) for u in plan.units
            ]
            for name in ("leafs", "spines", "links_per_leaf_spine", "links_per_server_leaf",
                         "uplink_ratio", "joint_links"):  # fmt: skip
                assert getattr(sizes, name) == pytest.approx(getattr(plan, name), abs=1e-15), name
            compared += 1
    assert compared > 100


def test_cents_round_halves_away_from_zero() -> None:
    """The page's rounding, written again."""
    assert [whole_cents(x) for x in (0.125, -0.125, 1.0, 0.004)] == [13, -13, 100, 0]
