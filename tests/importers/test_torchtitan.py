from __future__ import annotations

import pytest

from planner.domain.errors import InputError
from planner.importers.imported import Given
from planner.importers.source import Source, read_source
from planner.importers.torchtitan import read_torchtitan


def read(text, **given):
    return read_torchtitan(Source(name="job.toml", text=text), Given(given))


def test_degrees_and_batch_follow_the_number_of_gpus(data_folder):
    """The shard degree -1 takes the rest of the ranks; the batch follows."""
    source = read_source(data_folder / "job.toml")
    workload = read_torchtitan(source, Given({"world_size": "32"})).document["workloads"][0]
    assert workload["network"] == "llama3-8b"
    assert workload["fix"] == {
        "tp": 4, "pp": 2, "cp": 1, "dp": 4, "micro_batch": 1, "schedule": "interleaved",
        "recompute": "full", "sequence_parallel": True, "sharding": "zero2",
    }  # fmt: skip
    assert workload["global_batch"] == 8
    assert workload["tokens"] == 100 * 8 * 4096
    assert workload["precision"] == "fp8"


def test_without_the_number_of_gpus_it_is_asked_for(data_folder):
    """The comment's preset is told, not taken."""
    result = read_torchtitan(read_source(data_folder / "job.toml"), Given())
    assert any("32 H100 GPUs" in fact for fact in result.facts)
    assert "world_size" in {entry.key for entry in result.missing}
    assert "global_batch" not in result.document["workloads"][0]


@pytest.mark.parametrize(
    ("parallel", "sharding", "world"),
    [
        ("data_parallel_shard_degree = 8", "zero3", 8),
        ("data_parallel_shard_degree = 1\ndata_parallel_replicate_degree = 4", "ddp", 4),
        ("data_parallel_shard_degree = 8\ndata_parallel_replicate_degree = 4", "hsdp", 32),
        ('data_parallel_shard_degree = 8\nfsdp_reshard_after_forward = "never"', "zero2", 8),
    ],
)
def test_sharding(parallel, sharding, world):
    """Shard and replica degrees name the sharding and the number of GPUs."""
    text = f"[training]\nlocal_batch_size = 1\nseq_len = 8\n[parallelism]\n{parallel}\n"
    workload = read(text).document["workloads"][0]
    assert workload["fix"]["sharding"] == sharding
    assert workload["fix"]["dp"] == world


def test_older_files_keep_degrees_elsewhere():
    """Before the parallelism section, degrees stood under training and experimental."""
    text = ("[training]\nbatch_size = 4\nseq_len = 8\ntensor_parallel_degree = 2\n"
            "data_parallel_degree = 3\n[experimental]\npipeline_parallel_degree = 2\n")  # fmt: skip
    fix = read(text).document["workloads"][0]["fix"]
    assert (fix["tp"], fix["pp"], fix["dp"]) == (2, 2, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = ", "is no TOML"),
        ("[x]\na = 1", "no section of torchtitan"),
        ("[training]\nseq_len = 'long'\nlocal_batch_size = -2", "training.seq_len"),
        ("[training]\nseq_len = " + "9" * 900, "is not usable"),
        ("[training]\na = " + "[" * 900, "is no TOML"),
        ("#" * 200_001, "characters"),
        ("a" + ".a" * 5000 + " = 1", "line 1: has more than 1,000 characters"),
    ],
)
def test_what_cannot_be_used_is_said(text, words):
    """Broken TOML, foreign TOML and wrong values end in sentences."""
    with pytest.raises(InputError, match=words):
        read(text)


def test_hardware_that_is_owned_is_pinned(data_folder):
    """What 'evaluate' must not choose is taken from the command line."""
    given = {"world_size": "32", "gpus_per_node": "8", "server": "hgx-h100-8",
             "family": "infiniband", "switch": "qm9700", "oversubscription": "2"}  # fmt: skip
    result = read_torchtitan(read_source(data_folder / "job.toml"), Given(given))
    assert result.document["fix"] == {
        "server": "hgx-h100-8", "family": "infiniband", "switch": "qm9700",
        "oversubscription": 2.0, "nodes": 4,
    }  # fmt: skip
    assert "server" not in {entry.key for entry in result.missing}
