"""One strategy in full: every part, every collective, memory, rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.domain.compute_constants import ModelConstants
from planner.domain.strategy import Strategy
from planner.physics.collectives import ALGORITHMS, PROTOCOLS, Choice, collective_time
from planner.physics.flops import step_flops
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.pipeline import bubble_passes
from planner.physics.steptime.stage_compute import stage_compute
from planner.physics.steptime.table import step_times
from planner.physics.steptime.timeline import PassTimes, Segment, timeline
from planner.physics.strategies import FULL, INTERLEAVED, ZERO2, StrategyTable
from planner.physics.traffic import (
    CP_BACKWARD,
    CP_FORWARD,
    EP,
    GATHER,
    GRAD,
    PP,
    SCATTER,
    TP_BACKWARD,
    TP_FORWARD,
    TP_HIDDEN,
    Message,
    activation_messages,
    gradient_messages,
)
from planner.physics.wiring import Group, Wiring

PART_OF = {
    "tp_forward": "tp", "tp_backward": "tp", "tp_hidden": "tp", "pp": "pp", "grad": "grad",
    "cp_forward": "cp", "cp_backward": "cp", "ep": "ep", "replica": "grad", "gather": "gather", "scatter": "gather", "param": "param",
    "embedding": "embedding", "norm": "embedding",
}  # fmt: skip
"""Part of the step in which each message's visible time is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveDetail:
    """One kind of collective of a step."""

    name: str
    part: str
    collective: str
    algorithm: str
    protocol: str
    size_bytes: float
    """As nccl-tests counts it."""
    calls: float
    """Per step on the slowest stage."""
    ranks: int
    level: str
    """Widest level it crosses: domain, host, leaf, pod or core."""
    time_s: float
    """One call."""
    total_s: float
    exposed_s: float
    """Its share of the part's visible time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDetail:
    """One strategy's step."""

    strategy: Strategy
    step_time_s: float
    parts_s: dict[str, float]
    collectives: list[CollectiveDetail]
    memory_bytes: dict[str, float]
    feasible: bool
    micro_batches: float
    model_flops: float
    """Operations of a step that training needs, causal attention counted once per needed pair."""
    hardware_flops: float
    """The same with recomputation."""
    mfu: float
    hfu: float
    tokens_per_s_per_gpu: float
    timeline: list[Segment]
    """Bars of a drawing of one step on the slowest stage."""


def explain(
    job: Job,
    machine: Machine,
    wiring: Wiring,
    nodes: int,
    strategy: Strategy,
    *,
    constants: ModelConstants,
    choice: Choice = "tuner",
) -> StepDetail:
    """Return every part of one strategy's step, feasible in memory or not."""
    table = StrategyTable.of([strategy])
    times = step_times(
        job, machine, wiring, nodes, table,
        constants=constants, choice=choice, only_feasible=False,
    )  # fmt: skip
    parts = {name: float(values[0]) for name, values in times.parts_s.items()}
    seconds = float(times.step_time_s[0])
    flops = step_flops(job)
    again = {"none": 0.0, "selective": flops.attention / 3.0,
             "full": (flops.linear + flops.attention) / 3.0}[strategy.recompute]  # fmt: skip
    peak = machine.peak_flops[machine.family(strategy.precision)] * strategy.gpus
    memory = {name: float(values[0]) for name, values in times.memory.parts().items()}
    collectives = _collectives(job, machine, wiring, table, parts, constants, choice)
    micro = float(table.micro_batches(job.global_batch)[0])
    return StepDetail(
        strategy=strategy,
        step_time_s=seconds,
        parts_s=parts,
        collectives=collectives,
        memory_bytes=memory,
        feasible=bool(times.feasible[0]),
        micro_batches=micro,
        model_flops=flops.total,
        hardware_flops=flops.total + again,
        mfu=flops.total / (seconds * peak),
        hfu=(flops.total + again) / (seconds * peak),
        tokens_per_s_per_gpu=job.global_batch * job.sequence_length / seconds / strategy.gpus,
        timeline=timeline(
            parts, _hidden(collectives), _pass_times(job, machine, table, constants), micro
        ),
    )


def _hidden(collectives: list[CollectiveDetail]) -> dict[str, float]:
    """Return the seconds of each part's communication that computation hides."""
    hidden: dict[str, float] = {}
    for row in collectives:
        behind = max(row.total_s - row.exposed_s, 0.0)
        hidden[row.part] = hidden.get(row.part, 0.0) + behind
    return hidden


def _pass_times(
    job: Job, machine: Machine, table: StrategyTable, constants: ModelConstants
) -> PassTimes:
    one = stage_compute(job, machine, table, constants.compute).slowest
    return PassTimes(
        forward_s=float(one.forward_s[0]),
        backward_s=float(one.backward_s[0] + one.weight_s[0] + one.again_s[0]),
    )


def _repeats(job: Job, table: StrategyTable) -> Callable[[str], float]:
    """Return how often the calls of a message name recur in a step."""
    micro = float(table.micro_batches(job.global_batch)[0])
    bubble = float(bubble_passes(table)[0])
    passes = micro + bubble
    hidden_pipe = job.overlap_pp and table.schedule[0] == INTERLEAVED
    times = {
        TP_FORWARD: passes * (2.0 if table.recompute[0] == FULL else 1.0),
        TP_BACKWARD: passes,
        TP_HIDDEN: passes,
        CP_FORWARD: passes,
        CP_BACKWARD: passes,
        EP: passes * (1.5 if table.recompute[0] == FULL else 1.0),
        PP: bubble if hidden_pipe else passes,
        GRAD: micro if table.sharding[0] == ZERO2 else 1.0,
        GATHER: micro * (2.0 if job.reshard_after_forward else 1.0),
        SCATTER: micro,
    }
    return lambda name: times.get(name, 1.0)


def _collectives(
    job: Job,
    machine: Machine,
    wiring: Wiring,
    table: StrategyTable,
    parts: dict[str, float],
    constants: ModelConstants,
    choice: Choice,
) -> list[CollectiveDetail]:
    work = stage_compute(job, machine, table, constants.compute)
    messages = activation_messages(job, table, wiring, work.layers, work.moe_layers)
    messages += gradient_messages(job, table, wiring, constants.compute)
    repeats = _repeats(job, table)
    rows = [
        _detail(message, wiring, constants, choice, repeats(message.name))
        for message in messages
        if message.size_bytes[0] > 0 and message.group.ranks[0] > 1 and message.calls[0] > 0
    ]
    sums: dict[str, float] = {}
    for row in rows:
        sums[row.part] = sums.get(row.part, 0.0) + row.total_s
    return [_with_share(row, parts[row.part], sums[row.part]) for row in rows]


def _detail(
    message: Message, wiring: Wiring, constants: ModelConstants, choice: Choice, repeats: float
) -> CollectiveDetail:
    timing = collective_time(
        message.collective, message.size_bytes, message.group, wiring,
        constants=constants.collectives, choice=choice,
    )  # fmt: skip
    calls = float(message.calls[0]) * repeats
    seconds = float(timing.time_s[0])
    return CollectiveDetail(
        name=message.name,
        part=PART_OF[message.name],
        collective=message.collective,
        algorithm=ALGORITHMS[int(timing.algorithm[0])],
        protocol=PROTOCOLS[int(timing.protocol[0])],
        size_bytes=float(message.size_bytes[0]),
        calls=calls,
        ranks=int(message.group.ranks[0]),
        level=level_of(message.group, 0),
        time_s=seconds,
        total_s=seconds * calls,
        exposed_s=0.0,
    )


def _with_share(row: CollectiveDetail, visible: float, total: float) -> CollectiveDetail:
    share = row.total_s / total if total > 0 else 0.0
    values = {name: getattr(row, name) for name in row.__slots__}
    return CollectiveDetail(**(values | {"exposed_s": visible * share}))


def level_of(group: Group, row: int) -> str:
    """Return the widest level at which ranks of a group meet."""
    ranks = int(np.asarray(group.ranks)[row])
    for name, inside in (
        ("domain", group.per_domain), ("host", group.per_host),
        ("leaf", group.per_leaf), ("pod", group.per_pod),
    ):  # fmt: skip
        if int(np.asarray(inside)[row]) >= ranks:
            return name
    return "core"
