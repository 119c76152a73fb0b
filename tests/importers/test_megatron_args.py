from __future__ import annotations

import contextlib

import pytest

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.importers.imported import Given
from planner.importers.megatron_args import read_megatron_args
from planner.importers.source import Source, read_source


def read(text_or_path, **given):
    if isinstance(text_or_path, str):
        text_or_path = Source(name="line.txt", text=text_or_path)
    else:
        text_or_path = read_source(text_or_path)
    return read_megatron_args(text_or_path, Given(given))


def job(result):
    return result.document["workloads"][0]


def test_script_is_followed_through_variables_cases_and_arrays(data_folder):
    """Every degree of the launch comes out as the shell would expand it."""
    result = read(data_folder / "launch.sh")
    workload = job(result)
    assert workload["fix"] == {
        "tp": 2, "pp": 2, "cp": 1, "dp": 8, "vpp": 2, "schedule": "interleaved", "micro_batch": 2,
        "recompute": "selective", "sequence_parallel": True, "sharding": "zero1",
    }  # fmt: skip
    assert (workload["global_batch"], workload["sequence_length"]) == (256, 1024)
    assert workload["samples"] == 256_000
    assert result.document["fix"] == {"nodes": 4}
    assert any("cluster_env.sh" in warning for warning in result.warnings)


def test_network_of_a_script_counts_as_by_hand(data_folder):
    """Twelve gated layers of 512 with four key-value heads and a padded, untied vocabulary."""
    result = read(data_folder / "launch.sh")
    network = next(doc for name, doc in result.documents.items() if name != "instance.json")
    assert network["vocab_size"] == 32000  # already a multiple of 128 x TP 2
    layer = 512 * 64 * (8 + 2 * 4) + 512 * 512 + 3 * 512 * 2048 + 2 * 512
    expected = 12 * layer + 512 + 2 * 32000 * 512
    assert any(f"{expected:,} parameters" in fact for fact in result.facts)


def test_given_values_win_over_the_environment(data_folder):
    """A parameter and an environment variable of the script can be set from outside."""
    assert read(data_folder / "launch.sh", SLURM_NNODES="16").document["fix"] == {"nodes": 16}
    network = read(data_folder / "launch.sh", MODEL_SIZE="nano", HEADS="4", HIDDEN="256")
    assert network.documents["launch.json"]["num_hidden_layers"] == 2
    with pytest.raises(InputError, match="3 is no multiple of 7 heads"):
        read(data_folder / "launch.sh", HEADS="7", HIDDEN="3")


def test_deepspeed_stage_is_read_from_the_file_that_the_script_writes(data_folder):
    """The ZeRO stage stands in a here-document with a variable inside."""
    result = read(data_folder / "launch_deepspeed.sh")
    workload = job(result)
    assert workload["fix"]["sharding"] == "zero2"
    assert workload["fix"]["ep"] == 4
    assert workload["fix"]["dp"] == 8
    assert workload["fix"]["recompute"] == "full"
    assert workload["precision"] == "fp16"
    assert workload["tokens"] == 1e9
    network = next(doc for name, doc in result.documents.items() if name != "instance.json")
    assert (network["num_experts_per_tok"], network["moe_layer_freq"]) == (1, 2)
    assert network["vocab_size"] == 50304


LINE = (
    "--num-layers 4 --hidden-size 128 --num-attention-heads 4 --seq-length 256 "
    "--micro-batch-size 1 --global-batch-size 16 --vocab-size 1000 --bf16 "
)


def test_bare_line_lists_what_is_missing_by_key():
    """A line without a launcher says which keys would complete it."""
    result = read(LINE)
    keys = {entry.key for entry in result.missing}
    assert {"world_size", "deadline_days", "tokens", "racks", "rack_kw"} <= keys
    assert "dp" not in job(result)["fix"]


def test_complete_facts_give_a_valid_instance():
    """With the missing keys the document is an instance as it stands."""
    result = read(LINE, world_size="16", gpus_per_node="8", tokens="1e9", deadline_days="10",
                  racks="2", rack_kw="40", network="llama3-8b")  # fmt: skip
    instance = Instance.model_validate(result.document)
    assert instance.workloads[0].fix.dp == 16
    assert instance.fix.nodes == 2
    assert list(result.documents) == ["instance.json"]


def test_list_and_log_say_the_same_as_the_line():
    """A YAML list and the arguments that a log prints read as the command line does."""
    listed = "MODEL_ARGS:\n" + "\n".join(
        f"  --{pair.strip().replace(' ', ': ')}"
        if " " in pair.strip()
        else f"  --{pair.strip()}: true"
        for pair in LINE.split("--")[1:]
    )
    log = "\n".join(
        f"[rank0]:   {pair.split()[0].replace('-', '_')} {'.' * 20} "
        f"{pair.split()[1] if len(pair.split()) > 1 else 'True'}"
        for pair in LINE.split("--")[1:]
    )
    expected = job(read(LINE))
    for text in (listed, log + "\n  world_size .... 32\n"):
        workload = job(read(text))
        assert workload["global_batch"] == expected["global_batch"]
        assert workload["fix"].items() >= expected["fix"].items()
    assert job(read(log + "\n  world_size .... 32\n"))["fix"]["dp"] == 32


def test_latent_attention_and_layer_pattern():
    """DeepSeek's options give MLA, leading dense layers and shared experts."""
    line = LINE + (
        "--multi-latent-attention --kv-lora-rank 32 --q-lora-rank 48 --qk-head-dim 16 "
        "--qk-pos-emb-head-dim 8 --v-head-dim 16 --num-experts 8 --moe-router-topk 2 "
        "--moe-ffn-hidden-size 64 --moe-shared-expert-intermediate-size 128 "
        "--moe-layer-freq [0]*1+[1]*3 --moe-router-enable-expert-bias"
    )
    network = read(line).documents["line.json"]
    assert network["first_k_dense_replace"] == 1
    assert network["n_shared_experts"] == 2
    assert (network["kv_lora_rank"], network["qk_nope_head_dim"]) == (32, 16)
    with pytest.raises(InputError, match="describes 3 layers, not 4"):
        read(line.replace("[1]*3", "[1]*2"))


def test_a_job_that_cannot_start_is_said():
    """TP x PP above the GPUs there are is a warning, not a wrong degree."""
    result = read(LINE + "--tensor-model-parallel-size 8 --nproc_per_node 4 --nnodes 1")
    assert any("cannot start as written" in warning for warning in result.warnings)
    assert "dp" not in job(result)["fix"]
    assert "fix" not in result.document


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo hello", "no options of Megatron"),
        ("--num-layers four --hidden-size 128", "--num-layers: 'four' is not usable"),
        ("--num-layers 1e400 --hidden-size 128", "--num-layers"),
        ("--num-layers -3 --hidden-size 128", "'-3' is not usable"),
        (LINE.replace("128", "130"), "130 is no multiple of 4 heads"),
        ("x " * 300_000, "words"),
    ],
)
def test_what_cannot_be_used_is_said(text, words):
    """Wrong values and foreign texts end in sentences."""
    with pytest.raises(InputError, match=words):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "A=$(" * 5000 + LINE,
        "A=" + "${B:-" * 500 + LINE,
        'X="$X$X$X$X"\n' * 200 + LINE,
        "A=$((9**9**9**9))\nB=$((" + "(" * 400 + "1" + ")" * 400 + "))\n" + LINE,
        "if [ 1 -eq 1 ]; then\n" * 300 + LINE,
        "case x in\n" * 300 + LINE,
        "A=(" * 300 + LINE,
        "fi\nfi\nesac\ndone\nelse\n)\n" + LINE,
        "cat <<EOT\n" + LINE,
        "'" + LINE,
        '"`${' + LINE,
    ],
)
def test_odd_scripts_end(text):
    """Unbalanced, nested and growing scripts are read or refused, quickly."""
    with contextlib.suppress(InputError):
        assert read(text).documents["instance.json"]["workloads"]
