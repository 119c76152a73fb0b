"""Memory of the fullest GPU, part by part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.compute_constants import ComputeConstants
from planner.domain.network import Network
from planner.physics.job import Job
from planner.physics.pipeline import Stages, in_flight
from planner.physics.sharded import (
    StageParameters,
    layer_parameters,
    shard_sizes,
    stage_parameters,
    table_parameters,
)
from planner.physics.strategies import DDP, FULL, HSDP, SELECTIVE, ZERO2, ZERO3, StrategyTable
from planner.physics.wiring import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes on the fullest GPU; arrays of shape (strategies,)."""

    weights: FloatArray
    gradients: FloatArray
    optimizer: FloatArray
    activations: FloatArray
    gathered: FloatArray
    """Full weights and gradients of the units in flight (ZeRO-3, HSDP)."""
    context: FloatArray
    """Driver context, communication buffers, fragmentation."""

    @property
    def total(self) -> FloatArray:
        """Bytes of all parts."""
        tensors = self.weights + self.gradients + self.optimizer
        return tensors + self.activations + self.gathered + self.context

    def parts(self) -> dict[str, FloatArray]:
        """Return the parts by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def layer_activation_bytes(
    job: Job, table: StrategyTable
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what one dense layer keeps of a micro-batch: boundary, rest, attention scores.

    Counts elements operator by operator; for a GPT with dropout it equals
    s b h (10 + 24/t + 5 a s / (h t)) (Korthikanti et al. 2022, arXiv:2205.05198, equation 2).
    """
    network, width = job.network, job.weight_bytes
    if not network.sequential:
        return _whole_activation_bytes(job, table)
    tp = table.tp.astype(np.float64)
    spread = np.where(table.sequence_parallel > 0, tp, 1.0)
    tokens = table.micro_batch * float(job.sequence_length) / table.cp
    hidden = float(network.hidden_size)
    boundary = width * hidden / spread
    per_token = 3.0 * width * hidden / spread
    if job.dropout:
        per_token = per_token + 2.0 * hidden / spread
    heads, kv = network.num_attention_heads, network.num_key_value_heads
    per_token = (
        per_token
        + width
        * (
            heads * (network.query_key_dim + network.value_dim)
            + kv * (network.query_key_dim + network.value_dim)
        )
        / tp
    )
    per_token = per_token + _feed_forward_bytes(network, width) / tp
    scores = np.zeros_like(tp)
    if job.flash_attention:
        per_token = per_token + 4.0 * heads / tp
    else:
        bytes_per_score = 2.0 * width + 1.0 if job.dropout else width
        scores = bytes_per_score * heads * job.sequence_length / tp * tokens
    return boundary * tokens, per_token * tokens, scores


def _whole_activation_bytes(
    job: Job, table: StrategyTable
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what a network without sequences keeps: outputs before and after normalisation."""
    samples = table.micro_batch.astype(np.float64)
    if job.network.recommender is not None:
        kept = float(sum(sum(pair) for pair in job.network.recommender.layers))
    else:
        kept = 2.0 * sum(layer.outputs for layer in job.network.convolutions)
    zero = np.zeros_like(samples)
    return zero, samples * kept * job.weight_bytes, zero


def _feed_forward_bytes(network: Network, width: float) -> float:
    ups = 2.0 if network.gated else 1.0
    return width * network.intermediate_size * (ups + 1.0)


def _activations(
    job: Job, table: StrategyTable, stages: Stages, micro_batches: FloatArray
) -> FloatArray:
    """Return the activations of the fullest stage: the first, or the last with its logits."""
    boundary, rest, scores = layer_activation_bytes(job, table)
    full = table.recompute == FULL
    kept = np.where(table.recompute == SELECTIVE, 0.0, scores)
    per_layer = boundary + np.where(full, 0.0, rest + kept)
    working = np.where(full, rest + scores, np.where(table.recompute == SELECTIVE, scores, 0.0))
    tokens = table.micro_batch * float(job.sequence_length) / table.cp
    tp = table.tp.astype(np.float64)
    logits = tokens * job.network.vocab_size / tp * (job.weight_bytes + 4.0)
    held = in_flight(table, micro_batches)
    first = held * stages.first * per_layer + working
    last = np.minimum(table.vpp, micro_batches) * stages.last * per_layer / table.vpp
    last = last + np.maximum(working, logits)
    alone = first + np.maximum(logits - working, 0.0)
    return np.where(table.pp == 1, alone, np.maximum(first, last))


def _states(
    job: Job, table: StrategyTable, held: StageParameters
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights, gradients and optimizer states of one stage, sharded as the stage says."""
    dense_ranks, expert_ranks = shard_sizes(table)
    ones = np.ones_like(dense_ranks)
    stage = table.sharding
    sharded_weights = (stage == ZERO3) | (stage == HSDP)
    sharded_gradients = sharded_weights | (stage == ZERO2)
    sharded_states = stage != DDP

    def bytes_of(width: float, where: np.ndarray) -> FloatArray:
        dense = held.dense / np.where(where, dense_ranks, ones)
        expert = held.expert / np.where(where, expert_ranks, ones)
        result: FloatArray = width * (dense + expert)
        return result

    states = bytes_of(job.state_bytes, sharded_states)
    return (
        bytes_of(job.weight_bytes, sharded_weights),
        bytes_of(job.gradient_bytes, sharded_gradients),
        np.where(table.offload > 0, 0.0, states),
    )


def memory_of(
    job: Job, table: StrategyTable, micro_batches: FloatArray, constants: ComputeConstants
) -> Memory:
    """Return the memory of every strategy on its fullest GPU.

    Parameters
    ----------
    micro_batches
        Micro-batches of a step, shape (strategies,).
    """
    stages = Stages.of(job.network.num_hidden_layers, table)
    first, last = stage_parameters(job.network, table, stages)
    fuller = (first.dense + first.expert) >= (last.dense + last.expert)
    held = StageParameters(
        dense=np.where(fuller, first.dense, last.dense),
        expert=np.where(fuller, first.expert, last.expert),
    )
    weights, gradients, optimizer = _states(job, table, held)
    weights = weights + 4.0 * table_parameters(job.network, table)
    activations = _activations(job, table, stages, micro_batches)
    parts = layer_parameters(job.network, table)
    unit = np.maximum(parts.dense_layer, parts.moe_layer + parts.experts)
    whole = (table.sharding == ZERO3) | (table.sharding == HSDP)
    largest = np.maximum(unit, np.maximum(parts.embedding, parts.head))
    gathered = np.where(whole, 2.0 * unit * job.weight_bytes + largest * job.gradient_bytes, 0.0)
    memory = constants.memory
    groups = (
        (table.tp > 1) * 1.0 + (table.pp > 1) + (table.cp > 1) + (table.ep > 1)
        + (table.dp.astype(np.int64) * table.cp > 1)
    )  # fmt: skip
    tensors = weights + gradients + optimizer + activations + gathered
    context = memory.context_bytes.value + groups * memory.communicator_bytes.value
    return Memory(
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=activations,
        gathered=gathered,
        context=context + memory.fragmentation.value * tensors,
    )
