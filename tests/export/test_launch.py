"""Launch flags and topology: what is written reads back, through our own importers, as planned."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace

import pytest

from planner.domain.errors import UsageError
from planner.domain.instance import Instance
from planner.export.launch.job import launch_job
from planner.export.launch.megatron import megatron_text
from planner.export.launch.slurm import hostlist
from planner.export.launch.text import LAUNCH_KINDS, launch_text
from planner.export.launch.torchtitan import torchtitan_text
from planner.importers.deepspeed_config import read_deepspeed_config
from planner.importers.imported import Given
from planner.importers.megatron_args import read_megatron_args
from planner.importers.slurm_topology import read_slurm_topology
from planner.importers.source import Source
from planner.importers.torchtitan import read_torchtitan
from planner.study.decide import DecideOptions, decide

PINS = {
    "megatron": {"tp": 4, "pp": 2, "sharding": "zero1", "micro_batch": 1, "recompute": "full"},
    "deepspeed": {"tp": 1, "pp": 1, "sharding": "zero2", "micro_batch": 2},
    "torchtitan": {"tp": 2, "pp": 1, "sharding": "zero3", "micro_batch": 1},
}


def solved(folder, **pins):
    """Return two H100 servers training Llama 3 8B with a pinned strategy."""
    instance = Instance.model_validate(
        {
            "name": "launch",
            "workloads": [
                {"name": "train", "network": "llama3-8b", "sequence_length": 4096,
                 "global_batch": 128, "tokens": 1e9, "deadline_days": 30, "fix": pins}
            ],
            "site": {"racks": 4, "rack_kw": 44},
            "fix": {"server": "hgx-h100-8", "nodes": 2, "family": "infiniband",
                    "topology": "rail_optimised", "oversubscription": 1.0},
        }
    )  # fmt: skip
    options = DecideOptions(alternatives=False)
    return decide(instance, folder / "launch.json", options, lambda _: None).solution


def source(text: str, name: str) -> Source:
    """Return a text as an importer takes it."""
    return Source(name=name, text=text)


def test_megatron_reads_back(tmp_path) -> None:
    """Degrees, batch, sharding and recompute of the argument line are the solution's."""
    solution = solved(tmp_path, **PINS["megatron"])
    text = launch_text(solution, "megatron", None)
    workload = read_megatron_args(source(text, "launch.sh"), Given({})).document["workloads"][0]
    strategy = solution.workloads[0].strategy
    for key in ("tp", "pp", "micro_batch", "recompute", "sharding"):
        assert workload["fix"][key] == getattr(strategy, key), key
    assert workload["global_batch"] == 128
    assert workload["sequence_length"] == 4096


def test_deepspeed_reads_back(tmp_path) -> None:
    """Stage and batch arithmetic agree: train batch = micro-batch x accumulation x ranks."""
    solution = solved(tmp_path, **PINS["deepspeed"])
    text = launch_text(solution, "deepspeed", "train")
    data = json.loads(text)
    ranks = solution.workloads[0].strategy.dp
    assert data["train_batch_size"] == (
        data["train_micro_batch_size_per_gpu"] * data["gradient_accumulation_steps"] * ranks
    )
    imported = read_deepspeed_config(source(text, "ds.json"), Given({}))
    assert imported.document["workloads"][0]["fix"]["sharding"] == "zero2"


def test_torchtitan_reads_back(tmp_path) -> None:
    """Degrees and sharding of the job file are the solution's."""
    solution = solved(tmp_path, **PINS["torchtitan"])
    text = launch_text(solution, "torchtitan", None)
    document = read_torchtitan(source(text, "job.toml"), Given({})).document
    pinned = document["workloads"][0]["fix"]
    assert (pinned["tp"], pinned["sharding"]) == (2, "zero3")


@pytest.mark.parametrize(
    ("kind", "pins", "word"),
    [
        ("deepspeed", PINS["megatron"], "TP"),
        ("megatron", PINS["deepspeed"], "zero2"),
        ("torchtitan", PINS["megatron"], "zero1"),
    ],
)
def test_what_a_framework_cannot_express_is_said(tmp_path, kind, pins, word) -> None:
    """No flag is made up: the message names what is missing and another way."""
    with pytest.raises(UsageError, match=word):
        launch_text(solved(tmp_path, **pins), kind, None)
    with pytest.raises(UsageError, match="train"):
        launch_text(solved(tmp_path, **pins), kind, "other")


@pytest.mark.parametrize("kind", ["slurm", "slurm-yaml"])
def test_slurm_topology_reads_back(tmp_path, kind: str) -> None:
    """Every server stands below exactly one switch."""
    solution = solved(tmp_path, **PINS["megatron"])
    text = launch_text(solution, kind, None)
    name = "topology.yaml" if kind.endswith("yaml") else "topology.conf"
    imported = read_slurm_topology(source(text, name), Given({}))
    text = json.dumps(imported.document)
    nodes = {device.id for device in solution.devices if device.kind == "node"}
    assert all(text.count(f'"{node}"') >= 1 for node in nodes)


def test_nccl_environment_follows_the_fabric(tmp_path) -> None:
    """Rails keep to themselves; every line is a comment or an export."""
    text = launch_text(solved(tmp_path, **PINS["megatron"]), "nccl-env", None)
    assert "NCCL_CROSS_NIC=0" in text
    assert all(line.startswith(("#", "export ")) for line in text.splitlines())
    assert set(LAUNCH_KINDS) >= {"megatron", "deepspeed", "torchtitan", "nccl-env", "slurm"}


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["node-001"], "node-001"),
        (["node-001", "node-002", "node-003"], "node-[001-003]"),
        (["node-001", "node-003", "node-004"], "node-[001,003-004]"),
        (["a1", "b2"], "a1,b2"),
        (["n9", "n10"], "n9,n10"),
    ],
)
def test_hostlists_are_slurms(names: list[str], text: str) -> None:
    """Ranges where prefix and width agree, plain names elsewhere."""
    assert hostlist(names) == text


STAGES = {
    "even": (32, 4, 2, ["--num-layers-per-virtual-pipeline-stage 4"]),
    "loss counted": (31, 4, 2, ["--account-for-loss-in-pipeline-split",
                                "--num-virtual-stages-per-pipeline-rank 2"]),
    "both counted": (126, 16, 8, ["--account-for-embedding-in-pipeline-split",
                                  "--account-for-loss-in-pipeline-split",
                                  "--num-virtual-stages-per-pipeline-rank 8"]),
    "both counted, plain": (30, 4, 1, ["--account-for-embedding-in-pipeline-split",
                                       "--account-for-loss-in-pipeline-split"]),
    "told stage by stage": (33, 4, 1, ["--pipeline-model-parallel-layout 'Et*8|t*9|t*8|t*8L'"]),
}  # fmt: skip


def staged(folder, layers, pp, vpp):
    """Return a job whose network and pipeline are others than were solved."""
    job = launch_job(solved(folder, **PINS["torchtitan"]), None)
    schedule = "interleaved" if vpp > 1 else "1f1b"
    strategy = job.result.strategy.model_copy(
        update={"pp": pp, "vpp": vpp, "schedule": schedule, "sharding": "ddp"}
    )
    return replace(
        job,
        network=job.network.model_copy(update={"num_hidden_layers": layers}),
        result=job.result.model_copy(update={"strategy": strategy}),
    )


@pytest.mark.parametrize("case", list(STAGES))
def test_stages_of_megatron(tmp_path, case) -> None:
    """Megatron is told of uneven stages and of chunks, and of nothing else."""
    layers, pp, vpp, wanted = STAGES[case]
    lines = [
        line.strip(" \\") for line in megatron_text(staged(tmp_path, layers, pp, vpp)).split("\n")
    ]
    told = [line for line in lines if "split" in line or "virtual" in line or "layout" in line]
    assert told == wanted


@pytest.mark.parametrize("case", list(STAGES))
def test_stages_of_torchtitan(tmp_path, case) -> None:
    """Stages and chunks that torchtitan counts from its fields are the strategy's."""
    layers, pp, vpp, _ = STAGES[case]
    told = tomllib.loads(torchtitan_text(staged(tmp_path, layers, pp, vpp)))["parallelism"]
    counted = (
        layers
        + told["pipeline_parallel_first_stage_less_layers"]
        + told["pipeline_parallel_last_stage_less_layers"]
    )
    if vpp > 1:
        assert -(-counted // told["pipeline_parallel_layers_per_stage"]) == pp * vpp
    else:
        assert "pipeline_parallel_layers_per_stage" not in told
