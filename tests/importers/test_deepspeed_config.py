from __future__ import annotations

import json

import pytest

from planner.domain.errors import InputError
from planner.importers.deepspeed_config import read_deepspeed_config
from planner.importers.imported import Given
from planner.importers.source import Source, read_source


def read(data, **given):
    text = data if isinstance(data, str) else json.dumps(data)
    return read_deepspeed_config(Source(name="ds.json", text=text), Given(given))


def test_batch_sizes_give_the_ranks(data_folder):
    """128 = 2 x 4 x 16 ranks; stage, precision and offload are told."""
    result = read_deepspeed_config(read_source(data_folder / "ds_config.json"), Given())
    workload = result.document["workloads"][0]
    assert workload["fix"] == {"dp": 16, "micro_batch": 2, "sharding": "zero3"}
    assert (workload["global_batch"], workload["precision"]) == (128, "bf16")
    assert any("optimizer states are kept on cpu" in warning for warning in result.warnings)
    assert "reduce_bucket_size 500,000,000 elements" in result.facts


@pytest.mark.parametrize(
    ("sizes", "world", "expected"),
    [
        ({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4}, 8, (64, 4)),
        ({"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2}, 8, (64, 4)),
        ({"train_batch_size": 64, "gradient_accumulation_steps": 2}, 8, (64, 4)),
        ({"train_batch_size": 64, "gradient_accumulation_steps": 1}, None, (64, None)),
    ],
)
def test_two_sizes_and_the_ranks_give_the_third(sizes, world, expected):
    """Batch arithmetic is solved for what the file leaves out."""
    given = {"world_size": str(world)} if world else {}
    workload = read(sizes, **given).document["workloads"][0]
    assert (workload["global_batch"], workload["fix"].get("micro_batch")) == expected


def test_auto_is_missing_until_given():
    """An auto value is listed by its key and can be given."""
    data = {"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}}
    assert "train_micro_batch_size_per_gpu" in {entry.key for entry in read(data).missing}
    result = read(data, train_micro_batch_size_per_gpu="3", world_size="4")
    assert result.document["workloads"][0]["global_batch"] == 12


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"train_batch_size": CONFIG_BATCH,\n "zero_optimization": {"stage": ZERO_STAGE}}',
         "template: CONFIG_BATCH, ZERO_STAGE stand for values"),
        ({"train_batch_size": 10, "train_micro_batch_size_per_gpu": 4,
          "gradient_accumulation_steps": 1}, "10 is no multiple of micro-batch 4"),
        ({"zero_optimization": {"stage": 7}}, "7 is no stage"),
        ({"train_batch_size": "many"}, "'many' is no batch size"),
        ({"hidden_size": 4}, "is no DeepSpeed configuration"),
        ("[1]", "is no DeepSpeed configuration"),
        ("{", "line 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said(data, words):
    """Templates, contradictions and foreign files end in sentences."""
    with pytest.raises(InputError, match=words):
        read(data)


def test_given_world_must_agree():
    """A world size that contradicts the three batch sizes is a fault."""
    data = {"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1,
            "gradient_accumulation_steps": 1}  # fmt: skip
    with pytest.raises(InputError, match="8 is not micro-batch 1 x accumulation 1 x 4 ranks"):
        read(data, world_size="4")
