"""Time of single kernels: matrix products by tiles and waves, fused attention, streaming."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from planner.domain.compute_constants import ComputeConstants
from planner.physics.job import OPERAND_BYTES
from planner.physics.machine import Machine
from planner.physics.wiring import FloatArray

SPLIT_INNER = 512.0
"""Least inner dimension that each piece of a split product keeps."""

USUAL_WIDTH = 128.0
"""Head width at which attention constants are stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernels:
    """Kernel times on one machine in one precision."""

    peak: float
    """Sustained FLOP/s of large matrix products."""
    depth: float
    multiprocessors: float
    tiles: tuple[tuple[int, int, float], ...]
    operand_bytes: float
    result_bytes: float
    bytes_per_s: float
    """Sustained memory bandwidth."""
    kernel_s: float
    attention_peak: float
    attention_half_length: float
    attention_half_width: float
    attention_portable_rate: float
    attention_backward_rate: float

    @classmethod
    def of(cls, machine: Machine, constants: ComputeConstants, precision: str) -> Kernels:
        """Return the kernels of a precision on a machine."""
        part = constants.accelerator(machine.accelerator, machine.architecture)
        family = machine.family(precision)
        gemm = part.product(family)
        attention = machine.family("fp32" if family in ("fp32", "tf32") else "bf16")
        if attention == "fp32" and family == "tf32":
            attention = "tf32"
        return cls(
            peak=machine.peak_flops[family] * gemm.efficiency.value * gemm.sustained.value,
            depth=gemm.depth.value,
            multiprocessors=part.multiprocessors.value,
            tiles=tuple((tile.rows, tile.columns, tile.rate) for tile in constants.tiles),
            operand_bytes=OPERAND_BYTES[precision],
            result_bytes=4.0 if precision in ("fp32", "tf32") else 2.0,
            bytes_per_s=machine.memory_bytes_per_s * part.memory_efficiency.value,
            kernel_s=part.kernel_s.value,
            attention_peak=(
                machine.peak_flops[attention]
                * part.attention.efficiency.value
                * part.product(attention).sustained.value
            ),
            attention_half_length=part.attention.half_length.value,
            attention_half_width=part.attention.half_width.value,
            attention_portable_rate=part.attention.portable_rate.value,
            attention_backward_rate=part.attention.backward_rate.value,
        )

    def tiled_s(
        self, m: ArrayLike, n: ArrayLike, k: ArrayLike, groups: ArrayLike = 1.0
    ) -> FloatArray:
        """Return the time in the multiprocessors of `groups` products (m, k) x (k, n).

        The results are cut into tiles, a wave of which fills the multiprocessors; the last wave
        counts in full. Where the tiles do not fill one wave, the inner dimension is split over
        the idle multiprocessors. The fastest tile shape is taken.
        """
        rows, columns, inner, many = (np.asarray(x, dtype=np.float64) for x in (m, n, k, groups))
        best: FloatArray | None = None
        for height, width, rate in self.tiles:
            tiles = many * np.ceil(rows / height) * np.ceil(columns / width)
            pieces = np.floor(self.multiprocessors / tiles)
            pieces = np.clip(pieces, 1.0, np.maximum(inner / SPLIT_INNER, 1.0))
            waves = np.ceil(tiles * pieces / self.multiprocessors)
            speed = self.peak * rate / (2.0 * height * width * self.multiprocessors)
            work = waves * (inner / pieces + self.depth) / speed
            best = work if best is None else np.minimum(best, work)
        assert best is not None
        return best

    def product_s(
        self,
        m: ArrayLike,
        n: ArrayLike,
        k: ArrayLike,
        groups: ArrayLike = 1.0,
        result_bytes: float | None = None,
    ) -> FloatArray:
        """Return the time of `groups` products (m, k) x (k, n), arrays that broadcast.

        No product is faster than the bytes that it must move.
        """
        rows, columns, inner, many = (np.asarray(x, dtype=np.float64) for x in (m, n, k, groups))
        result = self.result_bytes if result_bytes is None else result_bytes
        moved = inner * (rows + columns) * self.operand_bytes + rows * columns * result
        floor = many * moved / self.bytes_per_s
        return np.maximum(self.tiled_s(m, n, k, groups), floor) + self.kernel_s

    def attention_rate(self, width: float, *, fused: bool) -> float:
        """Return the FLOP/s of fused attention over long sequences, heads `width` wide."""
        half = self.attention_half_width
        shape = width / (width + half) * (USUAL_WIDTH + half) / USUAL_WIDTH
        return self.attention_peak * shape * (1.0 if fused else self.attention_portable_rate)

    def fused_attention_s(
        self, flops: ArrayLike, length: ArrayLike, width: float, *, fused: bool = True
    ) -> FloatArray:
        """Return the forward time of fused attention over sequences of a length."""
        reach = np.asarray(length, dtype=np.float64)
        best = self.attention_rate(width, fused=fused)
        rate = best * reach / (reach + self.attention_half_length)
        return np.asarray(flops, dtype=np.float64) / rate + self.kernel_s

    def stream_s(self, moved_bytes: ArrayLike, kernels: float = 1.0) -> FloatArray:
        """Return the time of element-wise kernels that move some bytes."""
        moved = np.asarray(moved_bytes, dtype=np.float64)
        return moved / self.bytes_per_s + kernels * self.kernel_s
