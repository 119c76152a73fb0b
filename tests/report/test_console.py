from __future__ import annotations

from pathlib import Path

import pytest

from planner.domain.errors import UsageError
from planner.report.console import WIDTH, console_text


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("name", ["plan", "large", "lost", "hostile_plan", "euro_plan"])
def test_the_table_keeps_its_columns_and_lines(request, name, lang):
    """A terminal of 100 columns shows it without wrapping, about one screen."""
    text = console_text(request.getfixturevalue(name), lang, Path("reports/budget"))
    lines = text.splitlines()
    assert max(len(line) for line in lines) <= WIDTH
    assert len(lines) <= 45


def test_the_figures_are_the_solutions(plan):
    """Cost, step time, power and difference stand as the solution has them."""
    text = console_text(plan).replace("\xa0", " ")
    for usd in (plan.cost.capex_usd, plan.cost.energy_usd, plan.cost.total_usd):
        assert f"{usd:,.0f}" in text
    assert f"{plan.workloads[0].step_time_s:.1f} s" in text
    assert f"{plan.design.max_power_kw:.1f} kW" in text
    assert "+USD 127,517" in text
    assert "gap 0%" in text


def test_optimal_is_said_only_when_proved(plan):
    """A gap that is not closed never reads as optimal or as zero."""
    open_plan = plan.model_copy(update={"status": "feasible", "gap": 1e-6})
    text = console_text(open_plan)
    assert "optimal" not in text.splitlines()[0].lower()
    assert "< 0.01%" in text.splitlines()[0]


def test_an_infeasible_answer_says_what_binds_and_by_how_much(lost):
    """Needed, available and the excess."""
    text = console_text(lost)
    assert "No cluster on offer meets these demands" in text
    assert "2,710,000 needed, 2,000,000 USD available: 710,000 too much (35.5%)" in text
    assert "Raise the budget" in text


def test_hostile_names_cannot_steer_the_terminal(hostile_plan):
    """No escape character and no reversed direction is printed."""
    text = console_text(hostile_plan)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_the_report_and_the_next_command_are_named(plan):
    """The last lines say where to go on."""
    last = console_text(plan, "en", Path("reports/budget")).splitlines()[-2:]
    assert last[0].endswith("reports/budget/index.html")
    assert last[1].endswith("planner verify reports/budget/solution.json")


def test_an_unknown_language_is_refused(plan):
    """With the known ones in the message."""
    with pytest.raises(UsageError):
        console_text(plan, "fr")
