"""Time of every kind of layer of a network for one micro-batch."""

from __future__ import annotations

import numpy as np

from planner.physics.attention import attention
from planner.physics.blocks import Block, Shapes
from planner.physics.feed_forward import dense_feed_forward, expert_feed_forward
from planner.physics.images import image_block
from planner.physics.operators import Operators
from planner.physics.recommenders import dense_block, lookup_block

KINDS = ("dense", "moe", "embedding", "head", "extra")
"""Kinds of layers; `extra` is one depth of multi-token prediction."""


def layer_blocks(op: Operators, shapes: Shapes) -> dict[str, Block]:
    """Return the time of each kind of layer that the network has."""
    network = op.network
    if not network.sequential:
        return _other_blocks(op, shapes)
    half = _residual(op, shapes) + attention(op, shapes)
    blocks = {"embedding": _embedding(op, shapes), "head": _head(op, shapes)}
    if network.dense_layers:
        feed = dense_feed_forward(op, shapes, float(network.intermediate_size))
        blocks["dense"] = half + _residual(op, shapes) + feed
    if network.moe_layers:
        blocks["moe"] = half + _residual(op, shapes) + expert_feed_forward(op, shapes)
    if network.num_nextn_predict_layers:
        hidden = np.full_like(shapes.tokens, float(network.hidden_size))
        join = op.linear(shapes.tokens, 2.0 * hidden / shapes.tp, hidden)
        layer = blocks.get("moe", blocks.get("dense"))
        assert layer is not None
        blocks["extra"] = join + layer + blocks["head"]
    return blocks


def _other_blocks(op: Operators, shapes: Shapes) -> dict[str, Block]:
    """Return the blocks of a network without sequences: all of it is one layer."""
    recommender = op.network.recommender
    nothing = op.streamed(np.zeros_like(shapes.tokens), 0.0, 0.0, 0.0)
    if recommender is None:
        return {"dense": image_block(op, shapes), "embedding": nothing, "head": nothing}
    return {
        "dense": dense_block(op, shapes, recommender),
        "embedding": lookup_block(op, shapes, recommender),
        "head": nothing,
    }


def _residual(op: Operators, shapes: Shapes) -> Block:
    """Return one normalisation and one residual addition with its bias and dropout."""
    elements = shapes.tokens * op.network.hidden_size / shapes.spread
    block = op.normalised(elements) + op.streamed(elements, *op.passes.residual)
    return block + op.streamed(elements, *op.passes.dropout, 0.0) if op.job.dropout else block


def _embedding(op: Operators, shapes: Shapes) -> Block:
    """Return the token embedding: a gather forward, a scatter backward."""
    elements = shapes.tokens * op.network.hidden_size
    return op.streamed(elements / shapes.spread, 3.0, 3.0, 2.0)


def _head(op: Operators, shapes: Shapes) -> Block:
    """Return final normalisation, logits and loss; always in 16 bits or wider."""
    network = op.network
    tokens = shapes.tokens * network.predicted_share
    vocabulary = network.vocab_size / shapes.tp
    block = op.normalised(shapes.tokens * network.hidden_size / shapes.spread)
    block = block + op.linear(tokens, float(network.hidden_size), vocabulary, wide=True)
    scale = 2.0 / op.width
    return block + op.streamed(tokens * vocabulary * scale, *op.passes.loss, 8.0)
