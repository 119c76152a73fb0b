"""In short, why `solve` found nothing: how far the fastest and the cheapest design miss."""

from __future__ import annotations

import time
from collections.abc import Iterator

from planner.domain.explanation import LimitAnswer
from planner.program.market import Market
from planner.program.scan import ScanResult
from planner.study.feasibility import Feasibility
from planner.study.limit import Limit
from planner.study.limits_of_instance import limits_of
from planner.study.relaxation import relaxed
from planner.study.why_not import looked_at, why_not

MOST_REASONS = 3
MOST_SECONDS = 20.0
"""For the least budget and the least targets; `planner explain` takes the time it needs."""
POINTER = (
    "planner explain says which limits contradict each other, "
    "and the least that would let a design through."
)
_LOOKED_FOR = ("budget.capex_usd", ".step_time_s", ".deadline_days")


def shortfall(market: Market, result: ScanResult, *, deadline_s: float | None) -> list[str]:
    """Return sentences: what came closest, the least budget and targets alone, where to read on."""
    lines = [looked_at(result), *why_not(market, result)[:MOST_REASONS]]
    until = time.monotonic() + MOST_SECONDS
    feasibility = Feasibility(
        market.instance,
        market.file,
        market.calibration,
        until if deadline_s is None else min(until, deadline_s),
    )
    answers = [
        (limit, relaxed(feasibility, market.instance, limit))
        for limit in limits_of(market)
        if limit.key.endswith(_LOOKED_FOR) and not feasibility.out_of_time()
    ]
    enough = [line for limit, answer in answers for line in _alone(limit, answer)]
    if not enough:
        enough = [
            f"Without the limit of {limit.words(None)} there is still no design."
            for limit, answer in answers
            if answer.alone == "not_enough"
        ]
    return [*lines, *enough, POINTER]


def _alone(limit: Limit, answer: LimitAnswer) -> Iterator[str]:
    if answer.needed is not None and answer.value and answer.design is not None:
        off = abs(answer.needed / answer.value - 1) * 100
        yield (
            f"With {limit.words(answer.needed)} ({off:.1f} % off) there is one: "
            f"{answer.design.summary}; {answer.design.capex_usd:,.0f} USD to buy, "
            f"{answer.design.total_usd:,.0f} USD in all."
        )
