"""Pools and cloud decided together: brute force over splits, laws, concurrent jobs, the answer."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from planner.domain.errors import InputError
from planner.domain.instance import Instance, load_instance
from planner.domain.json_file import validate
from planner.physics.refusal import Refusal
from planner.program.concurrent import groups_of, parts_of
from planner.program.engines import EngineOptions
from planner.program.market import open_market
from planner.program.portfolio_search import SearchResult, search_portfolio, subsets_of
from planner.program.rack_zones import zones
from planner.program.scan import scan
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify

FILE = Path("portfolio.json")
NEVER = 10**15


def job(name: str, tokens: float, days: float, **more: Any) -> dict[str, Any]:
    """Return a run that comes back every week."""
    return {
        "name": name, "network": "llama3-8b", "sequence_length": 4096, "global_batch": 128,
        "tokens": tokens, "deadline_days": days, "repeat_days": 7, "margin": 0.1,
    } | more  # fmt: skip


def fields(**more: Any) -> dict[str, Any]:
    """Return a small purchase: three weekly jobs, two kinds of servers, up to four of each."""
    return {
        "name": "split",
        "workloads": [
            job("a", 1.0e10, 3), job("b", 6.0e9, 3),
            job("c", 1.0e8, 2, network="gpt2-xl", sequence_length=1024),
        ],
        "pools": 2,
        "site": {"racks": 6, "rack_kw": 20},
        "grid": {"max_nodes": 4},
        "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "family": "infiniband",
                "topology": ["direct", "single"], "switch": ["qm9700"], "nic": "cx7-400-1p"},
    } | more  # fmt: skip


def search(document: dict[str, Any]) -> SearchResult:
    """Return the search of an instance."""
    market = open_market(Instance.model_validate(document), FILE)
    return search_portfolio(market, EngineOptions(), deadline_s=None, say=lambda _: None)


def columns_of(document: dict[str, Any], names: list[str]) -> list[tuple[int, int, int]]:
    """Return (cost, capex, racks) of every column on which some jobs run alone, opened one by one."""
    alone = {key: value for key, value in document.items() if key not in ("pools", "cloud")}
    alone["workloads"] = [w for w in document["workloads"] if w["name"] in names]
    result = scan(open_market(Instance.model_validate(alone), FILE), keep_cents=NEVER)
    return [
        (f.placed.cost_cents, f.placed.capex_cents, len(f.placed.placement.racks))
        for f in result.feasible
    ]


def partitions(names: list[str]):
    """Yield every split of the jobs into sets."""
    if not names:
        yield []
        return
    first, rest = names[0], names[1:]
    for split in partitions(rest):
        yield [[first], *split]
        for k in range(len(split)):
            yield [*split[:k], [first, *split[k]], *split[k + 1 :]]


def brute(document: dict[str, Any]) -> int:
    """Return the least cost over every split and every column of each of its sets."""
    names = [w["name"] for w in document["workloads"]]
    capex = document.get("budget", {}).get("capex_usd")
    best = NEVER
    for split in partitions(names):
        if len(split) > document["pools"]:
            continue
        sums = [(0, 0, 0)]
        for part in split:
            options = columns_of(document, part)
            sums = [(a + x, b + y, c + z) for a, b, c in sums for x, y, z in options]
        for cost, bought, racks in sums:
            fits = capex is None or bought <= capex * 100
            if fits and racks <= document["site"]["racks"]:
                best = min(best, cost)
    return best


@pytest.mark.parametrize("capex", [None, 700_000, 420_000])
def test_the_split_is_that_of_brute_force(capex: float | None) -> None:
    """All splits into at most two pools, all columns, with and without a shared budget."""
    document = fields() if capex is None else fields(budget={"capex_usd": capex})
    found, expected = search(document), brute(document)
    assert (found.best.cost_cents if found.best else NEVER) == expected
    if found.best:
        assert found.bound_cents == expected


def rented(factor: float = 1.0, years: float = 4.0, **more: Any) -> dict[str, Any]:
    """Return the same jobs with a cloud beside buying."""
    cloud = {"allow": ["CoreWeave", "AWS"], "terms": ["on_demand"], "max_instances": 3,
             "price_factor": factor}  # fmt: skip
    return fields(cloud=cloud, finance={"years": years}, **more)


def test_a_cheaper_cloud_never_raises_the_cost_and_is_used_no_less() -> None:
    """Free of charge everything is rented; dear enough nothing is."""
    costs, rents = [], []
    for factor in (0.0, 0.1, 0.5, 1.0, 3.0):
        best = search(rented(factor)).best
        assert best is not None
        costs.append(best.cost_cents)
        rents.append(len(best.rents))
    assert all(a <= b for a, b in pairwise(costs))
    assert costs[0] == 0
    assert rents[0] == 3
    assert rents[-1] == 0
    without = search(fields(finance={"years": 4.0})).best
    assert without is not None
    assert costs[-1] <= without.cost_cents


def test_a_longer_life_never_favours_renting_more() -> None:
    """With jobs that come back and rent by the hour, purchase never falls with the years.

    The cost is K + annuity x V, purchase and what is paid by the year; as the annuity grows the
    best V never grows, so the best K never falls. Rounding once a unit leaves a slack of cents.
    """
    bought = []
    for years in (0.5, 1.0, 2.0, 4.0, 8.0):
        best = search(rented(years=years)).best
        assert best is not None
        bought.append(sum(block.capex_cents for block in best.blocks))
    assert all(a <= b + 100 for a, b in pairwise(bought))
    assert bought[0] < bought[-1]


def test_pinned_workloads_stay_together_and_apart() -> None:
    """Equal names share a pool, other names do not, and a pinned workload is not rented."""
    document = rented(factor=0.0)
    for row, pool in zip(document["workloads"], ("x", "y", "x"), strict=True):
        row["pool"] = pool
    found = search(document)
    assert found.best is not None
    assert sorted(sorted(b.jobs) for b in found.best.blocks) == [[0, 2], [1]]
    allowed = {tuple(sorted(s)) for s in subsets_of(Instance.model_validate(document))}
    assert allowed == {(1,), (0, 2)}


def test_jobs_at_the_same_time_have_servers_of_their_own() -> None:
    """Two teams on one switch need the sum of their servers; taking turns they need fewer."""

    def nodes(runs: str) -> int:
        jobs = [job("a", 1.0e10, 3, runs=runs), job("b", 8.0e9, 3, runs=runs)]
        document = fields(workloads=jobs)
        document.pop("pools")
        market = open_market(Instance.model_validate(document), FILE)
        best = scan(market).best
        assert best is not None
        used = [step.servers for step in best.steps.steps]
        if runs == "concurrent":
            assert sum(used) <= best.column.nodes
        return best.column.nodes

    assert nodes("concurrent") > nodes("time_shared")


def test_groups_and_parts() -> None:
    """Who takes turns counts as one; behind spines the parts are units, else servers."""
    instance = Instance.model_validate(
        fields(workloads=[job("a", 1e9, 3), job("b", 1e9, 3, runs="concurrent"), job("c", 1e9, 3)])
    )
    assert groups_of(instance.workloads) == [(0, 2), (1,)]
    market = open_market(
        Instance.model_validate(
            fields(fix={"server": "hgx-h100-8", "topology": "leaf_spine", "family": "infiniband",
                        "switch": "qm9700"}, grid={"min_nodes": 12, "max_nodes": 12})
        ), FILE,
    )  # fmt: skip
    for choice in market.choices(market.options[0]):
        column = market.column(market.options[0], 12, choice)
        if not isinstance(column, Refusal) and column.plan.spines:
            assert parts_of(column) == sorted(
                (unit.servers for unit in column.plan.units), reverse=True
            )


def test_racks_of_pools_are_moved_apart() -> None:
    """Shapes that fit side by side do not overlap; what cannot fit is said."""
    market = open_market(Instance.model_validate(fields()), FILE)
    room = market.placer.room
    row = frozenset({(0, 0), (0, 1), (0, 2)})
    moves = zones(room, [row, row])
    assert moves is not None
    cells = [{(r + a, c + b) for r, c in row} for a, b in moves]
    assert not cells[0] & cells[1]
    assert zones(room, [row, row, row]) is None


def test_the_answer_is_whole_and_recounted() -> None:
    """Own and rented together: documents of pools, sums, other decisions, break-even."""
    document = rented(factor=0.35)
    document["workloads"][2]["pool"] = "own"
    decision = decide(Instance.model_validate(document), FILE, DecideOptions(), lambda _: None)
    solution = decision.solution
    assert solution.status == "optimal"
    assert verify(solution, decision.catalog) == []
    part = solution.portfolio
    assert part is not None
    assert part.pools
    assert part.rents
    job_by_job = next(o for o in part.others if o.name == "job_by_job")
    assert job_by_job.total_usd is None or job_by_job.total_usd >= solution.objective_usd - 0.01
    assert all(r.break_even_busy is not None and r.break_even_busy > 0 for r in part.rents)
    again = json.loads(solution.model_dump_json(by_alias=True))
    assert type(solution).model_validate(again) == solution


def test_nothing_that_runs_a_job_is_an_answer() -> None:
    """Infeasible: the workload is named."""
    document = fields()
    document["workloads"][0]["tokens"] = 1.0e15
    decision = decide(Instance.model_validate(document), FILE, DecideOptions(), lambda _: None)
    assert decision.solution.status == "infeasible"
    assert "limits of a" in decision.solution.reasons[0]
    assert verify(decision.solution, decision.catalog) == []


def test_too_many_workloads_and_pools_are_refused() -> None:
    """Every subset may be a pool, so there is a most."""
    many = fields(workloads=[job(f"j{k}", 1e9, 3) for k in range(7)])
    two = fields(pools=1, cloud={})
    two["workloads"][0]["pool"], two["workloads"][1]["pool"] = "x", "y"
    for document, words in ((many, "at most 6"), (two, "raise pools")):
        with pytest.raises(InputError) as caught:
            validate(Instance, document, "x.json")
        assert words in str(caught.value.faults)


HALL = {"racks": 4, "rack_kw": 20, "space_usd_per_kw_month": 150.0, "electricity_usd_per_kwh": 0.09}


def test_a_hall_for_rent_takes_what_the_room_cannot() -> None:
    """A room for one rack, and a hall beside it: a pool in each, recounted; dearer is never less."""
    document = fields(site={"racks": 1, "rack_kw": 20})
    for row, pool in zip(document["workloads"], ("x", "y", "y"), strict=True):
        row["pool"] = pool
    assert search(document).best is None
    costs = []
    for rent in (0.0, 150.0, 600.0):
        found = search(document | {"colocation": HALL | {"space_usd_per_kw_month": rent}})
        assert found.best is not None
        costs.append(found.best.cost_cents)
    assert costs[0] < costs[1] < costs[2]
    whole = Instance.model_validate(document | {"colocation": HALL})
    decision = decide(whole, FILE, DecideOptions(), lambda _: None)
    solution = decision.solution
    assert verify(solution, decision.catalog) == []
    places = {part.place for part in solution.portfolio.pools}
    assert places == {"room", "colocation"}
    swapped = [
        p.model_copy(update={"place": "room" if p.place == "colocation" else "colocation"})
        for p in solution.portfolio.pools
    ]
    wrong = solution.portfolio.model_copy(update={"pools": swapped})
    checks = {
        v.check for v in verify(solution.model_copy(update={"portfolio": wrong}), decision.catalog)
    }
    assert "portfolio-pool" in checks


def test_a_hall_needs_its_rent() -> None:
    """A hall without a price would always win."""
    hall = {key: value for key, value in HALL.items() if key != "space_usd_per_kw_month"}
    with pytest.raises(InputError) as caught:
        validate(Instance, fields(colocation=hall), "x.json")
    assert "space_usd_per_kw_month" in str(caught.value.faults)


def test_a_time_limit_holds_while_rented_servers_are_timed(monkeypatch):
    """Rent is timed before the first pool; a limit that ends there claims nothing."""
    from planner.program import portfolio_search, rent

    instance, path = load_instance("cloud-reserve")
    market = open_market(instance, path)
    timed = []
    real = rent.platform_of
    monkeypatch.setattr(rent, "platform_of", lambda *a: timed.append(1) or real(*a))
    moments = iter(range(10_000))
    clock = SimpleNamespace(monotonic=lambda: next(moments))
    monkeypatch.setattr(portfolio_search, "time", clock)
    found = search_portfolio(market, EngineOptions(), deadline_s=3, say=lambda _: None)
    assert found.stopped
    assert found.best is None
    assert found.bound_cents is None
    assert len(timed) <= 4
