"""The present value: its sums, and every component counted again from the bill of materials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from planner.domain.solution import BomLine, Cost, CostLine
from planner.domain.units import cents
from planner.verify.bill import STORAGE
from planner.verify.money import Money, Span, UnitValue
from planner.verify.owned import is_rewiring
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

LINES = ("capex_usd", "energy_usd", "support_usd", "other_usd")
ZERO = Span(0, 0)


def check_costs(record: Record) -> Iterator[Violation]:
    """Yield sums that do not add up and components that the bill contradicts."""
    cost = record.solution.cost
    if cost is None:
        return
    yield from _sums(cost)
    years = record.solution.instance.finance.years
    if cost.years != years:
        yield violation(
            "cost-years", "$.cost.years", years, cost.years, "the finance years of the instance"
        )
    yield from _components(record, cost)


def _sums(cost: Cost) -> Iterator[Violation]:
    names = [line.component for line in cost.components]
    if len(set(names)) != len(names):
        yield violation(
            "cost-components", "$.cost.components", "each component once", ", ".join(names),
            "a component stands twice",
        )  # fmt: skip
    for line in cost.components:
        total = sum(cents(getattr(line, name)) for name in LINES)
        if cents(line.total_usd) != total:
            yield violation(
                "cost-line-total", f"$.cost.components ({line.component})", total / 100,
                line.total_usd, "the parts of the component do not add up",
            )  # fmt: skip
    for name in (*LINES, "total_usd"):
        total = sum(cents(getattr(line, name)) for line in cost.components)
        if cents(getattr(cost, name)) != total:
            yield violation(
                "cost-sum", f"$.cost.{name}", total / 100, getattr(cost, name),
                "is not the sum over the components",
            )  # fmt: skip
    total = sum(cents(getattr(cost, name)) for name in LINES)
    if cents(cost.total_usd) != total:
        yield violation(
            "cost-total", "$.cost.total_usd", total / 100, cost.total_usd,
            "purchase, energy, support and the rest do not add up",
        )  # fmt: skip


def _components(record: Record, cost: Cost) -> Iterator[Violation]:
    money = Money(instance=record.solution.instance, catalog=record.catalog)
    bill: dict[str, list[BomLine]] = defaultdict(list)
    for bought in record.solution.bill_of_materials:
        bill[bought.component].append(bought)
    stated = {line.component: line for line in cost.components}
    wanted = {STORAGE} if record.solution.instance.storage is not None else set()
    for component in sorted(set(bill) | set(stated) | wanted):
        line = stated.get(component)
        counted = _value(money, component, bill[component])
        if line is None and all(span == ZERO for span in counted.values()):
            continue
        if line is None:
            yield violation(
                "cost-components", "$.cost.components", component, "missing",
                "something of this component is bought",
            )  # fmt: skip
            continue
        yield from _against_bill(component, line, counted)


def _value(money: Money, component: str, lines: list[BomLine]) -> dict[str, Span]:
    found = dict.fromkeys(LINES, ZERO)
    if component == STORAGE:
        value = money.storage
        return {name: getattr(value, name.removesuffix("_usd")) for name in LINES}
    for line in lines:
        if is_rewiring(line):
            price = cents(line.unit_price_usd)
            found["capex_usd"] = found["capex_usd"].plus(Span(price, price), line.quantity)
            continue
        usd = money.unit_usd(line.part, component)
        if usd is None:
            usd = line.unit_price_usd
        unit: UnitValue = money.value(line.part, component, usd, owned=line.owned)
        for name in LINES:
            span: Span = getattr(unit, name.removesuffix("_usd"))
            found[name] = found[name].plus(span, line.quantity)
    return found


def _against_bill(component: str, line: CostLine, counted: dict[str, Span]) -> Iterator[Violation]:
    for name, span in counted.items():
        if not span.holds(getattr(line, name)):
            check = "cost-" + name.removesuffix("_usd")
            yield violation(
                check, f"$.cost.components ({component}).{name}", span, getattr(line, name),
                "is not what the bill of materials gives",
            )  # fmt: skip
