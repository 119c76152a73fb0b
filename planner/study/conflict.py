"""A minimal conflict of limits, by a deletion filter over the limits of the instance.

Limits are lifted one after the other, in halves where many can go at once; those without which a
design appears are put back. What stays is infeasible by itself, and each of its limits is needed
for that. Feasibility is monotone: a looser instance has every design of a tighter one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from planner.domain.explanation import Conflict, DesignFigures
from planner.domain.instance import Instance
from planner.study.feasibility import Feasibility, Verdict
from planner.study.limit import Limit, lifted

Reasons = Callable[[Sequence[Limit]], list[str]]
"""What stops the designs without some limits, in sentences."""
HALFWAY = (2.0, 1.25)
"""Values between that are tried of a limit whose looser values make designs dearer."""


def without(
    feasibility: Feasibility, instance: Instance, gone: Sequence[Limit]
) -> tuple[Verdict, Instance]:
    """Return whether an instance without some limits has a design, and the instance that was held.

    A limit whose looser values cost money may also give way by less, or not at all.
    """
    found: tuple[Verdict, Instance] | None = None
    decided = True
    for variant in _variants(instance, gone):
        verdict = feasibility(variant)
        if verdict.design is not None:
            return verdict, variant
        decided = decided and verdict.decided
        found = found or (verdict, variant)
    assert found is not None
    verdict, variant = found
    if not decided:
        verdict = Verdict(design=None, decided=False, proved=False, scan=verdict.scan)
    return verdict, variant


def _variants(instance: Instance, gone: Sequence[Limit]) -> Iterator[Instance]:
    plain = lifted(instance, [limit for limit in gone if not limit.costly])
    costly = [limit for limit in gone if limit.costly]
    yield lifted(plain, costly)
    if not costly or instance.budget.capex_usd is None:
        return
    if any(limit.key == "budget.capex_usd" for limit in gone):
        return
    for factor in HALFWAY:
        variant = plain
        for limit in costly:
            if limit.value is not None:
                variant = limit.put(variant, limit.value * factor)
        yield variant
    yield plain


def kept_of_conflict(
    feasibility: Feasibility, instance: Instance, limits: Sequence[Limit], gone: Sequence[Limit]
) -> list[Limit]:
    """Return the limits of a minimal conflict.

    Parameters
    ----------
    feasibility
        Decides variants.
    instance
        Infeasible even without `gone`.
    limits
        Those that may be lifted, in the order in which that is tried.
    gone
        Those that are lifted already.
    """
    dropped = list(gone)
    kept: list[Limit] = []
    stack = [list(limits)]
    while stack:
        group = stack.pop()
        if not group:
            continue
        verdict, _ = without(feasibility, instance, [*dropped, *group])
        if verdict.infeasible:
            dropped += group
        elif len(group) == 1:
            kept += group
        else:
            half = (len(group) + 1) // 2
            stack += [group[half:], group[:half]]
    return kept


def conflict_of(
    feasibility: Feasibility, instance: Instance, limits: Sequence[Limit], gone: Sequence[Limit]
) -> tuple[list[Limit], dict[str, DesignFigures], bool]:
    """Return a minimal conflict, the design that appears without each of its limits, and the proof.

    The proof fails only where time or work ended a search.
    """
    kept = kept_of_conflict(feasibility, instance, limits, gone)
    others = [*gone, *(limit for limit in limits if limit not in kept)]
    ways: dict[str, DesignFigures] = {}
    for limit in kept:
        verdict, _ = without(feasibility, instance, [*others, limit])
        if verdict.design is not None:
            ways[limit.key] = verdict.design
    held, _ = without(feasibility, instance, others)
    return kept, ways, len(ways) == len(kept) and held.infeasible


def conflicts_of(
    feasibility: Feasibility, instance: Instance, limits: Sequence[Limit], reasons_of: Reasons
) -> Iterator[tuple[list[Limit], Conflict]]:
    """Yield conflicts without a common limit, until what is left is feasible."""
    left, gone = list(limits), list[Limit]()
    while True:
        verdict, _ = without(feasibility, instance, gone)
        everything, _ = without(feasibility, instance, [*gone, *left])
        if not verdict.infeasible or everything.design is None:
            return
        kept, ways, minimal = conflict_of(feasibility, instance, left, gone)
        if not kept:
            return
        others = [*gone, *(limit for limit in left if limit not in kept)]
        conflict = Conflict(
            limits=[limit.key for limit in kept],
            reasons=reasons_of(others),
            minimal=minimal,
            ways_out=ways,
        )
        yield kept, conflict
        gone += kept
        left = [limit for limit in left if limit not in kept]
