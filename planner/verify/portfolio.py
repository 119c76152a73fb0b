"""Pools and rented servers together: who runs where, what is shared, what rent costs.

Each pool's document is checked by itself like any answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from planner.domain.catalog import Catalog
from planner.domain.cloud import CloudOffer, allowed_offers, shipped_offers
from planner.domain.errors import InputError
from planner.domain.portfolio_part import PoolPart, PortfolioPart, RentPart, ReservationPart
from planner.domain.site import Site
from planner.domain.solution import Solution
from planner.domain.units import HOURS_PER_YEAR, cents
from planner.domain.workload import Workload
from planner.verify.money import Money, rounded
from planner.verify.record import same
from planner.verify.rented_steps import check_rented_step
from planner.verify.violation import Violation, violation
from planner.verify.whole_money import check_bound, check_total, storage_cents
from planner.verify.workloads import LIMIT_SLACK_S, margin_of

YEARS = {"1y": 1, "3y": 3}
SMALL = 1e-6


def check_portfolio(solution: Solution, catalog: Catalog) -> Iterator[Violation]:
    """Yield contradictions between the pools, what is rented, and the whole."""
    part = solution.portfolio
    if part is None:
        return
    yield from _cover(solution, part)
    yield from _pools(solution, part)
    yield from _shared(solution, part)
    yield from _racks(solution, part)
    yield from _rents(solution, catalog, part)
    yield from _money(solution, catalog, part)


def _cover(solution: Solution, part: PortfolioPart) -> Iterator[Violation]:
    runs = Counter(w.name for document in solution.pools for w in document.workloads)
    runs.update(rent.workload for rent in part.rents)
    wanted = {w.name: 1 for w in solution.instance.workloads}
    if dict(runs) != wanted:
        yield violation(
            "portfolio-cover", "$.portfolio", ", ".join(wanted), dict(runs),
            "every workload runs in exactly one place",
        )  # fmt: skip
    pools: dict[str, set[int]] = {}
    for k, document in enumerate(solution.pools):
        for result in document.workloads:
            pools.setdefault(result.name, set()).add(k)
    pinned: dict[str, set[int]] = {}
    for workload in solution.instance.workloads:
        if workload.pool is not None:
            pinned.setdefault(workload.pool, set()).update(pools.get(workload.name, {-1}))
    places = [next(iter(p)) for p in pinned.values() if len(p) == 1]
    if len(places) != len(pinned) or len(set(places)) != len(places) or -1 in places:
        yield violation(
            "portfolio-cover", "$.portfolio.pools", "pinned workloads as the instance says",
            {name: sorted(p) for name, p in pinned.items()},
            "workloads of one pool stay together, those of two stay apart",
        )  # fmt: skip


def _pools(solution: Solution, part: PortfolioPart) -> Iterator[Violation]:
    asked = {w.name: w for w in solution.instance.workloads}
    if len(part.pools) != len(solution.pools) or len(solution.pools) > solution.instance.pools:
        yield violation(
            "portfolio-pool", "$.pools", f"at most {solution.instance.pools}",
            f"{len(solution.pools)}, {len(part.pools)} listed", "pools that are bought",
        )  # fmt: skip
        return
    for k, (row, document) in enumerate(zip(part.pools, solution.pools, strict=True)):
        where, cost = f"$.portfolio.pools[{k}]", document.cost
        demands = document.instance.workloads
        bare = [w.model_copy(update={"pool": None}) for w in demands if w.name in asked]
        same_jobs = bare == [asked[w.name].model_copy(update={"pool": None}) for w in bare]
        facts = (
            (same_jobs and len(bare) == len(demands), "the workloads as the instance has them"),
            (
                _rest(document) == _rest(solution)
                and document.instance.site == _site(solution, row),
                "site, budget, money and rules of the instance",
            ),
            (row.name == document.instance.name, document.instance.name),
            (row.workloads == [w.name for w in document.workloads], "its workloads"),
            (cost is not None and row.total_usd == cost.total_usd, "its present value"),
            (cost is not None and row.capex_usd == cost.capex_usd, "its purchase price"),
            (row.racks == len(document.racks), f"{len(document.racks)} racks"),
        )
        for holds, expected in facts:
            if not holds:
                yield violation(
                    "portfolio-pool", where, expected, row.name,
                    "the pool's document says otherwise",
                )  # fmt: skip


def _rest(solution: Solution) -> dict[str, object]:
    """Return what a pool's instance must have in common with the whole."""
    own = {"site", "colocation", "name", "fix", "pools", "cloud", "storage", "goodput", "workloads"}
    return solution.instance.model_dump(exclude=own)


def _site(solution: Solution, row: PoolPart) -> Site | None:
    """Return where a pool stands."""
    places = {"room": solution.instance.site, "colocation": solution.instance.colocation}
    return places.get(row.place)


def _shared(solution: Solution, part: PortfolioPart) -> Iterator[Violation]:
    instance = solution.instance
    budget, storage = instance.budget, instance.storage
    designs = [document.design for document in solution.pools if document.design is not None]
    kw = math.fsum(design.max_power_kw for design in designs)
    spent = math.fsum(d.cost.capex_usd for d in solution.pools if d.cost is not None)
    if designs and storage is not None:
        kw, spent = kw + storage.power_kw, spent + (storage.price_usd or 0.0)
    rows: list[tuple[str, float | None, float]] = [
        ("budget", budget.capex_usd, spent),
        ("power of the budget", budget.power_kw, kw),
        ("GPUs", budget.gpus, float(sum(design.gpus for design in designs))),
    ]
    for place, site in (("room", instance.site), ("colocation", instance.colocation)):
        pairs = zip(part.pools, solution.pools, strict=False)
        here = [d for row, d in pairs if row.place == place and d.design is not None]
        if site is None or not here:
            continue
        drawn = math.fsum(d.design.max_power_kw for d in here if d.design is not None)
        if place == "room" and storage is not None:
            drawn += storage.power_kw
        most = min(v for v in (site.free_kw, site.power_kw) if v is not None)
        rows.append((f"power of the {place}", most, drawn))
        racks = float(sum(len(d.racks) for d in here))
        rows.append((f"racks of the {place}", float(site.usable_racks), racks))
    for name, limit, used in rows:
        if limit is not None and used > limit * (1 + SMALL):
            yield violation(
                "portfolio-shared", "$.pools", f"at most {limit:g}", used,
                f"{name}: the pools together take more than there is",
            )  # fmt: skip


def _racks(solution: Solution, part: PortfolioPart) -> Iterator[Violation]:
    cells: Counter[tuple[str, int, int]] = Counter()
    for row, document in zip(part.pools, solution.pools, strict=False):
        for rack in document.racks:
            cells[row.place, rack.row + row.first_row, rack.column + row.first_column] += 1
    rooms = {"room": solution.instance.site, "colocation": solution.instance.colocation}
    for (place, line, column), times in sorted(cells.items()):
        site = rooms.get(place)
        inside = site is not None and 0 <= column < site.racks_per_row and line >= 0
        full = site is None or line * site.racks_per_row + column >= site.racks
        if times > 1 or not inside or full:
            yield violation(
                "portfolio-racks", "$.portfolio.pools", "one rack in the room",
                f"{times} at row {line}, column {column}", "pools stand in racks of their own",
            )  # fmt: skip


def _offers(solution: Solution) -> dict[str, CloudOffer]:
    cloud = solution.instance.cloud
    if cloud is None:
        return {}
    try:
        return {offer.id: offer for offer in allowed_offers(cloud, shipped_offers())}
    except InputError:
        return {}


def _rents(solution: Solution, catalog: Catalog, part: PortfolioPart) -> Iterator[Violation]:
    offers = _offers(solution)
    asked = {w.name: w for w in solution.instance.workloads}
    money = Money(instance=solution.instance, catalog=catalog)
    for k, rent in enumerate(part.rents):
        demand, offer = asked.get(rent.workload), offers.get(rent.offer)
        where = f"$.portfolio.rents[{k}]"
        if demand is None or offer is None:
            yield violation(
                "portfolio-rent", where, "a workload and an offer that may be rented",
                f"{rent.workload} on {rent.offer}", "nothing like that is asked or offered",
            )  # fmt: skip
            continue
        yield from _rent(solution, money, part, rent, demand, offer, where)
        yield from check_rented_step(solution, catalog, rent, demand, offer, where)
    kept: dict[str, float] = {}
    for rent in part.rents:
        if rent.term == "shared":
            name = offers[rent.offer].offer if rent.offer in offers else rent.offer
            kept[name] = kept.get(name, 0.0) + min(
                1.0, _kept(solution, asked.get(rent.workload), rent)
            )
    for name, share in kept.items():
        if share > 1 + SMALL:
            yield violation(
                "portfolio-rent", "$.portfolio.rents", "at most 1", share,
                f"reserved servers of {name} are used in turn, each job with its margin",
            )  # fmt: skip
    for k, row in enumerate(part.reservations):
        yield from _reservation(
            solution, row, offers.get(row.row), f"$.portfolio.reservations[{k}]"
        )


def _kept(solution: Solution, demand: Workload | None, rent: RentPart) -> float:
    """Return the share of all hours that a job needs if its steps prove slower by its margin."""
    if demand is None or demand.step_time_s is not None:
        return rent.busy_fraction
    margin = margin_of(solution, demand)
    return rent.busy_fraction * (rent.target_s / rent.limit_s if margin is None else 1 + margin)


def _annuity(solution: Solution, years: float) -> float:
    rate, whole = solution.instance.finance.discount_rate, int(years)
    paid = [1.0 / (1.0 + rate) ** k for k in range(1, whole + 1)]
    return math.fsum([*paid, (years - whole) / (1.0 + rate) ** years])


def _rent(
    solution: Solution,
    money: Money,
    part: PortfolioPart,
    rent: RentPart,
    demand: Workload,
    offer: CloudOffer,
    where: str,
) -> Iterator[Violation]:
    cloud, finance = solution.instance.cloud, solution.instance.finance
    assert cloud is not None
    single = demand.steps is not None and demand.repeat_days is None
    days = demand.repeat_days or demand.deadline_days or 0.0
    busy = rent.busy_fraction
    if demand.steps is None:
        hours = HOURS_PER_YEAR * (busy if demand.hours_per_day is not None else 1.0)
    else:
        hours = busy * (days * 24.0 if single else HOURS_PER_YEAR)
    years = YEARS.get(offer.term)
    if rent.term not in ("shared", offer.term):
        yield violation(
            "portfolio-rent", f"{where}.term", offer.term, rent.term, "another term than offered"
        )
    paid = hours if single else hours * money.annuity
    if years is not None:
        need = days / (HOURS_PER_YEAR / 24.0) if single else finance.years
        terms = max(1, math.ceil(need / years - 1e-9))
        paid = HOURS_PER_YEAR * _annuity(solution, float(terms * years))
    base = sum(
        row.instances
        for row in part.reservations
        if rent.term == "shared" and row.offer == offer.offer
    )
    held = min(base, rent.instances)
    runs = 1.0 if single or not demand.repeat_days else (
        HOURS_PER_YEAR / 24.0 / demand.repeat_days * money.annuity
    )  # fmt: skip
    if demand.repeat_days is None and demand.steps is None:
        runs = 1.0
    egress = rounded(cloud.egress_usd_per_gb * cloud.egress_gb_per_run * runs)
    unit = rounded(offer.usd_per_hour * paid)
    alone = rent.instances - held
    facts: tuple[tuple[str, bool, object, object], ...] = (
        ("reserved", held == rent.reserved, held, rent.reserved),
        ("hours_per_year", same(hours, rent.hours_per_year), hours, rent.hours_per_year),
        ("unit_usd", unit.holds(rent.unit_usd), unit, rent.unit_usd),
        ("total_usd", cents(rent.total_usd) == cents(rent.unit_usd) * alone,
         cents(rent.unit_usd) * alone / 100, rent.total_usd),
        ("egress_usd", egress.holds(rent.egress_usd), egress, rent.egress_usd),
        ("instances", 0 < rent.instances <= cloud.max_instances, cloud.max_instances,
         rent.instances),
        ("step_time_s", 0 < rent.step_time_s <= rent.limit_s + LIMIT_SLACK_S, rent.limit_s,
         rent.step_time_s),
        ("limit_s", _holds_margin(solution, demand, rent), rent.target_s, rent.limit_s),
        ("provider", rent.provider == offer.provider, offer.provider, rent.provider),
    )  # fmt: skip
    if solution.instance.goodput is None:
        share = demand.busy_fraction(rent.step_time_s)
        facts = (
            *facts,
            ("busy_fraction", same(share, busy), share, busy),
            ("target_s", same(demand.target_s, rent.target_s), demand.target_s, rent.target_s),
        )
    for name, holds, expected, found in facts:
        if not holds:
            yield violation(
                "portfolio-rent", f"{where}.{name}", expected, found,
                f"{rent.workload}: the offer and the hours give another figure",
            )  # fmt: skip


def _holds_margin(solution: Solution, demand: Workload, rent: RentPart) -> bool:
    """Tell whether a limit is target / (1 + margin), by the margin that the workload has."""
    margin = margin_of(solution, demand)
    if margin is None:
        return rent.limit_s <= rent.target_s
    return same(rent.limit_s, rent.target_s / (1 + margin))


def _reservation(
    solution: Solution, row: ReservationPart, offer: CloudOffer | None, where: str
) -> Iterator[Violation]:
    years = YEARS.get(offer.term) if offer else None
    if offer is None or years is None:
        yield violation(
            "portfolio-rent", where, "a term that reserves", row.row, "nothing like that is offered"
        )
        return
    terms = max(1, math.ceil(solution.instance.finance.years / years - 1e-9))
    paid = HOURS_PER_YEAR * _annuity(solution, float(terms * years))
    unit = rounded(offer.usd_per_hour * paid)
    total = cents(row.unit_usd) * row.instances
    if not unit.holds(row.unit_usd) or cents(row.total_usd) != total or row.offer != offer.offer:
        yield violation(
            "portfolio-rent", where, f"{unit} each, {total / 100}",
            f"{row.unit_usd} each, {row.total_usd}", "whole terms are paid, used or not",
        )  # fmt: skip


def _money(solution: Solution, catalog: Catalog, part: PortfolioPart) -> Iterator[Violation]:
    """Yield a violation unless pools, storage and rent add up to cost and objective."""
    storage = 0
    if solution.pools and solution.instance.storage is not None:
        money = Money(instance=solution.instance, catalog=catalog)
        storage = storage_cents(money, part.storage_usd)
    total = sum(cents(d.cost.total_usd) for d in solution.pools if d.cost is not None) + storage
    total += sum(cents(rent.total_usd) + cents(rent.egress_usd) for rent in part.rents)
    total += sum(cents(row.total_usd) for row in part.reservations)
    sentence = "pools, storage and rent add up to something else"
    yield from check_total(solution, total, "portfolio-cost", sentence)
    bought: Counter[tuple[str, str]] = Counter()
    for document in solution.pools:
        for line in document.bill_of_materials:
            bought[line.part, line.component] += line.quantity
    listed = Counter({(b.part, b.component): 0 for b in solution.bill_of_materials})
    for line in solution.bill_of_materials:
        listed[line.part, line.component] += line.quantity
    if bought != listed:
        yield violation(
            "portfolio-cost", "$.bill_of_materials", sum(bought.values()), sum(listed.values()),
            "the order list is not the sum of the pools'",
        )  # fmt: skip
    yield from check_bound(solution, "portfolio-cost")
