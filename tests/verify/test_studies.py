"""Corruptions of sensitivity and frontier: each is caught by the check that it belongs to."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from planner.domain.instance import Instance
from planner.domain.solution import Solution
from planner.study.asked import Asked
from planner.study.decide import DecideOptions, decide
from planner.study.frontier import FrontierOptions
from planner.verify.check import verify
from tests.study.test_sensitivity import SWITCHED


@pytest.fixture(scope="module")
def decision():
    """Return an answer with every study, and its catalogue."""
    asked = Asked(sensitivity="full", frontier=FrontierOptions(workload=0))
    options = DecideOptions(alternatives=False, asked=asked)
    return decide(Instance.model_validate(SWITCHED), Path("i.json"), options, lambda _: None)


def test_an_answer_with_studies_passes(decision) -> None:
    """Studies are there, and nothing contradicts them."""
    assert decision.solution.sensitivity.complete
    assert any(p.chosen for p in decision.solution.frontier.points)
    assert verify(decision.solution, decision.catalog) == []


def at(document, path):
    """Return the part of a document that holds the last key of a path, and that key."""
    *ahead, last = path
    for key in ahead:
        document = document[key]
    return document, last


def factor(name):
    """Return the path of a factor."""
    order = [
        "switch_price", "chosen_switch_price", "server_price", "chosen_server_price",
        "electricity", "step_time",
    ]  # fmt: skip
    return ("sensitivity", "factors", order.index(name))


CORRUPTED = [
    ((*factor("step_time"), "holds_to"), 1.2, "sensitivity-holds"),
    ((*factor("step_time"), "base"), 3.0, "sensitivity-order"),
    ((*factor("step_time"), "above", "beyond"), 1.0, "sensitivity-flip"),
    ((*factor("chosen_server_price"), "above", "objective_usd"), 1e9, "sensitivity-flip"),
    (("sensitivity", "prices", 0, "decision_regret_usd"), -5.0, "sensitivity-regret"),
    (("sensitivity", "prices", 1, "flips"), True, "sensitivity-flips"),
    (("sensitivity", "prices", 1, "decision_usd"), 1.0, "sensitivity-base"),
    (("sensitivity", "prices", 2, "bound_usd"), 1e12, "sensitivity-bound"),
    (("sensitivity", "quotes_needed", 0, "flips_at_usd"), 1.0, "sensitivity-quote"),
    (("sensitivity", "quotes_needed", 0, "part"), "qm9700", "sensitivity-quote"),
    (("sensitivity", "runner_up_delta_usd"), 1.0, "sensitivity-runner-up"),
    (("objective_usd",), None, "sensitivity-decision"),
    (("sensitivity", "ranges_unknown"), ["qm9700"], "sensitivity-parts"),
    (("frontier", "points", 0, "gap"), 0.1, "frontier-gap"),
    (("frontier", "points", 0, "bound_usd"), 1.0, "frontier-proved"),
    (("frontier", "points", 0, "objective_usd"), None, "frontier-status"),
    (("frontier", "points", 0, "workload"), "other", "frontier-workload"),
    (("frontier", "points", 1, "step_time_s"), 1e6, "frontier-order"),
    (("frontier", "points", 0, "objective_usd"), 1e9, "frontier-order"),
    (("frontier", "points", 0, "chosen"), True, "frontier-chosen"),
]


@pytest.mark.parametrize(("path", "value", "check"), CORRUPTED)
def test_a_corrupted_figure_is_found(decision, path, value, check) -> None:
    """One changed figure is one finding of its own check at least."""
    document = copy.deepcopy(decision.solution.model_dump(mode="json", by_alias=True))
    part, key = at(document, path)
    assert part[key] != value
    part[key] = value
    found = verify(Solution.model_validate(document), decision.catalog)
    assert check in {item.check for item in found}
