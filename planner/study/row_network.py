"""Which network a row of measured steps trained: a shipped one by its shape, or one of its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from planner.domain.network import NETWORKS, Network, load_network
from planner.domain.resources import known_names
from planner.study.row_cells import UnmappedRowError, flag, integer, optional

WITHOUT_EXTRA = ("w/o mtp", "without mtp", "no mtp")
"""Words in a model's name that say its multi-token prediction was left out."""


@lru_cache(maxsize=1)
def _shipped() -> tuple[Network, ...]:
    return tuple(load_network(name) for name in known_names(NETWORKS))


def row_network(row: dict[str, str]) -> Network:
    """Return the network of a row.

    The columns have no head width, no gate of the query, no window and no latent ranks, so a row
    whose shape is that of a shipped network (layers apart) is that network, cut to its layers.

    Raises
    ------
    UnmappedRowError
        If the columns do not determine a network.
    """
    if not row["hidden"]:
        return _by_name(row)
    layers = integer(row, "layers")
    dense = int(optional(row, "first_dense_layers", 0))
    for network in _shipped():
        if _same_shape(network, row):
            changes: dict[str, Any] = {"num_hidden_layers": layers}
            if network.moe_layer_freq == 1 and network.num_experts:
                changes["first_k_dense_replace"] = dense
            if any(word in row["model"].lower() for word in WITHOUT_EXTRA):
                changes["num_nextn_predict_layers"] = 0
            if layers < network.num_hidden_layers:
                changes["num_nextn_predict_layers"] = 0
            return Network.model_validate(network.model_dump() | changes)
    if flag(row, "mla"):
        raise UnmappedRowError("latent attention whose ranks no column gives")
    return _own(row, layers, dense)


def _by_name(row: dict[str, str]) -> Network:
    """Return the shipped network that a model's name begins with, letters and digits compared."""
    wanted = _plain(row["model"])
    found = [n for n in _shipped() if not n.sequential and wanted.startswith(_plain(n.name))]
    if not found:
        found = [
            n for n in _shipped()
            if not n.sequential and _plain(n.name).startswith(wanted) and wanted
        ]  # fmt: skip
    if not found:
        raise UnmappedRowError("network dimensions are blank and no shipped network has its name")
    return max(found, key=lambda network: len(network.name))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _same_shape(network: Network, row: dict[str, str]) -> bool:
    """Return whether a row's columns agree with a shipped network in all but the layers."""
    experts = int(optional(row, "moe_experts", 0))
    if network.num_experts != experts:
        return False
    wanted = {
        "hidden": network.hidden_size,
        "heads": network.num_attention_heads,
        "kv_heads": network.num_key_value_heads,
    }
    if not network.latent_attention:
        wanted["vocab"] = network.vocab_size
    if any(int(optional(row, column, value)) != value for column, value in wanted.items()):
        return False
    if experts:
        return int(optional(row, "moe_ffn_hidden", 0)) == network.moe_intermediate_size
    return int(optional(row, "ffn_hidden", 0)) == network.intermediate_size


def _own(row: dict[str, str], layers: int, dense: int) -> Network:
    """Return a network with a row's dimensions and the conventions of its kind.

    Ungated networks with tied embeddings are GPT-like: learned positions, biases, layer norms.
    """
    gated = flag(row, "gated_ffn")
    tied = flag(row, "tied_embeddings")
    classic = not gated and tied
    encoder = row["family"] == "encoder"
    experts = int(optional(row, "moe_experts", 0))
    heads = integer(row, "heads")
    length = int(optional(row, "seq_len", 1))
    try:
        return Network(
            name=row["model"] or "unnamed",
            family=row["family"],
            hidden_size=integer(row, "hidden"),
            intermediate_size=int(optional(row, "ffn_hidden", 0)),
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=int(optional(row, "kv_heads", heads)),
            vocab_size=int(optional(row, "vocab", 0)),
            max_position_embeddings=max(length, 512) if classic else length,
            position_embedding="learned" if classic else "rope",
            tie_word_embeddings=tied,
            gated=gated,
            attention_bias=classic,
            output_bias=classic,
            mlp_bias=classic,
            norm="layernorm" if classic else "rmsnorm",
            causal=row["attention"] != "bidirectional",
            predicted_share=0.15 if encoder else 1.0,
            num_experts=experts,
            num_experts_per_tok=int(optional(row, "moe_topk", 0)),
            moe_intermediate_size=int(optional(row, "moe_ffn_hidden", 0)) if experts else 0,
            n_shared_experts=int(optional(row, "moe_shared_experts", 0)),
            first_k_dense_replace=dense,
            source=row.get("source", "") or "a row of measured steps",
        )
    except ValueError as error:
        raise UnmappedRowError(f"network cannot be built: {_first_line(error)}") from None


def _first_line(error: ValueError) -> str:
    text = [line.strip() for line in str(error).splitlines() if line.strip()]
    return text[2][:100] if len(text) > 2 else text[0][:100]
