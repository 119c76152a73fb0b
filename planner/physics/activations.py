"""What layers keep of a micro-batch for the backward pass, tensor by tensor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.network import Network
from planner.physics.job import OPERAND_BYTES, Job
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerActivations:
    """Bytes that one layer keeps of one micro-batch on one GPU; arrays (strategies,)."""

    boundary: FloatArray
    """The layer's input, all that full recomputation keeps."""
    dense: FloatArray
    """The rest of a layer with a dense feed-forward, attention scores apart."""
    moe: FloatArray
    """The rest of a layer with experts."""
    scores: FloatArray
    """Attention scores written to memory (none with fused attention)."""
    light_dense: FloatArray
    """Of `dense`, what selective recomputation frees beside the scores: outputs of norms and
    activation functions, keys, queries and values made from latents (Megatron-Core's modules
    layernorm, mlp, moe_act, mla_up_proj; with fused attention only)."""
    light_moe: FloatArray


def layer_activations(job: Job, table: StrategyTable) -> LayerActivations:
    """Return what each kind of layer keeps.

    For a GPT with dropout the sum is s b h (10 + 24/t + 5 a s / (h t)) (Korthikanti et al. 2022,
    arXiv:2205.05198, equation 2). Inputs of linear layers are kept at the width of the products.
    """
    network = job.network
    if not network.sequential:
        return _whole(job, table)
    width = job.weight_bytes
    narrow = min(OPERAND_BYTES[job.precision], width)
    tp = table.tp.astype(np.float64)
    spread = np.where(table.sequence_parallel > 0, tp, 1.0)
    tokens = table.micro_batch * float(job.sequence_length) / table.cp
    hidden = float(network.hidden_size)
    between = (width + 2.0 * narrow + (2.0 if job.dropout else 0.0)) * hidden / spread
    half = between + _attention(job, width, narrow) / tp
    scores = np.zeros_like(tp)
    if job.flash_attention:
        half = half + 4.0 * network.num_attention_heads / tp
    else:
        per_score = 2.0 * width + 1.0 if job.dropout else width
        scores = per_score * network.num_attention_heads * job.sequence_length / tp * tokens
    dense = _feed_forward(network, float(network.intermediate_size), width, narrow) / tp
    experts = _experts(network, table, width, narrow)
    light = _light(job, narrow) / tp + 2.0 * narrow * hidden / spread
    fused = 1.0 if job.flash_attention else 0.0
    copies = network.num_experts_per_tok + network.n_shared_experts
    hidden_layer = narrow * network.moe_intermediate_size * copies / tp
    return LayerActivations(
        boundary=width * hidden / spread * tokens,
        dense=(half + dense) * tokens,
        moe=(half + experts) * tokens,
        scores=scores,
        light_dense=fused * (light + narrow * network.intermediate_size / tp) * tokens,
        light_moe=fused * (light + hidden_layer) * tokens,
    )


def _light(job: Job, narrow: float) -> float:
    """Return bytes per token of what latent attention makes anew from its latents."""
    network = job.network
    if not network.latent_attention:
        return 0.0
    made = network.num_attention_heads * (2.0 * network.query_key_dim + network.value_dim)
    return made * max(narrow, job.weight_bytes)


def _attention(job: Job, width: float, narrow: float) -> float:
    """Return bytes per token of query, key, value and output, and of the latents."""
    network = job.network
    heads = network.num_attention_heads
    pairs = heads if network.latent_attention else network.num_key_value_heads
    count = (heads + pairs) * (network.query_key_dim + network.value_dim) * width
    if narrow < width:
        count += heads * network.value_dim * narrow
    latents = network.q_lora_rank + network.kv_lora_rank + network.qk_rope_head_dim
    return count + (width + narrow) * latents if network.latent_attention else count


def _feed_forward(network: Network, size: float, width: float, narrow: float) -> float:
    """Return bytes per token before and after the activation."""
    ups = 2.0 if network.gated else 1.0
    return size * (ups * width + narrow)


def _experts(network: Network, table: StrategyTable, width: float, narrow: float) -> FloatArray:
    """Return bytes per token of routed copies, their hidden layer, shared experts and router."""
    tp = table.tp.astype(np.float64)
    if not network.num_experts:
        return np.zeros_like(tp)
    etp = table.etp.astype(np.float64)
    copies = network.num_experts_per_tok * etp / tp
    inner = _feed_forward(network, network.moe_intermediate_size, width, narrow) / etp
    routed = copies * ((width + narrow) * network.hidden_size + inner)
    shared = float(network.n_shared_experts * network.moe_intermediate_size)
    return routed + (_feed_forward(network, shared, width, narrow) + 4.0 * network.num_experts) / tp


def _whole(job: Job, table: StrategyTable) -> LayerActivations:
    """Return what a network without sequences keeps: outputs before and after normalisation."""
    samples = table.micro_batch.astype(np.float64)
    if job.network.recommender is not None:
        kept = float(sum(sum(pair) for pair in job.network.recommender.layers))
    else:
        kept = 2.0 * sum(layer.outputs for layer in job.network.convolutions)
    zero = np.zeros_like(samples)
    return LayerActivations(
        boundary=zero,
        dense=samples * kept * job.weight_bytes,
        moe=zero,
        scores=zero,
        light_dense=zero,
        light_moe=zero,
    )
