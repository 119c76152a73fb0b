"""The exported program has the answer's optimum, whoever solves it; so has each engine inside.

Exported files are read by HiGHS, by CBC's own executable and by SCIP.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.program.engines import EngineOptions
from planner.program.market import open_market
from planner.program.monolith import solve_monolith
from tests.program.outside import SOLVERS, decided, exported
from tests.program.random_instances import FILE, SMALLER, random_instance

QUICK = ("tiny",)
SHIPPED = (
    "flip-64-links", "flip-72-links", "budget", "goodput-70b", "goodput-spares", "room-rows",
    "pools-mixed", "pools-concurrent", "cloud-peaks", "cloud-reserve",
)  # fmt: skip
"""Without growth, regions and the largest: their programs are of these kinds, or take too long."""


def check_outside(name: str, folder: Path) -> None:
    """Every solver finds the answer's cost in the exported file, to the cent."""
    solution, file = decided(name)
    assert solution.status in ("optimal", "feasible")  # goodput-spares has an open bound
    assert solution.objective_usd is not None
    for kind, solvers in (("mps", ("highs", "cbc", "scip")), ("lp", ("highs", "cbc"))):
        path, constant = exported(solution, file, folder, kind)
        for solver in solvers:
            found = SOLVERS[solver](path) + constant
            assert found == pytest.approx(solution.objective_usd, abs=0.006), (kind, solver)


@pytest.mark.parametrize("name", QUICK)
def test_an_exported_program_has_the_answers_optimum(name: str, tmp_path: Path) -> None:
    """On the smallest instance, in the plain suite."""
    check_outside(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_every_exported_program_has_the_answers_optimum(name: str, tmp_path: Path) -> None:
    """On the other shipped instances."""
    check_outside(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["cbc", "scip"])
@pytest.mark.parametrize("name", QUICK + SHIPPED)
def test_another_engine_decides_the_same(name: str, engine: str) -> None:
    """CBC and SCIP prove the cost that HiGHS proves, to the cent."""
    first, other = decided(name)[0], decided(name, engine)[0]
    assert (other.status, other.objective_usd) == (first.status, first.objective_usd)
    assert other.bound_usd == first.bound_usd


@pytest.mark.parametrize("engine", ["cbc", "scip"])
@pytest.mark.parametrize("seed", range(3))
def test_another_engine_places_the_same(seed: int, engine: str) -> None:
    """Choice and placement in one program: every engine proves the same cents."""
    check_placement(seed, engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["cbc", "scip"])
@pytest.mark.parametrize("seed", range(3, 60))
def test_another_engine_places_the_same_in_many_rooms(seed: int, engine: str) -> None:
    """The same on more rooms."""
    check_placement(seed, engine)


def check_placement(seed: int, engine: str) -> None:
    """Compare an engine with HiGHS on a random small instance."""
    market = open_market(random_instance(seed, SMALLER).instance, FILE)
    first = solve_monolith(market)
    assert solve_monolith(market, EngineOptions(engine=engine)).cost_cents == first.cost_cents
