"""A published design placed whole: DGX SuperPOD H100, 127 nodes (RA-11333-001 v11, tables 4, 7, 8)."""

from __future__ import annotations

from collections import Counter

import pytest

from planner.domain.design import FabricChoice
from planner.physics.fabric import size_fabric
from planner.physics.links import FibreLength, LinkMenu, Optic
from planner.program.box import Box
from planner.program.link_prices import media
from planner.program.placement import Placement, place
from planner.program.placement_problem import PlacementProblem
from planner.program.room import Room
from tests.program.random_rooms import Ports

NODES = 127
CENTS = {"nic-optic": 124_900, "switch-optic": 87_900, "fibre-30": 13_750, "fibre-50": 21_000}


def optical(module_a: str) -> LinkMenu:
    """Return twin-port optics at both ends: every link of the published design is multimode."""
    fibres = (
        FibreLength(part="fibre-30", length_m=30.0),
        FibreLength(part="fibre-50", length_m=50.0),
    )
    optic = Optic(
        module_a=module_a, links_a=2, module_b="switch-optic", links_b=2, reach_m=50, fibres=fibres
    )
    return LinkMenu(link_gbps=400.0, links_a=2, links_b=2, fixed=(), optics=(optic,))


def superpod() -> PlacementProblem:
    """Return the 127 nodes with one slot of four units kept for the fabric manager."""
    choice = FabricChoice(family="infiniband", topology="rail_optimised")
    plan = size_fabric(choice, NODES, 8, 400.0, Ports(64), Ports(64), reserved_slots=1)
    room = Room(
        racks=48, racks_per_row=12, pitch_m=0.8, row_pitch_m=3.0, rise_m=2.0, slack_m=1.0,
        inside_rack_m=2.0, rack_units=48, rack_w=41_000.0, rack_kg=1500.0, cooling="air",
    )  # fmt: skip
    switch = Box(part="qm9700", units=1, max_w=1720.0, weight_kg=14.8)
    return PlacementProblem(
        plan=plan,
        room=room,
        server=Box(part="dgx-h100", units=8, max_w=10_200.0, weight_kg=130.45),
        leaf=switch,
        spine=switch,
        rack_cents=600_000,
        unit_cents=CENTS,
        node_leaf=media(optical("nic-optic"), CENTS, room, "b"),
        leaf_spine=media(optical("switch-optic"), CENTS, room, "a"),
        leaf_cages=32,
    )


@pytest.fixture(scope="module")
def placed() -> Placement:
    found = place(superpod(), work_limit=1)
    assert isinstance(found, Placement)
    return found


def test_modules_and_links_are_the_published_ones(placed):
    """1536 switch modules and 508 node modules; 1016 + 1024 links beside the fabric manager's 4."""
    assert placed.parts["switch-optic"] == 1536
    assert placed.parts["nic-optic"] == 508
    tiers = Counter(cable.tier for cable in placed.cables)
    assert tiers == {"node_leaf": 1020 - 4, "leaf_spine": 1024}
    kinds = Counter(device.kind for device in placed.devices)
    assert (kinds["node"], kinds["leaf"], kinds["spine"]) == (NODES, 32, 16)


def test_racks_hold_four_nodes(placed):
    """41 kW hold four nodes of 10.2 kW, so 127 nodes take 32 racks and the switches a few more."""
    nodes = Counter(device.rack for device in placed.devices if device.kind == "node")
    assert max(nodes.values()) == 4
    assert 34 <= len(placed.racks) <= 38


def test_a_stopped_search_is_near_its_bound(placed):
    """Plain arrangements alone are within two per cent of the proven bound."""
    assert placed.lower_bound_cents <= placed.cost_cents <= 1.02 * placed.lower_bound_cents
