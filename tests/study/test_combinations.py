"""Every scale-up kind with every family and topology: solved, or bounded by what holds."""

from __future__ import annotations

import time

import pytest

from planner.domain.combination import beside_grid, combined
from planner.domain.instance import Instance, load_instance
from planner.program.market import open_market
from planner.program.scan import scan
from planner.program.work import Work
from planner.study.alternatives import alternatives, force
from planner.study.asked import Asked
from planner.study.combinations import Combining, combinations
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.program.random_instances import FILE, random_instance

BASE = {
    "name": "small",
    "workloads": [
        {"name": "gpt2", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 256,
         "step_time_s": 1.2}
    ],
    "site": {"racks": 4, "rack_kw": 24},
    "forbid": {"topology": "three_tier"},
    "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"]},
    "grid": {"max_nodes": 4},
}  # fmt: skip


def _answers(market, *, work, late=False):
    found = scan(market)
    asked = alternatives(market, found.best, deadline_s=None, say=lambda _: None)
    past = time.monotonic() - 1 if late else None
    known = Combining(
        market=market, best=found.best, bound_cents=found.bound_cents, alternatives=asked,
        work=work, deadline_s=past, say=lambda _: None,
    )  # fmt: skip
    return combinations(known)


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """An instance small enough that every combination can be solved."""
    file = tmp_path_factory.mktemp("instance") / "small.json"
    return open_market(Instance.model_validate(BASE), file)


@pytest.fixture(scope="module")
def full(market):
    """Every combination solved."""
    return _answers(market, work=None)


def test_every_combination_is_answered_once(market, full) -> None:
    """In a fixed order; all solved here, and one is the choice made."""
    kinds = {server.scale_up for server in market.catalog.servers.values()}
    assert [(c.scale_up, c.family, c.topology) for c in full] == list(combined(kinds))
    assert {c.status for c in full} == {"chosen", "optimal", "infeasible"}
    assert sum(c.status == "chosen" for c in full) == 1
    assert all(c.reason for c in full if c.status != "chosen")


def test_a_solved_combination_is_what_solving_it_alone_gives(market, full, tmp_path) -> None:
    """Cost to the cent and step times, for the cheapest of each family."""
    solved = sorted((c for c in full if c.status == "optimal"), key=lambda c: c.objective_usd)
    first = {one.family: one for one in reversed(solved)}
    assert set(first) == {"infiniband", "roce", "ethernet"}
    for one in first.values():
        forced = {"scale_up": one.scale_up, "topology": one.topology}
        forced |= {} if one.family == "none" else {"family": one.family}
        pinned = force(market.instance, forced)
        options = DecideOptions(alternatives=False)
        again = decide(pinned, tmp_path / "small.json", options, lambda _: None).solution
        assert again.objective_usd == one.objective_usd
        assert {w.name: w.step_time_s for w in again.workloads} == one.step_times_s


@pytest.mark.parametrize("work", [0, 2, 12])
def test_bounds_hold_whatever_the_work(tmp_path, full, work) -> None:
    """With less work an answer says less, and nothing that more work contradicts."""
    market = open_market(Instance.model_validate(BASE), tmp_path / "small.json")
    for less, more in zip(_answers(market, work=work), full, strict=True):
        if less.status == "infeasible":
            assert more.status == "infeasible"
        elif more.objective_usd is not None and less.bound_usd is not None:
            assert less.bound_usd <= more.objective_usd
            assert less.objective_usd is None or less.objective_usd >= more.objective_usd
        if less.status in ("optimal", "chosen"):
            assert less.objective_usd == more.objective_usd


def test_no_time_leaves_the_bound_of_the_answer(market) -> None:
    """What was not looked at is no cheaper than a proved optimum; it is not called impossible."""
    answers = _answers(market, work=None, late=True)
    chosen = next(c for c in answers if c.status == "chosen")
    unseen = [c for c in answers if c.status == "bounded"]
    assert unseen
    for one in unseen:
        beside = beside_grid(market.instance, one.topology)
        assert one.bound_usd >= (0 if beside else chosen.objective_usd)
    assert all(c.reason.startswith("at least") for c in unseen)


def test_a_search_of_little_work_bounds_the_optimum(market) -> None:
    """It stops, and its bound is no higher than the cost that a whole search proves."""
    whole = scan(market)
    for numbers in (1, 2, 50):
        for columns in (0, 1, 3):
            part = scan(market, work=Work(numbers=numbers, columns=columns))
            assert part.evaluated <= columns
            assert part.numbers <= numbers
            assert part.bound_cents <= whole.bound_cents


@pytest.mark.parametrize("seed", range(6))
def test_random_instances_answer_every_combination(seed) -> None:
    """The checker finds nothing: none cheaper than the optimum, each of its own words."""
    drawn = random_instance(seed)
    options = DecideOptions(asked=Asked(combinations="full"))
    decision = decide(drawn.instance, FILE, options, lambda _: None)
    assert [str(v) for v in verify(decision.solution, decision.catalog)] == []
    assert bool(decision.solution.combinations) == (decision.solution.design is not None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tiny", "budget", "flip-72-links", "room-rows"])
def test_every_solved_combination_is_solved_again(name) -> None:
    """All proved ones of shipped instances, each pinned and decided anew."""
    instance, file = load_instance(name)
    options = DecideOptions(asked=Asked(combinations="bounded"))
    for one in decide(instance, file, options, lambda _: None).solution.combinations:
        if one.status != "optimal":
            continue
        forced = {"scale_up": one.scale_up, "topology": one.topology}
        forced |= {} if one.family == "none" else {"family": one.family}
        pinned = force(instance, forced)
        alone = decide(pinned, file, DecideOptions(alternatives=False), lambda _: None).solution
        assert alone.objective_usd == one.objective_usd
