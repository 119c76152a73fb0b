"""What became of the columns of the declared grid, in words."""

from __future__ import annotations

import re

from planner.domain.solution import Solution
from planner.report.plain import plain
from planner.report.words import Words

_OF_WORKLOAD = re.compile(r"(step_time|memory)_w(\d+)")
_FREE = "free_network_"


def constraint_text(solution: Solution, code: str, w: Words) -> str:
    """Return a constraint or outcome in words; an unknown code shows itself."""
    if code.startswith(_FREE):
        rest = constraint_text(solution, code.removeprefix(_FREE), w)
        return w("outcome.free_network", what=rest)
    match = _OF_WORKLOAD.fullmatch(code)
    if match:
        workloads, number = solution.instance.workloads, int(match[2])
        name = workloads[number].name if number < len(workloads) else match[2]
        return w(f"outcome.{match[1]}", workload=plain(name))
    return w.label("outcome", plain(code))
