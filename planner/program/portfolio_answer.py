"""From a portfolio to the answer: a document for each pool, what is rented, all money together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from planner.domain.portfolio_part import (
    DecisionPart,
    PoolPart,
    PortfolioPart,
    RentPart,
    ReservationPart,
)
from planner.domain.solution import Assumption, BomLine, Cost, CostLine, Run, Scan, Solution
from planner.domain.text import NAME_LENGTH
from planner.domain.units import CENTS_PER_USD, HOURS_PER_YEAR
from planner.physics.costs import annuity_factor
from planner.program.answer import Answered, Status, margin_assumptions, solution_of
from planner.program.assumptions import assumptions
from planner.program.bill import NEVER_PRICED
from planner.program.market import Market
from planner.program.pinned import pinned_hardware
from planner.program.portfolio import reserved_for
from planner.program.portfolio_search import SearchResult, Subset
from planner.program.rack_zones import Cell, zones
from planner.program.rent import CABLE_M, RentOption, rented_detail
from planner.program.scan import Found, ScanResult
from planner.program.workload_code import without_workload

LINES = ("capex_usd", "energy_usd", "support_usd", "other_usd")
MOST_MONTHS = 360


def pool_solution(subset: Subset, found: Found, run: Run, name: str) -> Solution:
    """Return a pool's own document: its design pinned, as if nothing else were there."""
    fix = pinned_hardware(found.column)
    instance = subset.market.instance.model_copy(update={"fix": fix, "name": name})
    market = replace(subset.market, instance=instance)
    result = ScanResult(best=found, bound_cents=found.placed.bound_cents, feasible=[found])
    result.outcomes["feasible"] += 1
    proved = found.placed.bound_cents == found.placed.cost_cents
    answered = Answered(
        status="optimal" if proved else "feasible",
        reasons=[],
        alternatives=[],
        run=run.model_copy(update={"run_id": f"{run.run_id}-{name[-12:]}"}),
        binding_limits=frozenset(),
    )
    return solution_of(market, result, answered)


def moves_of(pools: Sequence[tuple[Subset, Found]]) -> list[Cell] | None:
    """Return where the pools' racks stand in the room; None if they cannot be moved apart."""
    found: list[Cell] = [(0, 0)] * len(pools)
    for place in sorted({subset.place for subset, _ in pools}):
        here = [k for k, (subset, _) in enumerate(pools) if subset.place == place]
        cells = [
            frozenset((rack.row, rack.column) for rack in pools[k][1].placed.placement.racks)
            for k in here
        ]
        moves = zones(pools[here[0]][0].market.placer.room, cells)
        if moves is None:
            return None
        for k, move in zip(here, moves, strict=True):
            found[k] = move
    return found


def portfolio_solution(
    market: Market,
    result: SearchResult,
    *,
    status: Status,
    run: Run,
    others: list[DecisionPart],
    moves: list[Cell],
) -> Solution:
    """Return the answer of a search that found a portfolio."""
    best = result.best
    assert best is not None
    names = [
        f"{market.instance.name[: NAME_LENGTH - 2]}-{'abcdefgh'[k]}"
        for k in range(len(result.pools))
    ]
    documents = [
        pool_solution(subset, found, run, name)
        for (subset, found), name in zip(result.pools, names, strict=True)
    ]
    part = PortfolioPart(
        pools=[
            _pool_part(document, move, subset.place)
            for document, move, (subset, _) in zip(documents, moves, result.pools, strict=True)
        ],
        rents=[rent_part(market, result, option) for option in _in_order(best.rents)],
        reservations=[
            ReservationPart(
                offer=row.offer.offer,
                term=row.offer.term,
                row=row.offer.id,
                instances=count,
                unit_usd=row.unit_cents / CENTS_PER_USD,
                total_usd=row.unit_cents * count / CENTS_PER_USD,
            )
            for row, count in best.reserved
        ],
        storage_usd=(market.storage.total if documents else 0) / CENTS_PER_USD,
        others=others,
    )  # fmt: skip
    bound = best.cost_cents if result.bound_cents is None else result.bound_cents
    return _document(market, result, status, run).model_copy(
        update={
            "objective_usd": best.cost_cents / CENTS_PER_USD,
            "bound_usd": bound / CENTS_PER_USD,
            "gap": (best.cost_cents - bound) / best.cost_cents if best.cost_cents else 0.0,
            "cost": _cost(market, documents, part),
            "bill_of_materials": _bill(documents),
            "portfolio": part,
            "pools": documents,
        }
    )


def _in_order(rents: Sequence[RentOption]) -> list[RentOption]:
    return sorted(rents, key=lambda option: option.job)


def without_portfolio(
    market: Market, result: SearchResult, *, status: Status, run: Run, reasons: list[str]
) -> Solution:
    """Return the answer where no portfolio meets every limit, or none was found in time."""
    return _document(market, result, status, run).model_copy(update={"reasons": reasons})


def _document(market: Market, result: SearchResult, status: Status, run: Run) -> Solution:
    outcomes: dict[str, int] = {}
    for subset in result.subsets:
        for name, count in subset.outcomes.items():
            key = "of_one_pool" if without_workload(name)[1] else name
            outcomes[key] = outcomes.get(key, 0) + count
    pairs = zip(market.instance.workloads, market.oracle.networks, strict=True)
    return Solution(
        instance=market.instance, status=status, objective_usd=None, bound_usd=None, gap=None,
        placement_gap=None, cost=None, design=None, workloads=[], binding=[], alternatives=[],
        racks=[], devices=[], cables=[], bill_of_materials=[],
        assumptions=[
            *assumptions(market, None, margin_assumptions(market)), *_rented(market)
        ],
        networks={w.network: n for w, n in pairs}, calibration=market.calibration, reasons=[],
        scan=Scan(columns=sum(outcomes.values()), outcomes=dict(sorted(outcomes.items()))),
        run=run,
    )  # fmt: skip


def _rented(market: Market) -> list[Assumption]:
    """Return what the figures of rented servers rest on."""
    if market.instance.cloud is None:
        return []
    return [
        Assumption(
            what="fabric of rented servers",
            value=f"two tiers, non-blocking, {CABLE_M:g} m links",
            kind="estimate",
            source="no provider describes its fabric",
        ),
        Assumption(
            what="the provider replaces a broken server",
            value="at once",
            kind="estimate",
            source="default",
        ),
    ]


def _pool_part(document: Solution, move: Cell, place: str) -> PoolPart:
    assert document.cost is not None
    return PoolPart(
        name=document.instance.name,
        place=place,
        workloads=[result.name for result in document.workloads],
        total_usd=document.cost.total_usd,
        capex_usd=document.cost.capex_usd,
        racks=len(document.racks),
        first_row=move[0],
        first_column=move[1],
    )


def rent_part(market: Market, result: SearchResult, option: RentOption) -> RentPart:
    """Return what one workload rents, with the use and life from which owning is no dearer."""
    best = result.best
    assert best is not None
    oracle, step = market.oracle, option.step
    held = reserved_for(option, best.reserved)
    demand = oracle.demands[option.job]
    share, months = break_even(market, result, option)
    return RentPart(
        workload=demand.name,
        offer=option.offer.id,
        provider=option.offer.provider,
        instance=option.offer.instance,
        term=option.kind,
        instances=option.servers,
        step_time_s=step.step_time_s,
        limit_s=oracle.limits[option.job] * step.availability,
        target_s=demand.target_s * step.availability,
        strategy_label=step.best.strategy.label(),
        strategy=step.best.strategy,
        breakdown=rented_detail(market, option).parts_s,
        busy_fraction=option.busy,
        hours_per_year=option.hours.per_year or option.hours.once,
        reserved=held,
        unit_usd=option.unit_cents / CENTS_PER_USD,
        total_usd=option.unit_cents * (option.servers - held) / CENTS_PER_USD,
        egress_usd=option.egress_cents / CENTS_PER_USD,
        break_even_busy=share,
        break_even_months=months,
    )


def break_even(
    market: Market, result: SearchResult, option: RentOption
) -> tuple[float | None, float | None]:
    """Return from which use, and from which life, owning a workload's cheapest pool is no dearer.

    Use: own cost over what the same servers cost by the hour for all hours of the life. Life: own
    purchase and running cost against renting, each by its annuity over the months; resale stays as
    it is. Both take the pool that is cheapest for this workload alone.
    """
    alone = [s.found[0] for s in result.subsets if s.jobs == {option.job} and s.found]
    rate = option.offer.usd_per_hour * option.servers
    if not alone or rate <= 0:
        return None, None
    finance = market.instance.finance
    own = min(alone, key=lambda found: found.order)
    total = own.placed.cost_cents / CENTS_PER_USD
    share = total / (rate * HOURS_PER_YEAR * annuity_factor(finance.years, finance.discount_rate))
    capex = own.placed.capex_cents / CENTS_PER_USD
    whole = annuity_factor(finance.years, finance.discount_rate)
    running = (total - capex) / whole
    rented = rate * option.hours.per_year
    for month in range(1, MOST_MONTHS + 1):
        paid = annuity_factor(month / 12, finance.discount_rate)
        if capex + running * paid <= rented * paid + rate * option.hours.once:
            return share, float(month)
    return share, None


def _cost(market: Market, documents: list[Solution], part: PortfolioPart) -> Cost:
    """Return the present value by component over all pools, storage, and rent."""
    sums: dict[str, dict[str, int]] = {}
    for document in documents:
        for line in document.cost.components if document.cost else ():
            found = sums.setdefault(line.component, dict.fromkeys(LINES, 0))
            for name in LINES:
                found[name] += round(getattr(line, name) * CENTS_PER_USD)
    if part.storage_usd:
        unit = market.storage
        values = (unit.capex, unit.energy, unit.support, unit.other)
        sums["storage"] = dict(zip(LINES, values, strict=True))
    rent = math.fsum([r.total_usd + r.egress_usd for r in part.rents])
    rent += math.fsum(r.total_usd for r in part.reservations)
    if part.rents:
        sums["rent"] = dict.fromkeys(LINES, 0) | {"other_usd": round(rent * CENTS_PER_USD)}
    lines = [
        CostLine(
            component=name,
            **{key: value / CENTS_PER_USD for key, value in values.items()},
            total_usd=sum(values.values()) / CENTS_PER_USD,
        )
        for name, values in sums.items()
    ]
    totals = {key: sum(v[key] for v in sums.values()) / CENTS_PER_USD for key in LINES}
    missing = documents[0].cost.not_priced if documents and documents[0].cost else []
    return Cost(
        **totals,
        total_usd=sum(sum(v.values()) for v in sums.values()) / CENTS_PER_USD,
        components=lines,
        not_priced=missing if documents else [*NEVER_PRICED[1:2], "storage in the cloud"],
        years=market.book.rules.years,
    )


def _bill(documents: list[Solution]) -> list[BomLine]:
    """Return the order list over all pools: lines of one part and price as one."""
    found: dict[tuple[str, str, float], BomLine] = {}
    for document in documents:
        for line in document.bill_of_materials:
            key = (line.part, line.component, line.unit_price_usd)
            old = found.get(key)
            if old is None:
                found[key] = line
                continue
            count = old.quantity + line.quantity
            cents = round(line.unit_price_usd * CENTS_PER_USD) * count
            found[key] = old.model_copy(
                update={"quantity": count, "total_usd": cents / CENTS_PER_USD}
            )
    return list(found.values())
