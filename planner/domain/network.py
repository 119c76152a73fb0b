"""A neural network: Hugging-Face-compatible field names, exact parameter counts, its source."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.convolution import Convolution
from planner.domain.errors import Fault, InputError
from planner.domain.json_file import read_json, validate
from planner.domain.recommender import Recommender
from planner.domain.resources import find_data, known_names

NETWORKS = "models/networks"

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(gt=0)]
Family = Literal["transformer", "moe", "encoder", "cnn", "recommender"]


class Network(BaseModel):
    """One trainable network; counts are per layer unless the name says otherwise.

    `intermediate_size` is the width of a dense feed-forward layer and `moe_intermediate_size` that
    of one expert; `head_dim` is independent of `hidden_size` (Qwen3, GPT-OSS).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    family: Family = "transformer"
    hidden_size: Count = 0
    intermediate_size: Count = 0
    num_hidden_layers: Positive = 1
    num_attention_heads: Count = 0
    num_key_value_heads: Count = 0
    head_dim: Count = 0
    vocab_size: Count = 0
    """0 leaves the token table and the logits out."""
    max_position_embeddings: Count = 0
    type_vocab_size: Count = 0
    position_embedding: Literal["rope", "learned", "alibi", "none"] = "rope"
    tie_word_embeddings: bool = False
    gated: bool = True
    """True where the feed-forward has a gate beside its up projection (SwiGLU)."""
    attention_bias: bool = False
    """True where the query, key and value projections have a bias."""
    output_bias: bool = False
    """True where the attention output projection has a bias."""
    mlp_bias: bool = False
    norm: Literal["rmsnorm", "layernorm"] = "rmsnorm"
    qk_norm: bool = False
    attention_sinks: bool = False
    causal: bool = True
    sliding_window: Count = 0
    sliding_window_every: Count = 0
    """Every how many layers one attends to the window only; 0 without windows."""
    num_experts: Count = 0
    num_experts_per_tok: Count = 0
    moe_intermediate_size: Count = 0
    moe_layer_freq: Positive = 1
    """Every how many layers, after the leading dense ones, one has experts."""
    n_shared_experts: Count = 0
    """Experts that every token visits, each `moe_intermediate_size` wide."""
    first_k_dense_replace: Count = 0
    """Leading layers with a dense feed-forward instead of experts."""
    router_bias: bool = False
    q_lora_rank: Count = 0
    kv_lora_rank: Count = 0
    qk_nope_head_dim: Count = 0
    qk_rope_head_dim: Count = 0
    v_head_dim: Count = 0
    predicted_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the tokens that the output layer predicts (masked language models: 0.15)."""
    num_nextn_predict_layers: Count = 0
    """Extra layers that predict tokens further ahead (multi-token prediction)."""
    other_parameters: Count = 0
    """Parameters that no other key describes: cross-attention, pooler, relative positions."""
    convolutions: tuple[Convolution, ...] = ()
    """Every convolution and fully connected layer of an image network."""
    recommender: Recommender | None = None
    published_parameters: Annotated[float, Field(gt=0)] | None = None
    source: str

    @model_validator(mode="before")
    @classmethod
    def _derived_defaults(cls, data: object) -> object:
        """Fill head counts and head width as Hugging Face does."""
        if not isinstance(data, dict):
            return data
        filled = dict(data)
        heads = filled.get("num_attention_heads")
        hidden = filled.get("hidden_size")
        if heads is not None and not filled.get("num_key_value_heads"):
            filled["num_key_value_heads"] = heads
        if not filled.get("head_dim") and isinstance(heads, int) and isinstance(hidden, int):
            filled["head_dim"] = hidden // heads if heads > 0 else 0
        return filled

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        """Refuse shapes that no implementation can run."""
        if not self.sequential:
            if self.family == "cnn" and not self.convolutions:
                raise ValueError("an image network needs convolutions; list its layers")
            if self.family == "recommender" and self.recommender is None:
                raise ValueError("a recommender needs recommender; give tables and layers")
            return self
        for key in ("hidden_size", "num_attention_heads"):
            if key not in self.model_fields_set:
                raise ValueError(f"{key} is missing; a {self.family} needs it")
        if not (self.hidden_size and self.num_attention_heads):
            raise ValueError("hidden_size and num_attention_heads must be positive; give both")
        if self.num_attention_heads % self.num_key_value_heads:
            raise ValueError(
                f"num_attention_heads {self.num_attention_heads} is no multiple of "
                f"num_key_value_heads {self.num_key_value_heads}; make it one"
            )
        if self.num_experts and not 0 < self.num_experts_per_tok <= self.num_experts:
            raise ValueError(
                f"num_experts_per_tok must be 1 to num_experts {self.num_experts}; set it"
            )
        if self.num_experts and not self.moe_intermediate_size:
            raise ValueError("num_experts needs moe_intermediate_size; give one expert's width")
        if self.first_k_dense_replace > self.num_hidden_layers:
            raise ValueError("first_k_dense_replace exceeds num_hidden_layers; lower it")
        if self.kv_lora_rank and not (self.qk_nope_head_dim and self.v_head_dim):
            raise ValueError("kv_lora_rank needs qk_nope_head_dim and v_head_dim; give both")
        return self

    @property
    def sequential(self) -> bool:
        """Whether it is made of transformer layers over a sequence of tokens."""
        return self.family in ("transformer", "moe", "encoder")

    @property
    def latent_attention(self) -> bool:
        """Whether keys and values pass through a low-rank latent (MLA)."""
        return self.kv_lora_rank > 0

    @property
    def query_key_dim(self) -> int:
        """Width of one head's query and key."""
        if self.latent_attention:
            return self.qk_nope_head_dim + self.qk_rope_head_dim
        return self.head_dim

    @property
    def value_dim(self) -> int:
        """Width of one head's value."""
        return self.v_head_dim if self.latent_attention else self.head_dim

    @property
    def moe_layers(self) -> int:
        """Layers whose feed-forward is a set of experts."""
        if not self.num_experts:
            return 0
        return (self.num_hidden_layers - self.first_k_dense_replace) // self.moe_layer_freq

    @property
    def dense_layers(self) -> int:
        """Layers with a dense feed-forward."""
        return self.num_hidden_layers - self.moe_layers

    @property
    def norm_parameters(self) -> int:
        """Parameters of one normalisation over the hidden width."""
        return self.hidden_size * (2 if self.norm == "layernorm" else 1)

    @property
    def attention_parameters(self) -> int:
        """Parameters of one layer's attention."""
        hidden, heads, kv = self.hidden_size, self.num_attention_heads, self.num_key_value_heads
        if self.latent_attention:
            return self._latent_parameters()
        width = self.head_dim
        count = hidden * width * (heads + 2 * kv) + heads * width * hidden
        count += width * (heads + 2 * kv) if self.attention_bias else 0
        count += hidden if self.output_bias else 0
        count += 2 * width if self.qk_norm else 0
        return count + (heads if self.attention_sinks else 0)

    def _latent_parameters(self) -> int:
        hidden, heads = self.hidden_size, self.num_attention_heads
        query = heads * self.query_key_dim
        rank = self.q_lora_rank
        count = rank * (hidden + query + 1) if rank else hidden * query
        count += hidden * (self.kv_lora_rank + self.qk_rope_head_dim) + self.kv_lora_rank
        count += self.kv_lora_rank * heads * (self.qk_nope_head_dim + self.v_head_dim)
        return count + heads * self.v_head_dim * hidden

    def feed_forward_parameters(self, width: int) -> int:
        """Return the parameters of one feed-forward of a given width."""
        matrices = 3 if self.gated else 2
        count = matrices * self.hidden_size * width
        if self.mlp_bias:
            count += (matrices - 1) * width + self.hidden_size
        return count

    @property
    def expert_parameters(self) -> int:
        """Parameters of one routed expert."""
        return self.feed_forward_parameters(self.moe_intermediate_size)

    @property
    def shared_parameters(self) -> int:
        """Parameters of one expert layer outside the routed experts: shared experts and router."""
        shared = self.n_shared_experts * self.moe_intermediate_size
        count = self.feed_forward_parameters(shared) if shared else 0
        count += self.hidden_size * self.num_experts
        return count + (self.num_experts if self.router_bias else 0)

    @property
    def embedding_parameters(self) -> int:
        """Parameters of the token, position and segment tables."""
        count = self.vocab_size + self.type_vocab_size
        if self.position_embedding == "learned":
            count += self.max_position_embeddings
        return count * self.hidden_size

    @property
    def head_parameters(self) -> int:
        """Parameters of the output projection that are not the embedding's."""
        return 0 if self.tie_word_embeddings else self.vocab_size * self.hidden_size

    @property
    def dense_layer_parameters(self) -> int:
        """Parameters of one layer with a dense feed-forward."""
        return (
            self.attention_parameters
            + self.feed_forward_parameters(self.intermediate_size)
            + 2 * self.norm_parameters
        )

    @property
    def moe_layer_parameters(self) -> int:
        """Parameters of one layer with experts, all of them counted."""
        return (
            self.attention_parameters
            + self.num_experts * self.expert_parameters
            + self.shared_parameters
            + 2 * self.norm_parameters
        )

    @property
    def parameters(self) -> int:
        """All parameters, exactly, without multi-token prediction layers."""
        if self.recommender is not None:
            return self.recommender.table_parameters + self.recommender.dense_parameters
        if not self.sequential:
            return sum(layer.parameters for layer in self.convolutions)
        layers = self.dense_layers * self.dense_layer_parameters
        if self.num_experts:
            layers += self.moe_layers * self.moe_layer_parameters
        tables = self.embedding_parameters + self.head_parameters
        return layers + tables + self.norm_parameters + self.other_parameters

    @property
    def active_parameters(self) -> int:
        """Parameters that one token visits."""
        idle = self.num_experts - self.num_experts_per_tok
        return self.parameters - self.moe_layers * idle * self.expert_parameters


def load_network(name: str, near: Path | None = None) -> Network:
    """Return a shipped network by name, or a user's own by path.

    Raises
    ------
    InputError
        If no such network is known or its file has faults (all of them are named).
    """
    path = find_data(NETWORKS, name, near=near)
    if path is None:
        names = known_names(NETWORKS)
        near_by = difflib.get_close_matches(Path(name).stem, names, n=1, cutoff=0.6)
        known = ", ".join(names) if not near_by else f"did you mean {near_by[0]!r}?"
        raise InputError(
            name,
            [Fault("network", "is not known", known if near_by else f"known networks: {known}")],
        )
    return validate(Network, read_json(path), str(path))
