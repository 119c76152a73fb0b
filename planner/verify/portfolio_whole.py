"""The whole of several pools and rent: its sums, order list, scan and proof, from the parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from planner.domain.catalog import Catalog
from planner.domain.portfolio_part import PortfolioPart
from planner.domain.solution import BomLine, Solution
from planner.domain.units import cents
from planner.verify.arithmetic import check_bound, check_scan
from planner.verify.document import check_identity
from planner.verify.money import Money, Span
from planner.verify.violation import Violation, violation

LINES = ("capex_usd", "energy_usd", "support_usd", "other_usd")
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
    yield from _bill(solution)
    yield from _others(solution, part)
    for k, document in enumerate(solution.pools):
        yield from _narrowed(solution, document, f"$.pools[{k}].instance")


def _storage(solution: Solution, catalog: Catalog) -> dict[str, Span]:
    """Return the present value of the storage that the pools share, by line."""
    if not solution.pools or solution.instance.storage is None:
        return dict.fromkeys(LINES, Span(0, 0))
    value = Money(instance=solution.instance, catalog=catalog).storage
    return {name: getattr(value, name.removesuffix("_usd")) for name in LINES}


def _components(solution: Solution, catalog: Catalog, part: PortfolioPart) -> Iterator[Violation]:
    cost = solution.cost
    if cost is None:
        return
    years = solution.instance.finance.years
    if cost.years != years:
        yield violation(
            "portfolio-sums", "$.cost.years", years, cost.years, "the instance's finance years"
        )
    storage = _storage(solution, catalog)
    wanted: defaultdict[tuple[str, str], Span] = defaultdict(lambda: Span(0, 0))
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
    stated = {(c.component, name): getattr(c, name) for c in cost.components for name in LINES}
    for component, name in sorted(set(wanted) | set(stated)):
        usd = stated.get((component, name), 0.0)
        if not wanted[component, name].holds(usd):
            yield violation(
                "portfolio-sums", f"$.cost.components ({component}).{name}",
                wanted[component, name], usd, "is not the sum over pools, storage and rent",
            )  # fmt: skip
    total = Span(sum(s.low for s in storage.values()), sum(s.high for s in storage.values()))
    if not total.holds(part.storage_usd):
        yield violation(
            "portfolio-sums", "$.portfolio.storage_usd", total, part.storage_usd,
            "present value of the storage",
        )  # fmt: skip
    sums = [(f"$.cost.{n}", sum(cents(getattr(c, n)) for c in cost.components), getattr(cost, n))
            for n in LINES]  # fmt: skip
    sums += [(f"$.cost.components ({c.component})", sum(cents(getattr(c, n)) for n in LINES),
              c.total_usd) for c in cost.components]  # fmt: skip
    for where, expected, usd in sums:
        if cents(usd) != expected:
            yield violation("portfolio-sums", where, expected / 100, usd, "the parts do not add up")


def _without_count(line: BomLine) -> BomLine:
    return line.model_copy(update={"quantity": 0, "total_usd": 0.0})


def _bill(solution: Solution) -> Iterator[Violation]:
    """Yield lines of the order list that no pool has, or that do not add up."""
    own = [line for document in solution.pools for line in document.bill_of_materials]
    known = [_without_count(line) for line in own]
    for i, line in enumerate(solution.bill_of_materials):
        if _without_count(line) not in known:
            yield violation(
                "portfolio-bill", f"$.bill_of_materials[{i}]", "a line of a pool's own bill",
                line.part, "price, range or source differ from the pool's",
            )  # fmt: skip
        if cents(line.total_usd) != line.quantity * cents(line.unit_price_usd):
            yield violation(
                "portfolio-bill", f"$.bill_of_materials[{i}].total_usd",
                line.quantity * line.unit_price_usd, line.total_usd, "quantity x unit price",
            )  # fmt: skip


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
