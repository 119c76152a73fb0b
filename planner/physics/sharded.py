"""Parameters that one GPU holds, and over how many ranks what belongs to them is sharded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.network import Network
from planner.physics.layout import expert_replicas, shard_ranks
from planner.physics.pipeline import Stages, dense_layers
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class StageParameters:
    """Parameters of one stage on one GPU before data-parallel sharding; arrays (strategies,)."""

    dense: FloatArray
    """Replicated over all data-parallel ranks: attention, dense feed-forward, shared experts."""
    expert: FloatArray
    """Routed experts, replicated over the expert replicas only."""


def table_parameters(network: Network, table: StrategyTable) -> FloatArray:
    """Return a recommender's table weights on one GPU: spread over all, replicated nowhere."""
    gpus = table.dp.astype(np.float64) * table.cp * table.tp * table.pp
    tables = network.recommender.table_parameters if network.recommender else 0
    return tables / gpus


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerParameters:
    """Parameters of one layer on one GPU; arrays (strategies,)."""

    dense_layer: FloatArray
    moe_layer: FloatArray
    """What a layer with experts holds outside its routed experts."""
    experts: FloatArray
    """Routed experts of one layer."""
    embedding: FloatArray
    head: FloatArray
    """Output projection and final normalisation; the tied table counts where it is a copy."""


def layer_parameters(network: Network, table: StrategyTable) -> LayerParameters:
    """Return what each kind of layer leaves on one GPU.

    Matrices are divided by tp, routed experts by ep x etp; normalisations and routers are not.
    """
    tp = table.tp.astype(np.float64)
    if not network.sequential:
        return _whole(network, tp)
    split = network.attention_parameters / tp
    norms = 2.0 * network.norm_parameters
    dense = split + network.feed_forward_parameters(network.intermediate_size) / tp + norms
    shared = network.n_shared_experts * network.moe_intermediate_size
    router = float(network.hidden_size * network.num_experts)
    moe = split + norms + router
    if shared:
        moe = moe + network.feed_forward_parameters(shared) / tp
    spread = table.ep.astype(np.float64) * table.etp
    experts = network.num_experts * network.expert_parameters / spread
    head = network.vocab_size * network.hidden_size / tp
    if network.tie_word_embeddings:
        head = np.where(table.pp > 1, head, 0.0)
    return LayerParameters(
        dense_layer=dense,
        moe_layer=moe,
        experts=experts if network.num_experts else np.zeros_like(tp),
        embedding=network.embedding_parameters / tp,
        head=head + network.norm_parameters + network.other_parameters,
    )


def _whole(network: Network, ones: FloatArray) -> LayerParameters:
    """Return a network without sequences as one replicated layer, its tables apart."""
    tables = network.recommender.table_parameters if network.recommender else 0
    zero = np.zeros_like(ones)
    whole = np.full_like(ones, float(network.parameters - tables))
    return LayerParameters(
        dense_layer=whole, moe_layer=zero, experts=zero, embedding=zero, head=zero
    )


def stage_parameters(
    network: Network, table: StrategyTable, stages: Stages
) -> tuple[StageParameters, StageParameters]:
    """Return the parameters of the first and of the last stage (the same without a pipeline).

    Leading dense layers of a network with experts lie in the first stage.
    """
    parts = layer_parameters(network, table)
    alone = table.pp == 1
    first = _stage(parts, stages.first, dense_layers(network, stages.first, first=True))
    last = _stage(parts, stages.last, dense_layers(network, stages.last, first=False))
    both = parts.embedding + parts.head
    return (
        StageParameters(
            dense=first.dense + np.where(alone, both, parts.embedding), expert=first.expert
        ),
        StageParameters(
            dense=np.where(alone, first.dense + both, last.dense + parts.head),
            expert=np.where(alone, first.expert, last.expert),
        ),
    )


def _stage(parts: LayerParameters, layers: FloatArray, dense: FloatArray) -> StageParameters:
    moe = layers - dense
    return StageParameters(
        dense=dense * parts.dense_layer + moe * parts.moe_layer, expert=moe * parts.experts
    )


def shard_sizes(table: StrategyTable) -> tuple[FloatArray, FloatArray]:
    """Return the ranks over which sharded dense and expert tensors are spread."""
    dense = shard_ranks(table).astype(np.float64)
    replicas = (table.dp.astype(np.float64) * table.cp) / dense
    experts = np.maximum(expert_replicas(table) / np.maximum(replicas, 1.0), 1.0)
    return dense, experts
