"""Memory of the fullest GPU, part by part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.compute_constants import ComputeConstants
from planner.physics.activations import LayerActivations, layer_activations
from planner.physics.job import Job
from planner.physics.pipeline import Stages, dense_layers, in_flight
from planner.physics.sharded import (
    StageParameters,
    layer_parameters,
    shard_sizes,
    stage_parameters,
    table_parameters,
)
from planner.physics.strategies import DDP, FULL, HSDP, SELECTIVE, ZERO2, ZERO3, StrategyTable
from planner.physics.wiring import FloatArray

LOGIT_BYTES = 4.0
"""Bytes per logit besides the 16-bit one: the 32-bit copy, in which the softmax is formed."""


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


def _activations(
    job: Job, table: StrategyTable, stages: Stages, micro_batches: FloatArray
) -> FloatArray:
    """Return the activations of the fullest stage: the first, or the last with its logits."""
    kept = layer_activations(job, table)
    network = job.network
    held = in_flight(table, micro_batches)
    here = 1.0 - job.offloaded_activations
    first = here * held * _stage_bytes(job, table, kept, stages.first, first=True)
    last = here * _stage_bytes(job, table, kept, stages.last, first=False) / table.vpp
    last = last * np.minimum(table.vpp, micro_batches)
    full = table.recompute == FULL
    largest = np.maximum(kept.dense, kept.moe if network.num_experts else 0.0)
    working = np.where(full, largest + kept.scores, 0.0)
    working = np.where(table.recompute == SELECTIVE, kept.scores, working)
    tokens = table.micro_batch * float(job.sequence_length) / table.cp
    logits = tokens * network.predicted_share * network.vocab_size / table.tp
    logits = logits * (job.weight_bytes + LOGIT_BYTES)
    alone = first + np.maximum(working, logits)
    piped = np.maximum(first + working, last + np.maximum(working, logits))
    return np.where(table.pp == 1, alone, piped)


def _stage_bytes(
    job: Job, table: StrategyTable, kept: LayerActivations, layers: FloatArray, *, first: bool
) -> FloatArray:
    """Return what a stage keeps of one micro-batch."""
    dense = dense_layers(job.network, layers, first=first)
    selective = table.recompute == SELECTIVE
    scores = np.where(selective, 0.0, kept.scores)
    plain = kept.dense - np.where(selective, kept.light_dense, 0.0)
    routed = kept.moe - np.where(selective, kept.light_moe, 0.0)
    rest = dense * plain + (layers - dense) * routed + layers * scores
    return layers * kept.boundary + np.where(table.recompute == FULL, 0.0, rest)


def kept_bytes(job: Job, table: StrategyTable, layers: FloatArray) -> FloatArray:
    """Return what `layers` layers of the first stage keep of one micro-batch, shape (strategies,).

    Activations that are offloaded count too.
    """
    return _stage_bytes(job, table, layer_activations(job, table), layers, first=True)


def _states(
    job: Job, table: StrategyTable, held: StageParameters
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weights, gradients and optimizer states of one stage, sharded as the stage says."""
    dense_ranks, expert_ranks = shard_sizes(table)
    ones = np.ones_like(dense_ranks)
    stage = table.sharding
    sharded_weights = (stage == ZERO3) | (stage == HSDP)
    sharded_gradients = sharded_weights | ((stage == ZERO2) & (table.pp == 1))
    sharded_states = stage != DDP

    def bytes_of(width: float, where: np.ndarray) -> FloatArray:
        dense = held.dense / np.where(where, dense_ranks, ones)
        expert = held.expert / np.where(where, expert_ranks, ones)
        result: FloatArray = width * (dense + expert)
        return result

    states = bytes_of(job.state_bytes, sharded_states)
    return (
        bytes_of(job.weight_bytes, sharded_weights),
        bytes_of(job.gradient_bytes + job.gradient_copy_bytes, sharded_gradients),
        np.where(table.offload > 0, 0.0, states),
    )


def _largest_matrix(job: Job, table: StrategyTable) -> FloatArray:
    """Return the elements of a layer's largest matrix: what is gathered where it is reached."""
    network = job.network
    heads = network.num_attention_heads + 2.0 * network.num_key_value_heads
    width = max(float(network.intermediate_size), heads * network.query_key_dim)
    return network.hidden_size * width / table.tp.astype(np.float64)


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
    if not job.overlap_gather:
        unit = largest = np.minimum(unit, _largest_matrix(job, table))
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
