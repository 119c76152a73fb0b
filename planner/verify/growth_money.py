"""The money of growth, recounted: prices by phase, values of holdings, running costs, budgets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from planner.domain.catalog import Catalog
from planner.domain.growth import Growth
from planner.domain.growth_part import GrowthPart, HoldingPart
from planner.domain.solution import Solution
from planner.domain.units import HOURS_PER_YEAR, cents
from planner.verify.bill import STORAGE
from planner.verify.money import (
    ELECTRICITY_DEFAULT,
    PUE_DEFAULT,
    SCALE_OUT_COMPONENTS,
    SPARES_RATES,
    SUPPORT_RATES,
    Money,
    Span,
    rounded,
)
from planner.verify.owned import REWIRING
from planner.verify.violation import Violation, violation
from planner.verify.whole_money import (
    LINES,
    check_bill,
    check_bound,
    check_components,
    check_storage,
    check_total,
    no_lines,
    storage_cents,
    storage_lines,
)

DECLINES = {"servers": "decline-servers"} | dict.fromkeys(SCALE_OUT_COMPONENTS, "decline-network")
NOW = "now"
Units = Counter[tuple[str, str]]
"""Units by (catalogue id, cost component)."""


def check_growth_money(
    solution: Solution, catalog: Catalog, part: GrowthPart, growth: Growth, years: list[float]
) -> Iterator[Violation]:
    """Yield prices, values, budgets and sums that the rules do not give.

    `years` are the starts of the phases and the end of the life.
    """
    yield from _prices(solution, catalog, part, growth, years)
    yield from _running(solution, catalog, part, years)
    yield from _spent(solution, part)
    yield from _money(solution, catalog, part, growth, years)


def phase_names(growth: Growth) -> list[str]:
    """Return the names of the phases."""
    return [NOW, *(phase.name for phase in growth.phases)]


def needs(document: Solution) -> Units:
    """Return the units that a phase needs, from its bill."""
    found: Units = Counter()
    for line in document.bill_of_materials:
        if line.kind != STORAGE:
            found[line.part, line.component] += line.quantity
    return found


def _decline(money: Money, growth: Growth, component: str) -> float:
    given = growth.price_decline_per_year
    key = DECLINES.get(component, "")
    stated = {"decline-servers": given.servers, "decline-network": given.network}.get(
        key, given.other
    )
    return money.rate(key) if stated is None else stated


def _paid(money: Money, start: float, end: float) -> float:
    """Return the present value of a dollar a year between two times."""
    rate = money.instance.finance.discount_rate

    def upto(years: float) -> float:
        whole = int(years)
        paid = [1.0 / (1.0 + rate) ** k for k in range(1, whole + 1)]
        return math.fsum([*paid, (years - whole) / (1.0 + rate) ** years])

    return upto(end) - upto(start)


def _worth(solution: Solution, growth: Growth, component: str, months: float) -> float:
    if component != "servers":
        return 0.0
    if growth.resale is None:
        return solution.instance.finance.resale_share
    known = [(0.0, 1.0), *sorted(growth.resale.share_by_month.items())]
    for (a, left), (b, right) in pairwise(known):
        if months <= b:
            return left + (right - left) * (months - a) / (b - a)
    return known[-1][1]


def _prices(
    solution: Solution, catalog: Catalog, part: GrowthPart, growth: Growth, years: list[float]
) -> Iterator[Violation]:
    """Yield prices, values and totals of holdings that the rules do not give."""
    money = Money(instance=solution.instance, catalog=catalog)
    place = {name: k for k, name in enumerate(phase_names(growth))}
    stated = {
        "decline_servers_per_year": _decline(money, growth, "servers"),
        "decline_network_per_year": _decline(money, growth, "switches"),
        "decline_other_per_year": _decline(money, growth, "racks"),
    }
    for name, share in stated.items():
        if getattr(part, name) != share:
            yield violation(
                "growth-price", f"$.growth.{name}", share, getattr(part, name),
                "the fall of prices is another",
            )  # fmt: skip
    for k, row in enumerate(part.holdings):
        usd = money.unit_usd(row.part, row.component)
        if usd is None or row.phase not in place:
            continue
        usd *= (1 - _decline(money, growth, row.component)) ** years[place[row.phase]]
        lines = holding_lines(solution, money, row, growth, years)
        value = Span(sum(s.low for s in lines.values()), sum(s.high for s in lines.values()))
        facts = (
            ("unit_price_usd", rounded(usd).holds(row.unit_price_usd), rounded(usd),
             row.unit_price_usd),
            ("unit_value_usd", value.holds(row.unit_value_usd), value, row.unit_value_usd),
            ("total_usd", cents(row.total_usd) == cents(row.unit_value_usd) * row.quantity,
             cents(row.unit_value_usd) * row.quantity / 100, row.total_usd),
        )  # fmt: skip
        for name, holds, expected, found in facts:
            if not holds:
                yield violation(
                    "growth-price", f"$.growth.holdings[{k}].{name}", expected, found,
                    f"{row.part} bought in phase {row.phase}",
                )  # fmt: skip


def holding_lines(
    solution: Solution, money: Money, row: HoldingPart, growth: Growth, years: list[float]
) -> dict[str, Span]:
    """Return the present value of owning one unit of a holding, by line of the costs."""
    place = {name: k for k, name in enumerate(phase_names(growth))}
    bought = years[place[row.phase]]
    given_up = years[place[row.until]] if row.until in place else years[-1]
    usd = money.unit_usd(row.part, row.component) or 0.0
    usd *= (1 - _decline(money, growth, row.component)) ** bought
    share = _worth(solution, growth, row.component, (given_up - bought) * 12)
    finance = money.instance.finance
    now, then = (1 + finance.discount_rate) ** -bought, (1 + finance.discount_rate) ** -given_up
    once = money.rate(SPARES_RATES.get(row.component, ""))
    once += (finance.installation_share or 0.0) + (finance.freight_share or 0.0)
    support = usd * money.rate(SUPPORT_RATES.get(row.component, ""))
    back, paid = rounded(usd * share * then), rounded(usd * once * now)
    return {
        "capex_usd": rounded(usd * now),
        "support_usd": rounded(support * _paid(money, bought, given_up)),
        "other_usd": Span(paid.low - back.high, paid.high - back.low),
    }


def running_lines(
    money: Money, name: str, component: str, start: float, end: float
) -> dict[str, Span]:
    """Return the present value of energy, software and space of one unit between two times."""
    finance, site = money.instance.finance, money.instance.site
    paid = _paid(money, start, end)
    kwh = site.electricity_usd_per_kwh
    kwh = money.rate(ELECTRICITY_DEFAULT) if kwh is None else kwh
    pue = money.rate(PUE_DEFAULT) if site.pue is None else site.pue
    server = money.catalog.servers.get(name) if component == "servers" else None
    gpus = server.gpus if server else 0
    space = (site.space_usd_per_kw_month or 0.0) * money.maximum(name) / 1000.0 * 12
    energy = money.average(name) / 1000.0 * HOURS_PER_YEAR * pue * kwh
    software = (finance.software_usd_per_gpu_year or 0.0) * gpus
    return {
        "energy_usd": rounded(energy * paid),
        "other_usd": rounded(software * paid).plus(rounded(space * paid)),
    }


def _running(
    solution: Solution, catalog: Catalog, part: GrowthPart, years: list[float]
) -> Iterator[Violation]:
    """Yield phases whose energy, software and space are not what their bills give."""
    for k, (row, document) in enumerate(zip(part.phases, solution.phases, strict=True)):
        money = Money(instance=solution.instance, catalog=catalog)
        total = Span(0, 0)
        for unit, count in needs(document).items():
            for span in running_lines(money, *unit, years[k], years[k + 1]).values():
                total = total.plus(span, count)
        if not total.holds(row.running_usd):
            yield violation(
                "growth-running", f"$.growth.phases[{k}].running_usd", total, row.running_usd,
                "energy, software and space while the phase lasts",
            )  # fmt: skip


def _spent(solution: Solution, part: GrowthPart) -> Iterator[Violation]:
    """Yield phases whose purchases are others than listed or break their budget."""
    growth, storage = solution.instance.growth or Growth(), solution.instance.storage
    budgets = [solution.instance.budget.capex_usd, *(phase.capex_usd for phase in growth.phases)]
    for k, row in enumerate(part.phases):
        spent = sum(
            cents(held.unit_price_usd) * held.quantity
            for held in part.holdings
            if held.phase == row.name
        )
        if k == 0 and storage is not None:
            spent += cents(storage.price_usd or 0.0)
        limit = budgets[k]
        if cents(row.capex_usd) != spent or row.budget_usd != limit:
            yield violation(
                "growth-spent", f"$.growth.phases[{k}].capex_usd", spent / 100, row.capex_usd,
                "what is bought in the phase, at its prices",
            )  # fmt: skip
        if limit is not None and spent > cents(limit) + 1:
            yield violation(
                "growth-budget", f"$.growth.phases[{k}].capex_usd", f"at most {limit:g}",
                spent / 100, "the phase buys more than its budget",
            )  # fmt: skip
    now = Counter({(row.part, row.component): 0 for row in part.holdings})
    for held in part.holdings:
        if held.phase == NOW:
            now[held.part, held.component] += held.quantity
    ordered = needs(solution)
    if +now != +ordered:
        yield violation(
            "growth-order", "$.bill_of_materials", sum(now.values()), sum(ordered.values()),
            "the order list is what is bought now",
        )  # fmt: skip
    sentence = "a line of a phase's own bill"
    yield from check_bill(solution, solution.phases, "growth-order", sentence)


def _components(
    solution: Solution, catalog: Catalog, part: GrowthPart, growth: Growth, years: list[float]
) -> Iterator[Violation]:
    """Yield components of the cost that holdings, running, moves and storage do not give."""
    money = Money(instance=solution.instance, catalog=catalog)
    storage, wanted = storage_lines(money), no_lines()
    for row in part.holdings:
        if row.phase in phase_names(growth):
            for name, span in holding_lines(solution, money, row, growth, years).items():
                key = row.component, name
                wanted[key] = wanted[key].plus(span, row.quantity)
    for k, document in enumerate(solution.phases):
        for (unit, component), count in needs(document).items():
            lines = running_lines(money, unit, component, years[k], years[k + 1])
            for name, span in lines.items():
                wanted[component, name] = wanted[component, name].plus(span, count)
    moved = sum(cents(row.moving_usd) for row in part.phases)
    wanted[REWIRING, "capex_usd"] = Span(moved, moved)
    for name in LINES:
        wanted["storage", name] = storage[name]
    sentence = "is not what holdings, running, moves and storage give"
    yield from check_components(solution, wanted, "growth-cost", sentence)
    yield from check_storage(storage, part.storage_usd, "growth-cost", "$.growth.storage_usd")


def _money(
    solution: Solution, catalog: Catalog, part: GrowthPart, growth: Growth, years: list[float]
) -> Iterator[Violation]:
    """Yield a violation unless holdings, running, moves and storage add up to the objective."""
    storage = storage_cents(Money(instance=solution.instance, catalog=catalog), part.storage_usd)
    total = storage + sum(cents(row.total_usd) for row in part.holdings)
    total += sum(cents(row.running_usd) + cents(row.moving_usd) for row in part.phases)
    sentence = "purchases, running, moves and storage add up to something else"
    yield from check_total(solution, total, "growth-cost", sentence)
    yield from _components(solution, catalog, part, growth, years)
    yield from check_bound(solution, "growth-cost")
    bound = solution.bound_usd
    for other in part.others:
        if other.total_usd is not None and bound is not None and other.total_usd < bound - 0.01:
            yield violation(
                "growth-cost", f"$.growth.others ({other.name})", f"at least {bound}",
                other.total_usd, "another decision costs less than the proven least",
            )  # fmt: skip
