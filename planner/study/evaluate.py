"""Price and time one pinned design: what we have, or what a vendor offers; no choice is left."""

from __future__ import annotations

import datetime
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner import __version__
from planner.domain.calibration import Calibration
from planner.domain.errors import UsageError
from planner.domain.instance import Instance
from planner.domain.solution import Run, Solution
from planner.physics.refusal import Refusal
from planner.program.answer import Answered, Status, solution_of
from planner.program.columns import Column
from planner.program.market import Market, open_market
from planner.program.pinned import as_pinned
from planner.program.scan import Found, ScanResult, StepTimes, describe
from planner.program.steps import StepOracle
from planner.study.decide import DecideOptions, Decision, run_id

KEYS = (
    "server",
    "nic",
    "nics_per_node",
    "nodes",
    "family",
    "switch",
    "topology",
    "oversubscription",
)
"""What `fix` must pin; a key may be absent where one value is left anyway."""


def evaluate(instance: Instance, file: Path, calibration: Calibration | None = None) -> Decision:
    """Return the pinned design's costs and step times; limits that it breaks are reasons.

    Later phases of growth are not looked at.

    Raises
    ------
    InputError
        If the instance names something unknown.
    UsageError
        If `fix` leaves no design, or more than one.
    """
    if instance.regions is not None:
        raise UsageError(f"{file}: an instance with regions is answered by planner regions")
    now = instance.model_copy(update={"growth": None})  # what stands or is offered, of one day
    market = open_market(now, file, calibration, change=as_pinned)
    return evaluate_column(market, the_column(market))


def evaluate_column(market: Market, column: Column) -> Decision:
    """Return one column's costs and step times; limits that it breaks are reasons."""
    began = time.monotonic()
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    result, reasons = _looked_at(market, column)
    run = Run(
        planner_version=__version__,
        run_id=run_id(market, DecideOptions(alternatives=False)),
        solver="none: no choice is left",
        solver_version=__version__,
        seed=0,
        threads=1,
        wall_s=time.monotonic() - began,
        started=started,
    )
    answered = Answered(
        status=_status(result, reasons),
        reasons=reasons,
        alternatives=[],
        run=run,
        binding_limits=frozenset(),
    )
    solution: Solution = solution_of(market, result, answered)
    return Decision(
        solution=solution.model_copy(update={"question": "evaluate"}), catalog=market.catalog
    )


def _status(result: ScanResult, reasons: list[str]) -> Status:
    """Return optimal only where no placement of the pinned design can be cheaper."""
    if reasons:
        return "infeasible"
    best = result.best
    proved = best is not None and best.placed.bound_cents >= best.placed.cost_cents
    return "optimal" if proved else "feasible"


def the_column(market: Market) -> Column:
    """Return the only column that the instance leaves.

    Raises
    ------
    UsageError
        Naming the keys that still have a choice, or why nothing is left.
    """
    columns: list[Column] = []
    refused: list[str] = []
    for option in market.options:
        for nodes in market.node_range(option):
            for choice in market.choices(option):
                column = market.column(option, nodes, choice)
                if isinstance(column, Refusal):
                    refused.append(column.reason)
                else:
                    columns.append(column)
    if len(columns) == 1:
        return columns[0]
    if not columns:
        reasons = [*refused, *sorted(market.left_out.values())]
        shown = reasons[0] if reasons else "nothing is left"
        raise UsageError(f"{market.file}: $.fix leaves no design: {shown}")
    open_keys = {
        key: [str(v) for v in sorted({_value(column, key) for column in columns})] for key in KEYS
    }
    lines = [
        f"{key} ({', '.join(values[:6])}{', ...' if len(values) > 6 else ''})"
        for key, values in open_keys.items()
        if len(values) > 1
    ]
    alike = ", or ".join(dict.fromkeys(describe(column) for column in columns[:3]))
    raise UsageError(
        f"{market.file}: $.fix leaves {len(columns):,} designs; evaluate needs one. "
        f"Pin: {'; '.join(lines) or alike}"
    )


def _value(column: Column, key: str) -> Any:
    choice = column.plan.choice
    models = (choice.leaf_switch, choice.spine_switch, choice.core_switch)
    values: dict[str, Any] = {
        "server": column.option.server.id,
        "nic": column.option.nics.nic,
        "nics_per_node": column.option.platform.nics,
        "nodes": column.nodes,
        "family": choice.family,
        "switch": ", ".join(dict.fromkeys(filter(None, models))) or "none",
        "topology": choice.topology,
        "oversubscription": choice.oversubscription,
    }
    return values[key]


def _looked_at(market: Market, column: Column) -> tuple[ScanResult, list[str]]:
    """Return the column as found, and the limits that it breaks in sentences."""
    result = ScanResult(proved=True)
    placed = market.costed(column, market.owned_placer.place(column, None))
    if isinstance(placed, Refusal):
        return result, [placed.reason]
    placement = placed.placement
    longest = max((x.max_m for x in placement.lengths.values()), default=0.0)
    free: StepOracle = replace(
        market.oracle,
        limits=tuple(math.inf for _ in market.oracle.limits),
        _free={},
        _best={},
        _usable={},
    )
    steps = free.on_column(column, longest)
    if steps.failed.startswith("memory"):
        index = int(steps.failed.rpartition("_w")[2])
        name = market.instance.workloads[index].name
        memory = column.option.accelerator.memory_gib
        text = f"{name} does not fit: no strategy that its pins leave needs at most {memory:g} GiB"
        return result, [f"{text} on {describe(column)}."]
    found = Found(column=column, placed=placed, steps=StepTimes(steps.steps, ""))
    result.best = found
    result.bound_cents = placed.bound_cents
    result.feasible.append(found)
    result.outcomes["feasible"] += 1
    return result, [*_slow(market, found), *_over(market, found)]


def _slow(market: Market, found: Found) -> list[str]:
    lines = []
    workloads = market.oracle.demands
    for workload, step, limit in zip(
        workloads, found.steps.steps, market.oracle.limits, strict=True
    ):
        seconds = step.wall_s
        if seconds > limit:
            late = "misses its target" if seconds > workload.target_s else "is inside the margin"
            lines.append(
                f"{workload.name} steps in {seconds:.4g} s, limit {limit:.4g} s (target "
                f"{workload.target_s:.4g} s): {late}, {seconds / limit - 1:.1%} too slow."
            )
    walls_s = [step.wall_s for step in found.steps.steps]
    if market.oracle.hours.exceeded(walls_s):
        kept = market.oracle.hours.kept(walls_s)
        lines.append(
            f"With their margins the workloads need {kept:.4g} times the hours that there are."
        )
    return lines


def _over(market: Market, found: Found) -> list[str]:
    option, nodes = found.column.option, found.column.nodes
    refusals = (
        market.server_limit(option, nodes),
        market.column_limit(found.column),
        market.limits.of_capex(found.placed.capex_cents, describe(found.column)),
    )
    return list(dict.fromkeys(f"{r.reason}." for r in refusals if r is not None))
