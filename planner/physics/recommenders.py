"""Time of a recommender: table lookups by bandwidth, interaction and dense layers as products."""

from __future__ import annotations

import numpy as np

from planner.domain.recommender import Recommender
from planner.physics.blocks import Block, Shapes
from planner.physics.operators import Operators

ROW_BYTES = 4.0
"""Bytes of one table element."""
LOOKUP_PASSES = (1.0, 2.2)
"""Passes over the looked-up rows: read forward; backward read and write each row once, with the
gradients of the pooled vectors."""
LOOKUP_KERNELS = (4.0, 12.0)
GATHER_RATE = 0.6
"""Rate of reads of single rows over that of streams (rows of a few hundred bytes; estimate)."""
CROSS_PASSES = (4.0, 6.0)
"""Passes over the joined vectors of one cross layer, product with the input, sum and bias fused:
read result, first and last vectors and write; backward the same and their gradients."""
LAYER_PASSES = (0.0, 2.0)
"""Passes of bias and activation over a layer's outputs: in the product's epilogue forward."""


def lookup_block(op: Operators, shapes: Shapes, recommender: Recommender) -> Block:
    """Return the lookups of one GPU's tables for the samples of all GPUs: a micro-batch's worth."""
    rows = shapes.micro_batch * float(recommender.lookups)
    moved = rows * recommender.embedding_dim * ROW_BYTES / GATHER_RATE
    forward, backward = LOOKUP_PASSES
    return Block(
        forward_s=op.wide.stream_s(moved * forward, LOOKUP_KERNELS[0]),
        core_s=np.zeros_like(rows),
        backward_s=op.wide.stream_s(moved * backward, LOOKUP_KERNELS[1]),
        weight_s=np.zeros_like(rows),
        forward_kernels=1.0,
        backward_kernels=1.0,
    )


def dense_block(op: Operators, shapes: Shapes, recommender: Recommender) -> Block:
    """Return all dense layers and the interaction for a micro-batch."""
    samples = shapes.micro_batch
    ones = np.ones_like(samples)
    block = op.streamed(samples * recommender.joined, 2.0, 2.0)
    for inputs, outputs in recommender.layers:
        layer = op.linear(samples, inputs * ones, outputs * ones)
        block = block + layer + op.streamed(samples * float(outputs), *LAYER_PASSES)
    for _ in range(recommender.cross_layers):
        block = block + op.streamed(samples * float(recommender.joined), *CROSS_PASSES)
    if not recommender.cross_layers:
        vectors = float(recommender.features + 1)
        pairs = op.linear(
            vectors * ones, recommender.embedding_dim * ones, vectors * ones, samples, wide=True
        )
        block = block + pairs
    return block
