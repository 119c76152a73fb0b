"""The market holds an instance's limits exactly, down to the last cable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.physics.refusal import Refusal
from planner.program.market import Market, narrows, open_market
from planner.program.placement_program import place_by_program
from planner.program.placement_within import place_within, reaching
from planner.program.scan import ScanResult, scan
from planner.study.decide import DecideOptions, decide

FILE = Path("instance.json")


def instance(**changes: Any) -> Instance:
    """Return GPT-2 XL on L40S servers with one Ethernet switch, five racks of one server each."""
    workload = {
        "name": "a", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 512,
        "step_time_s": 2.0, "margin": 0.0,
    }  # fmt: skip
    fields: dict[str, Any] = {
        "name": "small",
        "workloads": [workload | changes.pop("workload", {})],
        "site": {"racks": 6, "rack_kw": 5.5} | changes.pop("site", {}),
        "grid": {"min_nodes": 4, "max_nodes": 4},
        "fix": {"server": "l40s-8-pcie", "switch": "sn3700", "nics_per_node": 2, "family": "roce"},
    }
    return Instance.model_validate(fields | changes)


def solved(**changes: Any) -> tuple[Market, ScanResult]:
    """Return the market of a changed instance and its scan."""
    market = open_market(instance(**changes), FILE)
    return market, scan(market)


def test_a_budget_within_the_cables_is_exact() -> None:
    """What is paid may not exceed the least purchase price by the whole bill: to the cent."""
    market, free = solved()
    assert free.best is not None
    column = free.best.column
    least = place_within(market.placer.weighted(0, 1), column, None)
    assert not isinstance(least, Refusal)
    fixed = column.fixed.capex
    enough, short = fixed + least.capex_cents, fixed + least.capex_cents - 1
    _, met = solved(budget={"capex_usd": enough / 100})
    _, missed = solved(budget={"capex_usd": short / 100})
    assert met.best is not None
    assert met.best.placed.capex_cents <= enough
    assert missed.best is None
    assert missed.refusals.keys() >= {"capex"}


def test_another_placement_is_taken_when_the_cheapest_breaks_the_budget() -> None:
    """Where power makes the value differ from the price, a budget changes the placement."""
    dear_power = {"electricity_usd_per_kwh": 10.0, "racks": 3, "rack_kw": 12}
    day = "2026-09"
    quotes = {part: {"usd": 900, "date": day} for part in ("dac-200g-2m", "dac-200g-3m")}
    market, free = solved(site=dear_power, quotes=quotes)
    assert free.best is not None
    column = free.best.column
    cheap = place_within(market.placer.weighted(0, 1), column, None)
    before = place_within(market.placer, column, None)
    assert not isinstance(cheap, Refusal)
    assert not isinstance(before, Refusal)
    assert cheap.capex_cents < before.capex_cents
    costs = []
    for budget in (*range(cheap.capex_cents, before.capex_cents, 40_000), before.capex_cents):
        within = place_within(market.placer, column, budget)
        exact = place_by_program(market.placer, column, budget)
        assert not isinstance(within, Refusal)
        assert exact is not None
        assert within.capex_cents <= budget
        assert within.bound_cents == within.cost_cents == exact.cost_cents
        costs.append(within.cost_cents)
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1] == before.cost_cents


def test_links_are_laid_within_the_length_that_the_step_time_allows() -> None:
    """A step time that the longest link would break keeps the boxes near each other."""
    market, free = solved()
    assert free.best is not None
    column = free.best.column
    lengths = market.placer.room.lengths_m
    laid = max(tier.max_m for tier in free.best.placed.placement.lengths.values())
    times = []
    for metres in lengths:
        step = market.oracle.fastest(0, column, metres)
        assert step is not None
        times.append(step.step_time_s)
    assert times == sorted(times)
    at = lengths.index(laid)
    assert times[at - 1] < times[at]
    tight = (times[at - 1] + times[at]) / 2
    _, near = solved(workload={"step_time_s": tight})
    if near.best is not None:
        assert near.best.placed.cost_cents > free.best.placed.cost_cents
    problem = reaching(market.placer.problem(column), lengths[at - 1])
    assert all(medium.fibre[at] is None for medium in problem.node_leaf)


def test_forbidden_numbers_of_servers_are_not_bought() -> None:
    """`forbid.nodes` holds as `fix.nodes` does."""
    _, free = solved(grid={"min_nodes": 4, "max_nodes": 6})
    _, more = solved(grid={"min_nodes": 4, "max_nodes": 6}, forbid={"nodes": [4]})
    assert free.best is not None
    assert more.best is not None
    assert (free.best.column.nodes, more.best.column.nodes) == (4, 5)


def test_servers_beyond_the_ports_of_one_switch_are_refused_without_timing_them() -> None:
    """From the first number that no fabric of one tier joins on; every column has its outcome."""
    wide: dict[str, Any] = {
        "grid": {"min_nodes": 1, "max_nodes": 400}, "site": {"racks": 400},
        "fix": instance().fix.model_dump() | {"topology": "single"},
        "workload": {"step_time_s": 0.001},
    }  # fmt: skip
    market, result = solved(**wide)
    refused, columns = 0, 0
    for option in market.options:
        if not market.choices(option):
            assert isinstance(market.beyond_reach(option, 1), Refusal)
            continue
        columns += 400
        ports = market.catalog.switch("sn3700").ports_at(option.platform.link_gbps)
        most = ports // option.platform.nics
        assert market.beyond_reach(option, most) is None
        assert isinstance(market.beyond_reach(option, most + 1), Refusal)
        refused += 400 - most
    assert refused
    assert result.outcomes["fabric"] == refused
    assert sum(result.outcomes.values()) == columns
    two, _ = solved(**{**wide, "fix": wide["fix"] | {"topology": ["single", "leaf_spine"]}})
    wired = [option for option in two.options if two.choices(option)]
    assert wired
    assert all(two.beyond_reach(option, 400) is None for option in wired)


def test_a_looser_target_is_not_judged_by_a_tighter_one() -> None:
    """What was too slow for one target is timed again for another."""
    market, none = solved(workload={"step_time_s": 0.01})
    assert none.best is None
    assert scan(market.variant(instance())).best is not None


def test_an_exact_fit_of_power_is_a_fit() -> None:
    """A rack that gives exactly what stands in it holds it, whatever decimals cost in binary."""
    found = []
    for watts in (0, -1):
        rack_kw = (4 * 4500 + 458 + 112 + watts) / 1000
        _, result = solved(site={"racks": 1, "rack_kw": rack_kw})
        found.append(result.best is not None)
    assert found == [True, False]


def test_narrowed_choices_share_what_was_evaluated_and_widened_ones_do_not() -> None:
    """Only columns that the instance itself allows may reach its own program."""
    whole = instance()
    fix = whole.fix
    narrow = whole.model_copy(update={"fix": fix.model_copy(update={"topology": "single"})})
    wide = whole.model_copy(update={"fix": fix.model_copy(update={"server": None})})
    richer = instance(budget={"capex_usd": 10**7})
    assert narrows(narrow, whole)
    assert not narrows(wide, whole)
    assert not narrows(richer, whole)


def test_an_instance_that_only_its_choices_make_infeasible_is_explained() -> None:
    """Looking at what a lifted choice would allow does not make the instance feasible."""
    impossible = instance(
        workload={"step_time_s": 0.9}, grid={"max_nodes": 4}, site={"racks": 4, "rack_kw": 24}
    )
    decision = decide(impossible, FILE, DecideOptions(alternatives=False), lambda _: None)
    assert decision.solution.status == "infeasible"
    assert any("planner explain" in reason for reason in decision.solution.reasons)


def test_a_target_that_fails_by_a_hair_is_no_quarrel_with_the_engine() -> None:
    """A step time copied with a few digits less is refused by scan and program alike."""
    _, free = solved()
    assert free.best is not None
    seconds = free.best.steps.steps[0].step_time_s
    for digits in (6, 7, 8):
        target = int(seconds * 10**digits) / 10**digits
        changed = instance(workload={"step_time_s": target})
        decision = decide(changed, FILE, DecideOptions(alternatives=False), lambda _: None)
        assert decision.solution.status in ("infeasible", "optimal")


@pytest.mark.parametrize(
    ("changes", "where", "what"),
    [
        ({"forbid": {"product": ["sn2201"]}}, "$.forbid.product", "'sn2201' cannot be excluded"),
        ({"forbid": {"product": ["rack-48u-800"]}}, "$.forbid.product", "cannot be excluded"),
        (
            {"forbid": {"product": sorted(load_catalog().pdus)}},
            "$.forbid.product",
            "no rack PDU is left",
        ),
        ({"fix": {"switch": "sn370"}}, "$.fix.switch", "unknown switch 'sn370'"),
        ({"site": {"racks": 1, "rack_kw": 9, "rack": "rack-48"}}, "$.site.rack", "unknown rack"),
    ],
)
def test_choices_that_leave_nothing_or_mean_nothing_are_refused(
    changes: dict[str, Any], where: str, what: str
) -> None:
    """What no design can do without cannot be excluded; what would be ignored is said."""
    with pytest.raises(InputError) as caught:
        open_market(instance(**changes), FILE)
    assert any(fault.where == where and what in fault.what for fault in caught.value.faults)


def test_work_that_ran_out_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A design that no placement was found for in time is left open, not taken as impossible."""
    market = open_market(instance(), FILE)
    proved = scan(market)
    assert proved.best is not None
    refusal = Refusal(reason="too much work", limit="work_limit")
    monkeypatch.setattr(Market, "place", lambda *_: refusal)
    result = scan(open_market(instance(), FILE))
    assert (result.best, result.proved, result.stopped) == (None, False, True)
    assert result.bound_cents is not None
    assert result.bound_cents <= proved.best.placed.cost_cents


def test_a_forced_choice_is_no_naming_of_what_nobody_measured() -> None:
    """Only the user's own `fix` admits a part of unmeasured speed, no variant of the instance."""
    fields = {
        "name": "named", "site": {"racks": 4, "rack_kw": 40},
        "workloads": [{"name": "a", "network": "gpt2-xl", "sequence_length": 1024,
                       "global_batch": 64, "step_time_s": 1e6}],
    }  # fmt: skip
    forced = {"fix": {"server": "gaudi3-8"}}
    market = open_market(Instance.model_validate(fields), Path("named.json"))
    assert market.variant(Instance.model_validate(fields | forced)).options == []
    assert open_market(Instance.model_validate(fields | forced), Path("named.json")).options
