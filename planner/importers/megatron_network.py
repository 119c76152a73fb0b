"""The network that Megatron's options describe."""

from __future__ import annotations

import re
from typing import Any

from planner.domain.errors import Fault
from planner.domain.network import Network
from planner.importers.expert_placement import placement_fields
from planner.importers.imported import Given, Notes
from planner.importers.megatron_flags import Flags

_PATTERN = re.compile(r"\[([01](?:,[01])*)\](?:\*(\d{1,5}))?")
_GATED = ("--swiglu", "--geglu", "--quick-geglu", "--glu-activation")
MAX_LAYERS = 100_000
_VOCABULARIES = {
    "GPT2BPETokenizer": 50257,
    "Llama2Tokenizer": 32000,
    "BertWordPieceLowerCase": 30522,
}
"""Entries of the vocabularies that these tokenizers are shipped with: GPT-2, Llama 2, BERT."""


def described_network(flags: Flags, name: str, given: Given, notes: Notes) -> Network | None:
    """Return the network, None where the options do not describe one; faults go to `flags`."""
    if flags.has("--encoder-num-layers", "--decoder-num-layers"):
        notes.warn("encoder and decoder differ: import the model's config.json with hf-config")
        return None
    layers, hidden = flags.count("--num-layers"), flags.count("--hidden-size")
    heads = flags.count("--num-attention-heads")
    if not layers or not hidden or not heads:
        return None
    gated = flags.has(*_GATED)
    width = flags.count("--ffn-hidden-size") or _default_width(hidden, gated)
    bias = not flags.has("--disable-bias-linear")
    encoder = _is_bert(flags)
    fields: dict[str, Any] = {
        "name": name,
        "family": "encoder" if encoder else "transformer",
        "causal": not encoder,
        "hidden_size": hidden,
        "intermediate_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": _groups(flags, heads),
        "head_dim": flags.count("--kv-channels") or 0,
        "vocab_size": _vocabulary(flags, given, notes),
        "max_position_embeddings": flags.count("--max-position-embeddings") or 0,
        "position_embedding": _positions(flags),
        "tie_word_embeddings": not flags.has("--untie-embeddings-and-output-weights"),
        "gated": gated,
        "attention_bias": bias or flags.has("--add-qkv-bias"),
        "output_bias": bias,
        "mlp_bias": bias,
        "norm": "rmsnorm" if flags.text("--normalization").lower() == "rmsnorm" else "layernorm",
        "source": f"imported from the options of {name}"[:200],
    }
    if encoder:
        fields |= {"type_vocab_size": 2, "other_parameters": 2 * hidden * (hidden + 1) + 2 * hidden}
    if not flags.text("--kv-channels") and hidden % heads and not flags.has("--kv-lora-rank"):
        flags.faults.append(Fault("--hidden-size", f"{hidden} is no multiple of {heads} heads"))
        return None
    fields |= _latent(flags)
    if flags.has("--qk-layernorm") and "kv_lora_rank" not in fields:
        fields["qk_norm"] = True
    fields |= _experts(flags, layers, width, notes)
    if flags.faults:
        return None
    return _network(fields, flags)


def _network(fields: dict[str, Any], flags: Flags) -> Network | None:
    from pydantic import ValidationError

    try:
        return Network.model_validate(fields)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            what, _, right = item["msg"].removeprefix("Value error, ").partition("; ")
            flags.faults.append(Fault("options of the network", what, right))
        return None


def _default_width(hidden: int, gated: bool) -> int:
    """Return Megatron's default: 4 x hidden; gated, two thirds of it in multiples of 64."""
    return int((4 * hidden * 2 / 3) / 64) * 64 if gated else 4 * hidden


def _is_bert(flags: Flags) -> bool:
    commands = flags.script.commands if flags.script else []
    return any("pretrain_bert" in command for command in commands)


def _groups(flags: Flags, heads: int) -> int:
    if flags.has("--multi-query-attention"):
        return 1
    if flags.has("--group-query-attention") or flags.script is None:
        return flags.count("--num-query-groups") or heads
    return flags.count("--num-key-value-heads") or heads


def _positions(flags: Flags) -> str:
    kind = flags.text("--position-embedding-type")
    if flags.has("--use-rotary-position-embeddings") or kind in ("rope", "yarn", "mrope"):
        return "rope"
    if flags.has("--use-alibi-position-embeddings") or kind == "alibi":
        return "alibi"
    return (
        "none"
        if kind in ("none", "relative") or flags.has("--no-position-embedding")
        else "learned"
    )


def _vocabulary(flags: Flags, given: Given, notes: Notes) -> int:
    """Return the padded vocabulary: a multiple of `make-vocab-size-divisible-by` x TP."""
    padded = flags.count("--padded-vocab-size")
    if padded:
        return padded
    size = given.count("vocab_size", 1e8) or flags.count("--vocab-size")
    tokenizer = flags.text("--tokenizer-type")
    if size is None:
        files = flags.text("--vocab-file") + flags.text("--merge-file")
        if tokenizer in _VOCABULARIES:
            size = _VOCABULARIES[tokenizer]
        elif "gpt2" in files.lower():
            size = _VOCABULARIES["GPT2BPETokenizer"]
        elif "bert" in files.lower():
            size = _VOCABULARIES["BertWordPieceLowerCase"]
        if size is not None:
            notes.fact(f"the tokenizer's vocabulary has {size:,} entries")
    if size is None:
        shown = f" of {tokenizer[:40]}" if tokenizer else ""
        notes.lack(f"the vocabulary{shown} (token tables are left out until then)", "vocab_size")
        return 0
    by = flags.count("--make-vocab-size-divisible-by") or 128
    multiple = by * (flags.count("--tensor-model-parallel-size") or 1)
    return -(-size // multiple) * multiple


def _latent(flags: Flags) -> dict[str, Any]:
    rank = flags.count("--kv-lora-rank")
    if not rank or not flags.has("--multi-latent-attention", "--kv-lora-rank"):
        return {}
    return {
        "kv_lora_rank": rank,
        "q_lora_rank": flags.count("--q-lora-rank") or 0,
        "qk_nope_head_dim": flags.count("--qk-head-dim") or 128,
        "qk_rope_head_dim": flags.count("--qk-pos-emb-head-dim") or 64,
        "v_head_dim": flags.count("--v-head-dim") or 128,
    }


def _experts(flags: Flags, layers: int, width: int, notes: Notes) -> dict[str, Any]:
    experts = flags.count("--num-experts") or 0
    if experts <= 1:
        return {}
    own = flags.count("--moe-ffn-hidden-size") or width
    shared = flags.count("--moe-shared-expert-intermediate-size") or 0
    top = flags.count("--moe-router-topk", "--topk")
    sharded = flags.has("--moe-expert-parallel-size", "--deepspeed", "--expert-interval")
    if len(flags.values.get("--num-experts", [])) > 1:
        notes.warn("the number of experts changes with the layer; the first is taken for all")
    if shared and shared % own:
        notes.warn(f"shared experts {shared} wide are no multiple of {own}; rounded")
    sparse = _sparse_layers(flags, min(layers, MAX_LAYERS))
    if sharded and not flags.has("--moe-layer-freq"):
        every = flags.count("--expert-interval") or 2
        sparse = list(range(every - 1, min(layers, MAX_LAYERS), every))
        notes.fact(f"one layer of every {every} has experts, as Megatron-DeepSpeed places them")
    return {
        "family": "moe",
        "num_experts": experts,
        "num_experts_per_tok": top or (1 if sharded else 2),
        "moe_intermediate_size": own,
        "n_shared_experts": max(1, round(shared / own)) if shared else 0,
        "router_bias": flags.has("--moe-router-enable-expert-bias"),
        **placement_fields(sparse, layers, notes),
    }


def _sparse_layers(flags: Flags, layers: int) -> list[int]:
    """Return the layers of `moe-layer-freq`: a number, or ``[0]*3+[1]*58``."""
    text = flags.text("--moe-layer-freq").replace(" ", "").strip("()\"'")
    if text.isdigit() and int(text[:6]) > 0:
        return list(range(0, layers, int(text[:6])))
    if not text:
        return list(range(layers))
    pattern: list[str] = []
    for part in _PATTERN.finditer(text[:2000]):
        pattern += part[1].split(",") * int(part[2] or 1)
        if len(pattern) > MAX_LAYERS:
            break
    if len(pattern) != layers:
        what = f"{text[:60]!r} describes {len(pattern)} layers, not {layers}"
        flags.faults.append(Fault("--moe-layer-freq", what, "make them equal"))
        return []
    return [layer for layer, mark in enumerate(pattern) if mark == "1"]
