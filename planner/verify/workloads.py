"""Step times against their limits, and what a strategy says of GPUs, batch and memory."""

from __future__ import annotations

import math
from collections.abc import Iterator

from planner.domain.errors import InputError
from planner.domain.network import load_network
from planner.domain.resources import data_root
from planner.domain.solution import Solution, WorkloadResult
from planner.domain.step_margins import step_margin
from planner.domain.units import SECONDS_PER_DAY
from planner.domain.workload import Workload
from planner.verify.goodput import modelled_demand
from planner.verify.record import Record, same
from planner.verify.strategy_shape import check_strategy
from planner.verify.violation import Violation, violation

LIMIT_SLACK_S = 2e-9
"""Seconds by which a step may exceed its limit: the program's own row tolerance."""
HOURS_SLACK = 2e-9
"""Share of hours by which they may be exceeded: the program's own row tolerance."""
UNMEASURED_MARGIN = 0.10
"""For a family of networks whose error is not measured; an estimate."""
MEMORY_TOTALS = ("total", "limit")


def check_workloads(record: Record) -> Iterator[Violation]:
    """Yield contradictions of each job's result with its demand and with itself."""
    solution = record.solution
    if solution.design is None:
        return
    asked = {w.name: w for w in solution.instance.workloads}
    answered = [w.name for w in solution.workloads]
    if sorted(asked) != sorted(answered):
        yield violation(
            "workload-names", "$.workloads", ", ".join(asked), ", ".join(answered),
            "the jobs answered are not the jobs asked",
        )  # fmt: skip
    for i, result in enumerate(solution.workloads):
        where = f"$.workloads[{i}]"
        demand = asked.get(result.name)
        if demand is not None:
            demand = modelled_demand(result, demand)
            yield from _target(record, result, demand, where)
            yield from _derived(record, result, demand, where)
            yield from _batch(result, demand, where)
        yield from _times(result, where)
        yield from _memory(result, where)
        yield from _degrees(record, result, where)
    yield from _hours(record)


def margin_of(solution: Solution, demand: Workload) -> float | None:
    """Return the margin that a job must have, None where its network is not in the document."""
    network = solution.networks.get(demand.network)
    if demand.margin is not None or network is None:
        return demand.margin
    measured = step_margin(network.family)
    return UNMEASURED_MARGIN if measured is None else measured.margin


def _target(
    record: Record, result: WorkloadResult, demand: Workload, where: str
) -> Iterator[Violation]:
    if not same(result.target_s, demand.target_s):
        yield violation(
            "step-target", f"{where}.target_s", demand.target_s, result.target_s,
            f"{result.name}: the instance demands another step time",
        )  # fmt: skip
    margin = margin_of(record.solution, demand)
    if margin is not None and not same(result.margin, margin):
        yield violation(
            "step-margin", f"{where}.margin", margin, result.margin,
            f"{result.name}: the instance, or the table of the model's own errors, says otherwise",
        )  # fmt: skip
    limit = result.target_s / (1 + result.margin)
    if not same(result.limit_s, limit):
        yield violation(
            "step-limit", f"{where}.limit_s", limit, result.limit_s,
            f"{result.name}: the limit is target / (1 + margin)",
        )  # fmt: skip
    if result.step_time_s > demand.target_s / (1 + result.margin) + LIMIT_SLACK_S:
        yield violation(
            "step-within-limit", f"{where}.step_time_s", f"at most {limit:.10g}",
            result.step_time_s, f"{result.name}: the step is slower than its limit",
        )  # fmt: skip


def _derived(
    record: Record, result: WorkloadResult, demand: Workload, where: str
) -> Iterator[Violation]:
    tokens = demand.global_batch * demand.sequence_length
    rate = tokens / (result.step_time_s * result.gpus_used) if result.step_time_s > 0 else math.inf
    busy = demand.busy_fraction(result.step_time_s)
    days = None
    if demand.steps is not None:
        days = demand.steps * result.step_time_s / (SECONDS_PER_DAY * demand.availability)
    if not same(result.tokens_per_s_per_gpu, rate):
        yield violation(
            "tokens-per-second", f"{where}.tokens_per_s_per_gpu", rate,
            result.tokens_per_s_per_gpu,
            f"{result.name}: tokens of a step over step time and GPUs",
        )  # fmt: skip
    if not same(result.busy_fraction, busy):
        yield violation(
            "busy-fraction", f"{where}.busy_fraction", busy, result.busy_fraction,
            f"{result.name}: the hours that it holds the cluster",
        )  # fmt: skip
    if (days is None) != (result.run_days is None) or not same(result.run_days or 0.0, days or 0.0):
        yield violation(
            "run-days", f"{where}.run_days", days, result.run_days,
            f"{result.name}: steps x step time over availability",
        )  # fmt: skip
    if result.network != demand.network:
        yield violation(
            "workload-network", f"{where}.network", demand.network, result.network,
            f"{result.name}: another network than asked",
        )  # fmt: skip
    yield from _parameters(record, result, where)
    if result.strategy.precision != demand.precision:
        yield violation(
            "strategy-precision", f"{where}.strategy.precision", demand.precision,
            result.strategy.precision, f"{result.name}: another precision than asked",
        )  # fmt: skip


def _parameters(record: Record, result: WorkloadResult, where: str) -> Iterator[Violation]:
    """Count the parameters again: of the network in the document, else of the shipped one."""
    network = record.solution.networks.get(result.network)
    try:
        network = network or load_network(result.network, near=data_root())
    except InputError:
        return
    if network.parameters != result.parameters:
        yield violation(
            "workload-parameters", f"{where}.parameters", network.parameters, result.parameters,
            f"{result.name}: parameters of {result.network}",
        )  # fmt: skip


def _batch(result: WorkloadResult, demand: Workload, where: str) -> Iterator[Violation]:
    samples = result.strategy.dp * result.strategy.micro_batch
    if demand.global_batch % samples:
        yield violation(
            "strategy-batch", f"{where}.strategy", f"a divisor of {demand.global_batch}", samples,
            f"{result.name}: dp x micro_batch must divide the global batch",
        )  # fmt: skip


def _times(result: WorkloadResult, where: str) -> Iterator[Violation]:
    total = math.fsum(result.breakdown.values())
    if not same(total, result.step_time_s):
        yield violation(
            "step-breakdown", f"{where}.breakdown", result.step_time_s, total,
            f"{result.name}: the parts do not add up to the step time",
        )  # fmt: skip
    if min(result.breakdown.values(), default=0.0) < 0:
        yield violation(
            "step-breakdown", f"{where}.breakdown", "parts of at least 0 s",
            min(result.breakdown.values()), f"{result.name}: a part is negative",
        )  # fmt: skip
    for k, use in enumerate(result.collectives):
        at = f"{where}.collectives[{k}]"
        if not same(use.total_s, use.count * use.time_s):
            yield violation(
                "collective-total", at, use.count * use.time_s, use.total_s,
                f"{result.name}, {use.name}: count x time of one call",
            )  # fmt: skip
        if not -1e-12 <= use.exposed_s <= use.total_s * (1 + 1e-9) + 1e-12:
            yield violation(
                "collective-exposed", at, f"0 to {use.total_s:.10g}", use.exposed_s,
                f"{result.name}, {use.name}: exposed time is a part of the total",
            )  # fmt: skip
        if not 1 < use.ranks <= result.gpus_used:
            yield violation(
                "collective-ranks", at, f"2 to {result.gpus_used}", use.ranks,
                f"{result.name}, {use.name}: the group does not fit the GPUs in use",
            )  # fmt: skip
    exposed = math.fsum(use.exposed_s for use in result.collectives)
    if exposed > result.step_time_s * (1 + 1e-9):
        yield violation(
            "collective-exposed", f"{where}.collectives", f"at most {result.step_time_s:.10g}",
            exposed, f"{result.name}: more exposed communication than the step is long",
        )  # fmt: skip
    if not 0 < result.mfu <= result.hfu * (1 + 1e-9) or result.hfu > 1:
        yield violation(
            "flops-utilisation", where, "0 < mfu <= hfu <= 1", f"{result.mfu:.4g}, {result.hfu:.4g}",
            f"{result.name}: utilisation out of range",
        )  # fmt: skip


def _memory(result: WorkloadResult, where: str) -> Iterator[Violation]:
    memory = result.memory_gib
    missing = [name for name in MEMORY_TOTALS if name not in memory]
    if missing:
        yield violation(
            "memory-total", f"{where}.memory_gib", "total and limit", ", ".join(memory),
            f"{result.name}: {' and '.join(missing)} not stated",
        )  # fmt: skip
        return
    parts = math.fsum(v for name, v in memory.items() if name not in MEMORY_TOTALS)
    if not same(parts, memory["total"]):
        yield violation(
            "memory-total", f"{where}.memory_gib.total", parts, memory["total"],
            f"{result.name}: the parts do not add up to the total",
        )  # fmt: skip
    if memory["total"] > memory["limit"] * (1 + 1e-9):
        yield violation(
            "memory-limit", f"{where}.memory_gib.total", f"at most {memory['limit']:.6g}",
            memory["total"], f"{result.name}: does not fit into the GPU",
        )  # fmt: skip


def _degrees(record: Record, result: WorkloadResult, where: str) -> Iterator[Violation]:
    strategy = result.strategy
    design = record.solution.design
    assert design is not None
    product = strategy.tp * strategy.cp * strategy.pp * strategy.dp
    asked = {w.name: w.pipeline_nodes_elsewhere for w in record.solution.instance.workloads}
    here = result.gpus_used - asked.get(result.name, 0) * design.platform.gpus
    facts = (
        ("strategy-degrees", product == result.gpus_used, product, result.gpus_used,
         "tp x cp x pp x dp is the number of GPUs in use"),
        ("strategy-nodes", here <= result.nodes_used * design.platform.gpus
         and (result.nodes_used - 1) * design.platform.gpus < here,
         -(-here // design.platform.gpus), result.nodes_used,
         "the GPUs in use fill these servers"),
        ("strategy-bought", result.nodes_used <= len(record.of_kind("node")),
         f"at most {len(record.of_kind('node'))}", result.nodes_used,
         "more servers in use than stand in the racks"),
    )  # fmt: skip
    for check, holds, expected, found, text in facts:
        if not holds:
            yield violation(check, f"{where}.strategy", expected, found, f"{result.name}: {text}")
    yield from check_strategy(strategy, result.strategy_label, f"{where}.strategy", result.name)
    limit = record.catalog.accelerators.get(design.platform.accelerator)
    stated = result.memory_gib.get("limit", 0.0)
    if limit is not None and not same(stated, limit.memory_gib):
        yield violation(
            "memory-capacity", f"{where}.memory_gib.limit", limit.memory_gib, stated,
            f"{result.name}: memory of one {limit.id}",
        )  # fmt: skip


def taking_turns(record: Record) -> list[WorkloadResult]:
    """Return the jobs that share servers in time."""
    asked = {w.name: w.runs for w in record.solution.instance.workloads}
    return [w for w in record.solution.workloads if asked.get(w.name) != "concurrent"]


def _apart(record: Record) -> Iterator[Violation]:
    """Yield a violation if jobs that run at the same time need more servers than there are."""
    turns = taking_turns(record)
    alone = [w for w in record.solution.workloads if w not in turns]
    if not alone:
        return
    needs = [w.nodes_used for w in alone] + [max((w.nodes_used for w in turns), default=0)]
    fabric = record.solution.design.fabric if record.solution.design else None
    size = fabric.servers_per_unit if fabric and len(fabric.tiers) > 1 else 1
    taken = sum(-(-need // max(1, size)) for need in needs)
    parts = -(-len(record.of_kind("node")) // max(1, size))
    if taken > parts:
        yield violation(
            "concurrent-apart", "$.workloads", f"at most {parts}", taken,
            "jobs that run at the same time need leafs, or servers, of their own",
        )  # fmt: skip


def hours_kept(record: Record) -> float:
    """Return the share of all hours that the jobs which take turns need if steps prove slower.

    Hours that follow from a step grow with it, up to its margin; declared hours a day do not.
    """
    declared = {w.name for w in record.solution.instance.workloads if w.step_time_s is not None}
    return math.fsum(
        w.busy_fraction * (1.0 if w.name in declared else 1.0 + w.margin)
        for w in taking_turns(record)
    )


def _hours(record: Record) -> Iterator[Violation]:
    yield from _apart(record)
    kept = hours_kept(record)
    if kept > 1 + HOURS_SLACK:
        yield violation(
            "busy-sum", "$.workloads", "at most 1", kept,
            "with their margins the jobs need more hours than the cluster has",
        )  # fmt: skip
