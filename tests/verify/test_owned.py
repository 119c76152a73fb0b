"""The checker's own count of what is owned, and that it notices what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from planner.domain.solution import Solution
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.program.owned_instances import owned_instance
from tests.program.random_instances import FILE

SEEDS = (0, 1, 2, 3, 5, 6, 7, 8, 31)


def answer(seed: int) -> Any:
    """Return the decision of a random instance with an inventory."""
    options = DecideOptions(alternatives=False)
    return decide(owned_instance(seed), FILE, options, say=lambda _: None)


@pytest.mark.parametrize("seed", SEEDS)
def test_answers_beside_an_inventory_pass(seed: int) -> None:
    """Every number is found again: owned and bought units, money, limits."""
    decision = answer(seed)
    assert verify(decision.solution, decision.catalog) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_owned_line_is_noticed(seed: int) -> None:
    """Owned units that are not there, or bought beside an idle stock, are violations."""
    decision = answer(seed)
    lines = decision.solution.bill_of_materials
    owned = [k for k, line in enumerate(lines) if line.owned]
    for k in owned:
        wrong = list(lines)
        wrong[k] = lines[k].model_copy(update={"owned": False})
        changed: Solution = decision.solution.model_copy(update={"bill_of_materials": wrong})
        assert "owned-quantity" in {v.check for v in verify(changed, decision.catalog)}
    bought = [k for k, line in enumerate(lines) if not line.owned and line.part != "storage"]
    for k in bought[:3]:
        wrong = list(lines)
        wrong[k] = lines[k].model_copy(
            update={"owned": True, "unit_price_usd": 0.0, "total_usd": 0.0}
        )
        changed = decision.solution.model_copy(update={"bill_of_materials": wrong})
        assert "owned-quantity" in {v.check for v in verify(changed, decision.catalog)}
