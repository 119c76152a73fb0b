"""What is asked beside the decision: sensitivity, frontier, combinations; added to the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from planner.domain.errors import UsageError
from planner.domain.instance import Instance
from planner.domain.solution import Solution
from planner.program.market import Market
from planner.program.scan import Found, ScanResult
from planner.study.combinations import WORK, Combining, combinations
from planner.study.combinations import Depth as CombinationDepth
from planner.study.frontier import FrontierOptions, frontier
from planner.study.sensitivity import sensitivity

MOST_LINKS = 4000
"""Largest fabric whose sensitivity and combinations are solved along with the decision."""


Depth = Literal["none", "prices", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Studies that go with a decision."""

    sensitivity: Depth = "none"
    """`prices`: prices, electricity and a slower model; `full`: a faster model too. Left out where
    the design is not proved, or its fabric has more than MOST_LINKS links."""
    frontier: FrontierOptions | None = None
    combinations: CombinationDepth = "none"
    """`bounded`: those nearest to the decision solved, the others bounded, all bounded where the
    fabric has more than MOST_LINKS links; `full`: every one solved."""


def with_studies(
    market: Market,
    result: ScanResult,
    solution: Solution,
    asked: Asked,
    *,
    deadline_s: float | None,
    say: Callable[[str], None],
) -> Solution:
    """Return the answer with the studies that were asked for."""
    added: dict[str, Any] = {}
    best = result.best
    if asked.sensitivity != "none" and best is not None and result.proved and _small(best):
        faster = asked.sensitivity == "full"
        added["sensitivity"] = sensitivity(
            market, best, deadline_s=deadline_s, say=say, faster=faster
        )
    if asked.frontier is not None:
        added["frontier"] = frontier(
            market, asked.frontier, chosen=best, deadline_s=deadline_s, say=say
        )
    if asked.combinations != "none" and best is not None:
        combining = Combining(
            market=market,
            best=best,
            bound_cents=_least(result, best),
            alternatives=solution.alternatives,
            work=None if asked.combinations == "full" else WORK if _small(best) else 0,
            deadline_s=deadline_s,
            say=say,
        )
        added["combinations"] = combinations(combining)
    return solution.model_copy(update=added) if added else solution


def check_asked(instance: Instance, file: object, asked: Asked) -> None:
    """Refuse a frontier of several pools or rented servers.

    Raises
    ------
    UsageError
        If the instance is not one pool.
    """
    if instance.growth is not None and asked.frontier is not None:
        raise UsageError(f"{file}: a frontier looks at one phase; leave out growth")
    if instance.split and asked.frontier is not None:
        raise UsageError(f"{file}: a frontier takes one pool; leave out pools and cloud")


def _least(result: ScanResult, best: Found) -> int:
    return best.placed.cost_cents if result.bound_cents is None else result.bound_cents


def _small(best: Found) -> bool:
    plan = best.column.plan
    return plan.node_leaf_links + plan.leaf_spine_links <= MOST_LINKS
