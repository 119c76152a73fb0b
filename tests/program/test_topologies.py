"""Every topology as a choice of the program, end to end: counted, placed, cabled, counted again."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner.domain.instance import Instance
from planner.domain.resources import data_root
from planner.domain.solution import Solution
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify

SWITCH = "eight-ports"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose catalogue has an 8-port switch of 200 Gb/s, else like SN3700."""
    folder = tmp_path_factory.mktemp("small")
    with (data_root() / "models" / "hardware" / "switches.csv").open(encoding="utf-8") as file:
        reader = csv.DictReader(file)
        row = next(r for r in reader if r["id"] == "sn3700")
        names = reader.fieldnames
    row |= {"id": SWITCH, "cages": "8", "ports": "8", "max_ports_breakout": "8"}
    (folder / "catalog").mkdir()
    with (folder / "catalog" / "switches.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerow(row)
    return folder


def solved(folder: Path, nodes: int, topology: str, **changes: Any) -> Solution:
    """Return the answer for so many servers of two 200G links, verified."""
    workload = {
        "name": "a", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 1440,
        "step_time_s": 60.0, "margin": 0.0,
    }  # fmt: skip
    fields: dict[str, Any] = {
        "name": "small",
        "workloads": [workload],
        "site": {"racks": 40, "rack_kw": 11.5, "racks_per_row": 8},
        "grid": {"min_nodes": nodes, "max_nodes": nodes, "oversubscription": [1.0]},
        "fix": {
            "server": "l40s-8-pcie", "nic": "cx7-200-2p", "nics_per_node": 2, "switch": SWITCH,
            "family": "roce", "topology": topology,
        },
        "catalog": "catalog",
    }  # fmt: skip
    for key, value in changes.items():
        fields[key] = fields.get(key, {}) | value
    instance = Instance.model_validate(fields)
    options = DecideOptions(alternatives=False)
    decision = decide(instance, folder / "instance.json", options, lambda _: None)
    assert decision.solution.design is not None, decision.solution.reasons
    assert verify(decision.solution, decision.catalog) == []
    return decision.solution


CASES = [
    # nodes, topology, leafs, spines, cores, planes, pods
    (8, "rail_only", 2, 0, 0, 2, 0),
    (12, "rail_only", 6, 4, 0, 2, 0),
    (8, "dual_plane", 2, 0, 0, 2, 0),
    (12, "dual_plane", 6, 4, 0, 2, 0),
    (18, "three_tier", 10, 10, 5, 1, 3),
    (34, "rail_only", 18, 18, 10, 2, 3),
]


@pytest.mark.parametrize(("nodes", "topology", "leafs", "spines", "cores", "planes", "pods"), CASES)
def test_every_topology_is_bought_whole(
    folder: Path, nodes: int, topology: str, leafs: int, spines: int, cores: int, planes: int,
    pods: int,
) -> None:  # fmt: skip
    """Counts, devices, cables and bill agree; the checker counts them again without a complaint."""
    solution = solved(folder, nodes, topology)
    fabric = solution.design.fabric
    kinds = Counter(device.kind for device in solution.devices)
    assert (kinds["leaf"], kinds["spine"], kinds["core"]) == (leafs, spines, cores)
    assert (fabric.planes, fabric.pods) == (planes, pods)
    tiers = Counter(cable.tier for cable in solution.cables)
    assert tiers["node_leaf"] == 2 * nodes
    assert tiers["spine_core"] == fabric.cables.spine_core
    bought = sum(line.quantity for line in solution.bill_of_materials if line.part == SWITCH)
    assert bought == leafs + spines + cores
    assert solution.placement_gap < 0.35
