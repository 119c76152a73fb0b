"""Time that computation takes in each kind of layer, operator by operator.

Everything is per micro-batch and per GPU: `tokens` are the micro-batch's tokens on one
context-parallel rank, widths are divided by the tensor-parallel degree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.compute_constants import ComputeConstants
from planner.domain.network import Network
from planner.domain.strategy import PRECISIONS
from planner.physics.job import Job
from planner.physics.kernels import Kernels
from planner.physics.machine import Machine
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import FloatArray

SOFTMAX_FORWARD_BYTES = 4.0
"""Passes over the attention scores in the forward pass (fused scale, mask and softmax)."""
SOFTMAX_BACKWARD_BYTES = 6.0
DROPOUT_FORWARD_BYTES = 5.0
DROPOUT_BACKWARD_BYTES = 5.0
LOSS_FORWARD_PASSES = 5.0
"""Passes over the 32-bit logits of an unfused cross-entropy, read and write counted apart."""
LOSS_BACKWARD_PASSES = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Time of one layer for one micro-batch; arrays over distinct shapes, seconds."""

    forward_s: FloatArray
    core_s: FloatArray
    """Part of the forward pass that selective recomputation repeats (attention core)."""
    backward_s: FloatArray
    """Backward pass without the weight gradients."""
    weight_s: FloatArray
    """Weight gradients."""
    forward_kernels: float
    backward_kernels: float

    def __add__(self, other: Block) -> Block:
        """Return two blocks one after the other."""
        return Block(
            forward_s=self.forward_s + other.forward_s,
            core_s=self.core_s + other.core_s,
            backward_s=self.backward_s + other.backward_s,
            weight_s=self.weight_s + other.weight_s,
            forward_kernels=self.forward_kernels + other.forward_kernels,
            backward_kernels=self.backward_kernels + other.backward_kernels,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """What the time of a layer depends on; arrays over distinct shapes."""

    tokens: FloatArray
    micro_batch: FloatArray
    length: FloatArray
    """Whole sequence, tokens."""
    tp: FloatArray
    cp: FloatArray
    spread: FloatArray
    """Ranks that share element-wise work between blocks: tp with sequence parallelism, else 1."""

    @classmethod
    def of(cls, job: Job, table: StrategyTable) -> Shapes:
        """Return the shapes of a table of strategies."""
        tp = table.tp.astype(np.float64)
        cp = table.cp.astype(np.float64)
        micro = table.micro_batch.astype(np.float64)
        length = np.full(len(tp), float(job.sequence_length))
        return cls(
            tokens=micro * length / cp,
            micro_batch=micro,
            length=length,
            tp=tp,
            cp=cp,
            spread=np.where(table.sequence_parallel > 0, tp, 1.0),
        )


class BlockTimer:
    """Times the layers of one job on one machine in one precision."""

    def __init__(
        self, job: Job, machine: Machine, constants: ComputeConstants, precision: str
    ) -> None:
        self.job = job
        self.network: Network = job.network
        self.kernels = Kernels.of(machine, constants, precision)
        wide = precision if precision in ("fp32", "tf32") else "bf16"
        self.wide = Kernels.of(machine, constants, wide)
        """Kernels of what stays in 16 bits: attention, embedding, logits."""
        self.width = 4.0 if precision in ("fp32", "tf32") else 2.0
        self.casts = self.kernels.operand_bytes < self.width

    @classmethod
    def of_code(
        cls, job: Job, machine: Machine, constants: ComputeConstants, code: int
    ) -> BlockTimer:
        """Return the timer of a precision given by its code."""
        return cls(job, machine, constants, PRECISIONS[code])

    def linear(self, tokens: FloatArray, inner: FloatArray, outer: FloatArray) -> Block:
        """Return a linear layer from `inner` to `outer` features."""
        kernels = self.kernels
        forward = kernels.product_s(tokens, outer, inner)
        data = kernels.product_s(tokens, inner, outer)
        weight = kernels.product_s(outer, inner, tokens, result_bytes=8.0)
        if self.casts:
            narrow = self.width + 2.0 * kernels.operand_bytes
            forward = forward + kernels.stream_s(tokens * inner * narrow)
            data = data + kernels.stream_s(tokens * outer * narrow)
        zero = np.zeros_like(forward)
        return Block(
            forward_s=forward, core_s=zero, backward_s=data, weight_s=weight,
            forward_kernels=1.0 + self.casts, backward_kernels=2.0 + self.casts,
        )  # fmt: skip

    def streamed(
        self, elements: FloatArray, forward: float, backward: float, kernels: float = 1.0
    ) -> Block:
        """Return element-wise work that passes `forward` and `backward` times over elements."""
        size = elements * self.width
        zero = np.zeros_like(elements)
        return Block(
            forward_s=self.wide.stream_s(size * forward, kernels),
            core_s=zero,
            backward_s=self.wide.stream_s(size * backward, kernels),
            weight_s=zero,
            forward_kernels=kernels,
            backward_kernels=kernels,
        )

    def residual(self, shapes: Shapes) -> Block:
        """Return one normalisation and one residual addition with its bias and dropout."""
        elements = shapes.tokens * self.network.hidden_size / shapes.spread
        norm = self.streamed(elements, 2.0, 4.0)
        extra = 0.5 if self.job.dropout else 0.0
        return norm + self.streamed(elements, 3.0 + extra, 2.0 + extra)

    def attention_core(self, shapes: Shapes) -> Block:
        """Return scores, softmax and weighted sum of all heads of a rank."""
        network = self.network
        heads = network.num_attention_heads / shapes.tp
        pairs = shapes.tokens * self._reach(shapes)
        flops = 2.0 * pairs * heads * (network.query_key_dim + network.value_dim)
        if self.job.flash_attention:
            forward = self.wide.fused_attention_s(flops, shapes.length / shapes.cp)
            rate = self.wide.attention_backward_rate
            backward = (forward - self.wide.kernel_s) * 2.5 / rate + self.wide.kernel_s
            return self._core(forward, backward, 1.0, 2.0)
        return self._unfused(shapes, heads)

    def _reach(self, shapes: Shapes) -> FloatArray:
        """Return the keys that one query meets on average."""
        network = self.network
        reach = shapes.length / 2.0 if network.causal else shapes.length
        if not self.job.flash_attention:
            reach = shapes.length
        if network.sliding_window and network.sliding_window_every:
            share = 1.0 / network.sliding_window_every
            near = np.minimum(reach, float(network.sliding_window))
            reach = share * near + (1.0 - share) * reach
        return reach

    def _unfused(self, shapes: Shapes, heads: FloatArray) -> Block:
        """Return attention that writes its scores to memory."""
        network = self.network
        rows = shapes.length / shapes.cp
        batch = shapes.micro_batch * heads
        scores = batch * rows * shapes.length
        query, value = float(network.query_key_dim), float(network.value_dim)
        one = self._batched(batch, rows, shapes.length, query)
        two = self._batched(batch, rows, value, shapes.length)
        three = self._batched(batch, shapes.length, query, rows)
        forward_bytes, backward_bytes = SOFTMAX_FORWARD_BYTES, SOFTMAX_BACKWARD_BYTES
        if self.job.dropout:
            forward_bytes += DROPOUT_FORWARD_BYTES
            backward_bytes += DROPOUT_BACKWARD_BYTES
        scale = self.width / 2.0
        forward = one + two + self.wide.stream_s(scores * forward_bytes * scale, 2.0)
        backward = 2.0 * one + two + three
        backward = backward + self.wide.stream_s(scores * backward_bytes * scale, 2.0)
        return self._core(forward, backward, 4.0, 6.0)

    def _batched(
        self, batch: FloatArray, m: FloatArray | float, n: FloatArray | float, k: FloatArray | float
    ) -> FloatArray:
        """Return the time of a batch of products, tiles of all of them filling the waves."""
        kernels = self.wide
        tiles = batch * np.ceil(np.asarray(m) / 128.0) * np.ceil(np.asarray(n) / 128.0)
        waves = np.ceil(tiles / kernels.multiprocessors)
        work = waves * kernels.multiprocessors * 2.0 * 128.0 * 128.0
        time = work * (np.asarray(k) + kernels.depth) / kernels.peak
        moved = batch * self.width * (np.asarray(m) * k + np.asarray(n) * k + np.asarray(m) * n)
        result: FloatArray = np.maximum(time, moved / kernels.bytes_per_s) + kernels.kernel_s
        return result

    @staticmethod
    def _core(forward: FloatArray, backward: FloatArray, one: float, two: float) -> Block:
        return Block(
            forward_s=forward, core_s=forward, backward_s=backward,
            weight_s=np.zeros_like(forward), forward_kernels=one, backward_kernels=two,
        )  # fmt: skip

    def attention(self, shapes: Shapes) -> Block:
        """Return the attention half of a layer."""
        network = self.network
        hidden = np.full_like(shapes.tokens, float(network.hidden_size))
        heads, kv = network.num_attention_heads, network.num_key_value_heads
        outer = network.head_dim * (heads + 2.0 * np.maximum(kv, shapes.tp * (kv > 0))) / shapes.tp
        outer = np.where(kv >= shapes.tp, network.head_dim * (heads + 2.0 * kv) / shapes.tp, outer)
        block = self.residual(shapes) + self.linear(shapes.tokens, hidden, outer)
        if network.position_embedding == "rope":
            block = block + self.streamed(shapes.tokens * outer, 2.0, 2.0)
        elif network.attention_bias:
            block = block + self.streamed(shapes.tokens * outer, 0.5, 0.5)
        block = block + self.attention_core(shapes)
        values = heads * network.value_dim / shapes.tp
        return block + self.linear(shapes.tokens, values, hidden)

    def feed_forward(self, shapes: Shapes) -> Block:
        """Return the dense feed-forward half of a layer."""
        network = self.network
        hidden = np.full_like(shapes.tokens, float(network.hidden_size))
        width = network.intermediate_size / shapes.tp
        ups = 2.0 if network.gated else 1.0
        block = self.residual(shapes) + self.linear(shapes.tokens, hidden, ups * width)
        block = block + self.streamed(shapes.tokens * width, 1.0 + ups, 1.0 + 2.0 * ups)
        return block + self.linear(shapes.tokens, width, hidden)

    def dense_layer(self, shapes: Shapes) -> Block:
        """Return one layer with a dense feed-forward."""
        return self.attention(shapes) + self.feed_forward(shapes)

    def mean_layer(self, shapes: Shapes) -> Block:
        """Return the mean layer of the network."""
        return self.dense_layer(shapes)

    def embedding(self, shapes: Shapes) -> Block:
        """Return the token embedding: a gather forward, a scatter backward."""
        elements = shapes.tokens * self.network.hidden_size
        return self.streamed(elements / shapes.spread, 3.0, 3.0, 2.0)

    def head(self, shapes: Shapes) -> Block:
        """Return final normalisation, logits and loss; always in 16 bits or wider."""
        network = self.network
        hidden = np.full_like(shapes.tokens, float(network.hidden_size))
        vocabulary = network.vocab_size / shapes.tp
        wide = self.wide
        logits = shapes.tokens * vocabulary * 4.0
        norm = self.streamed(shapes.tokens * hidden / shapes.spread, 2.0, 4.0)
        forward = wide.product_s(shapes.tokens, vocabulary, hidden)
        forward = forward + wide.stream_s(logits * LOSS_FORWARD_PASSES, 8.0)
        data = wide.product_s(shapes.tokens, hidden, vocabulary)
        data = data + wide.stream_s(logits * LOSS_BACKWARD_PASSES, 4.0)
        weight = wide.product_s(vocabulary, hidden, shapes.tokens, result_bytes=8.0)
        return norm + Block(
            forward_s=forward, core_s=np.zeros_like(forward), backward_s=data, weight_s=weight,
            forward_kernels=9.0, backward_kernels=6.0,
        )  # fmt: skip
