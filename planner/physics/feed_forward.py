"""Time of feed-forward layers: dense, and experts with their routing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from planner.physics.blocks import Block, Shapes
from planner.physics.operators import Operators
from planner.physics.wiring import FloatArray

ROUTE_PASSES = 8.0
"""Passes over the routed tokens that permute, sort, unsort and combine them, each way."""
LOOP_KERNELS = (9.0, 14.0)
"""Kernels of one expert where experts run in a loop, forward and backward: where, gather, three
products, activation, gate, weight, scatter (Hugging Face's Mixtral)."""
ROUTE_KERNELS = 16.0
"""Kernels of routing, each way: scores, top-k, maps, permutations."""


def dense_feed_forward(op: Operators, shapes: Shapes, width: float) -> Block:
    """Return a feed-forward `width` wide, split over the tensor-parallel ranks."""
    return gated_pair(op, shapes.tokens, width / shapes.tp, 1.0)


def gated_pair(op: Operators, tokens: FloatArray, width: FloatArray, groups: ArrayLike) -> Block:
    """Return up projection, activation and down projection of one group of equal layers."""
    hidden = np.full_like(tokens, float(op.network.hidden_size))
    ups = 2.0 if op.network.gated else 1.0
    block = op.linear(tokens, hidden, ups * width, groups)
    passes = op.passes.gate if op.network.gated else op.passes.activation
    block = block + op.streamed(tokens * width * np.asarray(groups), *passes)
    return block + op.linear(tokens, width, hidden, groups)


def routed_tokens(op: Operators, shapes: Shapes) -> FloatArray:
    """Return the token copies that one rank's experts receive, load imbalance included."""
    local = shapes.tokens / shapes.tp
    imbalance = op.constants.experts.imbalance.value
    return local * op.network.num_experts_per_tok * shapes.etp * imbalance


def expert_feed_forward(op: Operators, shapes: Shapes) -> Block:
    """Return router, permutations, routed experts and shared experts of one layer.

    Each rank routes its share of the tokens (1 / tp); its experts receive as many copies as it
    sends on average, from all ranks of its expert group.
    """
    network = op.network
    local = shapes.tokens / shapes.tp
    hidden = float(network.hidden_size)
    experts = network.num_experts / shapes.ep
    copies = routed_tokens(op, shapes)
    block = op.linear(local, hidden, np.full_like(local, network.num_experts), wide=True)
    block = block + op.streamed(copies * hidden, ROUTE_PASSES, ROUTE_PASSES, ROUTE_KERNELS)
    width = network.moe_intermediate_size / shapes.etp
    block = block + gated_pair(op, copies / experts, width, experts)
    if not op.job.fused:
        block = block + _loop(op, float(np.max(experts)), np.zeros_like(local))
    if network.n_shared_experts:
        shared = float(network.n_shared_experts * network.moe_intermediate_size)
        block = block + dense_feed_forward(op, shapes, shared)
    return block


def _loop(op: Operators, experts: float, nothing: FloatArray) -> Block:
    """Return the launches of experts that run one after the other in a loop."""
    forward, backward = (kernels * experts for kernels in LOOP_KERNELS)
    return Block(
        forward_s=nothing + forward * op.wide.kernel_s,
        core_s=nothing,
        backward_s=nothing + backward * op.wide.kernel_s,
        weight_s=nothing,
        forward_kernels=forward,
        backward_kernels=backward,
    )
