"""The constants of the collective model: complete, sourced, and refused when crooked."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from planner.domain.errors import InputError
from planner.domain.hardware import Architecture
from planner.domain.physics_constants import (
    read_collective_constants,
    shipped_collective_constants,
)
from planner.domain.resources import data_root
from planner.physics.wiring import NETWORK_KINDS, SCALE_UP_KINDS

FILE = data_root() / "models" / "hardware" / "collectives.json"
CONSTANTS = shipped_collective_constants()


def figures(node: Any, path: str = "$") -> list[tuple[str, dict[str, Any]]]:
    """Return every figure of a document with its place."""
    if not isinstance(node, dict):
        return []
    if {"value", "status", "source"} <= set(node):
        return [(path, node)]
    return [found for key, part in node.items() for found in figures(part, f"{path}.{key}")]


def test_every_kind_of_wiring_has_constants():
    """No scale-up, network or architecture that a design can have is without constants."""
    assert set(CONSTANTS.scale_ups) == set(SCALE_UP_KINDS)
    assert set(CONSTANTS.networks) == set(NETWORK_KINDS)
    assert set(get_args(Architecture)) - {"tpu"} <= set(CONSTANTS.architectures)
    assert CONSTANTS.architecture("tpu") == CONSTANTS.architectures["unknown"]


def test_every_figure_says_where_it_comes_from():
    """A fitted figure names the fit, a sourced one its source, an estimate calls itself one."""
    found = figures(json.loads(FILE.read_text(encoding="utf-8")))
    assert len(found) > 200
    for path, figure in found:
        source = figure["source"]
        if figure["status"] == "fitted":
            assert "tests/data/collectives.csv" in source or "tests/data/steps.csv" in source, path
        elif figure["status"] == "unvalidated":
            assert source.startswith("estimate"), path
        else:
            assert any(word in source for word in ("NCCL", "nccl", "PCI-SIG", "glass")), path


def test_shares_are_at_most_one_and_hops_are_ordered():
    """No link sustains more than its rate, and no low-latency hop is slower than a plain one."""
    for name, part in CONSTANTS.architectures.items():
        for share in (part.scale_up_efficiency, part.pairwise_efficiency, part.nvls_efficiency):
            assert 0.0 <= share.value <= 1.0, name
    lossless = {name: CONSTANTS.networks[name] for name in ("infiniband", "roce")}
    for name, part in {**CONSTANTS.scale_ups, **lossless}.items():
        for hop in (part.ring_hop_s, part.tree_hop_s):
            assert hop.LL.value <= hop.LL128.value <= hop.Simple.value, name
    for name, network in CONSTANTS.networks.items():
        assert 0.0 < network.efficiency.value <= 1.0, name
        assert 0.0 < network.all_to_all_efficiency.value <= 1.0, name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("networks"), r"\$\.networks: is missing"),
        (lambda d: d["architectures"].pop("unknown"), "lacks 'unknown'"),
        (lambda d: d.update(extra=1), "unknown key 'extra'"),
        (lambda d: d["fill_bytes"].update(value=-1.0), r"\$\.fill_bytes\.value"),
        (lambda d: d["fill_bytes"].update(status="guessed"), r"\$\.fill_bytes\.status"),
        (lambda d: d["tuner"]["tree_correction"].update(LL=[1.0]), "has 1 entries; give 24"),
    ],
)
def test_crooked_constants_are_named_with_their_place(tmp_path, change, message):
    """Every fault of a user's own constants file is one line with its JSON path."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    change(document)
    path = tmp_path / "collectives.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_collective_constants(path)
