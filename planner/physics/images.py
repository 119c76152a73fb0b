"""Time of an image network: convolutions as products of tiles, normalisations by bandwidth."""

from __future__ import annotations

import numpy as np

from planner.domain.convolution import Convolution
from planner.physics.blocks import Block, Shapes
from planner.physics.operators import Operators
from planner.physics.wiring import FloatArray

NORM_PASSES = (2.5, 4.5)
"""Passes of batch normalisation and activation over the outputs, forward and backward: read for
the statistics (half of it in the convolution's epilogue), read, write; backward read outputs and
gradients for the sums (half of one from cache), read both, write."""
JOIN_PASSES = (1.0, 2.0)
"""What the residual addition adds, fused with the activation."""


def image_block(op: Operators, shapes: Shapes) -> Block:
    """Return the whole network for a micro-batch of images."""
    images = shapes.micro_batch
    block: Block | None = None
    for layer in op.network.convolutions:
        one = _convolution(op, layer, images)
        elements = images * (layer.outputs / layer.repeat)
        if layer.normalised:
            one = one + op.streamed(elements, *NORM_PASSES)
        if layer.joins:
            one = one + op.streamed(elements, *JOIN_PASSES)
        one = one * float(layer.repeat)
        block = one if block is None else block + one
    assert block is not None
    return block


def _convolution(op: Operators, layer: Convolution, images: FloatArray) -> Block:
    """Return one convolution as three products; inputs and outputs cross memory once each."""
    kernels = op.kernels
    pixels = images * float(layer.out_size**2)
    groups = float(layer.groups)
    inner = np.full_like(pixels, float(layer.inner))
    outer = np.full_like(pixels, layer.out_channels / groups)
    moved = op.width * images * (layer.inputs + layer.outputs) / layer.repeat
    floor = kernels.stream_s(moved)
    forward = kernels.tiled_s(pixels, outer, inner, groups)
    data = kernels.tiled_s(pixels, inner, outer, groups)
    weight = kernels.tiled_s(outer, inner, pixels, groups)
    return Block(
        forward_s=np.maximum(forward + kernels.kernel_s, floor),
        core_s=np.zeros_like(forward),
        backward_s=np.maximum(data + kernels.kernel_s, floor),
        weight_s=np.maximum(weight + kernels.kernel_s, floor),
        forward_kernels=1.0,
        backward_kernels=2.0,
    )
