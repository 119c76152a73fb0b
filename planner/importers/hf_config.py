"""A model's `config.json` as a network; also the flat forms of other tools and of model authors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from planner.domain.errors import Fault, InputError
from planner.domain.json_file import parse_json, validate
from planner.domain.network import Network
from planner.importers.hf_experts import expert_fields
from planner.importers.hf_families import CLASS_DEFAULTS, CONVENTIONS
from planner.importers.hf_keys import ALIASES, Keys
from planner.importers.hf_layout import Layout, find_layout
from planner.importers.imported import Given, Imported, Notes
from planner.importers.source import Source

KIND = "hf-config"
_LATENT = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
_GATED = re.compile(r"silu|swish|glu|gated", re.IGNORECASE)
_ACTIVATIONS = (
    "hidden_act", "hidden_activation", "activation_function", "feed_forward_proj", "activation",
)  # fmt: skip
_WIDTH_BY_HIDDEN = frozenset(
    ("gpt2", "gptj", "codegen", "falcon", "refinedweb", "refinedwebmodel", "bloom", "gpt_bigcode",
     "gpt_neo")
)  # fmt: skip
_QUERY_KEY_VALUE_ONLY = frozenset(("glm", "glm4", "glm4_moe", "stablelm", "seed_oss", "chatglm"))
_POSITIONS_PLUS_2 = frozenset(("opt", "bart", "mbart", "biogpt", "blenderbot"))
_HEAD_BIAS = frozenset(("phi", "phi-msft", "gptj", "codegen", "phimoe"))
_POOLED = frozenset(("bert", "roberta", "xlm-roberta", "camembert", "megatron-bert", "ernie"))
_FOUR_NORMS = frozenset(("gemma2", "gemma3", "gemma3_text"))


def read_hf_config(source: Source, given: Given) -> Imported:
    """Return the network that a configuration describes.

    ``--set name=`` names it, ``--set vocab_size=`` gives the vocabulary where the file has none.

    Raises
    ------
    InputError
        If the file is no model configuration or lacks sizes, all of them named.
    """
    notes = Notes(warnings=list(source.notes))
    data = parse_json(source.text, source.name)
    if not isinstance(data, dict):
        raise source.refuse("is no JSON object", "give a model's config.json")
    network = network_of(data, source, given, notes)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", network.name).strip("-.") or "network"
    document = network_document(network)
    return notes.imported(KIND, {f"{name[:80]}.json": document})


def network_document(network: Network) -> dict[str, Any]:
    """Return a network as its file holds it, what is usual left out."""
    return network.model_dump(mode="json", exclude_defaults=True)


def network_of(data: Mapping[str, Any], source: Source, given: Given, notes: Notes) -> Network:
    """Return the network of a parsed configuration; raises InputError as `read_hf_config`."""
    layout = find_layout(data, source, notes)
    defaults = _class_defaults(layout)
    keys = Keys(layout.values, defaults)
    for field in defaults.keys() & ALIASES.keys():
        if keys.name_of(field) is None:
            notes.warn(f"{field} is absent; {defaults[field]} is what the class assumes")
    fields = _sizes(keys, layout, given, notes)
    if keys.faults:
        raise InputError(source.name, keys.faults)
    fields |= _conventions(keys, layout, notes)
    fields |= expert_fields(keys, layout.model_type, fields["num_hidden_layers"], notes)
    fields |= _windows(keys, layout.model_type, notes)
    fields["name"] = _name(layout, source, given)
    fields["source"] = f"imported from {source.stem}.json"[:200]
    fields["other_parameters"] = _others(keys, layout.model_type, fields, notes)
    if keys.faults:
        raise InputError(source.name, keys.faults)
    network = validate(Network, fields, source.name)
    visited = network.active_parameters
    more = f", {visited:,} of them visited by a token" if network.num_experts else ""
    notes.fact(f"{layout.model_type or 'unnamed type'}: {network.parameters:,} parameters{more}")
    return network


def _class_defaults(layout: Layout) -> Mapping[str, Any]:
    """Return what the class assumes: sizes only inside composite models, whose files omit them."""
    defaults = CLASS_DEFAULTS.get(layout.model_type, {})
    if layout.composite:
        return defaults
    return {
        key: value for key, value in defaults.items() if key not in ALIASES or key == "head_dim"
    }


def _name(layout: Layout, source: Source, given: Given) -> str:
    asked = given.text("name")
    names = [layout.values.get("name"), layout.values.get("_name_or_path")]
    names += [layout.outer.get("_name_or_path"), source.stem]
    for name in (asked, *names):
        if isinstance(name, str) and name.strip() and not name.startswith(("/", ".")):
            return re.sub(r"[^\x20-\x7e]", "", name.strip())[:80] or "network"
    return "network"


def _sizes(keys: Keys, layout: Layout, given: Given, notes: Notes) -> dict[str, Any]:
    fields: dict[str, Any] = {
        name: keys.need(name) for name in ("hidden_size", "num_attention_heads")
    }
    fields["num_hidden_layers"] = _layers(keys, layout.model_type)
    fields["intermediate_size"] = _width(keys, layout.model_type, fields["hidden_size"])
    vocabulary = given.count("vocab_size", 1e8)
    if vocabulary is None and keys.raw("vocab_size") not in (-1, None):
        vocabulary = keys.count("vocab_size")
    elif vocabulary is None:
        vocabulary = keys.count("padded_vocab_size") or keys.count("n_vocab")
    if vocabulary is None:
        notes.lack("the vocabulary (token tables are left out until then)", "vocab_size")
    fields["vocab_size"] = vocabulary or 0
    fields["num_key_value_heads"] = _key_value_heads(keys, fields["num_attention_heads"])
    fields["head_dim"] = keys.count("head_dim") or 0
    if not fields["head_dim"] and not keys.count("kv_lora_rank"):
        _check_heads(keys, fields["hidden_size"], fields["num_attention_heads"])
    positions = keys.count("max_position_embeddings") or 0
    if layout.model_type in _POSITIONS_PLUS_2 and positions:
        positions += 2
    fields["max_position_embeddings"] = positions
    fields["type_vocab_size"] = keys.count("type_vocab_size") or 0
    if keys.count("kv_lora_rank"):
        fields |= {name: keys.count(name) or 0 for name in _LATENT}
    fields["num_nextn_predict_layers"] = keys.count("num_nextn_predict_layers") or 0
    return fields


def _layers(keys: Keys, model_type: str) -> int:
    """Return the layers; those of encoder and decoder together where there are both."""
    if model_type in ("t5", "mt5", "umt5", "longt5"):
        first = keys.need("num_hidden_layers")
        return first + (keys.count("num_decoder_layers") or first)
    if keys.count("encoder_layers") and keys.count("decoder_layers"):
        return (keys.count("encoder_layers") or 0) + (keys.count("decoder_layers") or 0)
    return keys.need("num_hidden_layers")


def _width(keys: Keys, model_type: str, hidden: int) -> int:
    if keys.name_of("intermediate_size") or "intermediate_size" in keys.defaults:
        return keys.need("intermediate_size")
    ratio = keys.raw("expansion_ratio")
    if isinstance(ratio, int | float) and not isinstance(ratio, bool) and 0 < ratio <= 64:
        return int(hidden * ratio)
    multiple = keys.count("multiple_of", low=1)
    if multiple:
        # Meta's params.json: two thirds of 4 x hidden, times a factor, rounded up to a multiple
        factor = keys.raw("ffn_dim_multiplier")
        width = int(8 * hidden / 3)
        if isinstance(factor, int | float) and not isinstance(factor, bool) and 0 < factor <= 64:
            width = int(factor * width)
        return -(-width // multiple) * multiple
    if model_type in _WIDTH_BY_HIDDEN:
        return 4 * hidden
    if keys.name_of("moe_intermediate_size"):
        return keys.need("moe_intermediate_size")
    return keys.need("intermediate_size")


def _key_value_heads(keys: Keys, heads: int) -> int:
    if keys.flag("multi_query") is True and keys.flag("new_decoder_architecture") is not True:
        return 1
    if keys.flag("multi_query_attention") is False:
        return heads
    return keys.count("num_key_value_heads") or heads


def _check_heads(keys: Keys, hidden: int, heads: int) -> None:
    if hidden % heads:
        what = f"{hidden} is no multiple of the {heads} heads"
        keys.faults.append(Fault("$.hidden_size", what, "give head_dim, or correct one of them"))


def _conventions(keys: Keys, layout: Layout, notes: Notes) -> dict[str, Any]:
    """Return gate, norm, positions, biases and ties: the class's, changed by what the file says."""
    known = CONVENTIONS.get(layout.model_type)
    if known is None:
        known = _guessed(keys, layout, notes)
    fields = dict(known)
    if layout.model_type in ("t5", "mt5", "umt5", "longt5"):
        fields["gated"] = keys.words("feed_forward_proj").startswith("gated")
        fields["causal"] = False
    bias = keys.flag("bias", "use_bias", "enable_bias")
    if bias is None and keys.flag("no_bias") is not None:
        bias = not keys.flag("no_bias")
    if bias is not None:
        fields |= {"attention_bias": bias, "output_bias": bias, "mlp_bias": bias}
    attention = keys.flag("attention_bias", "qkv_bias", "use_qkv_bias", "add_qkv_bias")
    if attention is not None:
        fields["attention_bias"] = attention
        if layout.model_type not in _QUERY_KEY_VALUE_ONLY:
            fields["output_bias"] = attention
    if keys.flag("attention_out_bias", "attention_output_bias") is not None:
        fields["output_bias"] = keys.flag("attention_out_bias", "attention_output_bias")
    if keys.flag("mlp_bias") is not None:
        fields["mlp_bias"] = keys.flag("mlp_bias")
    if keys.flag("alibi") is True:
        fields["position_embedding"] = "alibi"
    tied = keys.flag("tie_word_embeddings")
    if tied is None:
        outer = layout.outer.get("tie_word_embeddings")
        tied = outer if isinstance(outer, bool) else None
    if tied is not None:
        fields["tie_word_embeddings"] = tied
    return fields


def _guessed(keys: Keys, layout: Layout, notes: Notes) -> dict[str, Any]:
    """Return the conventions of an unknown type as its keys suggest them."""
    rms = any(keys.raw(name) is not None for name in ("rms_norm_eps", "norm_eps"))
    layer = any(
        keys.raw(name) is not None
        for name in ("layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon")
    )
    rope = any(name.startswith(("rope", "rotary", "partial_rotary")) for name in keys.values)
    learned = keys.words("position_embedding_type") == "absolute"
    activation = " ".join(keys.words(name) for name in _ACTIVATIONS)
    names = layout.outer.get("architectures")
    masked = isinstance(names, list) and any("MaskedLM" in str(name)[:200] for name in names)
    position = "rope" if rope or not learned else "learned"
    fields = {
        "gated": bool(_GATED.search(activation)) or not activation.strip(),
        "norm": "rmsnorm" if rms or not layer else "layernorm",
        "position_embedding": position,
        "tie_word_embeddings": "transformers_version" in layout.outer,
        "causal": not masked,
        "family": "encoder" if masked else "transformer",
    }
    shown = ", ".join(f"{name} {value}".replace("_", " ") for name, value in fields.items())
    notes.warn(
        f"model_type {layout.model_type or 'absent'!s:.60} is not known; from its keys: {shown}. "
        "Compare the parameter count with the published one"
    )
    return fields


def _windows(keys: Keys, model_type: str, notes: Notes) -> dict[str, Any]:
    window = keys.count("sliding_window") or 0
    if not window or keys.flag("use_sliding_window") is False:
        return {}
    kinds = keys.items("layer_types")
    pattern = keys.count("sliding_window_pattern") or keys.count("layer_pattern") or 0
    if kinds:
        near = sum(1 for kind in kinds if isinstance(kind, str) and "sliding" in kind)
        share = near / len(kinds)
    elif model_type.startswith("gemma3"):
        share = 1 - 1 / (pattern or 6)
    else:
        share = 1 / pattern if pattern else 1.0
    if share <= 0:
        return {}
    every = max(1, round(1 / share))
    if abs(1 / every - share) > 0.01:
        notes.warn(
            f"{share:.0%} of the layers attend to a window of {window}; "
            f"taken as every {every}{'' if every == 1 else 'th'} layer"
        )
    return {"sliding_window": window, "sliding_window_every": every}


def _others(keys: Keys, model_type: str, fields: Mapping[str, Any], notes: Notes) -> int:
    """Return the parameters that `Network` has no key for."""
    hidden, layers = fields["hidden_size"], fields["num_hidden_layers"]
    count = 0
    if model_type in _HEAD_BIAS:
        count += fields["vocab_size"]
    if model_type in _POOLED:
        count += hidden * (hidden + 1)
    if model_type in _FOUR_NORMS:
        count += 2 * hidden * layers
    if model_type == "bloom":
        count += 2 * hidden
    if model_type == "qwen2_moe":
        dense = fields.get("first_k_dense_replace", 0)
        count += hidden * ((layers - dense) // fields.get("moe_layer_freq", 1))
    width = keys.count("word_embed_proj_dim")
    if width and width != hidden:
        notes.warn(f"the token table is {width} wide, not {hidden}: it is counted at {hidden}")
    return count + _cross_attention(keys, model_type, fields, notes)


def _cross_attention(keys: Keys, model_type: str, fields: Mapping[str, Any], notes: Notes) -> int:
    if model_type in ("t5", "mt5", "umt5", "longt5"):
        decoder = keys.count("num_decoder_layers") or keys.need("num_hidden_layers")
    elif keys.count("encoder_layers") and keys.count("decoder_layers"):
        decoder = keys.count("decoder_layers") or 0
    else:
        return 0
    hidden, heads = fields["hidden_size"], fields["num_attention_heads"]
    width = fields["head_dim"] or hidden // heads
    cross = 4 * hidden * heads * width + (3 * heads * width + hidden) * bool(
        fields.get("attention_bias")
    )
    norm = hidden * (2 if fields["norm"] == "layernorm" else 1)
    buckets = keys.count("relative_attention_num_buckets") or 0
    total: int = decoder * (cross + norm) + norm + 2 * buckets * heads
    notes.warn(
        f"encoder and decoder count as {fields['num_hidden_layers']} equal layers; cross-attention "
        f"of {decoder} layers ({total:,} parameters) is held in memory, its arithmetic is left out"
    )
    return total
