"""Corruptions of an answer with pools and rent: each is caught by the check that it belongs to."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from planner.domain.instance import Instance
from planner.domain.solution import Solution
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.program.test_portfolio_search import FILE, fields, job, rented

Document = dict[str, Any]


def put(path: str, value: Any) -> Callable[[Document], None]:
    """Return a change that sets a field, by value or by a function of the old one."""

    def change(document: Document) -> None:
        *parents, last = path.replace("[", ".").replace("]", "").split(".")
        node: Any = document
        for key in parents:
            node = node[int(key)] if isinstance(node, list) else node[key]
        key = int(last) if isinstance(node, list) else last
        node[key] = value(node[key]) if callable(value) else value

    return change


def more(amount: float) -> Callable[[float], float]:
    """Return a function that adds."""
    return lambda old: old + amount


RESERVED = {"offer": "aws-p5-48xlarge", "term": "1y", "row": "aws-p5-48xlarge-1y", "instances": 1,
            "unit_usd": 1.0, "total_usd": 1.0}  # fmt: skip
PORTFOLIO: dict[str, tuple[str, Callable[[Document], None]]] = {
    "a rent left out": ("portfolio-cover", put("portfolio.rents", [])),
    "a pool left out": ("portfolio-pool", put("portfolio.pools", [])),
    "a pin ignored": ("portfolio-cover", put("instance.workloads[0].pool", "x")),
    "pool cost": ("portfolio-pool", put("portfolio.pools[0].total_usd", more(1))),
    "pool purchase": ("portfolio-pool", put("portfolio.pools[0].capex_usd", more(1))),
    "pool racks": ("portfolio-pool", put("portfolio.pools[0].racks", 9)),
    "pool jobs": ("portfolio-pool", put("portfolio.pools[0].workloads", ["a"])),
    "pool on another site": ("portfolio-pool", put("pools[0].instance.site.pue", 1.01)),
    "budget": ("portfolio-shared", put("instance.budget.capex_usd", 1000)),
    "outside the room": ("portfolio-racks", put("portfolio.pools[0].first_column", 50)),
    "offer": ("portfolio-rent", put("portfolio.rents[0].offer", "nobody-on-demand")),
    "provider": ("portfolio-rent", put("portfolio.rents[0].provider", "Nobody")),
    "term": ("portfolio-rent", put("portfolio.rents[0].term", "3y")),
    "instances": ("portfolio-rent", put("portfolio.rents[0].instances", 40)),
    "hours": ("portfolio-rent", put("portfolio.rents[0].hours_per_year", more(5))),
    "busy": ("portfolio-rent", put("portfolio.rents[0].busy_fraction", more(0.01))),
    "unit": ("portfolio-rent", put("portfolio.rents[0].unit_usd", more(1))),
    "rent": ("portfolio-rent", put("portfolio.rents[0].total_usd", more(1))),
    "egress": ("portfolio-rent", put("portfolio.rents[0].egress_usd", more(1))),
    "slow": ("portfolio-rent", put("portfolio.rents[0].step_time_s", more(100))),
    "a rent without strategy": ("rented-strategy", put("portfolio.rents[0].strategy", None)),
    "words of a rented strategy": (
        "strategy-label", put("portfolio.rents[0].strategy_label", "DDP")),
    "chunks of a rented strategy": (
        "strategy-chunks", put("portfolio.rents[0].strategy.vpp", 2)),
    "shards of a rented strategy": (
        "strategy-shards", put("portfolio.rents[0].strategy.shard_group", 2)),
    "schedule of a rented strategy": (
        "strategy-schedule", put("portfolio.rents[0].strategy.schedule", "1f1b")),
    "experts of a rented strategy": (
        "strategy-experts", put("portfolio.rents[0].strategy.ep", 4096)),
    "a rented strategy too large": (
        "rented-strategy", put("portfolio.rents[0].strategy.dp", 4096)),
    "another rented strategy": (
        "rented-steptime", put("portfolio.rents[0].strategy.recompute", "full")),
    "parts of a rented step": (
        "rented-parts", put("portfolio.rents[0].breakdown.compute", more(0.01))),
    "a rented step moved with its parts": ("rented-steptime", lambda document: (
        put("portfolio.rents[0].breakdown.compute", more(-0.01))(document),
        put("portfolio.rents[0].step_time_s", more(-0.01))(document))),
    "reserved": ("portfolio-rent", put("portfolio.rents[0].reserved", 1)),
    "reservation": ("portfolio-rent", put("portfolio.reservations", [RESERVED])),
    "no such reservation": ("portfolio-rent",
                            put("portfolio.reservations", [RESERVED | {"row": "nothing"}])),
    "objective": ("portfolio-cost", put("objective_usd", more(1))),
    "cost": ("portfolio-cost", put("cost.total_usd", more(1))),
    "bound": ("portfolio-cost", put("bound_usd", more(-100))),
    "order list": ("portfolio-cost", put("bill_of_materials[0].quantity", more(1))),
    "another seal": ("document-seal", put("seal", "0" * 64)),
    "version": ("document-version", put("schema_version", 2)),
    "gap": ("gap-value", put("gap", 0.3)),
    "columns": ("scan-outcomes", put("scan.columns", more(1))),
    "years": ("portfolio-sums", put("cost.years", more(1))),
    "component": ("portfolio-sums", put("cost.components[0].energy_usd", more(1))),
    "storage": ("portfolio-sums", put("portfolio.storage_usd", more(1))),
    "price on the order list": (
        "portfolio-bill", put("bill_of_materials[0].unit_price_usd", more(1))),
    "total on the order list": ("portfolio-bill", put("bill_of_materials[0].total_usd", more(1))),
    "all rented for less": ("portfolio-others", put("portfolio.others", [
        {"name": "rent_only", "total_usd": 1.0}])),
    "limit of a rent": ("portfolio-rent", put("portfolio.rents[0].limit_s", more(-0.1))),
    "a pool of two pools": ("portfolio-pool", put("pools[0].instance.pools", 2)),
    "a ratio beside the grid": (
        "portfolio-pool", put("pools[0].instance.fix.oversubscription", 1.01)),
    "a pool's own bill": ("bill-quantity", put("pools[0].bill_of_materials[0].quantity", more(1))),
}  # fmt: skip


@pytest.fixture(scope="module")
def decided():
    """Return an answer that buys one pool and rents."""
    document = rented(factor=0.5)
    document["cloud"] |= {"egress_usd_per_gb": 0.09, "egress_gb_per_run": 10.0,
                          "terms": ["on_demand", "1y", "3y"]}  # fmt: skip
    document["workloads"] = [
        document["workloads"][0], document["workloads"][2] | {"pool": "own"}
    ]  # fmt: skip
    return decide(Instance.model_validate(document), FILE, DecideOptions(), lambda _: None)


def test_the_answer_holds(decided) -> None:
    """Before it is corrupted; with both a pool and a rent in it."""
    assert verify(decided.solution, decided.catalog) == []
    assert decided.solution.portfolio.pools
    assert decided.solution.portfolio.rents


@pytest.mark.parametrize("name", PORTFOLIO)
def test_a_corrupted_portfolio_is_caught(decided, name: str) -> None:
    """Each corruption is named by its own check."""
    check, change = PORTFOLIO[name]
    document = copy.deepcopy(decided.solution.model_dump(by_alias=True))
    change(document)
    found = {v.check for v in verify(Solution.model_validate(document), decided.catalog)}
    assert check in found, sorted(found)


def test_jobs_at_the_same_time_that_share_servers_are_caught() -> None:
    """Two teams that use more servers together than there are."""
    jobs = [job(k, 1.0e10, 3, runs="concurrent") for k in ("a", "b")]
    document = fields(workloads=jobs)
    document.pop("pools")
    decision = decide(
        Instance.model_validate(document), FILE, DecideOptions(alternatives=False), lambda _: None
    )
    solution = decision.solution
    assert solution.status == "optimal"
    assert verify(solution, decision.catalog) == []
    used = [w.model_copy(update={"nodes_used": 4}) for w in solution.workloads]
    wrong = solution.model_copy(update={"workloads": used})
    assert "concurrent-apart" in {v.check for v in verify(wrong, decision.catalog)}
