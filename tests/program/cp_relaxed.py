"""The relaxation of the placement program, solved by HiGHS: a bound where no search ends."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from typing import Any

from tests.program.cp_placement import NONE, open_program
from tests.program.cp_prices import media_of

Row = tuple[list[int], list[float], float, float]
"""Variables, their coefficients, least and most."""
FAR = 2**60
"""Beyond it a bound of CP-SAT means none."""
SLACK_CENTS = 1.0
"""By which HiGHS may take a bound too high."""


def relaxed(problem: Any) -> int:
    """Return a bound on every placement, cents: the least of all media, NONE if none can be built."""
    bounds = (_solved(open_program(problem, pair).cp.proto) for pair in media_of(problem))
    return min(bounds, default=NONE)


def _solved(model: Any) -> int:
    import highspy
    import numpy as np

    domains = [list(variable.domain) for variable in model.variables]
    rows = list(_rows(model))
    cost = np.zeros(len(domains))
    for variable, cents in zip(model.objective.vars, model.objective.coeffs, strict=True):
        cost[variable] += cents
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_, lp.offset_ = len(domains), len(rows), model.objective.offset
    lp.col_cost_ = cost
    lp.col_lower_ = np.array([domain[0] for domain in domains], dtype=float)
    lp.col_upper_ = np.array([domain[-1] for domain in domains], dtype=float)
    lp.row_lower_ = np.array([row[2] for row in rows])
    lp.row_upper_ = np.array([row[3] for row in rows])
    matrix = lp.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = lp.num_col_, lp.num_row_
    matrix.start_ = np.cumsum([0, *(len(row[0]) for row in rows)]).astype(np.int32)
    matrix.index_ = np.array([v for row in rows for v in row[0]], dtype=np.int32)
    matrix.value_ = np.array([c for row in rows for c in row[1]])
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("solver", "ipm")
    solver.passModel(lp)
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return NONE
    assert status == highspy.HighsModelStatus.kOptimal
    return floor(solver.getInfo().objective_function_value - SLACK_CENTS)


def _rows(model: Any) -> Iterator[Row]:
    """Yield the constraints as rows of a linear program; what has no such row is left out."""
    none = float("inf")
    for constraint in model.constraints:
        if constraint.has_linear():
            said = constraint.linear
            domain = list(said.domain)
            least = float(domain[0]) if domain[0] > -FAR else -none
            most = float(domain[-1]) if domain[-1] < FAR else none
            yield list(said.vars), [float(c) for c in said.coeffs], least, most
        elif constraint.has_at_most_one():
            literals = list(constraint.at_most_one.literals)
            yield literals, [1.0] * len(literals), -none, 1.0
