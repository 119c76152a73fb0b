"""Networks: exact parameter counts against published ones, faults named."""

from __future__ import annotations

import json

import pytest

from planner.domain.errors import InputError
from planner.domain.network import NETWORKS, Network, load_network
from planner.domain.resources import known_names


@pytest.mark.parametrize("name", known_names(NETWORKS))
def test_published_parameters(name):
    """Every shipped network counts the parameters that its source publishes, within 0.5 %."""
    network = load_network(name)
    assert network.source
    assert network.published_parameters is not None
    assert network.parameters == pytest.approx(network.published_parameters, rel=5e-3)


def test_llama_exact():
    """Llama 3 8B has exactly the parameters of its checkpoint index."""
    assert load_network("llama3-8b").parameters == 8_030_261_248


def test_gpt2_xl_exact():
    """GPT-2 XL has exactly the parameters of its checkpoint."""
    assert load_network("gpt2-xl").parameters == 1_557_611_200


def test_unknown_network_names_the_known():
    """An unknown network's message lists what is known."""
    with pytest.raises(InputError, match="llama3-8b"):
        load_network("lama3-8b")


def test_user_file(tmp_path):
    """A user's own file is read by path and its typo is named with the right key."""
    data = json.loads(load_network("llama3-8b").model_dump_json())
    data["hidden_sise"] = data.pop("hidden_size")
    (tmp_path / "own.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="hidden_size"):
        load_network("own.json", near=tmp_path)


def test_head_count_must_divide():
    """Grouped heads that do not divide are refused."""
    with pytest.raises(ValueError, match="multiple"):
        Network(
            name="x", hidden_size=64, intermediate_size=64, num_hidden_layers=1,
            num_attention_heads=8, num_key_value_heads=3, vocab_size=10, source="test",
        )  # fmt: skip


def test_experts_count_only_where_visited():
    """Active parameters leave out the experts that a token does not visit."""
    network = Network(
        name="x", family="moe", hidden_size=64, intermediate_size=0, num_hidden_layers=2,
        num_attention_heads=4, vocab_size=10, num_experts=8, num_experts_per_tok=2,
        moe_intermediate_size=16, source="test",
    )  # fmt: skip
    assert network.parameters - network.active_parameters == 2 * 6 * 3 * 64 * 16
