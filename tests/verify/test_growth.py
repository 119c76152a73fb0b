"""Corruptions of an answer over phases: each is caught by the check that it belongs to."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from planner.domain.instance import Instance
from planner.domain.solution import Solution
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.study.test_growth import CURVE, FILE, fields
from tests.verify.test_portfolio import Document, more, put

LAST = "growth.phases[1]"
GROWTH: dict[str, tuple[str, Callable[[Document], None]]] = {
    "a phase left out": ("growth-phase", put("phases", lambda old: old[:1])),
    "phases without growth": ("growth-phase", put("growth", None)),
    "phase name": ("growth-phase", put(f"{LAST}.name", "later")),
    "month": ("growth-phase", put(f"{LAST}.month", 11)),
    "servers": ("growth-phase", put(f"{LAST}.nodes", more(1))),
    "GPUs": ("growth-phase", put(f"{LAST}.gpus", more(1))),
    "racks": ("growth-phase", put(f"{LAST}.racks", more(1))),
    "power": ("growth-phase", put(f"{LAST}.max_power_kw", more(1))),
    "reserve": ("growth-phase", put(f"{LAST}.reserved_leafs", 3)),
    "another demand": ("growth-phase",
                       put("phases[1].instance.workloads[0].tokens", lambda old: old / 2)),
    "another site": ("growth-phase", put("phases[1].instance.site.pue", 1.01)),
    "a server that is fixed out": ("growth-phase",
                                   put("phases[1].instance.fix.server", ["dgx-h100"])),
    "what stands now": ("growth-now", put("workloads[0].mfu", 0.99)),
    "racks of now": ("growth-now", put("racks", [])),
    "too few servers": ("growth-held", put("growth.holdings[0].quantity", 0)),
    "sold before it is bought": ("growth-held", put("growth.holdings[0].until", "now")),
    "price": ("growth-price", put("growth.holdings[0].unit_price_usd", more(1))),
    "value": ("growth-price", put("growth.holdings[0].unit_value_usd", more(1))),
    "total": ("growth-price", put("growth.holdings[0].total_usd", more(1))),
    "decline": ("growth-price", put("growth.decline_servers_per_year", 0.5)),
    "decline of the network": ("growth-price", put("growth.decline_network_per_year", 0.5)),
    "resale": ("growth-price", put("instance.growth.resale.share_by_month", {"12": 1.0})),
    "running": ("growth-running", put(f"{LAST}.running_usd", more(5))),
    "moved links": ("growth-moves", put(f"{LAST}.moved_links", more(1))),
    "moving": ("growth-moves", put(f"{LAST}.moving_usd", more(1))),
    "spent": ("growth-spent", put(f"{LAST}.capex_usd", more(1))),
    "stated budget": ("growth-spent", put(f"{LAST}.budget_usd", 5.0)),
    "budget": ("growth-budget", put("instance.growth.phases[0].capex_usd", 1000)),
    "order of now": ("growth-order", put("bill_of_materials[0].quantity", more(1))),
    "sum of a line": ("growth-order", put("bill_of_materials[0].total_usd", more(1))),
    "price range": ("growth-order", put("bill_of_materials[0].high_usd", more(1))),
    "a component": ("growth-cost", put("cost.components[0].energy_usd", more(1))),
    "a component's purchase": ("growth-cost", put("cost.components[0].capex_usd", more(1))),
    "years": ("growth-cost", put("cost.years", more(1))),
    "storage": ("growth-cost", put("growth.storage_usd", more(1))),
    "what binds now": ("growth-now", put("binding[0].used", more(1))),
    "networks": ("growth-now", put("networks", {})),
    "objective": ("growth-cost", put("objective_usd", more(1))),
    "cost": ("growth-cost", put("cost.total_usd", more(1))),
    "bound": ("growth-cost", put("bound_usd", more(-100))),
    "another way": ("growth-cost", put("growth.others[0].total_usd", 1.0)),
    "a phase's own bill": ("bill-quantity",
                           put("phases[1].bill_of_materials[0].quantity", more(1))),
}  # fmt: skip


@pytest.fixture(scope="module")
def decided():
    """Return an answer of two phases that sells old servers."""
    document: dict[str, Any] = fields()
    document["growth"] |= {"resale": {"share_by_month": CURVE}}
    return decide(Instance.model_validate(document), FILE, DecideOptions(), lambda _: None)


def test_the_answer_holds(decided) -> None:
    """Before it is corrupted, with purchases in both phases."""
    assert verify(decided.solution, decided.catalog) == []
    assert {row.phase for row in decided.solution.growth.holdings} == {"now", "next"}


@pytest.mark.parametrize("name", GROWTH)
def test_a_corrupted_plan_is_caught(decided, name: str) -> None:
    """Each corruption is named by its own check."""
    check, change = GROWTH[name]
    document = copy.deepcopy(decided.solution.model_dump(by_alias=True))
    change(document)
    found = {v.check for v in verify(Solution.model_validate(document), decided.catalog)}
    assert check in found, sorted(found)


def test_ports_that_are_not_kept_are_caught() -> None:
    """Spines that are full although leafs are to come."""
    document = fields(growth=None)
    document["workloads"][0] |= {"network": "llama3-8b", "tokens": 2.4e10}
    document["fix"] = {"server": "hgx-h100-8", "family": "infiniband", "switch": "qm9700",
                       "topology": "leaf_spine", "oversubscription": 1, "nodes": 8}  # fmt: skip
    document["site"] = {"racks": 6, "rack_kw": 44}
    document["grid"] = {}
    document["fabric"] = {"reserved_leafs": 2}
    decision = decide(
        Instance.model_validate(document), FILE, DecideOptions(alternatives=False), lambda _: None
    )
    solution = decision.solution
    assert verify(solution, decision.catalog) == []
    rules = solution.instance.fabric.model_copy(update={"reserved_leafs": 4})
    instance = solution.instance.model_copy(update={"fabric": rules})
    wrong = solution.model_copy(update={"instance": instance})
    assert "spine-reserve" in {v.check for v in verify(wrong, decision.catalog)}
