"""What CP-SAT proves of a placement problem: pair of media by pair, and by cases where it must."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.program.cp_prices import media_of
from tests.program.cp_program import Program, Stood

NONE = 10**18
"""Cents that no placement costs."""
COUNTING = 60.0
"""Deterministic work for what stands already: only the links of each box are open."""


@dataclass(frozen=True)
class Interval:
    """What CP-SAT proved of one problem, cents."""

    bound: int
    cents: int | None
    """Cost of the best placement found, None where there is none."""

    @property
    def proved(self) -> bool:
        return self.bound == self.cents


def applies(problem: Any) -> bool:
    """Return whether every leaf meets every spine evenly and no rack is tied to a unit."""
    plan = problem.plan
    tied = plan.joint_links or plan.leafs_beside or problem.server.whole_rack
    return bool(problem.even and not plan.parted and not tied)


def by_cp_sat(
    problem: Any, work: float, start: int | None = None, *, digits: bool = False
) -> Interval:
    """Return bound and best cost over all media, each with so much deterministic work.

    Parameters
    ----------
    start
        Cost of a placement that is known: only cheaper ones are searched.
    digits
        Count spines by their digits even where they are few.
    """
    bound, best = NONE, start
    for pair in media_of(problem):
        found = _of_pair(problem, pair, work, best, digits=digits)
        best = best if found.cents is None else found.cents
        if found.bound < (NONE if best is None else best):
            found = _by_hub(problem, pair, work, best, digits=digits) or found
            best = best if found.cents is None else found.cents
        bound = min(bound, found.bound)
    return Interval(bound if best is None else min(bound, best), best)


def _of_pair(
    problem: Any,
    pair: tuple[Any, Any],
    work: float,
    best: int | None,
    case: Callable[[Program], None] = lambda _: None,
    *,
    digits: bool,
) -> Interval:
    """Return what is proved of one pair of media, of placements cheaper than the best known."""
    program = open_program(problem, pair, digits=digits)
    case(program)
    if best is not None:
        program.cp.add(program.total <= best - 1)
    return _solved(program, work)


def open_program(problem: Any, pair: tuple[Any, Any], *, digits: bool = False) -> Program:
    """Return the program of a pair of media, with what makes it easier in a plain room."""
    program = Program(problem, *pair, digits=digits)
    if problem.room.alike:
        program.compact()
        program.contents()
    return program


def _by_hub(
    problem: Any, pair: tuple[Any, Any], work: float, best: int | None, *, digits: bool
) -> Interval | None:
    """Return the same case by case: each rack holds all leafs and spines, or none does.

    With all of them in a rack that is known every link is a matter of one rack, and with none so
    the links inside racks save less; in between the relaxation mixes both. None where no rack
    holds them all, or a case does not end.
    """
    room = problem.room
    if not room.alike or not room.racks or not Program.holds_switches(problem):
        return None
    cases: list[Callable[[Program], None]] = [Program.without_hub]
    cases += [partial(Program.with_hub, rack=k) for k in range(room.racks)]
    found = None
    for case in cases:
        of_case = _of_pair(problem, pair, work, best, case, digits=digits)
        if not of_case.proved and of_case.bound < (NONE if best is None else best):
            return None
        if of_case.cents is not None:
            best = found = of_case.cents
    return Interval(NONE if found is None else found, found)


def count(problem: Any, stood: Stood) -> int | None:
    """Return the least cost over all media of boxes that stand already."""
    found = []
    for pair in media_of(problem):
        program = Program(problem, *pair, merged=False)
        program.stand(stood)
        found.append(_solved(program, COUNTING).cents)
    return min((one for one in found if one is not None), default=None)


def _solved(program: Program, work: float) -> Interval:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.max_deterministic_time = work
    status = solver.solve(program.cp)
    if status == cp_model.INFEASIBLE:
        return Interval(NONE, None)
    assert status != cp_model.MODEL_INVALID
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    cents = round(solver.objective_value) if found else None
    return Interval(round(solver.best_objective_bound), cents)
