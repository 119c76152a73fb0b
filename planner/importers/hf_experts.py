"""Experts in a model's configuration: how many, how wide, in which layers."""

from __future__ import annotations

from typing import Any

from planner.domain.errors import Fault
from planner.importers.expert_placement import placement_fields
from planner.importers.hf_keys import Keys
from planner.importers.imported import Notes

_SHARED_WIDTHS = (
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "shared_intermediate_size",
)
MAX_LAYERS = 100_000


def expert_fields(keys: Keys, model_type: str, layers: int, notes: Notes) -> dict[str, Any]:
    """Return the `Network` fields of the experts; empty for a dense network."""
    experts = keys.count("num_experts") or 0
    if experts <= 1:
        return {}
    fields: dict[str, Any] = {"family": "moe", "num_experts": experts}
    fields["num_experts_per_tok"] = keys.need("num_experts_per_tok")
    width = keys.count("moe_intermediate_size", low=1)
    if width is None:
        width = keys.need("intermediate_size")
    fields["moe_intermediate_size"] = width
    if model_type.startswith("llama4"):
        fields["intermediate_size"] = keys.count("intermediate_size_mlp") or width
        fields["n_shared_experts"] = 1
    else:
        fields["n_shared_experts"] = _shared(keys, width, notes)
    layers = min(layers, MAX_LAYERS)
    fields |= placement_fields(_sparse_layers(keys, layers), layers, notes)
    if keys.words("topk_method") == "noaux_tc" or keys.flag("use_expert_bias") is True:
        fields["router_bias"] = True
    return fields


def _shared(keys: Keys, width: int, notes: Notes) -> int:
    for name in _SHARED_WIDTHS:
        wide = keys.count(name)
        if wide:
            if wide % width:
                notes.warn(
                    f"{name} {wide} is no multiple of one expert's width {width}; "
                    f"taken as {max(1, round(wide / width))} shared experts"
                )
            return max(1, round(wide / width))
    return keys.count("n_shared_experts") or 0


def _sparse_layers(keys: Keys, layers: int) -> set[int]:
    listed = keys.items("moe_layers")
    if listed:
        return {layer for layer in listed if isinstance(layer, int)}
    kinds = keys.items("mlp_layer_types")
    if kinds:
        return {layer for layer, kind in enumerate(kinds[:layers]) if kind == "sparse"}
    step = keys.count("decoder_sparse_step", low=1) or keys.count(
        "interleave_moe_layer_step", low=1
    )
    if step:
        only = {layer for layer in keys.items("mlp_only_layers") if isinstance(layer, int)}
        return {layer for layer in range(layers) if (layer + 1) % step == 0 and layer not in only}
    first = keys.count("first_k_dense_replace") or 0
    return {layer for layer in range(first, layers) if _chosen(keys, layer)}


def _chosen(keys: Keys, layer: int) -> bool:
    """Return whether `moe_layer_freq` puts experts into a layer."""
    every = keys.raw("moe_layer_freq")
    if every is None:
        return True
    if isinstance(every, list):
        return layer < len(every) and bool(every[layer])
    if isinstance(every, int) and not isinstance(every, bool) and every >= 1:
        return layer % every == 0
    if not any(fault.where == "$.moe_layer_freq" for fault in keys.faults):
        right = "give a whole number or a list of 0 and 1"
        keys.faults.append(Fault("$.moe_layer_freq", f"{every!r:.40} is not usable", right))
    return True
