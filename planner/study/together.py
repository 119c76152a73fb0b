"""All limits of the conflicts give way together: none by more than needed, and each as little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.domain.explanation import Together
from planner.domain.instance import Instance
from planner.study.feasibility import Feasibility, Verdict
from planner.study.limit import Limit, lifted
from planner.study.relaxation import (
    FIRST_SHARE,
    GROWTH,
    MOST_SHARE,
    Least,
    least_ticks,
    needed_ticks,
    tight_ticks,
)

TICKS_OF_SHARE = 1000
MONEY = "budget.capex_usd"


def together(
    feasibility: Feasibility, instance: Instance, conflicts: Sequence[Sequence[Limit]]
) -> Together | None:
    """Return the least by which all limits of the conflicts must give way together.

    The largest share by which one of them gives is the least possible; within it every limit is
    tightened again, money first, as far as the others at their values allow. Of a conflict without
    any figure every choice is lifted. None where no share is enough, or time is up.
    """
    numbers = [limit for kept in conflicts for limit in kept if limit.value is not None]
    gone = [
        limit
        for kept in conflicts
        if all(other.value is None for other in kept)
        for limit in kept
    ]  # fmt: skip
    if not numbers or len(numbers) + len(gone) < 2:
        return None
    base = lifted(instance, gone)
    least = _least_share(feasibility, base, numbers)
    if least is None:
        return None
    share = least.ticks / TICKS_OF_SHARE
    values = {limit.key: value for limit in numbers if (value := limit.looser(share)) is not None}
    verdict, proved = least.verdict, least.proved
    for limit in sorted(numbers, key=lambda one: one.key != MONEY):
        verdict, sure = _tightened(feasibility, base, numbers, limit, values, verdict)
        proved = proved and sure
    assert verdict.design is not None
    return Together(
        share=share,
        refused_share=least.refused / TICKS_OF_SHARE,
        proved=proved,
        values={limit.key: values[limit.key] for limit in numbers},
        words=[limit.words(values[limit.key]) for limit in numbers],
        lifted=[limit.key for limit in gone],
        design=verdict.design,
    )


def _put(base: Instance, numbers: Sequence[Limit], values: Mapping[str, float]) -> Instance:
    for limit in numbers:
        base = limit.put(base, values[limit.key])
    return base


def _least_share(
    feasibility: Feasibility, base: Instance, numbers: Sequence[Limit]
) -> Least | None:
    """Return the least share by which all may give way, None where none is enough or time is up."""

    def decide(ticks: int) -> Verdict:
        share = ticks / TICKS_OF_SHARE
        values = {limit.key: limit.looser(share) or 0.0 for limit in numbers}
        return feasibility(_put(base, numbers, values))

    share, first = FIRST_SHARE, None
    while share < MOST_SHARE and first is None and not feasibility.out_of_time():
        ticks = round(share * TICKS_OF_SHARE)
        first = ticks if decide(ticks).design is not None else None
        share *= 2.0 if share < 1 else GROWTH
    return None if first is None else least_ticks(0, first, decide, lambda _: None)


def _tightened(
    feasibility: Feasibility,
    base: Instance,
    numbers: Sequence[Limit],
    limit: Limit,
    values: dict[str, float],
    verdict: Verdict,
) -> tuple[Verdict, bool]:
    """Set a limit's value to the least that does with the others at theirs.

    Returns the design there, and whether it is proved that nothing tighter does.
    """

    def decide(ticks: int) -> Verdict:
        return feasibility(_put(base, numbers, values | {limit.key: limit.at(ticks)}))

    held, loose = tight_ticks(limit), limit.ticks(values[limit.key])
    if held == loose:
        return verdict, True
    as_it_stands = feasibility(_put(base, numbers, values | {limit.key: limit.value or 0.0}))
    if as_it_stands.design is not None:
        values[limit.key] = limit.value or 0.0
        return as_it_stands, True
    if decide(loose).design is None:  # where time is up
        return verdict, False
    found = least_ticks(held, loose, decide, lambda one: needed_ticks(limit, one))
    values[limit.key] = limit.at(found.ticks)
    return found.verdict, found.proved and as_it_stands.decided
