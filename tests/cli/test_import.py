from __future__ import annotations

import json

import pytest

from planner.cli.main import run
from planner.domain.instance import Instance
from planner.domain.network import Network, load_network
from planner.importers.kinds import ALIASES, KINDS

CONFIG = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 100,
}  # fmt: skip
LINE = (
    "--num-layers 4 --hidden-size 128 --num-attention-heads 4 --seq-length 256 "
    "--micro-batch-size 1 --global-batch-size 16 --vocab-size 1000 --bf16"
)


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


def test_the_answer_is_on_standard_output(config, capsys):
    """Standard output holds the document alone, as a network file."""
    assert run(["import", "hf-config", str(config)]) == 0
    shown = capsys.readouterr()
    assert Network.model_validate_json(shown.out).vocab_size == 100
    assert "parameters" in shown.err


def test_written_network_is_one_that_an_instance_can_name(config, tmp_path, capsys):
    """The file that is written loads by its path."""
    target = tmp_path / "out" / "mine.json"
    assert run(["import", "hf-config", str(config), "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert load_network(str(target)).hidden_size == 64


def test_json_holds_everything(config, capsys):
    """One document with the answer, what is doubtful and what is missing."""
    assert run(["import", "hf-config", str(config), "--json", "--set", "name=mine"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"kind", "file", "documents", "facts", "warnings", "missing"}
    assert list(document["documents"]) == ["mine.json"]


def test_a_launch_becomes_an_instance_with_its_network_beside_it(tmp_path, capsys):
    """The folder that is written holds an instance whose network loads from there."""
    script = tmp_path / "line.txt"
    script.write_text(LINE)
    folder = tmp_path / "job"
    given = ["world_size=16", "gpus_per_node=8", "tokens=1e9", "deadline_days=10", "racks=2",
             "rack_kw=40"]  # fmt: skip
    arguments = [part for pair in given for part in ("--set", pair)]
    assert run(["import", "megatron-args", str(script), "-o", str(folder), *arguments]) == 0
    assert "a complete instance" in capsys.readouterr().err
    instance = Instance.model_validate_json((folder / "instance.json").read_text())
    assert load_network(instance.workloads[0].network, near=folder).hidden_size == 128


@pytest.mark.parametrize("alias", sorted(set(ALIASES) | set(KINDS)))
def test_every_name_of_a_kind_is_known(alias, capsys):
    """Aliases have the help of their kind."""
    assert run(["import", alias, "--help"]) == 0
    assert "Usage" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hf-conf", "x"], "'hf-conf' is no kind of file that can be imported; did you mean"),
        (["zzz", "x"], "known kinds: hf-config"),
        (["hf-config", "absent.json"], "absent.json: $: no such file"),
        (["hf-config", "{config}", "--set", "colour=red"], "is no key of hf-config"),
        (["hf-config", "{config}", "--set", "colour"], "KEY=VALUE"),
        (["hf-config", "{config}", "-o", "/dev/null/x.json"], "--output"),
        (["slurm-topology", "{config}"], "no topology of Slurm"),
    ],
)
def test_what_cannot_be_done_is_said_with_exit_code_2(arguments, words, config, capsys):
    """Unknown kinds, files and keys leave with 2 and one sentence."""
    arguments = [part.replace("{config}", str(config)) for part in arguments]
    assert run(["import", *arguments]) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert "Traceback" not in shown.err


def test_names_that_no_encoding_holds_are_printed(tmp_path, capsys):
    """Half a surrogate pair in a name neither breaks the output nor the file."""
    path = tmp_path / "config.json"
    path.write_text(
        json.dumps(
            {"model_type": "\ud800x", **{k: v for k, v in CONFIG.items() if k != "model_type"}}
        )
    )
    assert run(["import", "hf-config", str(path), "-o", str(tmp_path / "n.json")]) == 0
    assert "ud800" in capsys.readouterr().err
