"""The least by which a limit must give alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from planner.domain.explanation import LimitAnswer
from planner.domain.instance import Instance
from planner.study.conflict import without
from planner.study.feasibility import Feasibility, Verdict
from planner.study.limit import Limit

FIRST_SHARE = 0.05
"""By which a limit is loosened first; the next try takes four times that."""
GROWTH = 4.0
MOST_SHARE = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Least:
    """Neighbours of a scale: with the one there is a design, with the other none."""

    ticks: int
    refused: int
    verdict: Verdict
    proved: bool


def least_ticks(
    held: int,
    first: int,
    decide: Callable[[int], Verdict],
    used: Callable[[Verdict], int | None],
) -> Least:
    """Return the least value of a scale that lets a design through, by halving.

    Parameters
    ----------
    held
        A value that lets none through.
    first
        A value that lets one through, looser than `held`.
    decide
        Solves at a value.
    used
        What a design uses of the limit, rounded to the looser side: it needs no more.
    """
    verdict, low, high, proved = decide(first), held, first, True
    while abs(high - low) > 1:
        need = used(verdict)
        if need is not None and min(low, high) < need < max(low, high):
            high = need  # this design still stands there
            middle = high - (1 if high > low else -1)
            used = _never
        else:
            middle = (low + high) // 2
        if middle == low:
            break
        tried = decide(middle)
        if tried.design is None:
            low, proved = middle, proved and tried.decided
        else:
            high, verdict = middle, tried
    return Least(ticks=high, refused=low, verdict=verdict, proved=proved)


def _never(_: Verdict) -> int | None:
    return None


def relaxed(feasibility: Feasibility, instance: Instance, limit: Limit) -> LimitAnswer:
    """Return whether a limit alone lets a design through, and the least by which it must give."""
    verdict, _ = without(feasibility, instance, [limit])
    blank = LimitAnswer(
        limit=limit.key,
        words=limit.words(None),
        value=limit.value,
        unit=limit.unit,
        alone="enough",
        largest_tried=limit.end,
    )
    if verdict.design is None:
        alone = "not_enough" if verdict.decided else "stopped"
        return blank.model_copy(update={"alone": alone, "proved": verdict.decided})
    if limit.value is None:
        return blank.model_copy(
            update={"design": verdict.design, "proved": True, "needed_words": ""}
        )
    least = _least(feasibility, instance, limit, verdict)
    if least is None:
        return blank.model_copy(update={"alone": "stopped"})
    needed = limit.at(least.ticks)
    return blank.model_copy(
        update={
            "needed": needed,
            "needed_words": limit.words(needed),
            "refused": limit.at(least.refused),
            "proved": least.proved,
            "design": least.verdict.design,
        }
    )


def _least(
    feasibility: Feasibility, instance: Instance, limit: Limit, free: Verdict
) -> Least | None:
    assert limit.value is not None

    def decide(ticks: int) -> Verdict:
        return feasibility(limit.put(instance, limit.at(ticks)))

    def used(verdict: Verdict) -> int | None:
        return needed_ticks(limit, verdict)

    held = tight_ticks(limit)
    need = used(free)
    first = need if need is not None and need != held else _first(limit, held, decide)
    if first is None:
        return None
    if decide(first).design is None:
        return None
    return least_ticks(held, first, decide, used)


def needed_ticks(limit: Limit, verdict: Verdict) -> int | None:
    """Return what a design uses of a limit on its scale, rounded to the looser side."""
    amount = verdict.used(limit.key)
    return None if amount is None else limit.ticks(amount)


def tight_ticks(limit: Limit) -> int:
    """Return the limit as it stands on the scale, rounded to the tighter side: it is refused."""
    assert limit.value is not None
    exact = limit.value / limit.quantum
    near = round(exact)
    if math.isclose(exact, near, rel_tol=1e-9):
        return near
    return math.floor(exact) if limit.raised else math.ceil(exact)


def _first(limit: Limit, held: int, decide: Callable[[int], Verdict]) -> int | None:
    """Return a value that lets a design through, trying ever looser ones; None if time is up."""
    share = FIRST_SHARE
    while share < MOST_SHARE * GROWTH:
        value = limit.looser(share)
        assert value is not None
        ticks = limit.ticks(value)
        if ticks != held and decide(ticks).design is not None:
            return ticks
        if value == limit.end:
            break
        share *= GROWTH if share >= 1 or not limit.costly else 2.0
    return None
