"""The bound on the step time holds for every kind of network, those without attention too."""

from __future__ import annotations

import pytest

from planner.domain.instance import Instance
from planner.domain.json_file import validate
from planner.domain.resources import data_root
from planner.study.evaluate import evaluate


@pytest.mark.parametrize(
    ("network", "length"),
    [("resnet-50", 1), ("dlrm-dcnv2", 1), ("bert-base", 128), ("gpt2-xl", 1024),
     ("qwen3-30b-a3b", 1024)],
)  # fmt: skip
@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_every_family_is_bounded_and_timed(network: str, length: int, precision: str) -> None:
    """A network without attention does no attention; nothing divides by its width."""
    document = {
        "name": "bounded",
        "workloads": [{"name": "w", "network": network, "sequence_length": length,
                       "global_batch": 64, "step_time_s": 1e6, "precision": precision}],
        "site": {"racks": 4, "rack_kw": 60},
        "fix": {"server": "hgx-b300-8", "nodes": 1, "topology": "direct", "nics_per_node": 16},
    }  # fmt: skip
    file = data_root() / "instances" / "bounded.json"
    found = evaluate(validate(Instance, document, "bounded"), file).solution
    assert found.workloads, found.reasons
    assert found.workloads[0].step_time_s > 0
