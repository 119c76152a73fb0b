"""Frontier and sensitivity on the page and in the summary: every figure, in both languages."""

from __future__ import annotations

import re

import pytest

from planner.report.charts.frontier import frontier_chart
from planner.report.charts.sensitivity import sensitivity_chart
from planner.report.html import page_html
from planner.report.markdown import summary_markdown
from planner.report.view import view


def _figures(page):
    return {float(value) for value in re.findall(r'<data value="([^"]+)"', page)}


def test_the_page_holds_every_point_and_every_regret(studied):
    """Unrounded, sortable."""
    found = _figures(page_html(studied))
    for point in studied.frontier.points:
        assert point.limit_s in found
        if point.objective_usd is not None:
            assert {point.step_time_s, point.objective_usd} <= found
    for level in studied.sensitivity.prices:
        assert {level.best_usd, level.decision_usd, level.decision_regret_usd,
                level.runner_up_regret_usd} <= found  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "es"])
def test_flips_and_quotes_are_said_in_every_form(studied, lang):
    """The value at which each factor flips, the price that needs a quote, both languages."""
    dot = "," if lang == "es" else "."
    for text in (page_html(studied, lang), summary_markdown(studied, lang)):
        plain = text.replace("\xa0", " ").replace("\\", "")
        for figure in ("1.312 x", "0.2 USD/kWh", "0.92 x", "1.04 x"):
            assert figure.replace(".", dot) in plain, figure
        thousand = "." if lang == "es" else ","
        assert f"47{thousand}250" in plain
        assert f"12{thousand}345{dot}25" in plain


def test_the_summary_holds_every_point(studied):
    """Cost to the cent, the proof of each."""
    text = summary_markdown(studied)
    assert "2,051,000.25" in text
    assert "gap 1.00%" in text
    assert "impossible" in text


def test_charts_stand_for_what_was_studied(studied, plan):
    """A frontier needs two points; nothing is drawn where nothing was asked."""
    seen = view(studied, "en")
    tips = [e.text for e in frontier_chart(seen).wide.iter("title")][1:]
    assert len(tips) == 4
    assert "480.5 s" in tips[0].replace("\xa0", " ")
    labels = "".join(e.text or "" for e in sensitivity_chart(seen).wide.iter("text"))
    assert "0.92" in labels
    assert frontier_chart(view(plan, "en")) is sensitivity_chart(view(plan, "en")) is None
    one = studied.frontier.model_copy(update={"points": studied.frontier.points[:1]})
    assert frontier_chart(view(studied.model_copy(update={"frontier": one}), "en")) is None


def test_a_plan_without_studies_has_no_such_sections(plan):
    """No empty headings."""
    page = page_html(plan)
    assert 'id="frontier"' not in page
    assert 'id="sensitivity"' not in page


def test_a_study_that_was_cut_says_so(studied):
    """What is missing was not decided."""
    cut = studied.sensitivity.model_copy(update={"complete": False, "quotes_needed": []})
    plan = studied.model_copy(update={"sensitivity": cut})
    for text in (page_html(plan), summary_markdown(plan)):
        assert "time limit ended this study" in text
        assert "No single price" in text
