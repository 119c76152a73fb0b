"""Reading sizes from a model's configuration under the many names in use for one thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.domain.errors import Fault

MAX_COUNT = 1_000_000_000

ALIASES: Mapping[str, tuple[str, ...]] = {
    "hidden_size": ("hidden_size", "n_embd", "d_model", "hidden_dim", "n_embed", "dim", "hidden"),
    "num_hidden_layers": (
        "num_hidden_layers", "n_layer", "num_layers", "n_layers", "num_blocks",
    ),
    "num_attention_heads": (
        "num_attention_heads", "n_head", "num_heads", "n_heads", "attn_heads",
    ),
    "num_key_value_heads": (
        "num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "multi_query_group_num",
        "kv_n_heads", "num_query_groups",
    ),
    "head_dim": ("head_dim", "d_kv", "attn_size", "kv_channels", "attention_head_dim"),
    "intermediate_size": (
        "intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_embed_dim", "inter_dim",
        "ffn_hidden_size", "feedforward", "ffn_hidden_dim", "encoder_ffn_dim",
    ),
    "vocab_size": ("vocab_size", "padded_vocab_size", "n_vocab"),
    "max_position_embeddings": (
        "max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_size",
        "max_sequence_length", "seq_length", "max_seq_length", "model_max_length",
    ),
    "type_vocab_size": ("type_vocab_size",),
    "num_experts": (
        "num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts",
    ),
    "num_experts_per_tok": (
        "num_experts_per_tok", "experts_per_token", "n_activated_experts", "num_experts_per_token",
        "moe_top_k", "moe_topk", "moe_k", "num_selected_experts", "top_k_experts",
    ),
    "moe_intermediate_size": (
        "moe_intermediate_size", "moe_inter_dim", "expert_ffn_hidden_size",
    ),
    "n_shared_experts": ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts"),
    "first_k_dense_replace": ("first_k_dense_replace", "n_dense_layers"),
    "q_lora_rank": ("q_lora_rank",),
    "kv_lora_rank": ("kv_lora_rank",),
    "qk_nope_head_dim": ("qk_nope_head_dim",),
    "qk_rope_head_dim": ("qk_rope_head_dim",),
    "v_head_dim": ("v_head_dim",),
    "num_nextn_predict_layers": ("num_nextn_predict_layers",),
    "sliding_window": ("sliding_window",),
}  # fmt: skip


class Keys:
    """A configuration object with look-ups by alias; faults are collected, not raised."""

    __slots__ = ("defaults", "faults", "values")

    def __init__(self, values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        self.values = values
        self.defaults = defaults
        self.faults: list[Fault] = []

    def raw(self, name: str) -> Any:
        """Return a key's value as it stands, else the class's default, else None."""
        value = self.values.get(name)
        return self.defaults.get(name) if value is None else value

    def name_of(self, field: str) -> str | None:
        """Return the name under which a size stands, None if it does not."""
        for name in ALIASES.get(field, (field,)):
            if self.values.get(name) is not None:
                return name
        return None

    def count(self, field: str, *, low: int = 0) -> int | None:
        """Return a size as a whole number, None if absent; a wrong one becomes a fault."""
        name = self.name_of(field)
        value = self.defaults.get(field) if name is None else self.values[name]
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= MAX_COUNT:
            shown = repr(value)[:40]
            right = f"give a whole number from {low} to {MAX_COUNT:,}"
            self.faults.append(Fault(f"$.{name or field}", f"{shown} is no size", right))
            return None
        return value

    def need(self, field: str) -> int:
        """Return a size of at least 1; an absent one becomes a fault."""
        before = len(self.faults)
        value = self.count(field, low=1)
        if value is None and len(self.faults) == before:
            names = ", ".join(ALIASES[field][:4])
            self.faults.append(Fault(f"$.{field}", "is missing", f"known names: {names}"))
        return value or 1

    def flag(self, *names: str) -> bool | None:
        """Return the first of these keys that is true or false, None if none is."""
        for name in names:
            value = self.raw(name)
            if isinstance(value, bool):
                return value
        return None

    def words(self, name: str) -> str:
        """Return a key's text in lower case; empty if it has none."""
        value = self.raw(name)
        return value.lower() if isinstance(value, str) else ""

    def items(self, name: str) -> list[Any]:
        """Return a key's list; empty if it has none."""
        value = self.raw(name)
        return value if isinstance(value, list) else []

    def inner(self, name: str) -> Mapping[str, Any]:
        """Return a key's object; empty if it has none."""
        value = self.raw(name)
        return value if isinstance(value, dict) else {}
