from __future__ import annotations

import json

import pytest

from planner.domain.errors import InputError
from planner.domain.network import Network
from planner.importers.hf_config import read_hf_config
from planner.importers.imported import Given
from planner.importers.source import Source


def read(config, **given):
    source = Source(name="folder/config.json", text=json.dumps(config))
    return read_hf_config(source, Given(given))


def network(config, **given) -> Network:
    return Network.model_validate(read(config, **given).document)


def test_parameter_counts_are_those_published(known_networks):
    """More than forty published models, each within 0.5 % of its published count."""
    assert len(known_networks) >= 45
    errors = {
        row["name"]: network(row["config"]).parameters / row["published"] - 1
        for row in known_networks
    }
    assert {name: error for name, error in errors.items() if abs(error) > 0.005} == {}


def test_most_counts_are_exact_to_the_parameter(known_networks):
    """Where the sum of a model's tensors is published, ours is that integer."""
    exact = [
        row["name"]
        for row in known_networks
        if network(row["config"]).parameters == row["published"]
    ]
    assert len(exact) >= 32


def test_every_known_network_round_trips_as_json(known_networks):
    """The document is a network file as it stands."""
    for row in known_networks:
        document = json.loads(json.dumps(read(row["config"]).document))
        assert Network.model_validate(document).parameters == network(row["config"]).parameters


LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 100,
}


def test_unknown_type_with_standard_keys_is_read_with_a_warning():
    """A new model reads by its keys, and says that it was guessed."""
    config = {**LLAMA, "model_type": "brandnew", "hidden_act": "silu", "rms_norm_eps": 1e-5,
              "rope_theta": 1e4, "tie_word_embeddings": False}  # fmt: skip
    result = read(config)
    assert Network.model_validate(result.document).parameters == network(LLAMA).parameters
    assert any("brandnew" in warning and "not known" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        # six keys of Calculon; no vocabulary, so layers alone: 12 h^2 + 13 h a layer, one norm
        ({"hidden": 64, "feedforward": 256, "seq_size": 10, "attn_heads": 4, "attn_size": 16,
          "num_blocks": 3}, 3 * (12 * 64 * 64 + 13 * 64) + 2 * 64 + 10 * 64),
        # flat form with the name alone
        ({"name": "facebook_opt-9", "max_seq_len": 20, "num_layers": 2, "n_head": 4,
          "hidden_dim": 64, "vocab_size": 100, "ffn_embed_dim": 256},
         2 * (12 * 64 * 64 + 13 * 64) + 2 * 64 + (100 + 22) * 64),
        # Meta's params.json: width from two thirds of 4 x dim, rounded up
        ({"dim": 64, "n_layers": 1, "n_heads": 4, "n_kv_heads": 2, "multiple_of": 32,
          "norm_eps": 1e-5, "vocab_size": 100},
         64 * 64 * 2 + 2 * 64 * 32 + 3 * 64 * 192 + 3 * 64 + 2 * 100 * 64),
    ],
)  # fmt: skip
def test_other_layouts_of_the_same_facts(config, parameters):
    """Flat files of other tools and of model authors count as by hand."""
    assert network(config).parameters == parameters


def test_text_part_of_a_composite_model_is_read_alone():
    """A vision-language model gives its language network and says what is left out."""
    result = read({"model_type": "qwen3_vl", "text_config": {**LLAMA, "model_type": "qwen3"},
                   "vision_config": {"depth": 2}})  # fmt: skip
    assert result.document["qk_norm"] is True
    assert any("vision tower" in warning for warning in result.warnings)


def test_experts_between_dense_layers():
    """Dense layers are counted wherever they stand, and their place is doubted aloud."""
    moe = {**LLAMA, "model_type": "qwen3_moe", "num_hidden_layers": 6, "num_experts": 4,
           "num_experts_per_tok": 2, "moe_intermediate_size": 32}  # fmt: skip
    result = read({**moe, "decoder_sparse_step": 2})
    assert result.document["moe_layer_freq"] == 2
    assert result.warnings == ()
    assert network({**moe, "decoder_sparse_step": 2}).moe_layers == 3
    assert read({**moe, "mlp_only_layers": [0], "decoder_sparse_step": 1}).warnings == ()
    odd = read({**moe, "mlp_only_layers": [2, 3], "decoder_sparse_step": 1})
    assert odd.document["first_k_dense_replace"] == 2
    assert any("2 of 6 layers are dense" in warning for warning in odd.warnings)
    listed = read({**moe, "moe_layer_freq": [0, 0, 1, 1, 1, 1]})
    assert (listed.document["first_k_dense_replace"], listed.warnings) == (2, ())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hidden_size": None}, r"hidden_size: is missing; known names: hidden_size, n_embd"),
        ({"hidden_size": "64"}, r"hidden_size: '64' is no size"),
        ({"hidden_size": -1}, r"hidden_size: -1 is no size"),
        ({"hidden_size": 65}, r"no multiple of the 4 heads"),
        ({"num_hidden_layers": 1e300}, r"num_hidden_layers: .* is no size"),
        ({"vocab_size": True}, r"vocab_size: True is no size"),
        ({"num_key_value_heads": 3}, r"no multiple of num_key_value_heads"),
        ({"model_type": "mamba"}, r"recurrent"),
        ({"model_type": "nemotron_h"}, r"mixes attention"),
        ({"ssm_state_size": 16}, r"ssm_state_size"),
        ({"layer_types": ["linear_attention"]}, r"linear_attention"),
        ({"model_type": "vit"}, r"vision model"),
        ({"weight_map": {}}, r"index of a model's weights"),
        ({"zero_optimization": {}}, r"import it as deepspeed-config"),
        ({"num_experts": 8}, r"num_experts_per_tok: is missing"),
        ({"num_experts": 8, "num_experts_per_tok": 1, "moe_layer_freq": "x"}, r"moe_layer_freq"),
    ],
)
def test_what_cannot_be_used_is_said(change, words):
    """Each wrong or foreign file ends in a sentence that names the key."""
    with pytest.raises(InputError, match=words):
        read({**LLAMA, **change})


def test_all_missing_sizes_are_named_at_once():
    """One run names every key that is needed."""
    with pytest.raises(InputError) as caught:
        read({"model_type": "llama2"})
    named = {fault.where for fault in caught.value.faults}
    assert {"$.hidden_size", "$.num_attention_heads", "$.num_hidden_layers"} <= named


def test_vocabulary_can_be_given():
    """A file without a vocabulary says so, and takes one from the command line."""
    config = {key: value for key, value in LLAMA.items() if key != "vocab_size"}
    assert [entry.key for entry in read(config).missing if entry.key == "vocab_size"] or any(
        "vocab_size" in warning for warning in read(config).warnings
    )
    assert network({**config, "model_type": "qwen3"}, vocab_size="100").vocab_size == 100


FALCON = {"model_type": "falcon", "hidden_size": 64, "num_hidden_layers": 2,
          "num_attention_heads": 4, "vocab_size": 100, "bias": False}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "heads"),
    [
        ({"multi_query": True}, 1),
        ({"multi_query": True, "new_decoder_architecture": True, "num_kv_heads": 2}, 2),
        ({"multi_query": False}, 4),
    ],
)
def test_falcon_shares_keys_in_three_ways(change, heads):
    """One key-value head, several, or one a query; four times the width inside."""
    found = network({**FALCON, **change})
    assert (found.num_key_value_heads, found.intermediate_size) == (heads, 256)


def test_nested_attention_and_experts_are_lifted():
    """MPT and DBRX keep heads and experts in objects of their own."""
    config = {"model_type": "dbrx", "d_model": 64, "n_heads": 4, "n_layers": 2, "vocab_size": 100,
              "attn_config": {"kv_n_heads": 2},
              "ffn_config": {"ffn_hidden_size": 96, "moe_num_experts": 4, "moe_top_k": 2}}  # fmt: skip
    found = network(config)
    assert (found.num_key_value_heads, found.num_experts, found.moe_intermediate_size) == (2, 4, 96)
