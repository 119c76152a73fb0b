"""Stable text keys: readable, the same for the same run, distinct across appended runs."""

from __future__ import annotations

from planner.domain.solution import Solution


def run_key(solution: Solution) -> str:
    """Return the key of a run: its id, which hashes instance, catalogue, version and options."""
    return solution.run.run_id


def within_run(solution: Solution, name: str) -> str:
    """Return the key of something that exists in one run only, such as a rack or a workload."""
    return f"{run_key(solution)}/{name}"


def cost_key(component: str, category: str) -> str:
    """Return the key of a cost category."""
    return f"{component}/{category}"
