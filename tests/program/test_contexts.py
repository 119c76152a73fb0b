"""Sequences longer than the network's own context: refused or told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.cli.main import run
from planner.domain.instance import Instance
from planner.domain.network import load_network
from planner.program.contexts import check_contexts, long_contexts


def asked(network, sequence):
    """Return an instance with one job, and its networks."""
    job = {"name": "train", "network": network, "sequence_length": sequence, "global_batch": 64,
           "step_time_s": 9}  # fmt: skip
    instance = Instance.model_validate(
        {"name": "long", "workloads": [job], "site": {"racks": 2, "rack_kw": 40}}
    )
    return instance, [load_network(network)]


@pytest.mark.parametrize(("network", "context"), [("gpt2-xl", 1024), ("bert-large", 512)])
def test_learned_positions_end(tmp_path, capsys, network, context):
    """One token more is refused with both figures; the context itself is not."""
    check_contexts(*asked(network, context), Path("x.json"))
    instance, _ = asked(network, context + 1)
    file = tmp_path / "long.json"
    file.write_text(json.dumps(instance.model_dump(mode="json", exclude_unset=True)), "utf-8")
    assert run(["solve", str(file), "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "$.workloads[0].sequence_length" in said
    assert f"{context + 1} tokens" in said
    assert f"for {context}" in said


def test_rotary_positions_are_stretched_and_that_is_told():
    """Nothing within the context, a line with both figures beyond, none where it is not known."""
    for network, sequence, lines in (
        ("llama3-8b", 8192, 0),
        ("llama3-8b", 8193, 1),
        ("resnet-50", 1, 0),
    ):
        instance, networks = asked(network, sequence)
        check_contexts(instance, networks, Path("x.json"))
        found = list(long_contexts(instance, networks))
        assert len(found) == lines
        assert all("8193" in line.value and "8192" in line.value for line in found)
