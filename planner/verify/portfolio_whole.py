"""The whole of several pools and rent: its sums, order list, scan and proof, from the parts."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.catalog import Catalog
from planner.domain.portfolio_part import PortfolioPart
from planner.domain.solution import Solution
from planner.domain.units import cents
from planner.verify.arithmetic import check_bound, check_scan
from planner.verify.document import check_identity
from planner.verify.money import Money, Span
from planner.verify.violation import Violation, violation
from planner.verify.whole_money import (
    LINES,
    check_bill,
    check_components,
    check_storage,
    no_lines,
    storage_lines,
)

RESTRICTIONS = ("own_only", "rent_only")
"""Decisions that the instance allows too, so that none is cheaper than its optimum."""


def check_whole(solution: Solution, catalog: Catalog) -> Iterator[Violation]:
    """Yield figures of the whole that its pools, its rent and its order list contradict."""
    part = solution.portfolio
    if part is None:
        return
    yield from check_identity(solution)
    yield from check_bound(solution)
    yield from check_scan(solution)
    yield from _components(solution, catalog, part)
    yield from check_bill(solution, solution.pools, "portfolio-bill", "a line of a pool's own bill")
    yield from _others(solution, part)
    for k, document in enumerate(solution.pools):
        yield from _narrowed(solution, document, f"$.pools[{k}].instance")


def _components(solution: Solution, catalog: Catalog, part: PortfolioPart) -> Iterator[Violation]:
    if solution.cost is None:
        return
    # Only own servers share a storage.
    asked = solution.instance if solution.pools else solution.instance.model_copy(
        update={"storage": None}
    )  # fmt: skip
    storage = storage_lines(Money(instance=asked, catalog=catalog))
    wanted = no_lines()
    for document in solution.pools:
        for line in document.cost.components if document.cost else ():
            for name in LINES:
                usd = cents(getattr(line, name))
                wanted[line.component, name] = wanted[line.component, name].plus(Span(usd, usd))
    for name in LINES:
        wanted["storage", name] = storage[name]
    rent = sum(cents(row.total_usd) + cents(row.egress_usd) for row in part.rents)
    rent += sum(cents(row.total_usd) for row in part.reservations)
    wanted["rent", "other_usd"] = Span(rent, rent)
    sentence = "is not the sum over pools, storage and rent"
    yield from check_components(solution, wanted, "portfolio-sums", sentence)
    yield from check_storage(storage, part.storage_usd, "portfolio-sums", "$.portfolio.storage_usd")


def _others(solution: Solution, part: PortfolioPart) -> Iterator[Violation]:
    """Yield other ways to decide that are cheaper than an optimum that allows them."""
    if solution.status != "optimal" or solution.objective_usd is None:
        return
    for k, other in enumerate(part.others):
        if other.name not in RESTRICTIONS or other.total_usd is None:
            continue
        if cents(other.total_usd) < cents(solution.objective_usd):
            yield violation(
                "portfolio-others", f"$.portfolio.others[{k}]", f"at least {solution.objective_usd}",
                other.total_usd, "a narrower decision is cheaper than the optimum",
            )  # fmt: skip


def _narrowed(solution: Solution, document: Solution, where: str) -> Iterator[Violation]:
    """Yield what the instance of a pool may not say otherwise than the whole."""
    if document.instance.pools != 1:
        yield violation(
            "portfolio-pool", f"{where}.pools", 1, document.instance.pools, "a pool is one pool"
        )
    whole, own = solution.instance, document.instance.fix.values()
    for key in ("oversubscription", "spine_oversubscription"):
        declared = whole.fix.values().get(key, getattr(whole.grid, key))
        strange = [r for r in own.get(key, ()) if r not in declared]
        if strange:
            yield violation(
                "portfolio-pool", f"{where}.fix.{key}", declared, strange,
                "a ratio that the declared grid does not have",
            )  # fmt: skip
