"""Combinations and sensitivity in the star schema read back as the solution states them."""

from __future__ import annotations

import csv
import io

import pytest

from planner.domain.combination import Combination, combined
from planner.domain.solution import Solution, load_solution
from planner.export.star import star_files
from tests.report.test_same_figures import SAMPLES


def _tables(solution: Solution) -> dict[str, list[dict[str, str]]]:
    """Return the rows of every table, as a reader sees them."""
    return {
        name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        for name, text in star_files(solution)
        if name.endswith(".csv")
    }


def _money(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


@pytest.fixture(scope="module", params=SAMPLES, ids=lambda path: path.parent.name)
def shipped(request):
    """A shipped solution and its tables."""
    solution = load_solution(request.param)
    return solution, _tables(solution)


def test_flips_read_back(shipped) -> None:
    """Two rows a factor: its range, where it turns, what would be better."""
    solution, star = shipped
    factors = solution.sensitivity.factors if solution.sensitivity else []
    rows = {(row["factor"], row["side"]): row for row in star["fact_flip"]}
    assert set(rows) == {(f.name, side) for f in factors for side in ("below", "above")}
    for factor in factors:
        for side, holds in (("below", factor.holds_from), ("above", factor.holds_to)):
            row, flip = rows[factor.name, side], getattr(factor, side)
            assert (float(row["base"]), float(row["holds_to"])) == (factor.base, holds)
            assert row["flips_at"] == "" if flip is None else float(row["flips_at"]) == flip.at
            assert row["objective_usd"] == _money(flip and flip.objective_usd)
            assert row["instead"] == (flip.summary if flip else "")


def test_regret_and_quotes_read_back(shipped) -> None:
    """Money to the cent at each level; every part that needs a quote is a known product."""
    solution, star = shipped
    found = solution.sensitivity
    for row, level in zip(star["fact_regret"], found.prices if found else [], strict=True):
        assert row["level"] == level.level
        for name in ("best_usd", "decision_usd", "decision_regret_usd", "runner_up_regret_usd"):
            assert row[name] == _money(getattr(level, name))
        assert row["flips"] == str(level.flips).upper()
    quotes = found.quotes_needed if found else []
    for row, quote in zip(star["fact_quote_needed"], quotes, strict=True):
        assert (row["part_key"], row["flips_at_usd"]) == (quote.part, _money(quote.flips_at_usd))
    parts = {row["part_key"] for row in star["dim_part"]}
    assert {row["part_key"] for row in star["fact_quote_needed"]} <= parts


def _combined(solution: Solution) -> Solution:
    """Return a solution with combinations, two of them answered."""
    rows = [
        Combination(scale_up=a, family=b, topology=c, status="infeasible", reason="too slow")
        for a, b, c in combined(["nvswitch"])
    ]
    steps = {job.name: 1.25 for job in solution.instance.workloads}
    rows[1] = rows[1].model_copy(
        update={"status": "optimal", "objective_usd": 10.5, "bound_usd": 10.5, "delta_usd": 0.5,
                "step_times_s": steps}
    )  # fmt: skip
    rows[2] = rows[2].model_copy(
        update={"status": "bounded", "bound_usd": 12.5, "delta_usd": 2.5, "reason": "at least"}
    )
    return solution.model_copy(update={"combinations": rows})


def test_combinations_read_back(shipped) -> None:
    """Each with its cost or bound to the cent, and its step times by workload."""
    for solution in (shipped[0], _combined(shipped[0])):
        star = _tables(solution)
        for row, one in zip(star["fact_combination"], solution.combinations, strict=True):
            assert (row["scale_up"], row["family"]) == (one.scale_up, one.family)
            assert (row["topology"], row["status"]) == (one.topology, one.status)
            for name in ("objective_usd", "bound_usd", "delta_usd"):
                assert row[name] == _money(getattr(one, name))
        steps = {
            (int(row["number"]), row["workload_key"].partition("/")[2]): float(row["step_time_s"])
            for row in star["fact_combination_step"]
        }
        assert steps == {
            (number, name): seconds
            for number, one in enumerate(solution.combinations, 1)
            for name, seconds in one.step_times_s.items()
        }
