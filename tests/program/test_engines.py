"""The engines behind PuLP, held against one another and against their known traps."""

from __future__ import annotations

import subprocess
import sys

import pulp
import pytest

from planner.domain.errors import UsageError
from planner.program.engines import EngineOptions, solve

ENGINES = ("highs", "cbc", "scip")


def knapsack(feasible: bool = True):
    """Return a small binary program with optimum 13 (infeasible on request)."""
    problem = pulp.LpProblem("knapsack", pulp.LpMinimize)
    take = [problem.add_variable(f"take_{i}", cat="Binary") for i in range(4)]
    problem.setObjective(pulp.lpSum(c * v for c, v in zip((5, 8, 6, 20), take, strict=True)))
    problem += (pulp.lpSum(w * v for w, v in zip((2, 4, 3, 9), take, strict=True)) >= 6, "cover")
    problem += (take[3] == 0, "no_large")
    if not feasible:
        problem += (pulp.lpSum(take) <= 1, "one")
    return problem


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_proves_the_same_optimum(engine: str, capfd: pytest.CaptureFixture) -> None:
    """Optimum, bound and status agree, and nothing is written to standard output."""
    result = solve(knapsack(), EngineOptions(engine=engine))
    assert result.status == "optimal"
    assert result.objective == pytest.approx(13)
    assert result.bound == pytest.approx(13)
    assert result.values["take_0"] + result.values["take_1"] == pytest.approx(2)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("engine", ENGINES)
def test_infeasible_is_a_status(engine: str) -> None:
    """No engine raises, and none claims a solution."""
    result = solve(knapsack(feasible=False), EngineOptions(engine=engine))
    assert (result.status, result.objective, result.values) == ("infeasible", None, {})


def test_unknown_engine_is_refused() -> None:
    """The message lists what exists."""
    with pytest.raises(UsageError, match="highs"):
        solve(knapsack(), EngineOptions(engine="hihgs"))


@pytest.mark.parametrize("order", ["highs,cbc,scip", "scip,highs,cbc", "cbc,scip,highs"])
def test_all_engines_live_in_one_process(order: str) -> None:
    """Loaded in any order, no engine crashes another (google/or-tools#5246)."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from tests_knapsack import knapsack\n"
        "from planner.program.engines import EngineOptions, solve\n"
        "print([solve(knapsack(), EngineOptions(engine=e)).status for e in sys.argv[1].split(',')])"
    )
    import inspect
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        text = "import pulp\n\n" + inspect.getsource(knapsack)
        (Path(folder) / "tests_knapsack.py").write_text(text)
        done = subprocess.run(
            [sys.executable, "-c", script, order, folder],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("optimal") == 3


def test_a_time_limit_is_never_called_optimal() -> None:
    """PuLP reports Optimal at a limit; status and bound come from the engine instead."""
    problem = pulp.LpProblem("hard", pulp.LpMinimize)
    import random

    rng = random.Random(1)
    x = [problem.add_variable(f"x_{i}", cat="Binary") for i in range(60)]
    problem.setObjective(pulp.lpSum(rng.randint(40, 60) * v for v in x))
    for row in range(25):
        problem += (pulp.lpSum(rng.randint(20, 80) * v for v in x) >= 1501, f"row_{row}")
    result = solve(problem, EngineOptions(time_limit_s=0.2))
    assert result.status in ("feasible", "stopped", "optimal")
    if result.status == "feasible":
        assert result.bound is not None
        assert result.objective is not None
        assert result.bound < result.objective
