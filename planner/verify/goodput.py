"""Availability from failure rates, counted again by other means than the program's closed forms.

The best checkpoint interval is searched for, and broken servers are summed state by state.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from planner.domain.failure_rates import published_failures
from planner.domain.goodput_part import GoodputPart
from planner.domain.solution import WorkloadResult
from planner.domain.units import GIGA, SECONDS_PER_DAY
from planner.domain.workload import Workload
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

CLOSE = 1e-9
"""Relative difference that a search may leave in a share whose optimum is flat."""
FLAT = 1e-4
"""The same in the interval itself."""
GOLDEN = (math.sqrt(5) - 1) / 2
SEARCH_STEPS = 200


class Recount(NamedTuple):
    """What a job's goodput depends on, from the instance and the tables."""

    failing_per_s: float
    breaking_per_s: float
    write_s: float
    restart_s: float
    repair_s: float


def modelled_demand(result: WorkloadResult, demand: Workload) -> Workload:
    """Return the demand with the availability that the answer states, where it is modelled."""
    if result.goodput is None:
        return demand
    return demand.model_copy(update={"availability": result.goodput.availability})


def is_modelled(record: Record, demand: Workload) -> bool:
    """Tell whether the instance leaves a job's availability to failure rates."""
    section = record.solution.instance.goodput
    own = "availability" in demand.model_fields_set
    return section is not None and demand.step_time_s is None and not own


def check_goodput(record: Record) -> Iterator[Violation]:
    """Yield modelled availabilities that the tables and the servers do not give again."""
    asked = {w.name: w for w in record.solution.instance.workloads}
    for i, result in enumerate(record.solution.workloads):
        where, demand = f"$.workloads[{i}].goodput", asked.get(result.name)
        if demand is None:
            continue
        if is_modelled(record, demand) != (result.goodput is not None):
            yield violation(
                "goodput-stated", where, is_modelled(record, demand), result.goodput is not None,
                f"{result.name}: whether availability is modelled",
            )  # fmt: skip
        elif result.goodput is not None:
            yield from _figures(record, result, demand, result.goodput, where)


def _figures(
    record: Record, result: WorkloadResult, demand: Workload, part: GoodputPart, where: str
) -> Iterator[Violation]:
    counted = _recount(record, result, demand)
    if counted is None:
        return
    mtbf_s = 1 / (counted.failing_per_s * result.nodes_used)
    spares = len(record.of_kind("node")) - result.nodes_used
    interval_s, share = _best_interval(mtbf_s, counted)
    waiting = _waiting(counted.breaking_per_s * result.nodes_used * counted.repair_s, spares)
    figures = {
        "servers": float(result.nodes_used),
        "spares": float(spares),
        "failures_per_1000_server_days": counted.failing_per_s * 1000 * SECONDS_PER_DAY,
        "repairs_per_1000_server_days": counted.breaking_per_s * 1000 * SECONDS_PER_DAY,
        "mtbf_h": mtbf_s / 3600,
        "checkpoint_write_s": counted.write_s,
        "restart_s": counted.restart_s,
        "repair_s": counted.repair_s,
        "checkpoint_interval_s": interval_s,
        "checkpoint_share": share,
        "waiting_share": waiting,
        "availability": share * (1 - waiting),
    }
    if demand.steps is not None:
        seconds = demand.steps * result.step_time_s / part.availability
        figures["expected_failures"] = seconds / mtbf_s
    for name, expected in figures.items():
        found = getattr(part, name)
        close = FLAT if name == "checkpoint_interval_s" else CLOSE
        if found is None or not math.isclose(found, expected, rel_tol=close, abs_tol=CLOSE):
            yield violation(
                "goodput-figures", f"{where}.{name}", expected, found,
                f"{result.name}: failure rates, servers and spares give another figure",
            )  # fmt: skip


def _recount(record: Record, result: WorkloadResult, demand: Workload) -> Recount | None:
    design, section = record.solution.design, record.solution.instance.goodput
    server = record.catalog.servers.get(design.platform.server) if design else None
    if server is None or section is None:
        return None
    table = published_failures()
    factor = table.levels[section.failures].factor * section.rate_factor
    failing = breaking = 0.0
    for row in table.components:
        devices = server.gpus if row.per == "gpu" else server.hosts
        days = table.observed.gpu_days if row.per == "gpu" else table.observed.node_days
        rate = row.interruptions / days * devices * factor / SECONDS_PER_DAY
        failing += rate
        breaking += rate if row.takes_server else 0.0
    storage = record.solution.instance.storage
    speed = section.storage_gbytes_per_s or (storage.gbytes_per_s if storage else None) or 0.0
    sizes = table.defaults
    size = sizes.bytes_per_parameter_sgd if demand.optimizer == "sgd" else sizes.bytes_per_parameter
    minutes = section.restart_minutes or sizes.restart_minutes.value
    return Recount(
        failing_per_s=failing,
        breaking_per_s=breaking,
        write_s=size.value * result.parameters / (speed * GIGA) * section.blocking_share,
        restart_s=60 * minutes,
        repair_s=SECONDS_PER_DAY * (section.repair_days or sizes.repair_days.value),
    )


def _best_interval(mtbf_s: float, counted: Recount) -> tuple[float, float]:
    """Return the best seconds between checkpoints and the share of useful time, by search."""

    def share(work_s: float) -> float:
        segment = math.expm1((work_s + counted.write_s) / mtbf_s)
        return work_s / mtbf_s / math.exp(counted.restart_s / mtbf_s) / segment

    low, high = 0.0, 2 * mtbf_s
    for _ in range(SEARCH_STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (left, high) if share(left) < share(right) else (low, right)
    best = (low + high) / 2
    return best, share(best)


def _waiting(offered: float, spares: int) -> float:
    """Return the share of time with every spare used up and one more server broken."""
    weights = [0.0]
    for k in range(1, spares + 2):
        weights.append(weights[-1] + math.log(offered / k))
    most = max(weights)
    return math.exp(weights[-1] - most) / math.fsum(math.exp(w - most) for w in weights)
