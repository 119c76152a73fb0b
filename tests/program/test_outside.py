"""The exported program has the answer's optimum, whoever solves it; so has each engine inside.

Exported files are read by HiGHS, by CBC's own executable and by SCIP.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.domain.resources import data_root
from planner.program.engines import EngineOptions, solve
from planner.program.market import open_market
from planner.program.monolith import solve_monolith
from planner.program.regions import build_regions
from planner.study.regions import open_regions
from tests.program.outside import SOLVERS, decided, decided_regions, exported, exported_regions
from tests.program.random_instances import FILE, SMALLER, random_instance

QUICK = ("flip-72-links",)
LARGE = ("scale-128", "superpod-127", "scale-2048", "scale-12500")
"""Too large for a full proof: what is left open is the placement's."""
SHIPPED = (
    "tiny", "flip-64-links", "budget", "goodput-70b", "goodput-spares", "room-rows",
    "pools-mixed", "pools-concurrent", "cloud-peaks", "cloud-reserve",
    "growth-70b", "growth-platform", "growth-resale", "growth-spine", "growth-switch",
    *LARGE,
)  # fmt: skip
REGIONAL = ("two-sites", "three-regions")


READERS = {"mps": ("highs", "cbc", "scip"), "lp": ("highs", "cbc")}


def check_outside(name: str, folder: Path) -> None:
    """Every solver finds the answer's cost in the exported file, to the cent."""
    solution, file = decided(name)
    assert solution.status in ("optimal", "feasible")  # goodput-spares has an open bound
    assert solution.objective_usd is not None
    for kind in READERS:
        check_file(*exported(solution, file, folder, kind), kind, solution.objective_usd)


def check_file(path: Path, constant: float, kind: str, objective_usd: float) -> None:
    """Every solver that reads such a file finds the cost in it."""
    for solver in READERS[kind]:
        found = SOLVERS[solver](path) + constant
        assert found == pytest.approx(objective_usd, abs=0.006), (kind, solver)


@pytest.mark.parametrize("name", QUICK)
def test_an_exported_program_has_the_answers_optimum(name: str, tmp_path: Path) -> None:
    """On an instance with one platform, in the plain suite."""
    check_outside(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_every_exported_program_has_the_answers_optimum(name: str, tmp_path: Path) -> None:
    """On the other shipped instances."""
    check_outside(name, tmp_path)


@pytest.mark.parametrize(
    "name", [REGIONAL[0], *(pytest.param(name, marks=pytest.mark.slow) for name in REGIONAL[1:])]
)
def test_a_program_over_sites_has_the_answers_optimum(name: str, tmp_path: Path) -> None:
    """Splits of servers over sites, lines and encryption."""
    decision, file = decided_regions(name)
    for kind in READERS:
        path, constant = exported_regions(decision, file, tmp_path, kind)
        check_file(path, constant, kind, decision.answer.objective_usd)


def test_every_shipped_instance_is_in_one_of_the_lists() -> None:
    """So that a new one is not forgotten."""
    names = {path.stem for path in (data_root() / "instances").glob("*.json")} - {"schema"}
    assert names == {*QUICK, *SHIPPED, *REGIONAL}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["cbc", "scip"])
@pytest.mark.parametrize("name", QUICK + SHIPPED)
def test_another_engine_decides_the_same(name: str, engine: str) -> None:
    """CBC and SCIP prove the cost that HiGHS proves, to the cent; an open interval is the same."""
    first, other = decided(name)[0], decided(name, engine)[0]
    assert {"cbc": "CBC", "scip": "SCIP"}[engine] in other.run.solver
    assert (other.status, other.objective_usd) == (first.status, first.objective_usd)
    assert other.bound_usd == first.bound_usd


@pytest.mark.parametrize("engine", ["cbc", "scip"])
@pytest.mark.parametrize(
    "name", [REGIONAL[0], *(pytest.param(name, marks=pytest.mark.slow) for name in REGIONAL[1:])]
)
def test_another_engine_decides_the_same_over_sites(name: str, engine: str) -> None:
    """The program of splits, lines and encryption."""
    decision, file = decided_regions(name)
    opened = open_regions(decision.answer.instance, file)
    lines = [one.line for one in opened.offered]
    program = build_regions(opened.splits, lines, opened.limits).problem
    found = solve(program, EngineOptions(engine=engine))
    assert found.status == "optimal"
    assert found.objective == pytest.approx(decision.answer.objective_usd, abs=0.006)


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
