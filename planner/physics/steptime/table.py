"""Step time of many strategies: computation, what communication stays visible, memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.domain.compute_constants import ModelConstants
from planner.physics.collectives import Choice
from planner.physics.job import Job
from planner.physics.layout import shard_ranks
from planner.physics.machine import Machine
from planner.physics.memory import Memory, memory_of
from planner.physics.overlap import exposed_s, slowdown_s
from planner.physics.pipeline import bubble_passes
from planner.physics.steptime.communication import Communication, communication
from planner.physics.steptime.offload import offload_s
from planner.physics.steptime.optimizer_step import optimizer_s
from planner.physics.steptime.stage_compute import StageCompute, stage_compute
from planner.physics.strategies import (
    FULL,
    HSDP,
    INTERLEAVED,
    ZERO2,
    ZERO3,
    StrategyTable,
)
from planner.physics.traffic import (
    CP_BACKWARD,
    CP_FORWARD,
    EMBEDDING,
    EP,
    GATHER,
    GRAD,
    NORM,
    PARAM,
    PP,
    REPLICA,
    SCATTER,
    TP_BACKWARD,
    TP_FORWARD,
    TP_HIDDEN,
)
from planner.physics.wiring import FloatArray, Wiring

COLUMN_SHARE = 0.6
"""Share of a layer's weight gradients that belong to column-parallel layers, behind which the
backward tensor-parallel communication hides (query-key-value and up projections)."""

PRODUCT_SHARE = 0.5
"""Share of a pass's products that run beside tensor-parallel communication cut into pieces."""

SLICES_PER_LAYER = 28.0
"""Slices per layer and rank of ZeRO-3 with modules gathered apart: four matrices cut where their
gather is started and where it ends, forward and backward; twelve gradients."""

PARTS = (
    "compute", "recompute", "bubble", "tp", "cp", "ep", "pp", "grad", "gather", "param",
    "embedding", "optimizer", "overlap", "straggler", "host",
)  # fmt: skip
"""Parts of a step, which add up to it: computation, waiting, then each visible communication."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What hidden and buffered communication costs the computation on one machine."""

    transfers: float
    """Seconds lost for each second of hidden activation transfers."""
    collectives: float
    """Seconds lost for each second of hidden collectives of weights and gradients."""
    bytes_per_s: float
    """Sustained memory bandwidth, at which gathered weights are copied into place where each
    module is gathered apart (a read and a write, twice a step)."""
    slice_s: float
    """Processor time of one slice of a gathered or scattered tensor."""
    host_bytes_per_s: float
    """Rate at which offloaded activations come and go."""

    @classmethod
    def of(cls, machine: Machine, constants: ModelConstants) -> Losses:
        """Return the losses of a machine."""
        part = constants.compute.accelerator(machine.accelerator, machine.architecture)
        return cls(
            transfers=constants.compute.overlap.slowdown.value,
            collectives=part.collective_slowdown.value,
            bytes_per_s=machine.memory_bytes_per_s * part.memory_efficiency.value,
            slice_s=constants.compute.host.slice_s.value,
            host_bytes_per_s=machine.host_bytes_per_s,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTable:
    """Step times; arrays of shape (strategies,)."""

    step_time_s: FloatArray
    """Infinite where the strategy was not timed (it does not fit, or cannot beat the limit)."""
    feasible: NDArray[np.bool_]
    """Whether the strategy fits in memory."""
    memory_bytes: FloatArray
    memory: Memory
    parts_s: dict[str, FloatArray]
    """Seconds by name of PARTS; they add up to the step time where it is finite."""


def step_times(
    job: Job,
    machine: Machine,
    wiring: Wiring,
    nodes: int,
    table: StrategyTable,
    *,
    constants: ModelConstants,
    limit_s: float | None = None,
    choice: Choice = "tuner",
    free_network: bool = False,
    only_feasible: bool = True,
) -> StepTable:
    """Return memory and step time of every strategy of a table.

    Parameters
    ----------
    nodes
        Hosts that take part.
    limit_s
        Strategies whose computation alone exceeds it are left at infinity.
    choice
        Whether NCCL's tuner or the fastest algorithm is assumed for every collective.
    free_network
        Leave out all communication: a lower bound.
    only_feasible
        Leave strategies that do not fit in memory at infinity.

    Raises
    ------
    ValueError
        If a strategy needs more GPUs than there are.
    """
    gpus = nodes * wiring.host_gpus
    used = table.tp.astype(np.int64) * table.pp * table.cp * table.dp
    if len(table) and int(used.max()) > gpus:
        raise ValueError(f"a strategy uses {int(used.max())} GPUs of {gpus}")
    micro = table.micro_batches(job.global_batch)
    memory = memory_of(job, table, micro, constants.compute)
    total = memory.total
    feasible = total <= machine.memory_bytes
    rows = np.flatnonzero(feasible) if only_feasible else np.arange(len(table))
    size = len(table)
    parts = {name: np.zeros(size) for name in PARTS}
    times = np.full(size, np.inf)
    if len(rows):
        chosen, values = _timed(
            job, machine, wiring, table, rows, constants, limit_s, choice, free_network
        )
        for name, array in values.items():
            parts[name][chosen] = array
        times[chosen] = sum(values.values())
    return StepTable(
        step_time_s=times, feasible=feasible, memory_bytes=total, memory=memory, parts_s=parts
    )


def _timed(
    job: Job,
    machine: Machine,
    wiring: Wiring,
    table: StrategyTable,
    rows: NDArray[np.int64],
    constants: ModelConstants,
    limit_s: float | None,
    choice: Choice,
    free_network: bool,
) -> tuple[NDArray[np.int64], dict[str, FloatArray]]:
    """Return the rows that were timed and their parts."""
    part = table.take(rows)
    work = stage_compute(job, machine, part, constants.compute)
    own = _own_time(job, machine, part, work, constants)
    if limit_s is not None:
        keep = np.flatnonzero(sum(own.values()) <= limit_s)
        rows, part = rows[keep], part.take(keep)
        own = {name: values[keep] for name, values in own.items()}
        if not len(rows):
            return rows, own
        work = work.take(keep)
    if free_network:
        return rows, own
    sent = communication(job, part, wiring, work.layers, work.moe_layers, constants, choice)
    losses = Losses.of(machine, constants)
    visible = _visible(job, part, work, sent, losses)
    return rows, own | visible


def _own_time(
    job: Job, machine: Machine, table: StrategyTable, work: StageCompute, constants: ModelConstants
) -> dict[str, FloatArray]:
    """Return the parts that no network changes."""
    micro = table.micro_batches(job.global_batch)
    one = work.slowest
    compute = micro * (one.forward_s + one.backward_s + one.weight_s)
    again = micro * one.again_s
    gpus = table.tp.astype(np.float64) * table.pp * table.cp * table.dp
    late = constants.compute.straggler.per_doubling.value * np.log2(gpus)
    return {
        "compute": compute,
        "recompute": again,
        "bubble": work.bubble_s,
        "optimizer": optimizer_s(job, machine, table, constants.compute),
        "straggler": late * (compute + again + work.bubble_s),
        "host": constants.compute.host.step_s.value + micro * offload_s(job, machine, table, work),
    }


def _visible(
    job: Job,
    table: StrategyTable,
    work: StageCompute,
    sent: Communication,
    losses: Losses,
) -> dict[str, FloatArray]:
    """Return the visible communication and what the hidden part costs the computation."""
    micro = table.micro_batches(job.global_batch)
    passes = micro + bubble_passes(table)
    slow = losses.transfers
    hidden: FloatArray = np.zeros(len(table))

    again = np.where(table.recompute == FULL, 2.0, 1.0)
    tensor, cost = _tensor(job, table, work, sent, again, slow)
    hidden = hidden + passes * cost

    ring, cost = _ring(work, sent, slow)
    hidden = hidden + passes * cost
    exchange = np.asarray(sent.total(EP) * np.ones(len(table))) * (1.0 + again) / 2.0
    if job.overlap_ep:
        seen = exposed_s(exchange, work.slowest.total_s, sent.edge(EP))
        hidden = hidden + passes * slowdown_s(exchange, seen, slow)
        exchange = seen

    between = np.asarray(sent.total(PP) * np.ones(len(table)))
    overlapped = (table.schedule == INTERLEAVED) & job.overlap_pp
    pipe = between * np.where(overlapped, bubble_passes(table), passes)

    grad, gather, param, cost = _weights(job, table, work, sent, losses)
    return {
        "tp": passes * tensor,
        "cp": passes * ring,
        "ep": passes * exchange,
        "pp": pipe,
        "grad": grad,
        "gather": gather,
        "param": param,
        "embedding": np.asarray(sent.total(EMBEDDING) + sent.total(NORM)) * np.ones(len(table)),
        "overlap": hidden + cost,
    }


def _tensor(
    job: Job,
    table: StrategyTable,
    work: StageCompute,
    sent: Communication,
    again: FloatArray,
    slow: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the visible tensor-parallel communication per pass, and the cost of hiding the rest.

    Cut into as many pieces as ranks, a transfer hides behind its product but for one piece. What
    the GPU waits for its processor anyway takes in communication first.
    """
    one = work.slowest
    ones = np.ones(len(table))
    steady = (again * sent.total(TP_FORWARD) + sent.total(TP_BACKWARD)) * ones
    behind = sent.total(TP_HIDDEN) * ones
    column = COLUMN_SHARE * one.weight_s * (1.0 + table.sequence_parallel)
    late = exposed_s(behind, 0.0 if job.overlap_tp == "none" else column, 0.0)
    seen = steady
    if job.overlap_tp == "full":
        pieces = np.where(table.sequence_parallel > 0, steady / table.tp, steady)
        window = PRODUCT_SHARE * (one.forward_s + one.backward_s)
        seen = exposed_s(steady, np.where(table.sequence_parallel > 0, window, 0.0), pieces)
    cost = slowdown_s(behind, late, slow) + slowdown_s(steady, seen, slow)
    return np.maximum(seen + late - one.idle_s, 0.0), cost


def _ring(work: StageCompute, sent: Communication, slow: float) -> tuple[FloatArray, FloatArray]:
    """Return the visible ring of keys and values per pass, and the cost of hiding the rest.

    Each turn hides behind the attention of the block that is already there.
    """
    seen = cost = np.zeros_like(work.core_forward_s)
    for name, window in (
        (CP_FORWARD, work.core_forward_s),
        (CP_BACKWARD, 2.0 * work.core_forward_s),
    ):
        total = sent.total(name)
        late = exposed_s(total, window, sent.edge(name))
        seen = seen + late
        cost = cost + slowdown_s(total, late, slow)
    return seen, cost


def _slices(
    job: Job, table: StrategyTable, work: StageCompute, losses: Losses
) -> FloatArray | float:
    """Return the processor time per pass that cuts tensors by rank, where modules gather apart.

    DeepSpeed's ZeRO-3 cuts every gathered matrix, twice a pass, and every reduced gradient into
    one piece per rank, in Python; nothing else is launched meanwhile.
    """
    if job.overlap_gather:
        return 0.0
    ranks = shard_ranks(table).astype(np.float64)
    return work.layers * SLICES_PER_LAYER * ranks * losses.slice_s


def _weights(
    job: Job, table: StrategyTable, work: StageCompute, sent: Communication, losses: Losses
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return visible gradient reduction, layer gathers, weight gather, and the cost of hiding."""
    micro = table.micro_batches(job.global_batch)
    one, slow = work.slowest, losses.collectives
    ones = np.ones(len(table))
    backward = one.backward_s + one.weight_s + one.again_s
    window = backward if job.overlap_grad else np.zeros(len(table))
    reduction = sent.total(GRAD) * ones
    seen = exposed_s(reduction, window, sent.edge(GRAD))
    times = np.where((table.sharding == ZERO2) & (table.pp == 1), micro, 1.0)
    grad = times * seen
    cost = times * slowdown_s(reduction, seen, slow)

    collected = sent.total(PARAM) * ones
    ahead = one.forward_s if job.overlap_param else np.zeros(len(table))
    param = exposed_s(collected, ahead, sent.edge(PARAM))
    cost = cost + slowdown_s(collected, param, slow)

    whole = (table.sharding == ZERO3) | (table.sharding == HSDP)
    gathers, scatters = sent.total(GATHER) * ones, sent.total(SCATTER) * ones
    ahead_of = 1.0 if job.overlap_gather else 0.0
    front = exposed_s(gathers, ahead_of * one.forward_s, sent.edge(GATHER))
    both = scatters + (gathers if job.reshard_after_forward else 0.0)
    back = exposed_s(both, ahead_of * backward, sent.edge(SCATTER))
    copies = 0.0 if job.overlap_gather else 4.0 * sent.moved(GATHER) / losses.bytes_per_s
    copies = copies + _slices(job, table, work, losses)
    gather = np.where(whole, micro * (front + back + copies), 0.0)
    cost = cost + np.where(
        whole, micro * (slowdown_s(gathers, front, slow) + slowdown_s(both, back, slow)), 0.0
    )
    replicas = sent.total(REPLICA) * ones
    late = exposed_s(replicas, np.maximum(backward - both, 0.0), sent.edge(REPLICA))
    return grad + late, gather, param, cost + slowdown_s(replicas, late, slow)
