"""Solve the exported program by other programs: they read the file, and know nothing of planner."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from planner.domain.instance import load_instance
from planner.domain.solution import Solution
from planner.program.engines import EngineOptions
from planner.study.decide import DecideOptions, decide
from planner.study.program_text import program_text, regions_text
from planner.study.regions import RegionsDecision, decide_regions

CONSTANT = re.compile(r"constant (-?[0-9.]+) USD is added")


def decided(name: str, engine: str = EngineOptions().engine) -> tuple[Solution, Path]:
    """Return the answer of a shipped instance without alternatives, and the instance's file."""
    instance, file = load_instance(name)
    options = DecideOptions(alternatives=False, engine=engine)
    return decide(instance, file, options, lambda _: None).solution, file


def exported(solution: Solution, file: Path, folder: Path, kind: str) -> tuple[Path, float]:
    """Return the exported program's file and the constant that its first comment adds."""
    return _saved(program_text(solution, file, kind), folder, kind)


def decided_regions(name: str) -> tuple[RegionsDecision, Path]:
    """Return the answer of a shipped instance with several sites, and the instance's file."""
    instance, file = load_instance(name)
    return decide_regions(instance, file), file


def exported_regions(
    decision: RegionsDecision, file: Path, folder: Path, kind: str
) -> tuple[Path, float]:
    """Return the same of an answer over several sites."""
    solutions = [site.solution for site in decision.sites]
    return _saved(regions_text(decision.answer, solutions, file, kind), folder, kind)


def _saved(text: str, folder: Path, kind: str) -> tuple[Path, float]:
    path = folder / f"selection.{kind}"
    path.write_text(text, encoding="utf-8")
    found = CONSTANT.search(text)
    assert found is not None
    return path, float(found[1])


def by_highs(path: Path) -> float:
    """Return the optimum that HiGHS finds in a file."""
    import highspy

    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    engine.setOptionValue("mip_rel_gap", 0.0)
    engine.setOptionValue("mip_abs_gap", 0.004)
    assert engine.readModel(str(path)) == highspy.HighsStatus.kOk
    engine.run()
    assert engine.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(engine.getInfo().objective_function_value)


def by_cbc(path: Path) -> float:
    """Return the optimum that the executable of CBC finds in a file."""
    import pulp

    program = pulp.PULP_CBC_CMD(msg=False).path
    words = [program, str(path), "ratio", "0", "allow", "0.004", "solve", "solution", "stdout"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = re.search(r"Optimal - objective value (-?[0-9.eE+]+)", done.stdout)
    assert found is not None, done.stdout[-2000:]
    return float(found[1])


def by_scip(path: Path) -> float:
    """Return the optimum that SCIP finds in an MPS file."""
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()
    assert model.import_from_mps_file(str(path))
    solver = model_builder.Solver("SCIP")
    solver.set_solver_specific_parameters("limits/gap = 0\nlimits/absgap = 0.004\n")
    assert solver.solve(model) == model_builder.SolveStatus.OPTIMAL
    return float(solver.objective_value)


SOLVERS = {"highs": by_highs, "cbc": by_cbc, "scip": by_scip}
