from __future__ import annotations

import datetime

import pytest

from planner.report.notation import Notation
from planner.report.targets import busy_share, margin_text, run_text, targets
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


def test_different_margins_are_listed(plan):
    """One sentence must not claim one margin for all jobs."""
    other = plan.workloads[1].model_copy(update={"margin": 0.25})
    mixed = plan.model_copy(update={"workloads": [plan.workloads[0], other]})
    text = margin_text(mixed, words("en"), Notation(lang="en"))
    assert "10.0%, 25.0%" in text
