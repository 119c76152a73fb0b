"""Halls of two and three tiers: their documents cost what the layout says, bounds hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from planner.domain.cable_groups import expand
from planner.domain.design import FabricChoice
from planner.physics.fabric import size_fabric
from planner.program.hall import hall_bound_cents, hall_links, is_hall, lay_hall, quick_bound_cents
from planner.program.hall_documents import hall_spots, hall_wires
from planner.program.link_prices import media
from planner.program.parted_bound import parted_bound_cents
from planner.program.placement import Placement, place
from planner.program.placement_problem import PlacementProblem
from tests.program.random_rooms import Ports
from tests.program.test_placement_superpod import CENTS, optical, superpod


def pods(nodes: int, racks: int) -> PlacementProblem:
    """Return nodes below three tiers of 64-port switches in a room of so many racks."""
    base = superpod()
    choice = FabricChoice(
        family="infiniband", topology="three_tier", leaf_switch="x", spine_switch="x",
        core_switch="x", core_asked=True,
    )  # fmt: skip
    plan = size_fabric(choice, nodes, 8, 400.0, Ports(64), Ports(64), 0, Ports(64))
    room = replace(base.room, racks=racks, racks_per_row=20)
    links = {end: media(optical("switch-optic"), CENTS, room, end) for end in ("a", "b")}
    down = media(optical("nic-optic"), CENTS, room, "b")
    return replace(
        base, plan=plan, room=room, core=base.spine, node_leaf=down, leaf_spine=links["a"],
        spine_core=links["b"], spine_cages=32,
    )  # fmt: skip


@pytest.fixture(scope="module", params=[(256, 140), (300, 180)], ids=["even", "uneven"])
def problem(request) -> PlacementProblem:
    """Return three tiers with pods that are alike, and with a last pod that is smaller."""
    return pods(*request.param)


def test_groups_stand_for_every_link_and_part(problem):
    """Taken apart, groups hold every link of the plan once, with as many modules as counted."""
    hall = lay_hall(problem)
    assert hall is not None
    spots = hall_spots(problem, hall.at)
    wires = hall_wires(problem, hall.at, hall.media, spots)
    cables = list(expand(wires.groups, [spot.id for spot in spots]))
    plan = problem.plan
    assert Counter(cable.tier for cable in cables) == {
        "node_leaf": plan.node_leaf_links,
        "leaf_spine": plan.leaf_spine_links,
        "spine_core": plan.spine_core_links,
    }
    cages = {(c.a, c.a_port.partition("/")[0], c.a_module) for c in cables if c.a_module}
    cages |= {(c.b, c.b_port.partition("/")[0], c.b_module) for c in cables if c.b_module}
    parts = Counter(module for _, _, module in cages)
    fixed = {(c.part, c.assembly) for c in cables}
    parts.update(part for part, _ in fixed)
    assert parts == wires.parts
    ports = [(c.a, c.a_port) for c in cables] + [(c.b, c.b_port) for c in cables]
    assert len(set(ports)) == len(ports)


def test_documents_cost_what_the_layout_says(problem):
    """Racks and parts add up to the cost of the layout, which is not below the bounds."""
    placed = place(problem)
    hall = lay_hall(problem)
    assert isinstance(placed, Placement)
    assert hall is not None
    assert is_hall(problem)
    assert placed.cost_cents == hall.cents
    bound = hall_bound_cents(problem, hall.media)
    assert quick_bound_cents(problem) <= bound <= placed.cost_cents
    assert parted_bound_cents(problem) <= placed.cost_cents
    assert placed.cost_cents <= 1.05 * bound
    assert len(placed.cables) == (hall_links(problem) if not placed.cable_groups else 0)


def test_no_rack_holds_more_than_it_may(problem):
    """Units, watts and weight of every rack of three tiers stay within its limits."""
    placed = place(problem)
    assert isinstance(placed, Placement)
    assert all(r.used_units <= r.units for r in placed.racks)
    assert all(r.max_w <= r.limit_w for r in placed.racks)
    assert all(r.weight_kg <= r.limit_kg for r in placed.racks)
    pods_of = {d.group: d.pod for d in placed.devices if d.kind == "leaf"}
    assert max(pods_of.values()) == len(problem.plan.pods) - 1
