"""Growth end to end: brute force over real columns, one phase as plain solve, laws over phases."""

from __future__ import annotations

import copy
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from planner.domain.errors import UsageError
from planner.domain.instance import Instance
from planner.domain.units import cents
from planner.program.engines import EngineOptions
from planner.program.growth_search import GrowthSearch, SearchedGrowth
from planner.program.market import open_market
from planner.program.phase_prices import Timeline
from planner.study.decide import DecideOptions, decide
from planner.study.decide_growth import all_now, year_by_year
from planner.study.explain import explain
from planner.verify.check import verify

FILE = Path("growth.json")
INSTANCES = Path(__file__).parents[2] / "instances"
CURVE = {"12": 0.6, "24": 0.4, "36": 0.3, "60": 0.1}


def fields(**more: Any) -> dict[str, Any]:
    """Return a weekly fine-tune that asks for twice the tokens in a year, up to four servers."""
    return {
        "name": "grows",
        "workloads": [
            {
                "name": "a", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 128,
                "tokens": 1.2e10, "deadline_days": 3, "repeat_days": 7, "margin": 0.1,
            }
        ],
        "growth": {"phases": [{"name": "next", "month": 12, "demand": 2}]},
        "site": {"racks": 6, "rack_kw": 20},
        "finance": {"years": 4},
        "grid": {"max_nodes": 4},
        "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "family": "infiniband",
                "topology": ["direct", "single"], "switch": ["qm9700"], "nic": "cx7-400-1p"},
    } | more  # fmt: skip


def grown(**more: Any) -> dict[str, Any]:
    """Return the same with other keys of growth."""
    document = fields()
    return document | {"growth": document["growth"] | more}


def searched(document: dict[str, Any]) -> tuple[GrowthSearch, SearchedGrowth]:
    """Return the search of an instance."""
    market = open_market(Instance.model_validate(document), FILE)
    search = GrowthSearch(
        market=market, engine=EngineOptions(), deadline_s=None, say=lambda _: None
    )
    return search, search.run()


def cost(document: dict[str, Any]) -> int:
    """Return the least cost of an instance, proved, in cents."""
    found = searched(document)[1]
    assert found.plan is not None
    assert found.bound_cents == found.plan.cost_cents
    return found.plan.cost_cents


def brute(search: GrowthSearch, timeline: Timeline) -> int:
    """Return the least cost over every column of every phase, opened one by one.

    Without sales a unit is bought once, in the cheapest phase up to the one that needs it first.
    """
    for one in search.searches:
        search.open(one, None)
    laid = [[c for c in search.columns.values() if c.phase == k] for k in range(timeline.phases)]
    best = 10**15
    for chosen in itertools.product(*laid):
        total, held = search.market.storage.total, {}
        for k, column in enumerate(chosen):
            for part, need in column.needs.items():
                total += timeline.running(*part, k).total * need
                new = need - held.get(part, 0)
                if new > 0:
                    held[part] = need
                    unit = min(
                        timeline.held(*part, (t, timeline.phases)).total for t in range(k + 1)
                    )
                    total += new * unit
        rate = timeline.book.rules.discount_rate
        for k, (one, two) in enumerate(itertools.pairwise(chosen), 1):
            unit = cents(timeline.growth.rewire_usd_per_link / (1 + rate) ** timeline.starts[k])
            total += unit * search.moved(one, two)
        best = min(best, total)
    return best


@pytest.mark.parametrize("decline", [0.0, 0.3])
def test_the_plan_is_that_of_brute_force(decline: float) -> None:
    """Every pair of columns of two phases, at prices that stand still and that fall."""
    document = grown(price_decline_per_year={"servers": decline, "network": decline})
    search, found = searched(document)
    assert found.plan is not None
    assert found.bound_cents == found.plan.cost_cents
    assert found.plan.cost_cents == brute(search, found.timeline)


def test_one_phase_is_plain_solve() -> None:
    """Without later phases the same design at the same cost, to the cent; so are equal phases."""
    plain = {k: v for k, v in fields().items() if k != "growth"}
    options = DecideOptions(alternatives=False)
    alone = decide(Instance.model_validate(plain), FILE, options, lambda _: None).solution
    document = fields(growth={"phases": []})
    one = decide(Instance.model_validate(document), FILE, options, lambda _: None).solution
    assert one.objective_usd == alone.objective_usd
    assert one.design == alone.design
    assert one.cost == alone.cost
    still = {"servers": 0.0, "network": 0.0}
    same = {"phases": [{"name": "next", "month": 24}], "price_decline_per_year": still}
    two = cost(fields(growth=same))
    assert two == pytest.approx(alone.objective_usd * 100, abs=100)  # cents, once a unit and phase


def test_a_steeper_decline_never_raises_the_cost() -> None:
    """What is bought later costs less; what is bought now costs the same."""
    costs = [
        cost(grown(price_decline_per_year={"servers": d, "network": d})) for d in (0, 0.1, 0.3, 0.6)
    ]
    assert all(a >= b for a, b in itertools.pairwise(costs))
    assert costs[0] > costs[-1]


def test_a_steeper_decline_never_makes_buying_all_now_better() -> None:
    """What buying at once costs beyond the best plan never falls with the decline."""
    beyond = []
    for decline in (0.0, 0.2, 0.4):
        rates = {"servers": decline, "network": decline}
        search, found = searched(grown(price_decline_per_year=rates))
        now = all_now(search, found.timeline)
        assert found.plan is not None
        assert now is not None
        beyond.append(now - found.plan.cost_cents)
    assert all(0 <= a <= b for a, b in itertools.pairwise(beyond))


def test_a_higher_resale_value_never_raises_the_cost() -> None:
    """Nothing, a little, much; and to sell early is a choice, not a duty."""
    curves = [{"12": s, "48": s / 2} for s in (0.1, 0.4, 0.8)]
    costs = [cost(grown(resale={"share_by_month": curve})) for curve in curves]
    assert all(a >= b for a, b in itertools.pairwise(costs))
    late = cost(grown(resale={"share_by_month": curves[2], "early": False}))
    assert costs[2] <= late <= cost(fields())


def test_more_demand_never_lowers_the_cost() -> None:
    """A second phase that asks for more."""
    costs = []
    for demand in (1, 1.5, 2, 3):
        document = copy.deepcopy(fields())
        document["growth"]["phases"][0]["demand"] = demand
        costs.append(cost(document))
    assert all(a <= b for a, b in itertools.pairwise(costs))


def test_more_reserves_to_choose_from_never_raise_the_cost() -> None:
    """Two spines now spare 32 links that would move when two leafs are added: kept ports pay."""
    document = json.loads((INSTANCES / "growth-spine.json").read_text(encoding="utf-8"))
    document["growth"]["rewire_usd_per_link"] = 1000
    document["grid"]["min_nodes"] = 7
    costs = [
        cost(document | {"growth": document["growth"] | {"reserve_leafs": leafs}})
        for leafs in ([0], [0, 2], [0, 2, 4])
    ]
    assert costs[0] > costs[1] >= costs[2]


def test_year_by_year_never_costs_less() -> None:
    """With and without sales."""
    for more in ({}, {"resale": {"share_by_month": CURVE}}):
        search, found = searched(grown(**more))
        alone = year_by_year(search, found.timeline)
        assert found.plan is not None
        assert alone is None or alone >= found.plan.cost_cents


def test_a_budget_of_a_phase_is_kept_and_never_lowers_the_cost() -> None:
    """Half of what the first phase wants to spend cannot be spent then."""
    free = decide(
        Instance.model_validate(fields()), FILE, DecideOptions(alternatives=False), lambda _: None
    ).solution
    assert free.growth is not None
    spent = free.growth.phases[1].capex_usd
    document = copy.deepcopy(fields())
    document["growth"]["phases"][0]["capex_usd"] = round(spent * 0.6)
    decision = decide(
        Instance.model_validate(document), FILE, DecideOptions(alternatives=False), lambda _: None
    )
    tight = decision.solution
    assert verify(tight, decision.catalog) == []
    if tight.growth is not None:
        assert tight.growth.phases[1].capex_usd <= round(spent * 0.6)
        assert tight.objective_usd >= free.objective_usd
    else:
        assert tight.reasons


def test_a_phase_that_nothing_meets_is_named() -> None:
    """A thousand times the demand on four servers."""
    document = copy.deepcopy(fields())
    document["growth"]["phases"][0]["demand"] = 1000
    solution = decide(
        Instance.model_validate(document), FILE, DecideOptions(), lambda _: None
    ).solution
    assert solution.status == "infeasible"
    assert solution.reasons == ["No design meets targets and limits of phase next."]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"pools": 2}, "pools above 1"),
        ({"cloud": {}}, "leave out cloud"),
        ({"finance": {"years": 1}}, "the life of 1 years is over"),
        ({"growth": {"phases": [{"name": "b", "month": 24}, {"name": "c", "month": 12}]}},
         "must rise"),
        ({"growth": {"phases": [{"name": "now", "month": 12}]}}, "other than now"),
        ({"growth": {"resale": {"share_by_month": {"12": 0.3, "24": 0.5}}}}, "cannot be worth"),
        ({"growth": {"reserve_leafs": [1, 1]}}, "twice"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(change: dict[str, Any], says: str) -> None:
    """With the reason and the remedy."""
    with pytest.raises(ValidationError, match=says):
        Instance.model_validate(fields(**change))


def test_fabrics_with_planes_are_recounted_alike() -> None:
    """Two planes that change move all links of the servers that stay, and none if they do not."""
    for demand, moves in ((1, False), (12, True)):
        document = fields(
            fix={"server": "hgx-b300-8", "topology": "dual_plane"},
            grid={"min_nodes": 2, "max_nodes": 6}, site={"racks": 12, "rack_kw": 44},
        )  # fmt: skip
        document["growth"]["phases"][0]["demand"] = demand
        decision = decide(Instance.model_validate(document), FILE, DecideOptions(), lambda _: None)
        solution = decision.solution
        assert verify(solution, decision.catalog) == []
        now, later = solution.growth.phases
        links = now.nodes * solution.phases[0].design.fabric.links_per_server
        assert later.moved_links == (links if moves else 0)
        assert (later.nodes > now.nodes) == moves


def test_explain_says_that_it_looks_at_one_phase() -> None:
    """Instead of an answer about the first phase alone."""
    with pytest.raises(UsageError, match="one phase"):
        explain(Instance.model_validate(fields()), FILE)
