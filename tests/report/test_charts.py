from __future__ import annotations

import copy
import re
import xml.etree.ElementTree as ET

import altair as alt
import pytest

from planner.report.charts import chart as chart_module
from planner.report.charts.alternatives import alternatives_chart
from planner.report.charts.bars import bars_chart
from planner.report.charts.cost import KINDS, cost_chart
from planner.report.charts.traffic import traffic_chart
from planner.report.html import page_html
from planner.report.link_levels import level_uses
from planner.report.part_bars import step_bars
from planner.report.view import view


def _charts(solution, lang="en"):
    seen = view(solution, lang)
    bars = step_bars(solution, seen.w, seen.n)
    return [
        cost_chart(seen),
        traffic_chart(seen),
        alternatives_chart(seen),
        bars_chart(bars, "t", "step_time", seen, own_scale=True),
    ]


def _tips(root):
    return [e.text for e in root.iter("title")][1:]


def _widths(root):
    """Return the widths of the marks that have a tip, in drawing order."""
    marks = [e for e in root.iter("path") if e.find("title") is not None]
    return [float(re.match(r"M[-\d.]+,[-\d.]+h(-?[\d.]+)", e.get("d"))[1]) for e in marks]


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("name", ["plan", "large", "hostile_plan", "euro_plan"])
def test_charts_are_images_with_unique_names(request, name, lang):
    """Both widths stand on one page: every id once, every reference inside its own drawing."""
    seen = set()
    for chart in _charts(request.getfixturevalue(name), lang):
        for root in (chart.wide, chart.narrow):
            text = ET.tostring(root, encoding="unicode")
            ids = re.findall(r'(?<![\w-])id="([^"]+)"', text)
            assert len(ids) == len(set(ids))
            assert not seen & set(ids)
            seen |= set(ids)
            assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
            assert set(root.get("aria-labelledby").split()) <= set(ids)
            assert "<script" not in text
            assert " style=" not in text
        assert float(chart.narrow.get("width")) <= 345
        assert float(chart.wide.get("width")) <= 880


def test_the_cost_chart_tells_every_amount(plan):
    """One mark for each component and kind of cost, to the cent."""
    seen = view(plan, "en")
    amounts = [
        seen.n.money(getattr(line, f"{kind}_usd"), 2).replace("\xa0", " ")
        for line in plan.cost.components
        for kind in KINDS
        if getattr(line, f"{kind}_usd")
    ]
    tips = [tip.partition(": ")[2] for tip in _tips(cost_chart(seen).wide)]
    assert sorted(tips) == sorted(amounts)


def test_bars_are_as_long_as_their_figures(plan):
    """Segments of one bar share a scale and add up to the step."""
    seen = view(plan, "en")
    bars = step_bars(plan, seen.w, seen.n)
    assert [bar.total for bar in bars] == pytest.approx([r.step_time_s for r in plan.workloads])
    chart = bars_chart(bars[:1], "t", "x", seen, own_scale=True)
    widths, values = _widths(chart.wide), list(plan.workloads[0].breakdown.values())
    assert [k / widths[0] for k in widths] == pytest.approx(
        [v / values[0] for v in values], rel=1e-2
    )


def test_the_traffic_chart_tells_both_shares_of_each_level(plan):
    """Busy and waited, in the order of the levels."""
    seen = view(plan, "en")
    expected = [
        seen.n.percent(share)
        for result in plan.workloads
        for use in level_uses(result, plan.design.fabric)
        for share in (use.busy_share, use.exposed_share)
    ]
    tips = [tip.rpartition(": ")[2] for tip in _tips(traffic_chart(seen).wide)]
    assert sorted(tips) == sorted(expected)


def test_the_alternatives_chart_starts_with_the_choice(plan):
    """Then the designs that work, cheapest first."""
    tips = _tips(alternatives_chart(view(plan, "en")).wide)
    costs = [float(re.sub(r"[^\d]", "", tip.rpartition(": ")[2])) for tip in tips]
    assert costs[0] == round(plan.objective_usd)
    assert costs == sorted(costs)


def test_an_infeasible_answer_has_no_charts(lost):
    """There is nothing to compare."""
    seen = view(lost, "en")
    assert cost_chart(seen) is traffic_chart(seen) is alternatives_chart(seen) is None
    assert bars_chart([], "t", "x", seen, own_scale=True) is None


def test_spanish_axes_have_spanish_numbers(plan):
    """A decimal comma on the axis too."""
    text = ET.tostring(cost_chart(view(plan, "es")).wide, encoding="unicode")
    labels = re.findall(r">([\d.,]+) M<", text)
    assert labels
    assert not [label for label in labels if "." in label]


def test_equal_answers_give_equal_charts(sample):
    """Nothing random, no time."""
    first, second = (_charts(sample.feasible(8))[0].file_text() for _ in range(2))
    assert first == second


def test_every_chart_is_what_vega_lite_knows(studied, monkeypatch):
    """Specifications are not validated while a report is written; here each one is."""
    specifications = []
    drawn = chart_module._drawn

    def kept(specification, view):
        specifications.append(copy.deepcopy(specification))
        return drawn(specification, view)

    monkeypatch.setattr(chart_module, "_drawn", kept)
    page_html(studied, "en")
    assert len(specifications) >= 4
    for specification in specifications:
        alt.Chart.from_dict(specification, validate=True)
