"""Switches of one plane take a rack together where links inside a rack are cheaper."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from planner.domain.design import FabricChoice, FabricPlan
from planner.domain.instance import Instance
from planner.physics.fabric import size_fabric
from planner.program.parted_placement import joined_switches
from planner.program.switch_pairs import leaf_spine_pairs
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.program.random_rooms import Ports


@pytest.mark.parametrize(
    ("topology", "servers", "cores"), [("rail_only", 12, ""), ("dual_plane", 9, ""),
                                       ("three_tier", 18, "core")],
)  # fmt: skip
def test_groups_hold_all_that_is_joined(topology: str, servers: int, cores: str) -> None:
    """Every leaf and spine is in one group, and joined pairs are in the same."""
    choice = FabricChoice(
        family="roce", topology=topology, leaf_switch="leaf", spine_switch="spine",
        core_switch=cores,
    )  # fmt: skip
    ports = Ports(8)
    plan = size_fabric(choice, servers, 2, 400.0, ports, ports, core=ports)
    assert isinstance(plan, FabricPlan)
    groups = joined_switches(plan)
    of = {key: k for k, group in enumerate(groups) for key in group}
    assert len(of) == sum(map(len, groups)) == plan.leafs + plan.spines
    assert all(of["leaf", a] == of["spine", b] for a, b, _ in leaf_spine_pairs(plan))


def test_planes_of_rails_take_racks_together() -> None:
    """Eighty servers with a fabric a rail: six planes of eight at least stand in one rack each.

    Each plane's 3 leafs and 2 spines once stood beside servers, with optics between all of them.
    """
    job = {"name": "a", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 1152,
           "step_time_s": 600.0, "margin": 0.0}  # fmt: skip
    asked = Instance.model_validate({
        "name": "rails", "workloads": [job],
        "site": {"racks": 40, "rack_kw": 45, "racks_per_row": 12},
        "grid": {"min_nodes": 80, "max_nodes": 80, "oversubscription": [1.0]},
        "fix": {"server": "hgx-h100-8", "topology": "rail_only", "family": "infiniband",
                "switch": "qm9700"},
    })  # fmt: skip
    decision = decide(asked, Path("t.json"), DecideOptions(alternatives=False), lambda _: None)
    solution = decision.solution
    assert solution.design is not None
    assert verify(solution, decision.catalog) == []
    assert solution.placement_gap <= 0.15
    racks: dict[int, set[str]] = defaultdict(set)
    for device in solution.devices:
        if device.plane >= 0:
            racks[device.plane].add(device.rack)
    assert len(racks) == 8
    assert sum(len(where) == 1 for where in racks.values()) >= 6
