"""The least by which a limit must give, alone or together with the others of its conflict."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.domain.explanation import LimitAnswer, Together
from planner.domain.instance import Instance
from planner.study.conflict import without
from planner.study.feasibility import Feasibility, Verdict
from planner.study.limit import Limit, lifted

FIRST_SHARE = 0.05
"""By which a limit is loosened first; the next try takes four times that."""
GROWTH = 4.0
MOST_SHARE = 1e6
TICKS_OF_SHARE = 1000


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
        amount = verdict.used(limit.key)
        return None if amount is None else limit.ticks(amount)

    held = _tight(limit)
    need = used(free)
    first = need if need is not None and need != held else _first(limit, held, decide)
    if first is None:
        return None
    if decide(first).design is None:
        return None
    return least_ticks(held, first, decide, used)


def _tight(limit: Limit) -> int:
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


def together(
    feasibility: Feasibility, instance: Instance, conflicts: Sequence[Sequence[Limit]]
) -> Together | None:
    """Return the least share by which all limits of the conflicts must give way together.

    Of a conflict without any figure every choice is lifted. None where no share is enough, or
    time is up.
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

    def decide(ticks: int) -> Verdict:
        variant = base
        for limit in numbers:
            variant = limit.put(variant, limit.looser(ticks / TICKS_OF_SHARE))
        return feasibility(variant)

    share, first = FIRST_SHARE, None
    while share < MOST_SHARE and first is None and not feasibility.out_of_time():
        ticks = round(share * TICKS_OF_SHARE)
        first = ticks if decide(ticks).design is not None else None
        share *= 2.0 if share < 1 else GROWTH
    if first is None:
        return None
    least = least_ticks(0, first, decide, _never)
    share = least.ticks / TICKS_OF_SHARE
    design = least.verdict.design
    assert design is not None
    values = {limit.key: limit.looser(share) for limit in numbers}
    return Together(
        share=share,
        refused_share=least.refused / TICKS_OF_SHARE,
        proved=least.proved,
        values={key: value for key, value in values.items() if value is not None},
        words=[limit.words(limit.looser(share)) for limit in numbers],
        lifted=[limit.key for limit in gone],
        design=design,
    )
