"""Small designs on a made-up 8-port switch, so that a few servers need every topology."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from planner.domain.instance import Instance
from planner.domain.resources import data_root
from planner.study.decide import DecideOptions, Decision, decide

SWITCH = "eight-ports"


def small_catalog(folder: Path) -> Path:
    """Write a catalogue with an 8-port switch of 200 Gb/s, else like SN3700; return the folder."""
    with (data_root() / "models" / "hardware" / "switches.csv").open(encoding="utf-8") as file:
        reader = csv.DictReader(file)
        row = next(r for r in reader if r["id"] == "sn3700")
        names = reader.fieldnames
    assert names is not None
    row |= {"id": SWITCH, "cages": "8", "ports": "8", "max_ports_breakout": "8"}
    (folder / "catalog").mkdir()
    with (folder / "catalog" / "switches.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerow(row)
    return folder


def small_instance(nodes: int, topology: str, **changes: Any) -> Instance:
    """Return an instance that fixes so many servers of two 200G links, and a topology."""
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
    return Instance.model_validate(fields)


def small_decision(folder: Path, nodes: int, topology: str, **changes: Any) -> Decision:
    """Return the answer to such an instance, with the catalogue of the folder."""
    instance = small_instance(nodes, topology, **changes)
    options = DecideOptions(alternatives=False)
    return decide(instance, folder / "instance.json", options, lambda _: None)
