"""Servers that are delivered as racks: no cabinet and no PDU is bought for them, by any way."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.instance import Instance
from planner.program.market import open_market
from planner.program.monolith import solve_monolith
from planner.program.scan import scan
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.program.brute_force import brute_force

FILE = Path("whole.json")


def instance(nodes: int, topology: str, switch: str = "sn5600", family: str = "roce") -> Instance:
    """Return an instance that buys so many half racks of Blackwell."""
    job = {"name": "a", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 288,
           "step_time_s": 60.0, "margin": 0.0}  # fmt: skip
    return Instance.model_validate({
        "name": "whole", "workloads": [job],
        "site": {"racks": 4, "rack_kw": 70, "cooling": "liquid", "racks_per_row": 4},
        "grid": {"min_nodes": nodes, "max_nodes": nodes, "oversubscription": [1.0]},
        "fix": {"server": "gb200-nvl36", "topology": topology, "family": family, "switch": switch},
    })  # fmt: skip


@pytest.mark.parametrize(
    ("nodes", "topology", "bought"), [(1, "direct", 1), (2, "single", 1), (3, "single", 1)]
)
def test_racks_are_bought_for_switches_only(nodes: int, topology: str, bought: int) -> None:
    """Management and fabric switches share a bought rack; the bill has it and its PDUs alone."""
    asked = instance(nodes, topology)
    decision = decide(asked, FILE, DecideOptions(alternatives=False), lambda _: None)
    solution = decision.solution
    assert solution.design is not None, solution.reasons
    assert verify(solution, decision.catalog) == []
    assert len(solution.racks) == nodes + bought
    whole = [rack for rack in solution.racks if rack.delivered_whole]
    assert len(whole) == nodes
    assert not any(rack.pdus for rack in whole)
    catalog = load_catalog()
    lines = {line.part: line.quantity for line in solution.bill_of_materials}
    assert sum(n for part, n in lines.items() if part in catalog.racks) == bought
    pdus = sum(n for part, n in lines.items() if part in catalog.pdus)
    assert pdus == sum(len(rack.pdus) for rack in solution.racks) > 0


@pytest.mark.parametrize(("nodes", "topology"), [(1, "direct"), (2, "single")])
def test_three_ways_agree_on_whole_racks(nodes: int, topology: str) -> None:
    """Scan, program and brute force buy the same racks for the same money."""
    asked = instance(nodes, topology)
    best = scan(open_market(asked, FILE)).best
    assert best is not None
    cents = best.placed.cost_cents
    assert solve_monolith(open_market(asked, FILE)).cost_cents == cents
    assert brute_force(asked).cents == cents
