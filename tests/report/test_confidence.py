from __future__ import annotations

import pytest

from planner.domain.growth_part import GrowthPart
from planner.report.confidence import (
    confidence,
    confidence_lines,
    headline_risk,
    is_estimate,
)
from planner.report.decision import fabric_text
from planner.report.notation import Notation
from planner.report.view import view
from planner.report.words import words


def test_shares_of_price_kinds_add_up_to_the_purchase(plan):
    """Every line counts once."""
    found = confidence(plan)
    assert sum(kind.share for kind in found.kinds) == pytest.approx(1)
    assert round(sum(kind.total_usd for kind in found.kinds), 2) == plan.cost.capex_usd


@pytest.mark.parametrize("kind", ["list price", "street price", "quote"])
def test_prices_that_somebody_asked_are_no_estimates(kind):
    """The catalogue's own words decide."""
    assert not is_estimate(kind)


@pytest.mark.parametrize("kind", ["analyst estimate", "own interpolation", "", "guess"])
def test_every_other_price_is_an_estimate(kind):
    """An unknown kind must not pass for firm."""
    assert is_estimate(kind)


def test_the_range_takes_each_lines_own_ends(plan):
    """Lines without a range count at their price."""
    found = confidence(plan)
    low = sum(
        line.quantity * (line.unit_price_usd if line.low_usd is None else line.low_usd)
        for line in plan.bill_of_materials
    )
    assert found.low_usd == pytest.approx(low, abs=0.01)
    assert found.low_usd < plan.cost.capex_usd < found.high_usd


def test_only_large_estimated_lines_need_a_quote(plan):
    """The estimated racks are under one percent of the purchase."""
    assert [line.part for line in confidence(plan).needs_quote] == ["hgx-h200-8"]


def test_what_is_not_priced_is_said(plan):
    """The total must not look complete."""
    lines = confidence_lines(plan, words("es"), Notation(lang="es"))
    assert "Sin precio: transporte, instalación" in lines


def test_a_growth_answer_says_that_its_share_is_of_what_is_ordered_now(plan) -> None:
    """The bill of an answer over phases is that of now: 99 % of it is not 99 % of all phases."""
    growth = GrowthPart.model_construct()
    for lang, now in (("en", "of what is ordered now"), ("es", "de lo que se pide ahora")):
        seen = view(plan, lang)
        alone = headline_risk(plan, seen.w, seen.n)
        later = plan.model_copy(update={"growth": growth})
        assert now in headline_risk(later, seen.w, seen.n)
        assert now not in alone
        assert now in " ".join(confidence_lines(later, seen.w, seen.n))


def test_one_port_is_singular(plan) -> None:
    """A server with one NIC port has no ports."""
    platform = plan.design.platform.model_copy(update={"nics": 1})
    single = plan.model_copy(
        update={"design": plan.design.model_copy(update={"platform": platform})}
    )
    for lang, one in (("en", "1 NIC port a server"), ("es", "1 puerto de red por servidor")):
        seen = view(single, lang)
        assert one in fabric_text(single, seen.w, seen.n)
