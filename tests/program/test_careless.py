"""A careless placement is the same boxes in another order, never cheaper on the whole than the found one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from planner.domain.instance import load_instance
from planner.domain.solution import Solution
from planner.physics.fabric_need import even_spread_spines
from planner.program.box import Box
from planner.program.careless import mixed
from planner.program.columns import Column
from planner.program.rack_layout import Spot
from planner.study.decide import DecideOptions, decide
from tests.program.small_halls import small_catalog, small_decision
from tests.program.test_reference_designs import H100, columns


@pytest.fixture(scope="module")
def decisions(tmp_path_factory):
    """Return answers of one and of three tiers."""
    folder = small_catalog(tmp_path_factory.mktemp("small"))
    return {
        "single": small_decision(folder, 3, "single"),
        "three": small_decision(folder, 18, "three_tier"),
        "rails": small_decision(folder, 12, "rail_optimised"),
    }


@pytest.mark.parametrize("name", ["single", "three", "rails"])
def test_care_saves_cables_and_no_step_gets_faster_without_it(decisions, name) -> None:
    """The mean of the draws costs at least as much as what was laid; steps are no faster."""
    solution = decisions[name].solution
    careless = solution.design.careless
    bill = {line.part: line for line in solution.bill_of_materials}
    laid = sum(
        line.total_usd for line in bill.values() if line.component in ("cables", "transceivers")
    )
    assert careless.links_usd == pytest.approx(laid, abs=0.005)
    assert careless.careless_links_usd >= careless.links_usd
    assert careless.careless_longest_m >= careless.longest_m
    for result in solution.workloads:
        assert careless.careless_step_times_s[result.name] >= result.step_time_s


@pytest.mark.parametrize("name", ["single", "three", "rails"])
def test_ranks_dealt_by_turns_are_told(decisions, name) -> None:
    """For every job of several servers."""
    solution = decisions[name].solution
    several = {result.name for result in solution.workloads if result.nodes_used > 1}
    assert set(solution.design.careless.dealt_step_times_s) == several


def test_groups_that_leave_their_servers_cost_time() -> None:
    """The main job's 70B workload loses several hundredths of its step."""
    path = Path(__file__).parents[2] / "reports" / "samples" / "budget" / "solution.json"
    solution = Solution.model_validate_json(path.read_text(encoding="utf-8"))
    dealt = solution.design.careless.dealt_step_times_s
    (result,) = [one for one in solution.workloads if one.name == "pretrain-70b"]
    assert dealt[result.name] > 1.02 * result.step_time_s


def test_units_torn_apart_cost_more(decisions) -> None:
    """With several units, pods and racks disorder costs cables: the gain is a real one."""
    careless = decisions["three"].solution.design.careless
    assert careless.careless_links_usd > careless.links_usd
    assert careless.draws > 1


@pytest.mark.parametrize("alike", [True, False])
def test_an_order_keeps_every_rack_full(alike) -> None:
    """As many boxes of each kind stand together as before; in unlike racks they stay where they were."""
    box = Box(part="x", units=1, max_w=1.0, weight_kg=1.0)
    kinds = [("node", 0), ("node", 0), ("node", 1), ("leaf", 1), ("leaf", 2), ("spine", 2)]
    spots = [
        Spot(id=str(k), kind=kind, box=box, rack=rack, group=0)
        for k, (kind, rack) in enumerate(kinds)
    ]
    problem = SimpleNamespace(room=SimpleNamespace(alike=alike))

    def contents(found):
        racks = {rack: sorted(s.kind for s in found if s.rack == rack) for rack in range(3)}
        return racks if not alike else sorted(racks.values())

    orders = [mixed(spots, seed, problem) for seed in range(20)]
    assert all(contents(order) == contents(spots) for order in orders)
    assert len({tuple(s.rack for s in order) for order in orders}) > 1
    assert [s.rack for s in orders[3]] == [s.rack for s in mixed(spots, 3, problem)]


def test_even_spread_is_counted() -> None:
    """At 95 nodes it takes 16 spines where 12 have the ports."""
    (column,) = [
        c for c in columns(H100, "rail_optimised", 95, reserved_slots=1) if isinstance(c, Column)
    ]
    assert even_spread_spines(column.plan, 64) == 4
    (uneven,) = [
        c
        for c in columns(H100, "rail_optimised", 95, reserved_slots=1, even_spread=False)
        if isinstance(c, Column)
    ]
    assert even_spread_spines(uneven.plan, 64) == 0


def test_a_room_with_blocked_places_is_compared_too() -> None:
    """Racks are found by row and column, not by counting places that are blocked."""
    instance, path = load_instance("room-rows")
    solution = decide(instance, path, DecideOptions(alternatives=False), lambda _: None).solution
    careless = solution.design.careless
    assert careless.careless_longest_m >= careless.longest_m
