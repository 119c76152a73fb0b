"""Which part of a model's configuration describes the language network, and of what type it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.importers.hf_families import BUILT_DIFFERENTLY, CONVENTIONS, RECURRENT_KEYS
from planner.importers.imported import Notes
from planner.importers.source import Source

_INNER = ("text_config", "llm_config", "language_config", "thinker_config")
_TOWERS = {
    "vision_config": "vision tower",
    "audio_config": "audio tower",
    "vision_model": "vision tower",
}
_LINEAR = re.compile(r"linear|mamba|recurrent|conv|ssm|rwkv", re.IGNORECASE)
_OTHER_FILES = (
    ("weight_map", "is the index of a model's weights", "give the config.json beside it"),
    ("added_tokens", "is a tokenizer", "give the config.json beside it"),
    ("tokenizer_class", "is a tokenizer's configuration", "give the config.json beside it"),
    ("zero_optimization", "is a DeepSpeed configuration", "import it as deepspeed-config"),
    ("workloads", "is an instance of this program", "give a network's config.json"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The language part of a configuration; `outer` is the whole object."""

    values: Mapping[str, Any]
    outer: Mapping[str, Any]
    model_type: str
    """Empty where nothing says it."""
    composite: bool
    """True where the language part is nested in a larger model."""


def find_layout(data: Mapping[str, Any], source: Source, notes: Notes) -> Layout:
    """Return the language part of a configuration.

    Raises
    ------
    InputError
        If the file is none, or the network is of a kind that has no place here.
    """
    for key, what, right in _OTHER_FILES:
        if key in data and not (key == "tokenizer_class" and "hidden_size" in data):
            raise source.refuse(what, right)
    values = data
    for name in _INNER:
        inner = values.get(name)
        if isinstance(inner, dict):
            deeper = inner.get("text_config")
            values = deeper if isinstance(deeper, dict) else inner
            break
    for key, tower in _TOWERS.items():
        if isinstance(data.get(key), dict):
            notes.warn(f"the {tower} ({key}) is left out: only the language network is read")
    composite = values is not data
    values = _flat(values)
    kind = _model_type(values, data, notes)
    _refuse_others(kind, values, source)
    return Layout(values=values, outer=data, model_type=kind, composite=composite)


def _flat(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object with the parts that some families nest (MPT, DBRX) lifted."""
    flat = dict(values)
    for name in ("attn_config", "ffn_config"):
        inner = values.get(name)
        if isinstance(inner, dict):
            for key, value in inner.items():
                flat.setdefault(key, value)
    if "dim" in flat and "hidden_dim" in flat and "hidden_size" not in flat:
        flat.setdefault("intermediate_size", flat.pop("hidden_dim"))
    return flat


def _model_type(values: Mapping[str, Any], outer: Mapping[str, Any], notes: Notes) -> str:
    for part in (values, outer):
        kind = part.get("model_type")
        if isinstance(kind, str) and kind:
            return kind.lower()
    if {"attn_heads", "num_blocks"} <= values.keys():
        notes.fact("read as a Calculon model: GPT with biases and layer norms")
        return "gpt2"
    if "moe_inter_dim" in values or ("kv_lora_rank" in values and "dim" in values):
        notes.fact("read as DeepSeek's own inference configuration")
        return "deepseek_v3"
    if {"dim", "n_layers", "n_heads"} <= values.keys():
        notes.fact("read as Meta's params.json of a Llama")
        return "llama"
    return _type_in_names(values, outer, notes)


def _type_in_names(values: Mapping[str, Any], outer: Mapping[str, Any], notes: Notes) -> str:
    names = outer.get("architectures")
    candidates = (
        [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    )
    candidates += [
        name for key in ("_name_or_path", "name") if isinstance(name := values.get(key), str)
    ]
    for name in candidates:
        plain = re.sub(r"[^a-z0-9]", "", name[:200].lower())
        for kind in sorted(CONVENTIONS, key=len, reverse=True):
            if len(kind) > 2 and re.sub(r"[^a-z0-9]", "", kind) in plain:
                notes.warn(f"no model_type; taken as {kind} after the name {name[:60]!r}")
                return kind
    return ""


def _refuse_others(kind: str, values: Mapping[str, Any], source: Source) -> None:
    right = "write its network file by hand as an equivalent, and calibrate it with a measured step"
    if kind in BUILT_DIFFERENTLY:
        raise source.refuse(f"model_type {kind!r} {BUILT_DIFFERENTLY[kind]}", right)
    for key in RECURRENT_KEYS:
        if values.get(key):
            what = f"has {key}: recurrent or linear-attention layers that a network cannot describe"
            raise source.refuse(what, right)
    types = values.get("layer_types")
    if isinstance(types, list):
        for name in types:
            if isinstance(name, str) and _LINEAR.search(name[:60]):
                what = f"has layers of type {name[:40]!r} that a network cannot describe"
                raise source.refuse(what, right)
    if "vocab_size" not in values and {"image_size", "patch_size"} <= values.keys():
        raise source.refuse("is a vision model, not a language model", right)
