"""Hours that workloads share: their margins count in the sum, in every program and in what is said."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.instance import Instance
from planner.domain.workload import Workload
from planner.program.binding import binding_limits, bindings
from planner.program.margins import Margin
from planner.program.market import Market, open_market
from planner.program.monolith import solve_monolith
from planner.program.scan import ScanResult, scan
from planner.program.shared_hours import SharedHours, judged
from planner.study.decide import DecideOptions, confirm
from planner.study.repriced import with_step_factor
from tests.program.brute_force import brute_force
from tests.program.random_instances import FILE, SMALLER, random_instance

SHOP = {
    "server": "l40s-4-pcie", "nic": "cx6-dx-100-2p", "switch": ["generic-100g-32"],
    "topology": ["direct", "single"], "family": ["roce", "ethernet"],
}  # fmt: skip


def job(**fields: Any) -> Workload:
    """Return a run of 1,000 steps that must be through in a day of every two."""
    given_fields = {
        "name": "job", "network": "gpt2-xl", "global_batch": 64, "sequence_length": 512,
        "tokens": 64 * 512 * 1000.0, "deadline_days": 1.0, "repeat_days": 2.0,
    }  # fmt: skip
    return Workload.model_validate(given_fields | fields)


def hours(jobs: list[Workload], margins: list[float], slower: float = 1.0) -> SharedHours:
    """Return the hours of jobs with margins."""
    return SharedHours(
        demands=tuple(jobs), margins=tuple(Margin(m, "default", "") for m in margins), slower=slower
    )


@given(
    st.lists(st.tuples(st.floats(1, 60), st.floats(0, 2)), min_size=1, max_size=4),
    st.floats(0.2, 5),
)
def test_kept_hours_are_those_of_slower_steps(rows: list[tuple[float, float]], slower: float):
    """A job keeps the hours of steps slower by its margin; `room` uses all hours up."""
    jobs = [job() for _ in rows]
    walls = [wall for wall, _ in rows]
    kept = hours(jobs, [margin for _, margin in rows], slower)
    slow = [wall * (1 + margin) * slower for wall, margin in rows]
    assert kept.kept(walls) == pytest.approx(
        math.fsum(j.busy_fraction(s) for j, s in zip(jobs, slow, strict=True))
    )
    assert kept.kept([wall * kept.room(walls) for wall in walls]) == pytest.approx(1.0)


@given(st.floats(0, 2), st.floats(0.1, 24))
def test_declared_hours_are_kept_as_they_are(margin: float, daily: float):
    """Hours a day that an instance declares do not follow from a step, so no margin grows them."""
    declared = job(tokens=None, deadline_days=None, repeat_days=None, step_time_s=1.0,
                   hours_per_day=daily)  # fmt: skip
    assert hours([declared], [margin], 3.0).kept([0.5]) == pytest.approx(daily / 24)
    assert hours([declared], [margin]).room([0.5]) == math.inf


def test_one_job_alone_is_held_by_its_step_only():
    """A single run at its limit keeps all hours exactly: the margin is not counted twice."""
    alone = job(repeat_days=None)
    limit = alone.target_s / 1.25
    kept = hours([alone], [0.25])
    assert kept.kept([limit]) == pytest.approx(1.0)
    assert judged((), [limit], [limit], kept).failed == ""
    assert judged((), [limit * 1.01], [limit], kept).broken == {"step_time_w0"}


def test_jobs_at_the_same_time_keep_no_hours_of_others():
    """Servers of its own are nobody else's."""
    both = hours([job(runs="concurrent"), job()], [0.0, 0.0])
    assert both.kept([50.0, 50.0]) == pytest.approx(job().busy_fraction(50.0))


def test_only_limits_that_no_other_design_is_without_are_named():
    """Designs that fail for hours alone show that longer steps would not have saved slower ones."""
    found = ScanResult()
    for broken in ({"step_time_w0", "hours"}, {"step_time_w0", "step_time_w1", "hours"}):
        found.conflicts.add(frozenset(broken))
    found.outcomes.update(["free_network_step_time_w0", "capex", "cost_bound"])
    assert binding_limits(found) == {"step_time_w0", "hours", "capex"}
    found.conflicts.add(frozenset({"hours"}))
    found.outcomes.update(["hours"])
    assert binding_limits(found) == {"hours", "capex"}


def pair(share: float, margin: float) -> Instance:
    """Return two jobs that need a share of all hours together on one server, without margin."""
    draft = {
        "name": "pair", "site": {"racks": 2, "rack_kw": 12}, "grid": {"max_nodes": 4}, "fix": SHOP,
        "workloads": [
            {"name": name, "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 64,
             "step_time_s": 1e6, "margin": 0}
            for name in ("a", "b")
        ],
    }  # fmt: skip
    market = open_market(Instance.model_validate(draft), FILE)
    best = scan(market).best
    assert best is not None
    assert best.column.nodes == 1
    for work, step in zip(draft["workloads"], best.steps.steps, strict=True):  # type: ignore[call-overload]
        del work["step_time_s"]
        steps = share / 2 * 7 * 86400 * 0.9 / step.wall_s
        work |= {
            "tokens": steps * 64 * 1024,
            "deadline_days": 6.5,
            "repeat_days": 7,
            "margin": margin,
        }
    return Instance.model_validate(draft)


def solved(instance: Instance) -> tuple[Market, ScanResult]:
    """Return an instance's scan, which selection program, monolith and brute force confirm."""
    market = open_market(instance, FILE)
    result = scan(market)
    confirm(market, result, DecideOptions())
    cents = result.best.placed.cost_cents if result.best else None
    assert solve_monolith(open_market(instance, FILE)).cost_cents == cents
    assert brute_force(instance).cents == cents
    return market, result


def test_a_model_slower_by_the_margin_still_meets_both_deadlines():
    """One server holds both jobs only if the model is exact; a margin of 10 % buys the second."""
    _, exact = solved(pair(0.95, 0.0))
    market, safe = solved(pair(0.95, 0.10))
    assert exact.best is not None
    assert safe.best is not None
    assert (exact.best.column.nodes, safe.best.column.nodes) == (1, 2)
    assert market.oracle.kept_hours(safe.best.steps) <= 1
    rows = {row.constraint: row for row in _bindings(market, safe) if row.binding}
    assert set(rows) == {"hours"}  # each step is far below its own limit on one server too
    assert rows["hours"].used == pytest.approx(market.oracle.kept_hours(safe.best.steps))


def _bindings(market: Market, result: ScanResult) -> list[Any]:
    from planner.program.answer import workload_results

    assert result.best is not None
    results = workload_results(market, result.best)
    return bindings(market, result.best, results, binding_limits(result))


def test_slower_steps_use_the_hours_up():
    """The factor at which hours run out holds just below, and fails just above."""
    market, result = solved(pair(0.5, 0.25))
    best = result.best
    assert best is not None
    room = market.oracle.hours.room([step.wall_s for step in best.steps.steps])
    for factor, failed in ((room * 0.999, ""), (room * 1.001, "hours")):
        slower = with_step_factor(market, factor, 1.0)
        timed = slower.oracle.on_column(best.column, 3.0)
        assert replace(slower.oracle, slower=1.0).on_column(best.column, 3.0).failed == ""
        assert timed.failed == failed


def needed(instance: Instance, market: Market, steps: Any) -> float:
    """Return hours x (1 + margin) of all that take turns as a share of all hours, from the demands."""
    kept = 0.0
    for work, step, margin in zip(instance.workloads, steps, market.oracle.margins, strict=True):
        if work.steps is None:
            kept += (work.hours_per_day or 0.0) / 24
            continue
        wall_s = work.steps * step.wall_s * (1 + margin.value) / work.availability
        kept += wall_s / ((work.repeat_days or work.deadline_days or 0.0) * 86400)
    return kept


@pytest.mark.parametrize("seed", range(8))
def test_no_answer_needs_more_hours_than_there_are(seed: int):
    """Whatever the figures, three ways: hours x (1 + margin) together are at most all hours."""
    rng = random.Random(seed)
    instance = pair(rng.uniform(0.75, 0.99), rng.choice([0.02, 0.1, 0.284]))
    market, result = solved(instance)
    if result.best is not None:
        assert needed(instance, market, result.best.steps.steps) <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(200, 220))
def test_no_answer_of_other_instances_does(seed: int):
    """The same of instances whose other limits bind."""
    instance = random_instance(seed, SMALLER).instance
    market = open_market(instance, FILE)
    best = scan(market).best
    assert best is None or needed(instance, market, best.steps.steps) <= 1 + 1e-9
