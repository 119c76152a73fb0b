"""What is sent in a step: every collective with its message, its group and how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.compute_constants import ComputeConstants
from planner.domain.recommender import Recommender
from planner.physics.job import Job
from planner.physics.layout import group_over, neighbour_pair
from planner.physics.pipeline import Stages
from planner.physics.sharded import layer_parameters, stage_parameters
from planner.physics.strategies import DDP, HSDP, ZERO3, Mask, StrategyTable
from planner.physics.wiring import FloatArray, Group, Wiring

TP_FORWARD, TP_BACKWARD, TP_HIDDEN, PP = "tp_forward", "tp_backward", "tp_hidden", "pp"
GRAD, PARAM, EMBEDDING, NORM = "grad", "param", "embedding", "norm"
CP_FORWARD, CP_BACKWARD, EP = "cp_forward", "cp_backward", "ep"
GATHER, SCATTER, REPLICA = "gather", "scatter", "replica"

ACTIVATION_COLUMNS = (
    "tp", "pp", "cp", "ep", "etp", "dp", "micro_batch", "sequence_parallel", "rank_order",
)  # fmt: skip
"""Columns on which the messages of a micro-batch depend."""
GRADIENT_COLUMNS = (
    "tp", "pp", "cp", "ep", "etp", "dp", "sharding", "shard_group", "rank_order",
)  # fmt: skip
"""Columns on which the messages of gradients and weights depend."""

MODULES_PER_LAYER = 6.0
"""Modules of a layer whose weights are gathered one by one when they are reached: two norms, two
attention and two feed-forward projections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One kind of collective; arrays of shape (strategies,)."""

    name: str
    """What for: one of the names of this module."""
    collective: str
    size_bytes: FloatArray
    """As nccl-tests counts it; 0 where a strategy does not send it."""
    group: Group
    calls: FloatArray
    """Calls per micro-batch and stage for activations and sharded weights, else per step."""


def _where(mask: Mask, size: FloatArray) -> FloatArray:
    return np.where(mask, size, 0.0)


def activation_messages(
    job: Job,
    table: StrategyTable,
    wiring: Wiring,
    layers: FloatArray,
    moe_layers: FloatArray,
) -> list[Message]:
    """Return the messages of one micro-batch on the fullest stage.

    Parameters
    ----------
    layers, moe_layers
        Layers of the fullest stage and those of them with experts, shape (strategies,).
    """
    tokens = table.micro_batch * float(job.sequence_length) / table.cp
    size = tokens * job.network.hidden_size * job.weight_bytes
    tensor = group_over(table, ("tp",), wiring)
    split = table.sequence_parallel > 0
    some, whole = _where(split, size), _where(~split, size)
    twice = 2.0 * layers
    edge = np.ones_like(layers)

    def message(name: str, collective: str, amount: FloatArray, calls: FloatArray) -> Message:
        return Message(
            name=name, collective=collective, size_bytes=amount, group=tensor, calls=calls
        )

    result = [
        message(TP_FORWARD, "all_reduce", whole, twice + edge),
        message(TP_FORWARD, "all_gather", some, twice + edge),
        message(TP_FORWARD, "reduce_scatter", some, twice + edge),
        message(TP_BACKWARD, "all_gather", some, twice),
        message(TP_HIDDEN, "all_reduce", whole, twice),
        message(TP_HIDDEN, "all_gather", some, twice),
        message(TP_HIDDEN, "reduce_scatter", some, twice),
    ]
    result += _stage_messages(table, wiring, size, tensor)
    result += _context_messages(job, table, wiring, tokens, layers)
    if job.network.num_experts:
        result += _expert_messages(job, table, wiring, tokens, moe_layers)
    if job.network.recommender is not None:
        result += _table_messages(job, job.network.recommender, table, wiring)
    return result


def _context_messages(
    job: Job, table: StrategyTable, wiring: Wiring, tokens: FloatArray, layers: FloatArray
) -> list[Message]:
    """Return the ring of keys and values (Liu et al. 2023, arXiv:2310.01889).

    Each rank passes its keys and values on cp - 1 times; backward it passes them again and their
    gradients with them.
    """
    network = job.network
    heads = network.num_attention_heads if network.latent_attention else network.num_key_value_heads
    width = network.query_key_dim + network.value_dim
    kept = np.maximum(heads / table.tp, 1.0)
    size = _where(table.cp > 1, tokens * kept * width * job.weight_bytes)
    turns = (table.cp - 1.0) * layers
    pair = neighbour_pair(table, wiring, "cp")
    return [
        Message(name=name, collective="send_recv", size_bytes=size * share, group=pair, calls=turns)
        for name, share in ((CP_FORWARD, 1.0), (CP_BACKWARD, 2.0))
    ]


def _table_messages(
    job: Job, recommender: Recommender, table: StrategyTable, wiring: Wiring
) -> list[Message]:
    """Return the exchange of looked-up rows and their gradients: tables lie on all GPUs."""
    vectors = recommender.features * recommender.embedding_dim
    size = table.micro_batch.astype(np.float64) * vectors * job.weight_bytes
    return [
        Message(
            name=EP, collective="all_to_all", size_bytes=size,
            group=group_over(table, ("cp", "shard", "replica"), wiring),
            calls=np.full(len(table), 2.0),
        )
    ]  # fmt: skip


def _expert_messages(
    job: Job, table: StrategyTable, wiring: Wiring, tokens: FloatArray, moe_layers: FloatArray
) -> list[Message]:
    """Return dispatch and combination of token copies, forward and backward.

    Each rank sends the copies of its own tokens (1 / tp of the micro-batch's); with expert tensor
    parallelism the ranks of one expert gather what each of them received.
    """
    network = job.network
    copies = tokens / table.tp * network.num_experts_per_tok
    size = copies * network.hidden_size * job.weight_bytes
    calls = 4.0 * moe_layers
    exchange = Message(
        name=EP, collective="all_to_all", size_bytes=_where(table.ep > 1, size),
        group=group_over(table, ("ep",), wiring), calls=calls,
    )  # fmt: skip
    split = group_over(table, ("etp",), wiring)
    whole = _where(table.etp > 1, size * table.etp)
    return [exchange] + [
        Message(name=EP, collective=name, size_bytes=whole, group=split, calls=calls / 2.0)
        for name in ("all_gather", "reduce_scatter")
    ]


def _stage_messages(
    table: StrategyTable, wiring: Wiring, size: FloatArray, tensor: Group
) -> list[Message]:
    """Return the transfers between stages; tensor ranks send a share each and gather it."""
    piped = table.pp > 1
    calls = 2.0 * table.vpp.astype(np.float64)
    share = _where(piped, size / table.tp)
    regather = piped & (table.tp > 1) & (table.sequence_parallel == 0)
    return [
        Message(
            name=PP, collective="send_recv", size_bytes=share,
            group=neighbour_pair(table, wiring), calls=calls,
        ),
        Message(
            name=PP, collective="all_gather", size_bytes=_where(regather, size),
            group=tensor, calls=calls,
        ),
    ]  # fmt: skip


def gradient_messages(
    job: Job, table: StrategyTable, wiring: Wiring, constants: ComputeConstants
) -> list[Message]:
    """Return the messages of gradients and weights.

    DDP reduces once; ZeRO-1 scatters and gathers once, ZeRO-2 scatters with every micro-batch;
    ZeRO-3 and HSDP gather and scatter each layer with every micro-batch (`calls` counts layers).
    """
    stages = Stages.of(job.network.num_hidden_layers, table)
    first, last = stage_parameters(job.network, table, stages)
    dense = np.maximum(first.dense, last.dense)
    expert = np.maximum(first.expert, last.expert)
    shard = group_over(table, ("cp", "shard"), wiring)
    copies = group_over(table, ("edp",), wiring)
    result = []
    for amount, group in ((dense, shard), (expert, copies)):
        if np.any(amount > 0):
            result += _once(job, table, amount, group, constants)
    result += _per_layer(job, table, wiring, stages, shard, copies)
    return result + _small(job, table, wiring, dense)


def buckets(
    job: Job, table: StrategyTable, elements: FloatArray, constants: ComputeConstants
) -> FloatArray:
    """Return into how many messages a reduction is cut: one if nothing overlaps."""
    if not job.overlap_grad:
        return np.ones_like(elements)
    least = constants.overlap.bucket_elements.value
    per_rank = constants.overlap.bucket_elements_per_rank.value
    bucket = np.maximum(least, per_rank * table.dp * table.cp)
    count: FloatArray = np.maximum(np.ceil(elements / bucket), 1.0)
    return count


def _once(
    job: Job, table: StrategyTable, elements: FloatArray, group: Group, constants: ComputeConstants
) -> list[Message]:
    """Return the reduction of whole gradients and the gather of whole weights."""
    count = buckets(job, table, elements, constants)
    stage = table.sharding
    gradients = elements * job.gradient_bytes / count
    weights = elements * job.weight_bytes / count
    zero = (stage > DDP) & (stage < ZERO3)
    return [
        Message(
            name=GRAD, collective="all_reduce", size_bytes=_where(stage == DDP, gradients),
            group=group, calls=count,
        ),
        Message(
            name=GRAD, collective="reduce_scatter", size_bytes=_where(zero, gradients),
            group=group, calls=count,
        ),
        Message(
            name=PARAM, collective="all_gather", size_bytes=_where(zero, weights),
            group=group, calls=count,
        ),
    ]  # fmt: skip


def _per_layer(
    job: Job, table: StrategyTable, wiring: Wiring, stages: Stages, shard: Group, copies: Group
) -> list[Message]:
    """Return the gathers and scatters of single layers (ZeRO-3, HSDP) and HSDP's reduction."""
    whole = (table.sharding == ZERO3) | (table.sharding == HSDP)
    if not np.any(whole):
        return []
    parts = layer_parameters(job.network, table)
    dense = float(job.network.first_k_dense_replace if job.network.num_experts else 1 << 40)
    plain = np.minimum(stages.first, dense)
    kinds = [(parts.dense_layer, shard, plain)]
    if job.network.num_experts:
        kinds += [
            (parts.moe_layer, shard, stages.first - plain),
            (parts.experts, copies, stages.first - plain),
        ]
    ends = np.where(table.pp == 1, 2.0, 1.0)
    kinds.append((np.maximum(parts.embedding, parts.head), shard, ends))
    result = []
    units = 1.0 if job.overlap_gather else MODULES_PER_LAYER
    for elements, group, layers in kinds:
        for name, collective, width in (
            (GATHER, "all_gather", job.weight_bytes),
            (SCATTER, "reduce_scatter", job.gradient_bytes),
        ):
            pieces = units if name == GATHER else 1.0
            size = _where(whole, elements * width / pieces)
            result.append(
                Message(name=name, collective=collective, size_bytes=size, group=group,
                        calls=layers * pieces)
            )  # fmt: skip
    return result + _between_replicas(job, table, wiring)


def _between_replicas(job: Job, table: StrategyTable, wiring: Wiring) -> list[Message]:
    """Return HSDP's all-reduce of one rank's shard over the replicas."""
    hybrid = table.sharding == HSDP
    if not np.any(hybrid):
        return []
    first, _ = stage_parameters(job.network, table, Stages.of(job.network.num_hidden_layers, table))
    elements = first.dense / np.maximum(table.shard_group, 1)
    return [
        Message(
            name=REPLICA, collective="all_reduce",
            size_bytes=_where(hybrid, elements * job.gradient_bytes),
            group=group_over(table, ("replica",), wiring), calls=np.ones(len(table)),
        )
    ]  # fmt: skip


def _small(job: Job, table: StrategyTable, wiring: Wiring, dense: FloatArray) -> list[Message]:
    """Return the tied embedding's reduction between its two copies, and the gradient norm's."""
    network = job.network
    tied = (table.pp > 1) & network.tie_word_embeddings
    copy = network.vocab_size * network.hidden_size / table.tp * job.gradient_bytes
    one = np.ones_like(dense)
    return [
        Message(
            name=EMBEDDING, collective="all_reduce", size_bytes=_where(tied, copy),
            group=neighbour_pair(table, wiring), calls=one,
        ),
        Message(
            name=NORM, collective="all_reduce", size_bytes=4.0 * one,
            group=group_over(table, ("tp", "cp", "shard", "replica", "pp"), wiring), calls=one,
        ),
    ]  # fmt: skip
