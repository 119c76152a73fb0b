from __future__ import annotations

from planner.domain.instance import HardwareChoice
from planner.domain.solution import Binding
from planner.domain.workload import StrategyChoice
from planner.report.binding import (
    binding_text,
    excess_share,
    shown_bindings,
    unbound_text,
    use_share,
)
from planner.report.notation import Notation
from planner.report.words import words

W, N = words("en"), Notation(lang="en")


def _limit(used, available, unit="kW", binding=True):
    return Binding(limit="x", constraint="x", used=used, available=available, unit=unit,
                   binding=binding)  # fmt: skip


def test_only_what_binds_is_named(plan):
    """The budget of the sample is not used up."""
    assert [item.constraint for item in shown_bindings(plan)] == ["rack-power", "step-time"]


def test_what_cannot_be_met_stands_worst_first(lost):
    """35.5 % over the budget before 3.8 % over the power."""
    assert [item.constraint for item in shown_bindings(lost)] == ["budget-capex", "site-power"]


def test_an_excess_is_told_with_its_share():
    """By how much, absolute and relative."""
    text = binding_text(_limit(41.5, 40.0), W, N)
    assert text == "41.5 needed, 40 kW available: 1.5 too much (3.8%)"


def test_money_is_shown_in_the_reports_currency():
    """A limit in dollars follows the rest of the report."""
    euro = Notation(lang="en", currency="EUR", usd_per_unit=2.0)
    assert binding_text(_limit(100.0, 200.0, "USD"), W, euro) == "50 of 100 EUR"


def test_a_limit_of_zero_divides_nothing():
    """A forbidden resource has no share."""
    assert use_share(_limit(1.0, 0.0)) is None
    assert excess_share(_limit(1.0, 0.0)) == float("inf")
    assert binding_text(_limit(1.0, 0.0), W, N).endswith("(-)")


def test_where_nothing_binds_what_is_pinned_is_named(plan):
    """The price decides alone only where the instance pins nothing."""
    free = plan.instance.model_copy(update={"fix": HardwareChoice()})
    jobs = tuple(job.model_copy(update={"fix": StrategyChoice()}) for job in free.workloads)
    free = free.model_copy(update={"workloads": jobs})
    assert unbound_text(plan.model_copy(update={"instance": free}), W).endswith("alone decides.")
    fix = HardwareChoice(server="hgx-h100-8", nodes=[2, 3, 4, 5, 6, 7], oversubscription=1.0)
    first = jobs[0].model_copy(update={"fix": StrategyChoice(tp=8)})
    pinned = free.model_copy(update={"fix": fix, "workloads": (first, *jobs[1:])})
    text = unbound_text(plan.model_copy(update={"instance": pinned}), W)
    assert "(fix.server = hgx-h100-8; fix.nodes = 2, 3, 4, 5, +2; " in text
    assert f"fix.oversubscription = 1; strategy of {first.name})" in text
