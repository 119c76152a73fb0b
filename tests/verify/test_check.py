"""The checker as a whole: valid answers pass, quickly and without the program."""

from __future__ import annotations

import copy
import random
import subprocess
import sys

import pytest
from pydantic import ValidationError

from planner.domain.solution import Solution
from planner.verify.check import verify


@pytest.mark.parametrize("name", ["rail", "single", "spine"])
def test_a_consistent_answer_has_no_violation(solutions, catalog, name):
    """An answer whose every number follows from its devices passes."""
    assert [str(v) for v in verify(solutions[name], catalog)] == []


def test_an_infeasible_answer_is_checked_too(documents, catalog):
    """An answer without a design passes with its reasons and fails without."""
    document = documents["rail"]
    document |= {
        "status": "infeasible", "objective_usd": None, "bound_usd": None, "gap": None,
        "placement_gap": None, "cost": None, "design": None, "workloads": [], "devices": [],
        "racks": [], "cables": [], "bill_of_materials": [], "alternatives": [],
        "reasons": ["the budget is too small"],
    }  # fmt: skip
    assert verify(Solution.model_validate(document), catalog) == []
    document["reasons"] = []
    found = verify(Solution.model_validate(document), catalog)
    assert [v.check for v in found] == ["document-reasons"]


def test_the_checker_loads_neither_the_program_nor_the_fabric():
    """Importing the checker brings in no code that made the answer."""
    code = (
        "import sys, planner.verify.check\n"
        "bad = [m for m in sys.modules if m.startswith(('planner.program', 'planner.physics.fabric'))"
        " or m in ('pulp', 'networkx', 'pandas', 'ortools')]\n"
        "sys.exit(repr(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


FREE = {
    "alternatives.forced.nodes", "alternatives.step_times_s.tune",
}  # fmt: skip
"""Figures that nothing else in the document determines: the search or another solve does."""


def test_every_number_is_held_by_something(built, catalog):
    """Moving any one number of an answer by a hundredth and more is a violation, but for a few."""
    document = Solution.model_validate(built["spine"]).model_dump(mode="json", by_alias=True)
    free = set()
    for path in _leaves({k: v for k, v in document.items() if k not in ("instance", "run")}):
        changed = copy.deepcopy(document)
        node = changed
        for key in path[:-1]:
            node = node[key]
        old = node[path[-1]]
        if isinstance(old, bool) or not isinstance(old, int | float):
            continue
        node[path[-1]] = old + 1 if isinstance(old, int) else old * 1.01 + 0.5
        try:
            solution = Solution.model_validate(changed)
        except ValidationError:
            continue
        if not verify(solution, catalog):
            free.add(".".join(key for key in path if isinstance(key, str)))
    assert sorted(free) == sorted(FREE)


HOSTILE = (0, -1, 1, 2**63, -0.5, 1e308, 1e-320, "", "x", "r0", "hgx-h100-8", None, True)


def test_no_hostile_value_breaks_the_checker(built, catalog):
    """Whatever stands in a field, the checker reports or passes; it never raises."""
    chance = random.Random(7)
    places = list(_leaves(built["single"]))
    checked = 0
    for _ in range(600):
        document = copy.deepcopy(built["single"])
        for path in chance.sample(places, 2):
            node = document
            for key in path[:-1]:
                node = node[key]
            node[path[-1]] = chance.choice(HOSTILE)
        try:
            solution = Solution.model_validate(document)
        except ValidationError:
            continue
        checked += 1
        verify(solution, catalog)
    assert checked > 100


def _leaves(node, path=()):
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _leaves(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node[:2]):
            yield from _leaves(value, (*path, i))
    else:
        yield path


def test_management_cables_may_be_counted_by_rule(documents, catalog):
    """Without management links in the document the bill needs one cable for every port."""
    document = documents["single"]
    document["cables"] = [c for c in document["cables"] if c["tier"] != "oob"]
    assert verify(Solution.model_validate(document), catalog) == []
    line = next(b for b in document["bill_of_materials"] if b["part"].startswith("cat6a"))
    line["quantity"] += 1
    found = {v.check for v in verify(Solution.model_validate(document), catalog)}
    assert "bill-quantity" in found


def test_an_alternative_that_the_instance_excludes_may_be_cheaper(documents, catalog):
    """What a pinned choice costs extra is shown, not a contradiction."""
    document = documents["rail"]
    document["instance"]["fix"] = {"family": "infiniband"}
    document["alternatives"][1] |= {
        "forced": {"family": "roce"}, "delta_usd": -500.0,
        "objective_usd": document["objective_usd"] - 500.0,
    }  # fmt: skip
    assert verify(Solution.model_validate(document), catalog) == []
    document["instance"]["fix"] = {}
    found = [v.check for v in verify(Solution.model_validate(document), catalog)]
    assert found == ["alternative-cheaper"]
