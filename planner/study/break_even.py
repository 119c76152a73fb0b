"""Where a decision flips along one figure: both ends solved with proof.

Every design costs a line in a price factor (`models/formulation/costs.md`: a price enters
purchase, support, spares and freight in proportion), so the least cost over all designs is concave
in it, and the decision is the best between any two values at which it is. The crossing of the
decision's line with the better design's is asked on both sides; where another design is better
there too, its line is taken, and so on (parametric search of Eisner and Severance, 1976). Cents
are rounded once a unit, and placements change with the price of electricity, so the crossing is
never trusted: only solves are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planner.domain.sensitivity import Flip
from planner.domain.units import CENTS_PER_USD
from planner.program.scan import PlacedCost, describe
from planner.study.repriced import Probe, cost_of

TOLERANCE = 1e-4
"""Of the searched range: how near to each other both ends of a flip are."""
ROUNDS = 40
Ask = Callable[[float], Probe]
Meet = Callable[[Probe, Probe], float | None]
Ends = tuple[Probe, Probe] | None
"""The last probe that holds and the first that does not."""


def break_even(ask: Ask, base: Probe, far: Probe, meet: Meet | None = None) -> Ends:
    """Return the last probe that holds and the first that does not; None where `far` holds.

    Parameters
    ----------
    ask
        Solves at one value.
    base
        Where the decision is the best.
    far
        The end of the range on one side.
    meet
        Guesses the value from both ends; where lines cross if absent.
    """
    if far.holds:
        return None
    meet = meet or crossing
    inside, outside = base, far
    step = abs(far.at - base.at) * TOLERANCE
    for number in range(ROUNDS):
        width = abs(outside.at - inside.at)
        if width <= 2.1 * step:
            break
        met = meet(inside, outside) if number % 3 < 2 else None
        middle = (inside.at + outside.at) / 2 if met is None else met
        toward = step if outside.at > inside.at else -step
        for value in (middle + toward, middle - toward) if met is not None else (middle,):
            if not min(inside.at, outside.at) < value < max(inside.at, outside.at):
                continue
            found = ask(value)
            if found.holds:
                inside = found
            else:
                outside = found
    return inside, outside


def until_broken(
    ask: Ask, base: Probe, far: float, cost: Callable[[float], PlacedCost | None]
) -> Ends:
    """Return the probes around the value at which the decision breaks a limit of its own.

    For figures that only take designs away as they rise: nothing becomes better before that, so
    that below it the decision need not be solved against others.

    Parameters
    ----------
    ask
        Solves at one value.
    base
        Where the decision is the best.
    far
        The end of the range.
    cost
        What the decision costs at a value; None where it breaks a limit.
    """
    held, broken = base.at, far
    if cost(far) is not None:
        return None
    tick = (far - base.at) * TOLERANCE
    met = step_crossing(base, replace(base, at=far))
    for value in () if met is None else (met - tick, met + tick):
        if held < value < broken:
            held, broken = (held, value) if cost(value) is None else (value, broken)
    while broken - held > 2.1 * tick:
        middle = (held + broken) / 2
        held, broken = (held, middle) if cost(middle) is None else (middle, broken)
    return replace(base, at=held), ask(broken)


def crossing(inside: Probe, outside: Probe) -> float | None:
    """Return where the line of the better design at one end meets the decision's."""
    best = outside.result.best
    if best is None or outside.decision_cents is None or inside.decision_cents is None:
        return None
    near = cost_of(inside.market, best.column)
    if near is None:
        return None
    ahead = near.cost_cents - inside.decision_cents
    behind = outside.decision_cents - best.placed.cost_cents
    if ahead + behind <= 0:
        return None
    return inside.at + (outside.at - inside.at) * ahead / (ahead + behind)


def step_crossing(inside: Probe, outside: Probe) -> float | None:
    """Return the factor of step times at which a design stops meeting its limits.

    Slower than now it is the decision that fails; faster than now, the design that is better at
    the far end holds only up to that factor.
    """
    where = inside if outside.at > inside.at else outside
    best = where.result.best
    if best is None or where.market.oracle.goodputs.count(None) < len(best.steps.steps):
        return None
    oracle = where.market.oracle
    pairs = zip(oracle.limits, best.steps.steps, strict=True)
    room = [limit / step.wall_s for limit, step in pairs]
    room.append(oracle.hours.room([step.wall_s for step in best.steps.steps]))
    return float(where.at * min(room))


def flip_of(ends: tuple[Probe, Probe]) -> Flip:
    """Return the flip between two probes."""
    inside, outside = ends
    best = outside.result.best
    return Flip(
        at=inside.at,
        beyond=outside.at,
        proved=inside.proved and outside.proved,
        summary="" if best is None else describe(best.column),
        server="" if best is None else best.column.option.server.id,
        nodes=None if best is None else best.column.nodes,
        objective_usd=_usd(outside.best_cents),
        decision_usd=_usd(outside.decision_cents),
    )


def _usd(amount: int | None) -> float | None:
    return None if amount is None else amount / CENTS_PER_USD
