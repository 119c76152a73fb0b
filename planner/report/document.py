"""The solution file: the answer as JSON, the same bytes for the same answer."""

from __future__ import annotations

from planner.domain.seal import sealed
from planner.domain.solution import Solution


def solution_json(solution: Solution) -> str:
    """Return the solution, sealed, as the JSON document that `load_solution` reads."""
    return sealed(solution).model_dump_json(by_alias=True, indent=1) + "\n"
