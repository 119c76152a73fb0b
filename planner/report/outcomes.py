"""What became of the columns of the declared grid, in words."""

from __future__ import annotations

import re

from planner.domain.solution import Solution
from planner.report.plain import plain
from planner.report.words import Words

_OF_WORKLOAD = re.compile(r"(step_time|memory)_w(\d+)")
_FABRICS = ("free_network", "ideal_network")


def constraint_text(solution: Solution, code: str, w: Words) -> str:
    """Return a constraint or outcome in words; an unknown code shows itself."""
    for fabric in _FABRICS:
        if code.startswith(f"{fabric}_"):
            rest = constraint_text(solution, code.removeprefix(f"{fabric}_"), w)
            return w(f"outcome.{fabric}", what=rest)
    match = _OF_WORKLOAD.fullmatch(code)
    if match:
        workloads, number = solution.instance.workloads, int(match[2])
        name = workloads[number].name if number < len(workloads) else match[2]
        return w(f"outcome.{match[1]}", workload=plain(name))
    return w.label("outcome", plain(code))
