from __future__ import annotations

from planner.domain.sensitivity import Sensitivity
from planner.report.alternatives import delta_usd, losers, runner_up, verdict, why_lost
from planner.report.notation import Notation
from planner.report.words import words

W, N = words("en"), Notation(lang="en")


def test_the_runner_up_is_the_cheapest_that_works(plan):
    """The chosen design is no alternative to itself."""
    assert runner_up(plan).name == "2:1 oversubscribed"


def test_a_proved_runner_up_goes_before_a_dearer_forced_choice(plan):
    """Of all designs the nearest is shown with its own reason; a nearer forced choice stays."""
    forced = runner_up(plan)
    for delta, name in ((1267.0, "9 x other"), (1e9, forced.name)):
        study = Sensitivity(
            factors=[], prices=[], runner_up="9 x other", runner_up_delta_usd=delta,
            runner_up_reason="over the years in USD: switches +1,267", quotes_needed=[],
            ranges_known=[], ranges_unknown=[], complete=True,
        )  # fmt: skip
        found = runner_up(plan.model_copy(update={"sensitivity": study}))
        assert found.name == name
        assert found.reason
    assert verdict(plan, runner_up(plan), W, N)


def test_losers_stand_cheapest_first_and_impossible_last(plan):
    """A reader sees the closest call first."""
    costs = [item.objective_usd for item in losers(plan)]
    assert costs[-1] is None
    assert costs[:-1] == sorted(costs[:-1])


def test_a_missing_difference_is_counted_from_the_costs(plan):
    """The difference follows from the two totals."""
    item = plan.alternatives[1].model_copy(update={"delta_usd": None})
    assert delta_usd(plan, item) == item.objective_usd - plan.objective_usd


def test_the_verdict_shows_money_and_share(plan):
    """Both are read by different people."""
    text = verdict(plan, plan.alternatives[1], W, N).replace("\xa0", " ")
    assert text == "+USD 127,517 (+3.1%)"


def test_an_impossible_alternative_says_why(plan):
    """The reason of the program stands behind the verdict."""
    assert why_lost(plan, plan.alternatives[2], W, N).startswith("impossible: no strategy holds")


def test_without_alternatives_there_is_no_runner_up(lost):
    """An infeasible answer has none."""
    assert runner_up(lost) is None
