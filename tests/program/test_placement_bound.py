"""The quick checks name the limit in the buyer's words; the quick bound is below every placement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.domain.design import FabricChoice
from planner.physics.fabric import size_fabric
from planner.program.box import Box
from planner.program.link_prices import FORBIDDEN
from planner.program.placement import Placement, place
from planner.program.placement_bound import fits, least_racks, placement_lower_bound_cents
from planner.program.placement_problem import PlacementProblem
from planner.program.room import Room
from tests.program.random_rooms import Ports, random_case

ROOM = Room(
    racks=6, racks_per_row=6, pitch_m=0.8, row_pitch_m=3.0, rise_m=2.0, slack_m=1.0,
    inside_rack_m=2.0, rack_units=48, rack_w=40_000.0, rack_kg=1500.0, cooling="air",
)  # fmt: skip
SERVER = Box(part="server", units=8, max_w=10_200.0, weight_kg=130.0)
SWITCH = Box(part="switch", units=1, max_w=1_700.0, weight_kg=15.0)


def bare(servers: int, **other) -> PlacementProblem:
    """Return servers on one switch with free cables, in a room of six racks of 40 kW."""
    plan = size_fabric(FabricChoice(family="roce", topology="single"), servers, 1, 400.0, Ports(99))
    case = random_case(3)
    fields = {"plan": plan, "room": ROOM, "server": SERVER, "leaf": SWITCH, "oob_count": 0}
    return replace(case.problem, **fields | other)


@pytest.mark.parametrize(
    ("other", "limit", "sentence"),
    [
        (
            {},
            "placement_power",
            "24 servers at 10.2 kW need 8 racks of 40 kW; the room has 6",
        ),
        (
            {"server": replace(SERVER, max_w=100.0, units=20)},
            "placement_units",
            "24 servers of 20 units need 12 racks of 48 units; the room has 6",
        ),
        (
            {"server": replace(SERVER, max_w=100.0, weight_kg=900.0)},
            "placement_weight",
            "24 servers of 900 kg need 24 racks of 1500 kg; the room has 6",
        ),
        (
            {"server": replace(SERVER, cooling="liquid")},
            "placement_cooling",
            "server server is liquid-cooled; the room's racks have air only",
        ),
        (
            {"server": replace(SERVER, max_w=41_000.0)},
            "placement_power",
            "one server server draws 41 kW; a rack has 40 kW",
        ),
        (
            {"server": replace(SERVER, units=52)},
            "placement_units",
            "one server server is 52 units high; a rack has 48",
        ),
        (
            {"room": replace(ROOM, racks=8, rack_w=30_700.0)},
            "placement_power",
            "24 servers with their switches draw 246.5 kW; 8 racks have 245.6 kW",
        ),
    ],
)
def test_refusals_name_the_limit(other, limit, sentence):
    """Each limit of the room refuses with its own id and one sentence."""
    refusal = fits(bare(24, **other))
    assert (refusal.limit, refusal.reason) == (limit, sentence)


def test_a_link_that_nothing_builds_is_refused():
    """Without any cable or module the fabric cannot be wired, and the bound says so."""
    problem = bare(4, node_leaf=())
    assert fits(problem).limit == "cabling_menu"
    assert placement_lower_bound_cents(problem) >= FORBIDDEN


def test_whole_racks_share_with_nothing():
    """Rack-sized servers take a rack each and the switches one more."""
    problem = bare(4, server=replace(SERVER, whole_rack=True, units=48))
    assert least_racks(problem) == 5


def test_bound_is_below_the_optimum_and_reaches_it():
    """The quick bound never exceeds the proven optimum and meets it on some rooms."""
    met = 0
    for seed in range(2000, 2200):
        problem = random_case(seed, 500).problem
        placed = place(problem)
        if isinstance(placed, Placement):
            bound = placement_lower_bound_cents(problem)
            assert bound <= placed.cost_cents
            met += bound == placed.cost_cents
    assert met >= 20
