"""Solve a PuLP model with a chosen engine; bound and status are read from the engine itself.

PuLP reports "Optimal" at a time limit and has no bound, so neither is taken from it. OR-Tools'
own HiGHS must never be used: it crashes the process once PuLP has loaded highspy
(google/or-tools#5246); SCIP is reached through OR-Tools by an MPS file instead.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from planner.domain.errors import SolverError, UsageError

ENGINES = ("highs", "cbc", "scip", "gurobi", "cplex")

Status = Literal["optimal", "feasible", "infeasible", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How to run an engine."""

    engine: str = "highs"
    time_limit_s: float | None = None
    seed: int = 0
    threads: int = 1
    abs_gap: float = 0.004
    """Below a cent when the objective is in US dollars."""
    rel_gap: float = 0.0
    max_nodes: int | None = None
    """Nodes after which HiGHS stops with what it has: unlike a time limit, the same every time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResult:
    """What an engine found; objective and bound without any constant of the caller."""

    status: Status
    objective: float | None
    bound: float | None
    values: dict[str, float]
    """Value of every variable by name."""
    engine: str
    version: str


def solve(problem: Any, options: EngineOptions) -> EngineResult:
    """Solve a `pulp.LpProblem`.

    Raises
    ------
    UsageError
        If the engine is unknown or not installed.
    SolverError
        If the engine fails.
    """
    runners: dict[str, Callable[[Any, EngineOptions], EngineResult]] = {
        "highs": _highs,
        "cbc": _cbc,
        "scip": _scip,
        "gurobi": _licensed,
        "cplex": _licensed,
    }
    if options.engine not in runners:
        raise UsageError(f"unknown solver {options.engine!r}; one of {', '.join(ENGINES)}")
    return runners[options.engine](problem, options)


def _values(problem: Any) -> dict[str, float]:
    return {v.name: float(v.value() or 0.0) for v in problem.variables()}


@contextlib.contextmanager
def _silent_stdout() -> Iterator[None]:
    """Keep HiGHS' banner, which its constructor writes before any option, off standard output."""
    sys.stdout.flush()
    saved = os.dup(1)
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(sink, 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(sink)
        os.close(saved)


def _quiet_highs(**options: Any) -> Any:
    """Return PuLP's HiGHS, made to construct its engine in silence."""
    import highspy
    import pulp

    class QuietHighs(pulp.HiGHS):  # type: ignore[misc]
        def createAndConfigureSolver(self, lp: Any) -> None:  # noqa: N802
            with _silent_stdout():
                # HiGHS keeps one scheduler a process; another number of threads needs a new one.
                highspy.Highs.resetGlobalScheduler(True)
                super().createAndConfigureSolver(lp)

        def findSolutionValues(self, lp: Any) -> tuple[int, int]:  # noqa: N802
            try:
                found: tuple[int, int] = super().findSolutionValues(lp)
            except KeyError:
                # PuLP has read the values by then, but knows no status of a limit on nodes.
                return pulp.LpStatusNotSolved, pulp.LpSolutionNoSolutionFound
            return found

    return QuietHighs(msg=False, **options)


def _highs(problem: Any, options: EngineOptions) -> EngineResult:
    import highspy

    solver = _quiet_highs(
        gapRel=options.rel_gap,
        gapAbs=options.abs_gap,
        timeLimit=options.time_limit_s,
        threads=options.threads,
        random_seed=options.seed,
        **({} if options.max_nodes is None else {"mip_max_nodes": options.max_nodes}),
    )
    problem.solve(solver)
    engine = problem.solverModel
    info = engine.getInfo()
    model_status = engine.getModelStatus()
    kinds = highspy.HighsModelStatus
    has_solution = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    bound = info.mip_dual_bound if math.isfinite(info.mip_dual_bound) else None
    if model_status == kinds.kOptimal:
        status: Status = "optimal"
    elif model_status in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible):
        status = "infeasible"
    elif model_status in (
        kinds.kTimeLimit,
        kinds.kInterrupt,
        kinds.kIterationLimit,
        kinds.kSolutionLimit,
    ):
        status = "feasible" if has_solution else "stopped"
    else:
        raise SolverError(f"HiGHS ended with {model_status.name}")
    found = status in ("optimal", "feasible")
    return EngineResult(
        status=status,
        objective=info.objective_function_value if found else None,
        bound=bound if problem.isMIP() or not found else info.objective_function_value,
        values=_values(problem) if found else {},
        engine="HiGHS",
        version=engine.version(),
    )


def _from_pulp(problem: Any, name: str, version: str) -> EngineResult:
    """Read PuLP's `sol_status`; a bound is claimed only with a proof."""
    import pulp

    optimal = problem.sol_status == pulp.LpSolutionOptimal
    feasible = problem.sol_status == pulp.LpSolutionIntegerFeasible
    if optimal or feasible:
        value = float(pulp.value(problem.objective) or 0.0)
        return EngineResult(
            status="optimal" if optimal else "feasible",
            objective=value,
            bound=value if optimal else None,
            values=_values(problem),
            engine=name,
            version=version,
        )
    infeasible = pulp.LpStatusInfeasible in (problem.status, problem.sol_status)
    return EngineResult(
        status="infeasible" if infeasible else "stopped",
        objective=None,
        bound=None,
        values={},
        engine=name,
        version=version,
    )


def _cbc(problem: Any, options: EngineOptions) -> EngineResult:
    import warnings

    import pulp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = pulp.PULP_CBC_CMD(
            msg=False,
            gapRel=options.rel_gap,
            gapAbs=options.abs_gap,
            timeLimit=options.time_limit_s,
            threads=options.threads,
            options=[f"randomSeed {options.seed + 1}"],
        )
        problem.solve(solver)
    return _from_pulp(problem, "CBC", pulp.__version__)


def _licensed(problem: Any, options: EngineOptions) -> EngineResult:
    import pulp

    name = {"gurobi": "GUROBI", "cplex": "CPLEX_PY"}[options.engine]
    solver = pulp.getSolver(name, msg=False, timeLimit=options.time_limit_s)
    if not solver.available():
        raise UsageError(f"{options.engine} is not installed here or has no licence; use highs")
    problem.solve(solver)
    return _from_pulp(problem, options.engine.capitalize(), "")


def _scip(problem: Any, options: EngineOptions) -> EngineResult:
    import ortools
    from ortools.linear_solver.python import model_builder

    with tempfile.TemporaryDirectory(prefix="planner-") as folder:
        path = Path(folder) / "model.mps"
        problem.writeMPS(str(path))
        model = model_builder.Model()
        if not model.import_from_mps_file(str(path)):
            raise SolverError("SCIP could not read the model's MPS file")
    solver = model_builder.Solver("SCIP")
    if options.time_limit_s is not None:
        solver.set_time_limit_in_seconds(options.time_limit_s)
    solver.set_solver_specific_parameters(
        f"limits/gap = {options.rel_gap}\nlimits/absgap = {options.abs_gap}\n"
        f"randomization/randomseedshift = {options.seed}\n"
    )
    outcome = solver.solve(model)
    found = outcome in (model_builder.SolveStatus.OPTIMAL, model_builder.SolveStatus.FEASIBLE)
    statuses: dict[Any, Status] = {
        model_builder.SolveStatus.OPTIMAL: "optimal",
        model_builder.SolveStatus.FEASIBLE: "feasible",
        model_builder.SolveStatus.INFEASIBLE: "infeasible",
    }
    values = {}
    if found:
        columns = range(model.num_variables)
        variables = [model.var_from_index(k) for k in columns]
        values = {v.name: float(solver.value(v)) for v in variables}
    return EngineResult(
        status=statuses.get(outcome, "stopped"),
        objective=float(solver.objective_value) if found else None,
        bound=float(solver.best_objective_bound) if found else None,
        values=values,
        engine="SCIP",
        version=f"OR-Tools {ortools.__version__}",
    )
