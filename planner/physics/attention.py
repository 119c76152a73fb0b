"""Time of attention: projections and core, grouped or latent heads, fused or not."""

from __future__ import annotations

import numpy as np

from planner.physics.blocks import Block, Shapes
from planner.physics.operators import Operators
from planner.physics.wiring import FloatArray

SOFTMAX_FORWARD_BYTES = 4.0
"""Bytes moved per 16-bit attention score by the fused scale, mask and softmax."""
SOFTMAX_BACKWARD_BYTES = 6.0
DROPOUT_FORWARD_BYTES = 5.0
DROPOUT_BACKWARD_BYTES = 5.0
FUSED_BACKWARD_WORK = 2.5
"""Operations of the fused backward pass over those of the forward pass (it recomputes scores)."""


def attention(op: Operators, shapes: Shapes) -> Block:
    """Return the projections, positions and core of one layer's attention."""
    network = op.network
    if network.latent_attention:
        return _latent(op, shapes)
    heads, kv, width = network.num_attention_heads, network.num_key_value_heads, network.head_dim
    kept = np.maximum(kv / shapes.tp, 1.0)
    outer = width * (heads / shapes.tp + 2.0 * kept)
    block = op.linear(shapes.tokens, float(network.hidden_size), outer)
    if network.qk_norm:
        block = block + op.normalised(shapes.tokens * (outer - width * kept))
    block = block + _positions(op, shapes.tokens * (outer - width * kept))
    block = block + attention_core(op, shapes)
    return block + op.linear(
        shapes.tokens, heads * width / shapes.tp, np.full_like(outer, network.hidden_size)
    )


def _positions(op: Operators, elements: FloatArray) -> Block:
    if op.network.position_embedding == "rope":
        return op.streamed(elements, *op.passes.position)
    return op.streamed(elements * (0.5 if op.network.attention_bias else 0.0), 1.0, 1.0)


def _latent(op: Operators, shapes: Shapes) -> Block:
    """Return multi-head latent attention: low-rank down and up projections around the core."""
    network, tokens = op.network, shapes.tokens
    hidden = float(network.hidden_size)
    heads = network.num_attention_heads / shapes.tp
    query = heads * network.query_key_dim
    ones = np.ones_like(tokens)
    if network.q_lora_rank:
        rank = float(network.q_lora_rank)
        block = op.linear(tokens, hidden, rank * ones) + op.normalised(tokens * rank)
        block = block + op.linear(tokens, rank, query)
    else:
        block = op.linear(tokens, hidden, query)
    latent = float(network.kv_lora_rank)
    block = block + op.linear(tokens, hidden, (latent + network.qk_rope_head_dim) * ones)
    block = block + op.normalised(tokens * latent)
    block = block + op.linear(
        tokens, latent, heads * (network.qk_nope_head_dim + network.v_head_dim)
    )
    block = block + op.streamed(tokens * query, 4.0, 4.0, 4.0)
    block = block + attention_core(op, shapes)
    return block + op.linear(tokens, heads * network.v_head_dim, hidden * ones)


def attention_core(op: Operators, shapes: Shapes) -> Block:
    """Return scores, softmax and weighted sum of all heads of a rank."""
    network = op.network
    heads = network.num_attention_heads / shapes.tp
    if not op.job.flash_attention:
        return _unfused(op, shapes, heads)
    pairs = shapes.tokens * _reach(op, shapes)
    flops = 2.0 * pairs * heads * (network.query_key_dim + network.value_dim)
    kernels = op.wide
    width = (network.query_key_dim + network.value_dim) / 2.0
    forward = kernels.fused_attention_s(
        flops, shapes.length / shapes.cp, width, fused=op.job.vendor_attention
    )
    work = FUSED_BACKWARD_WORK / kernels.attention_backward_rate
    backward = (forward - kernels.kernel_s) * work + kernels.kernel_s
    return _core(forward, backward, 1.0, 2.0)


def _reach(op: Operators, shapes: Shapes) -> FloatArray:
    """Return the keys that one query meets on average."""
    network = op.network
    reach: FloatArray = shapes.length / 2.0 if network.causal else shapes.length
    if network.sliding_window and network.sliding_window_every:
        share = 1.0 / network.sliding_window_every
        near = np.minimum(reach, float(network.sliding_window))
        reach = share * near + (1.0 - share) * reach
    return reach


def _unfused(op: Operators, shapes: Shapes, heads: FloatArray) -> Block:
    """Return attention that writes its scores to memory."""
    network, kernels = op.network, op.wide
    rows = shapes.length / shapes.cp
    batch = shapes.micro_batch * heads
    scores = batch * rows * shapes.length
    query, value = float(network.query_key_dim), float(network.value_dim)
    one = kernels.product_s(rows, shapes.length, query, batch)
    two = kernels.product_s(rows, value, shapes.length, batch)
    three = kernels.product_s(shapes.length, query, rows, batch)
    forward_bytes, backward_bytes = SOFTMAX_FORWARD_BYTES, SOFTMAX_BACKWARD_BYTES
    if op.job.dropout:
        forward_bytes += DROPOUT_FORWARD_BYTES
        backward_bytes += DROPOUT_BACKWARD_BYTES
    scale = op.width / 2.0
    forward = one + two + kernels.stream_s(scores * forward_bytes * scale, 2.0)
    backward = 2.0 * one + two + three
    backward = backward + kernels.stream_s(scores * backward_bytes * scale, 2.0)
    return _core(forward, backward, 4.0, 6.0)


def _core(forward: FloatArray, backward: FloatArray, one: float, two: float) -> Block:
    return Block(
        forward_s=forward,
        core_s=forward,
        backward_s=backward,
        weight_s=np.zeros_like(forward),
        forward_kernels=one,
        backward_kernels=two,
    )
