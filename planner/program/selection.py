"""The selection program: which column each pool takes, which strategy each workload runs there.

The mathematics stands in ``models/formulation/selection.md``; each function builds the constraint
family whose id it names. Step times, with every maximum and algorithm choice of the collective
cost model, are evaluated exactly for each (workload, strategy, column) before the program is
built, so nothing is linearised away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from planner.domain.units import CENTS_PER_USD
from planner.program.owned_rows import Inventory, add_owned, full_price

EPSILON_S = 1e-9
"""Slack on step-time rows, seconds: far below a step, above the engines' row tolerance."""


TELLS_APART = 1e-5
"""Relative; engines take a row as met when it is broken by about 1e-6."""


def barely_over(step_time_s: float, limit_s: float) -> bool:
    """Return whether a step time breaks its limit by less than an engine can tell.

    Such a strategy is left out of a program: that it is too slow is known exactly.
    """
    return limit_s < step_time_s <= limit_s + TELLS_APART * max(1.0, limit_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyOption:
    """One strategy of one workload on one column."""

    key: int
    step_time_s: float
    compute_s: float
    """Compute, recompute and bubble: everything that is not exposed communication."""
    exposed_s: dict[str, float]
    """Exposed seconds by communication; with `compute_s` they add up to `step_time_s`."""
    kept_fraction: float
    """Share of all hours kept for the workload, with its margin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One column with its exact cost and what it uses."""

    key: int
    cost_cents: int
    capex_cents: int
    power_w: float
    racks: int
    gpus: int
    strategies: tuple[tuple[StrategyOption, ...], ...]
    """By workload."""
    needs: Mapping[str, int] = field(default_factory=dict)
    """Units of each part of the inventory that it takes, owned or bought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Right-hand sides; None is no limit."""

    step_time_s: tuple[float, ...]
    """By workload: target / (1 + margin)."""
    capex_cents: int | None = None
    power_w: float | None = None
    racks: int | None = None
    gpus: int | None = None
    hours_shared: bool = True
    inventory: Inventory = field(default_factory=dict)
    """What is owned; costs of candidates are without it."""

    def without_placement(self) -> Limits:
        """Return the limits that do not depend on where things stand."""
        return replace(self, capex_cents=None, racks=None)


@dataclass(slots=True)
class SelectionModel:
    """The PuLP model with its variables at hand."""

    problem: Any
    base_cents: int
    """Taken off every cost: the pool takes exactly one column, so the optimum is unmoved."""
    use: dict[int, Any] = field(default_factory=dict)
    run: dict[tuple[int, int, int], Any] = field(default_factory=dict)


def build_selection(candidates: Sequence[Candidate], limits: Limits) -> SelectionModel:
    """Return the program over `candidates` for one pool.

    Parameters
    ----------
    candidates
        Columns that may be chosen; at least one.
    limits
        Right-hand sides.
    """
    import pulp

    full = {c.key: full_price(c, limits.inventory) for c in candidates}
    base = min(cost for cost, _ in full.values())
    model = SelectionModel(problem=pulp.LpProblem("selection", pulp.LpMinimize), base_cents=base)
    for column in candidates:
        model.use[column.key] = model.problem.add_variable(f"use_c{column.key}", cat="Binary")
        for w, options in enumerate(column.strategies):
            for option in options:
                name = f"run_w{w}_c{column.key}_s{option.key}"
                model.run[w, column.key, option.key] = model.problem.add_variable(
                    name, cat="Binary"
                )
    cost = pulp.lpSum(
        (full[c.key][0] - base) / CENTS_PER_USD * model.use[c.key] for c in candidates
    )
    saved, spared = add_owned(model.problem, model.use, candidates, limits.inventory)
    model.problem.setObjective(cost - saved)
    _assignment_rows(model, candidates, len(limits.step_time_s))
    _step_time_rows(model, candidates, limits)
    _hours_row(model, candidates, limits)
    prices = [full[c.key][1] / CENTS_PER_USD for c in candidates]
    _resource_rows(model, candidates, limits, prices, spared)
    return model


def _assignment_rows(
    model: SelectionModel, candidates: Sequence[Candidate], workloads: int
) -> None:
    """Build `one_column`, `run_once` and `run_on_used`."""
    import pulp

    model.problem += (pulp.lpSum(model.use.values()) == 1, "one_column")
    for w in range(workloads):
        runs = [var for (wl, _, _), var in model.run.items() if wl == w]
        model.problem += (pulp.lpSum(runs) == 1, f"run_once_w{w}")
        for column in candidates:
            here = [model.run[w, column.key, o.key] for o in column.strategies[w]]
            name = f"run_on_used_w{w}_c{column.key}"
            model.problem += (pulp.lpSum(here) - model.use[column.key] <= 0, name)


def _step_time_rows(model: SelectionModel, candidates: Sequence[Candidate], limits: Limits) -> None:
    """Build `compute`, `comm` and `step_time`: the parts of each workload's step and their sum."""
    import pulp

    for w, limit_s in enumerate(limits.step_time_s):
        kinds = sorted(
            {k for c in candidates for option in c.strategies[w] for k in option.exposed_s}
        )
        compute = model.problem.add_variable(f"compute_w{w}", lowBound=0)
        terms = [
            option.compute_s * model.run[w, c.key, option.key]
            for c in candidates
            for option in c.strategies[w]
        ]
        model.problem += (pulp.lpSum(terms) - compute == 0, f"compute_w{w}")
        exposed = []
        for kind in kinds:
            comm = model.problem.add_variable(f"comm_w{w}_{kind}", lowBound=0)
            terms = [
                option.exposed_s.get(kind, 0.0) * model.run[w, c.key, option.key]
                for c in candidates
                for option in c.strategies[w]
            ]
            model.problem += (pulp.lpSum(terms) - comm == 0, f"comm_w{w}_{kind}")
            exposed.append(comm)
        total = compute + pulp.lpSum(exposed)
        model.problem += (total <= limit_s + EPSILON_S, f"step_time_w{w}")


def _hours_row(model: SelectionModel, candidates: Sequence[Candidate], limits: Limits) -> None:
    """Build `hours`: the shares of time kept for the workloads that share the pool, at most 1."""
    import pulp

    if not limits.hours_shared:
        return
    terms = [
        option.kept_fraction * model.run[w, c.key, option.key]
        for c in candidates
        for w, options in enumerate(c.strategies)
        for option in options
        if option.kept_fraction > 0
    ]
    if terms:
        model.problem += (pulp.lpSum(terms) <= 1 + EPSILON_S, "hours")


def _resource_rows(
    model: SelectionModel,
    candidates: Sequence[Candidate],
    limits: Limits,
    prices_usd: list[float],
    spared_usd: Any,
) -> None:
    """Build `capex`, `power`, `racks` and `gpus`."""
    import pulp

    rows: list[tuple[str, float | None, list[float]]] = [
        (
            "capex",
            None if limits.capex_cents is None else limits.capex_cents / CENTS_PER_USD,
            prices_usd,
        ),
        ("power", limits.power_w, [c.power_w for c in candidates]),
        ("racks", limits.racks, [float(c.racks) for c in candidates]),
        ("gpus", limits.gpus, [float(c.gpus) for c in candidates]),
    ]
    for name, limit, uses in rows:
        if limit is not None:
            terms = [v * model.use[c.key] for v, c in zip(uses, candidates, strict=True)]
            less = spared_usd if name == "capex" else 0
            model.problem += (pulp.lpSum(terms) - less <= limit, name)
