"""The operators that layers are made of, on one machine in one precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from planner.domain.compute_constants import ComputeConstants
from planner.domain.strategy import PRECISIONS
from planner.physics.blocks import Block
from planner.physics.job import Job
from planner.physics.kernels import Kernels
from planner.physics.machine import Machine
from planner.physics.wiring import FloatArray

ACCUMULATE_BYTES = 8.0
"""Bytes moved per weight gradient: read and write of a 32-bit accumulator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """Passes over the elements that element-wise work makes, forward and backward.

    Counted operator by operator: every read and every write of a 16-bit element is one pass, of a
    32-bit element two.
    """

    norm: tuple[float, float]
    rms_norm: tuple[float, float]
    residual: tuple[float, float]
    """Addition of the branch, and of the two gradients."""
    dropout: tuple[float, float]
    """What dropout and its mask add to the residual addition."""
    position: tuple[float, float]
    activation: tuple[float, float]
    """Per element of the activated width, ungated."""
    gate: tuple[float, float]
    """Per element of the activated width, gated."""
    loss: tuple[float, float]
    """Per 16-bit logit."""


FUSED = Passes(
    norm=(2.0, 3.0),
    rms_norm=(2.0, 3.0),
    residual=(3.0, 3.0),
    dropout=(0.5, 2.5),
    position=(2.0, 2.0),
    activation=(2.0, 4.0),
    gate=(3.0, 5.0),
    loss=(10.0, 6.0),
)
"""One kernel each for bias with dropout and addition, bias with activation, norm, positions."""

PLAIN = Passes(
    norm=(6.0, 8.0),
    rms_norm=(18.0, 30.0),
    residual=(3.0, 3.0),
    dropout=(2.5, 2.5),
    position=(10.0, 14.0),
    activation=(2.0, 3.0),
    gate=(5.0, 8.0),
    loss=(14.0, 10.0),
)
"""Eager PyTorch under autocast: norms and losses in 32 bits between casts, RMS norm and rotary
positions operator by operator."""


class Operators:
    """Operators of one job; every method returns a `Block` over arrays of shapes."""

    def __init__(
        self, job: Job, machine: Machine, constants: ComputeConstants, precision: str
    ) -> None:
        self.job = job
        self.network = job.network
        self.constants = constants
        self.kernels = Kernels.of(machine, constants, precision)
        """Kernels of the linear layers."""
        wide = precision if precision in ("fp32", "tf32") else "bf16"
        self.wide = Kernels.of(machine, constants, wide)
        """Kernels of what stays in 16 bits: attention, embedding, logits."""
        self.width = 4.0 if precision in ("fp32", "tf32") else 2.0
        """Bytes of one activation."""
        self.passes = FUSED if job.fused else PLAIN
        self.casts = self.kernels.operand_bytes < self.width

    @classmethod
    def of_code(
        cls, job: Job, machine: Machine, constants: ComputeConstants, code: int
    ) -> Operators:
        """Return the operators of a precision given by its code."""
        return cls(job, machine, constants, PRECISIONS[code])

    def linear(
        self,
        tokens: FloatArray,
        inner: ArrayLike,
        outer: ArrayLike,
        groups: ArrayLike = 1.0,
        *,
        wide: bool = False,
    ) -> Block:
        """Return a linear layer from `inner` to `outer` features.

        Parameters
        ----------
        tokens
            Rows of the input, those of one group where there are several.
        groups
            Layers of equal shape that run as one grouped product.
        wide
            Keep 16-bit operands where the job's precision is narrower.
        """
        kernels = self.wide if wide else self.kernels
        forward = kernels.product_s(tokens, outer, inner, groups)
        data = kernels.product_s(tokens, inner, outer, groups)
        weight = kernels.product_s(outer, inner, tokens, groups, ACCUMULATE_BYTES)
        casts = self.casts and not wide
        if casts:
            narrow = self.width + 2.0 * kernels.operand_bytes
            rows = tokens * np.asarray(groups)
            forward = forward + kernels.stream_s(rows * np.asarray(inner) * narrow)
            data = data + kernels.stream_s(rows * np.asarray(outer) * narrow)
        return Block(
            forward_s=forward,
            core_s=np.zeros_like(forward),
            backward_s=data,
            weight_s=weight,
            forward_kernels=1.0 + casts,
            backward_kernels=2.0 + casts,
        )

    def streamed(
        self, elements: FloatArray, forward: float, backward: float, kernels: float = 1.0
    ) -> Block:
        """Return element-wise work that passes `forward` and `backward` times over elements."""
        size = elements * self.width
        return Block(
            forward_s=self.wide.stream_s(size * forward, kernels),
            core_s=np.zeros_like(elements),
            backward_s=self.wide.stream_s(size * backward, kernels),
            weight_s=np.zeros_like(elements),
            forward_kernels=kernels,
            backward_kernels=kernels,
        )

    def normalised(self, elements: FloatArray) -> Block:
        """Return one normalisation."""
        gated = self.network.norm == "rmsnorm" and self.network.gated
        return self.streamed(elements, *(self.passes.rms_norm if gated else self.passes.norm))
