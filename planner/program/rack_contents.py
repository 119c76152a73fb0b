"""Least cost of racks that hold all boxes together: a linear program over what one rack may hold.

`min sum_k n_k cost_k` with `sum_k n_k content_k = totals` (or at most, for what is limited but need
not be there) and `sum_k n_k <= racks`. The bound is
taken from prices of boxes that no content undercuts (weak duality), so it holds whatever the
solver's accuracy. Contents are added as prices ask for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.domain.errors import SolverError
from planner.program.engines import EngineOptions, solve

FloatArray = NDArray[np.float64]
ROUNDS = 200
LARGEST = 1e4
"""Largest price of a box, in largest costs of a rack; without such bounds the first rounds have none."""
ACCURACY = 1e-6
"""Share of the largest cost by which prices may overshoot before another content is added."""


def contents_bound(
    contents: FloatArray, costs: FloatArray, totals: FloatArray, racks: int, limits: int = 0
) -> float:
    """Return a lower bound on the cost of racks whose contents add up to the totals.

    Parameters
    ----------
    contents
        Boxes by kind in one rack, shape (contents, kinds).
    costs
        Cost of a rack with each content, shape (contents,); below 0 where it saves.
    totals
        Boxes of each kind, shape (kinds,).
    racks
        Racks that there are.
    limits
        How many of the last kinds need not be there: their total is the most there may be.
    """
    scale = max(1.0, float(np.abs(costs).max()))
    rows = costs / scale
    chosen = _start(contents, rows)
    for _ in range(ROUNDS):
        prices, fee = _prices(contents[chosen], rows[chosen], totals, racks, limits)
        slack = rows + fee - contents @ prices
        worst = int(slack.argmin())
        if slack[worst] >= -ACCURACY or worst in chosen:
            break
        chosen.append(worst)
    fee += max(0.0, -float(slack.min()))
    return (float(prices @ totals) - racks * fee) * scale


def _start(contents: FloatArray, costs: FloatArray) -> list[int]:
    """Return the contents to begin with: for each kind the one with most of it, the least, nothing."""
    most = {int(np.lexsort((costs, -contents[:, kind]))[0]) for kind in range(contents.shape[1])}
    return sorted(most | {int(costs.argmin()), int(contents.sum(axis=1).argmin())})


def _prices(
    contents: FloatArray, costs: FloatArray, totals: FloatArray, racks: int, limits: int
) -> tuple[FloatArray, float]:
    """Return the price of a box of each kind and the fee of a rack that bound best."""
    import pulp

    problem = pulp.LpProblem("rack_contents", pulp.LpMaximize)
    most = [LARGEST] * (len(totals) - limits) + [0.0] * limits
    prices = [problem.add_variable(f"price_{k}", -LARGEST, up) for k, up in enumerate(most)]
    fee = problem.add_variable("fee", 0, LARGEST)
    problem += pulp.lpSum(t * p for t, p in zip(totals, prices, strict=True)) - racks * fee
    for k, (content, cost) in enumerate(zip(contents, costs, strict=True)):
        held = pulp.lpSum(float(n) * p for n, p in zip(content, prices, strict=True) if n)
        problem += (held - fee <= float(cost), f"placement_contents_{k}")
    result = solve(problem, EngineOptions())
    if result.status != "optimal":
        raise SolverError("the racks needed at least could not be bounded")
    found = np.minimum([result.values.get(p.name, 0.0) for p in prices], most)
    return found, max(0.0, result.values.get(fee.name, 0.0))
