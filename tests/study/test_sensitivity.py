"""Where the decision flips: each break-even is checked by solving the changed instance anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.domain.instance import Instance
from planner.program.market import open_market
from planner.program.scan import describe, scan
from planner.study.sensitivity import sensitivity

FILE = Path("instance.json")
BASE = {
    "name": "small",
    "workloads": [
        {"name": "gpt2", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 256,
         "step_time_s": 1.2}
    ],
    "site": {"racks": 4, "rack_kw": 24, "electricity_usd_per_kwh": 0.1},
    "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "topology": ["single", "leaf_spine"],
            "family": ["infiniband", "roce"]},
    "grid": {"max_nodes": 4},
}  # fmt: skip

SWITCHED = {
    **BASE,
    "workloads": [{**BASE["workloads"][0], "step_time_s": 0.55}],
    "fix": {"server": ["hgx-h100-8", "hgx-h200-8"], "topology": ["single", "leaf_spine"]},
}


def answer(document):
    """Return the best design of an instance, opened without anything known."""
    market = open_market(Instance.model_validate(document), FILE)
    best = scan(market).best
    return None if best is None else (describe(best.column), best.placed.cost_cents)


def study(document):
    """Return an instance's decision and its sensitivity."""
    market = open_market(Instance.model_validate(document), FILE)
    best = scan(market).best
    return best, sensitivity(market, best, deadline_s=None, say=lambda _: None)


@pytest.fixture(scope="module", params=["one server", "a switch"])
def small(request):
    """Return an instance with its decision and sensitivity."""
    document = BASE if request.param == "one server" else SWITCHED
    return document, *study(document)


def with_margin(document, factor):
    """Return an instance with every step time multiplied by a factor, said as a margin."""
    margin = open_market(Instance.model_validate(document), FILE).oracle.margins[0].value
    job = {**document["workloads"][0], "margin": (1 + margin) * factor - 1}
    return {**document, "workloads": [job]}


def with_electricity(document, usd):
    """Return an instance at another price of electricity."""
    return {**document, "site": {**document["site"], "electricity_usd_per_kwh": usd}}


def switch_of(document):
    """Return the leaf switch that an instance's decision takes."""
    market = open_market(Instance.model_validate(document), FILE)
    return scan(market).best.column.plan.choice.leaf_switch


def priced(document, factor, table, only=""):
    """Return an instance with prices of a table quoted at a multiple."""
    market = open_market(Instance.model_validate(document), FILE)
    rows = getattr(market.catalog, table).values()
    quotes = {
        row.id: {"usd": row.price.usd * factor, "date": "2026"}
        for row in rows
        if row.buyable and only in ("", row.id)
    }
    return {**document, "quotes": quotes}


CHANGED = {
    "chosen_switch_price": lambda d, x, _: priced(d, x, "switches", switch_of(d)),
    "switch_price": lambda d, x, _: priced(d, x, "switches"),
    "server_price": lambda d, x, _: priced(d, x, "servers"),
    "chosen_server_price": lambda d, x, server: priced(d, x, "servers", server),
    "electricity": lambda d, x, _: with_electricity(d, x),
    "step_time": lambda d, x, _: with_margin(d, x),
}


@pytest.mark.parametrize("name", list(CHANGED))
def test_the_decision_holds_to_the_flip_and_not_beyond(small, name) -> None:
    """At both ends of what holds a fresh solve agrees; past a flip it names the other design."""
    document, best, part = small
    decision, server = describe(best.column), best.column.option.server.id
    factors = {factor.name: factor for factor in part.factors}
    if name not in factors:
        assert not best.column.plan.leafs
        return
    factor = factors[name]
    assert factor.proved
    assert factor.low <= factor.holds_from <= factor.base <= factor.holds_to <= factor.high
    for value in (factor.holds_from, factor.holds_to):
        assert answer(CHANGED[name](document, value, server))[0] == decision
    for flip in (factor.below, factor.above):
        if flip is None:
            continue
        found = answer(CHANGED[name](document, flip.beyond, server))
        if found is None:
            assert flip.objective_usd is None
        else:
            assert found == (flip.summary, round(flip.objective_usd * 100))
            assert found[0] != decision


def test_the_runner_up_is_the_best_of_all_other_designs(small) -> None:
    """Of every column solved by itself, none but the decision costs less than the runner-up."""
    document, best, part = small
    market = open_market(Instance.model_validate(document), FILE)
    everything = scan(market, keep_cents=10**12).feasible
    others = [f for f in everything if f.column.key != best.column.key]
    least = min(others, key=lambda f: f.order)
    assert describe(least.column) == part.runner_up
    delta = least.placed.cost_cents - best.placed.cost_cents
    assert round(part.runner_up_delta_usd * 100) == delta


def test_a_faster_model_is_asked_about_only_where_wanted(small) -> None:
    """Without it the step time's range begins at today's, and all else is the same."""
    document, best, part = small
    market = open_market(Instance.model_validate(document), FILE)
    less = sensitivity(market, best, deadline_s=None, say=lambda _: None, faster=False)
    *others, steps = less.factors
    assert others == part.factors[:-1]
    assert (steps.low, steps.holds_from, steps.below) == (1.0, 1.0, None)
    assert steps.above == part.factors[-1].above
    assert less.model_copy(update={"factors": []}) == part.model_copy(update={"factors": []})


def test_a_budget_leaves_price_factors_unproved() -> None:
    """Designs that a tight budget takes away between two prices may be better; a wide one takes none."""
    free = open_market(Instance.model_validate(SWITCHED), FILE)
    usd = scan(free).best.placed.capex_cents / 100 * 1.02
    _, part = study({**SWITCHED, "budget": {"capex_usd": usd}})
    proved = {factor.name: factor.proved for factor in part.factors}
    assert proved["electricity"]
    assert not proved["server_price"]
    _, wide = study({**SWITCHED, "budget": {"capex_usd": usd * 100}})
    assert all(factor.proved for factor in wide.factors)


def test_something_flips(small) -> None:
    """The test above would pass on an instance whose decision never changes."""
    _, _, part = small
    assert any(factor.above or factor.below for factor in part.factors)


def test_regret_is_never_negative_and_none_today(small) -> None:
    """At base prices the decision is the best; at either end it costs at least the best."""
    _, _, part = small
    assert [row.level for row in part.prices] == ["low", "base", "high"]
    for row in part.prices:
        assert row.decision_regret_usd >= 0
        assert row.flips == (row.decision_regret_usd > 0)
        assert row.best_usd == row.bound_usd
    assert part.prices[1].decision_regret_usd == 0


def test_a_quote_is_needed_where_a_range_turns_the_decision() -> None:
    """The price named is one at which a fresh solve decides otherwise; the range holds it."""
    decided, part = study(SWITCHED)
    assert decided.column.plan.choice.leaf_switch in part.ranges_known
    assert part.quotes_needed
    for quote in part.quotes_needed:
        at = {"usd": quote.flips_at_usd, "date": "2026"}
        assert answer({**SWITCHED, "quotes": {quote.part: at}})[0] == quote.instead
        low, high = (
            p if p is not None else quote.price_usd for p in (quote.low_usd, quote.high_usd)
        )
        assert low <= quote.flips_at_usd <= high


def test_the_time_limit_leaves_what_is_known() -> None:
    """A deadline in the past ends the study at once, and the answer says that it is not whole."""
    market = open_market(Instance.model_validate(BASE), FILE)
    best = scan(market).best
    part = sensitivity(market, best, deadline_s=0.0, say=lambda _: None)
    assert not part.complete
    assert part.factors == []
