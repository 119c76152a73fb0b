"""Cost against step time: against every column solved by itself, and against other targets."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.domain.instance import Instance
from planner.physics.refusal import Refusal
from planner.program.market import open_market
from planner.program.scan import scan
from planner.study.frontier import FrontierOptions, frontier
from planner.study.targets import moved

FILE = Path("instance.json")
JOB = {"name": "gpt2", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 256}
BASE = {
    "name": "small",
    "workloads": [{**JOB, "step_time_s": 1.2}],
    "site": {"racks": 4, "rack_kw": 24},
    "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "topology": ["single", "leaf_spine"],
            "family": ["infiniband", "roce"]},
    "grid": {"max_nodes": 3},
}  # fmt: skip
TICK = 1e-6


def market_of(**changes):
    """Return the market of the base instance with changes."""
    return open_market(Instance.model_validate({**BASE, **changes}), FILE)


def every_column(market):
    """Return (steps, cents) of every column of the grid, each placed by itself without a target."""
    huge = dict.fromkeys(range(len(market.oracle.limits)), 1000000000.0)
    free = moved(market, huge, tuple(huge.values()))
    found = []
    for option in free.options:
        for nodes in free.node_range(option):
            for choice in free.choices(option):
                column = free.column(option, nodes, choice)
                if isinstance(column, Refusal) or free.column_limit(column):
                    continue
                if free.server_limit(option, nodes) or free.steps(column).failed:
                    continue
                placed = free.place(column)
                if isinstance(placed, Refusal):
                    continue
                steps = free.settle(column, placed).steps
                found.append(([s.wall_s for s in steps], placed.cost_cents))
    return found


def pareto(columns, slowest):
    """Return the undominated (seconds, cents) within a limit, slowest first."""
    kept = sorted(((s, c) for s, c in columns if s <= slowest), key=lambda p: (p[1], p[0]))
    result = []
    for seconds, cents in kept:
        if not result or seconds < result[-1][0] * (1 - TICK):
            result.append((seconds, cents))
    return result


@pytest.mark.parametrize("changes", [
    {},
    {"budget": {"capex_usd": 900_000}},
    {"site": {"racks": 2, "rack_kw": 12}},
])  # fmt: skip
def test_no_design_is_missed_and_none_is_dominated(changes) -> None:
    """The points are exactly the undominated ones of all columns, each solved by itself."""
    market = market_of(**changes)
    expected = pareto([(s[0], c) for s, c in every_column(market)], 4 * market.oracle.limits[0])
    assert expected
    options = FrontierOptions(workload=0, slowest=4.0, tick=TICK)
    traced = frontier(market, options, say=lambda _: None)
    assert traced.complete
    assert traced.points[-1].status == "infeasible"
    points = [(p.step_time_s, round(p.objective_usd * 100)) for p in traced.points[:-1]]
    assert [c for _, c in points] == [c for _, c in expected]
    assert [s for s, _ in points] == pytest.approx([s for s, _ in expected], rel=1e-5)
    assert all(p.status == "optimal" and p.gap == 0 for p in traced.points[:-1])


def test_the_decision_is_a_point_of_its_own_frontier() -> None:
    """Under the instance's own target the frontier passes through the answer."""
    market = market_of()
    best = scan(market).best
    options = FrontierOptions(workload=0, slowest=3.0, tick=TICK)
    points = frontier(market, options, chosen=best, say=lambda _: None).points
    chosen = [p for p in points if p.chosen]
    assert [round(p.objective_usd * 100) for p in chosen] == [best.placed.cost_cents]


def test_scaled_targets_move_together() -> None:
    """With two jobs, points are those of the worse of both ratios of step to limit."""
    jobs = [
        {**JOB, "step_time_s": 1.2},
        {**JOB, "name": "two", "global_batch": 64, "step_time_s": 0.5},
    ]
    market = market_of(workloads=jobs)
    limits = market.oracle.limits
    ratios = [
        (max(a / b for a, b in zip(s, limits, strict=True)), c) for s, c in every_column(market)
    ]
    expected = [c for _, c in pareto(ratios, 3.0)]
    options = FrontierOptions(workload=None, slowest=3.0, tick=TICK)
    traced = frontier(market, options, say=lambda _: None)
    assert traced.workload == ""
    costs = [p.objective_usd for p in traced.points if p.objective_usd is not None]
    assert [round(c * 100) for c in costs[::2]] == expected
    assert costs[::2] == costs[1::2]
    assert {p.workload for p in traced.points} == {"gpt2", "two"}


def test_a_limit_of_points_is_said() -> None:
    """What was asked for ends the search, and the answer says that it is not whole."""
    options = FrontierOptions(workload=0, slowest=4.0, points=2)
    traced = frontier(market_of(), options, say=lambda _: None)
    assert not traced.complete
    assert traced.note
    assert len([p for p in traced.points if p.objective_usd is not None]) == 2


def test_few_points_hold_ends_and_decision() -> None:
    """Of three points one is the cheapest, one the answer, one the fastest that there is."""
    market = market_of()
    best = scan(market).best
    whole = pareto([(s[0], c) for s, c in every_column(market)], 4 * market.oracle.limits[0])
    options = FrontierOptions(workload=0, slowest=4.0, points=3)
    traced = frontier(market, options, chosen=best, say=lambda _: None)
    rows = [p for p in traced.points if p.objective_usd is not None]
    costs = [round(p.objective_usd * 100) for p in rows]
    assert costs == [whole[0][1], best.placed.cost_cents, whole[-1][1]]
    assert [p.chosen for p in rows] == [False, True, False]
    assert traced.points[-1].status == "infeasible"
    assert all(p.status == "optimal" for p in rows)


def test_a_deadline_moves_with_its_run() -> None:
    """A target in days becomes the same limit as one in seconds, and repeats no sooner than it ends."""
    job = {**JOB, "samples": 1e6, "deadline_days": 0.5, "repeat_days": 1.0}
    market = market_of(workloads=[job])
    changed = moved(market, {0: market.oracle.limits[0] * 3}, (market.oracle.limits[0] * 3,))
    assert changed.oracle.limits[0] == pytest.approx(3 * market.oracle.limits[0])
    workload = changed.instance.workloads[0]
    assert workload.deadline_days == pytest.approx(1.5)
    assert workload.repeat_days == pytest.approx(1.5)
