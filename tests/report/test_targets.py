from __future__ import annotations

import datetime

import pytest

from planner.report.notation import Notation
from planner.report.targets import busy_share, hours_text, margin_text, run_text, targets
from planner.report.words import words


def test_spare_time_is_counted_against_the_enforced_limit(plan):
    """The sample's steps take 95.3 % of their limit."""
    assert [round(t.spare_share, 4) for t in targets(plan)] == [0.047, 0.047]
    assert all(t.met for t in targets(plan))


def test_a_step_over_its_limit_is_missed(plan):
    """An evaluated design may miss its target; the report says so."""
    slow = plan.workloads[0].model_copy(update={"step_time_s": plan.workloads[0].limit_s * 1.01})
    target = targets(plan.model_copy(update={"workloads": [slow]}))[0]
    assert not target.met
    assert target.spare_share == pytest.approx(-0.01)


def test_only_a_job_alone_on_the_cluster_has_a_finish_date(plan, euro_plan):
    """Jobs that share the cluster in time end later than their own run days."""
    assert targets(euro_plan)[0].finish == datetime.date(2027, 5, 18)
    assert all(t.finish is None for t in targets(plan))


def test_run_days_stand_beside_the_deadline(plan):
    """78 of 90 days is what a buyer asks for."""
    assert run_text(targets(plan)[0], words("en"), Notation(lang="en")) == "78 of 90 days"


def test_busy_shares_add_up(plan):
    """The hours of all jobs together."""
    assert busy_share(plan) == pytest.approx(sum(w.busy_fraction for w in plan.workloads))


def test_spare_is_what_the_shared_hours_leave(plan):
    """Steps far below their own limits have little to spare where hours with margin are used up."""
    share = 0.45 / 1.1
    jobs = [w.model_copy(update={"busy_fraction": share, "margin": 0.1}) for w in plan.workloads]
    crowded = plan.model_copy(update={"workloads": jobs})
    left = 1 - 2 * 0.45
    spare = left / (left + 0.45)  # of the longest step, the other job as it is
    own = 1 - jobs[0].step_time_s / jobs[0].limit_s
    assert [t.spare_share for t in targets(crowded)] == pytest.approx([min(own, spare)] * 2)
    text = hours_text(crowded, words("en"), Notation(lang="en"))
    assert "90.0% with their margins: 10.0% to spare" in text
    full = [w.model_copy(update={"busy_fraction": 0.48}) for w in jobs]
    missed = plan.model_copy(update={"workloads": full})
    assert [t.spare_share for t in targets(missed)] == pytest.approx([1 - 0.96 * 1.1] * 2)
    assert "5.6% too much" in hours_text(missed, words("en"), Notation(lang="en"))


def test_one_job_shares_no_hours(euro_plan):
    """Nothing is said of hours where nobody takes turns."""
    assert hours_text(euro_plan, words("en"), Notation(lang="en")) == ""


def test_different_margins_are_listed(plan):
    """One sentence must not claim one margin for all jobs."""
    other = plan.workloads[1].model_copy(update={"margin": 0.25})
    mixed = plan.model_copy(update={"workloads": [plan.workloads[0], other]})
    text = margin_text(mixed, words("en"), Notation(lang="en"))
    assert "10.0%, 25.0%" in text
