"""Floating-point operations of one step, by the kernels that carry them out."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.network import Network
from planner.physics.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFlops:
    """Operations of one training step over the whole cluster, without recomputation.

    A multiply-add counts as two; the backward pass is twice the forward pass. Causal attention
    counts the half that is needed.
    """

    linear: float
    """Matrix products of the layers."""
    head: float
    """Logits."""
    attention: float
    """Scores and weighted sums."""

    @property
    def total(self) -> float:
        """All operations."""
        return self.linear + self.head + self.attention


def attended_tokens(network: Network, length: int) -> float:
    """Return the keys that one query needs on average: half the sequence if causal."""
    reach = length / 2.0 if network.causal else float(length)
    if network.sliding_window and network.sliding_window_every:
        share = 1.0 / network.sliding_window_every
        reach = share * min(reach, network.sliding_window) + (1.0 - share) * reach
    return reach


def linear_weights(network: Network) -> float:
    """Return the weights that multiply each token in the layers (experts as visited)."""
    hidden, heads = network.hidden_size, network.num_attention_heads
    if network.latent_attention:
        query = heads * network.query_key_dim
        rank = network.q_lora_rank
        attention = rank * (hidden + query) if rank else hidden * query
        attention += hidden * (network.kv_lora_rank + network.qk_rope_head_dim)
        attention += network.kv_lora_rank * heads * (network.qk_nope_head_dim + network.v_head_dim)
        attention += heads * network.v_head_dim * hidden
    else:
        width = network.head_dim
        attention = hidden * width * (2 * heads + 2 * network.num_key_value_heads)
    matrices = 3 if network.gated else 2
    dense = matrices * hidden * network.intermediate_size
    visited = network.num_experts_per_tok + network.n_shared_experts
    moe = matrices * hidden * network.moe_intermediate_size * visited
    moe += hidden * network.num_experts
    return (
        network.num_hidden_layers * attention
        + network.dense_layers * dense
        + network.moe_layers * moe
    )


def _other_flops(job: Job) -> StepFlops:
    """Return the operations of networks without sequences."""
    recommender = job.network.recommender
    if recommender is None:
        forward = sum(layer.flops for layer in job.network.convolutions)
    else:
        forward = 2.0 * sum(inputs * outputs for inputs, outputs in recommender.layers)
    return StepFlops(linear=3.0 * forward * job.global_batch, head=0.0, attention=0.0)


def step_flops(job: Job) -> StepFlops:
    """Return the operations of one step of a job."""
    network = job.network
    if not network.sequential:
        return _other_flops(job)
    tokens = float(job.global_batch) * job.sequence_length
    widths = network.query_key_dim + network.value_dim
    reach = attended_tokens(network, job.sequence_length)
    scores = 2.0 * network.num_attention_heads * widths * reach * network.num_hidden_layers
    return StepFlops(
        linear=6.0 * tokens * linear_weights(network),
        head=6.0 * tokens * network.vocab_size * network.hidden_size,
        attention=3.0 * tokens * scores,
    )
