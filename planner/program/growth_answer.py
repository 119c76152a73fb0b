"""From a plan over phases to the answer: a document for each phase, what is bought when, all money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from planner.domain.growth_part import GrowthPart, HoldingPart, PhasePart
from planner.domain.instance import Instance
from planner.domain.portfolio_part import DecisionPart
from planner.domain.solution import BomLine, Cost, CostLine, Run, Scan, Solution
from planner.domain.units import CENTS_PER_USD, cents
from planner.physics.costs import COMPONENTS, UnitCost
from planner.physics.refusal import Refusal
from planner.program.answer import Answered, Status, margin_assumptions, solution_of
from planner.program.assumptions import assumptions
from planner.program.bill import KIND_OF_TABLE, REWIRING, description, not_priced
from planner.program.columns import build_column
from planner.program.growth_assumptions import growth_assumptions
from planner.program.growth_search import (
    GrowthSearch,
    LaidColumn,
    SearchedGrowth,
    budgets_of,
    move_cents,
    phase_instance,
    running,
)
from planner.program.market import Market
from planner.program.phases import GrowthPlan
from planner.program.pinned import pinned_hardware
from planner.program.placer import Placer
from planner.program.prices import PriceBook
from planner.program.scan import Found, PlacedCost, ScanResult
from planner.program.workload_code import without_workload

NOW = "now"


def names_of(instance: Instance) -> list[str]:
    """Return the names of the phases."""
    return [NOW, *(phase.name for phase in (instance.growth.phases if instance.growth else ()))]


def pinned_phase(instance: Instance, laid: LaidColumn) -> Instance:
    """Return the instance of a phase that leaves its design alone."""
    fix = pinned_hardware(laid.found.column)
    found = phase_instance(instance, laid.phase, laid.reserve)
    return found.model_copy(update={"fix": fix})


def phase_solution(whole: Market, laid: LaidColumn, run: Run) -> Solution:
    """Return a phase's own document: its design as if it were bought alone and now."""
    instance = pinned_phase(whole.instance, laid)
    book = PriceBook(instance, whole.catalog)
    market = replace(laid.market, instance=instance, book=book, asked=instance,
                     placer=Placer(instance, whole.catalog, book),
                     _columns={},
        _laid_bounds={},
        _within={},
        _bounds={}, _placed={}, evaluated={}, _limited={})  # fmt: skip
    found = laid.found
    column = build_column(
        whole.catalog, book, found.column.option, found.column.nodes, found.column.plan
    )
    assert not isinstance(column, Refusal)
    money = market.owned_placer.net(found.placed.placement)
    least = min(money.total, market.owned_placer.lower_bound_cents(column))
    placement = replace(
        found.placed.placement, cost_cents=money.total, lower_bound_cents=max(0, least)
    )
    fixed = column.fixed + market.storage
    placed = PlacedCost(
        cost_cents=fixed.total + money.total,
        bound_cents=fixed.total + max(0, least),
        capex_cents=fixed.capex + money.capex,
        placement=placement,
    )
    alone = Found(column=column, placed=placed, steps=found.steps)
    result = ScanResult(best=alone, bound_cents=placed.bound_cents, feasible=[alone])
    result.outcomes["feasible"] += 1
    answered = Answered(
        status="optimal" if placed.bound_cents == placed.cost_cents else "feasible",
        reasons=[],
        alternatives=[],
        run=run.model_copy(update={"run_id": f"{run.run_id}-{laid.phase}"}),
        binding_limits=frozenset(),
    )
    return solution_of(market, result, answered)


def growth_solution(
    search: GrowthSearch,
    found: SearchedGrowth,
    *,
    status: Status,
    run: Run,
    others: list[DecisionPart],
) -> Solution:
    """Return the answer of a search that found a plan."""
    market, plan = search.market, found.plan
    assert plan is not None
    laid = [found.columns[key] for key in plan.chosen]
    documents = [phase_solution(market, column, run) for column in laid]
    part = growth_part(search, found, plan, laid, documents, others)
    first = documents[0]
    cost, bound = plan.cost_cents, found.bound_cents
    bound = cost if bound is None else bound
    update = {
        "instance": market.instance,
        "status": status,
        "objective_usd": cost / CENTS_PER_USD,
        "bound_usd": bound / CENTS_PER_USD,
        "gap": (cost - bound) / cost if cost else 0.0,
        "placement_gap": None,
        "cost": plan_cost(search, found, plan, laid),
        "bill_of_materials": ordered_now(market, plan, found, first),
        "networks": {
            name: net for document in documents for name, net in document.networks.items()
        },
        "assumptions": [*first.assumptions, *growth_assumptions(found.timeline)],
        "growth": part,
        "phases": documents,
        "scan": scan_of(found),
        "run": run,
    }
    return first.model_copy(update=update)


def growth_part(
    search: GrowthSearch,
    found: SearchedGrowth,
    plan: GrowthPlan,
    laid: list[LaidColumn],
    documents: list[Solution],
    others: list[DecisionPart],
) -> GrowthPart:
    """Return what runs in each phase and what is bought and sold when."""
    market, timeline = search.market, found.timeline
    names, budgets = names_of(market.instance), budgets_of(market)
    months = [0, *(phase.month for phase in timeline.growth.phases)]
    storage = market.storage
    phases = []
    for k, (column, document) in enumerate(zip(laid, documents, strict=True)):
        design = document.design
        assert design is not None
        links = search.moved(laid[k - 1], column) if k else 0
        budget = budgets[k]
        bought = sum(
            cents(timeline.price_usd(*part, k)) * count
            for (phase, _, part), count in plan.held.items()
            if phase == k
        )
        if k == 0:
            bought += storage.capex
            budget = None if budget is None else budget + storage.capex
        phases.append(
            PhasePart(
                name=names[k],
                month=months[k],
                nodes=design.nodes,
                gpus=design.gpus,
                racks=design.racks,
                max_power_kw=design.max_power_kw,
                reserved_leafs=document.instance.fabric.reserved_leafs,
                moved_links=links,
                moving_usd=links * move_cents(timeline, k) / CENTS_PER_USD,
                capex_usd=bought / CENTS_PER_USD,
                budget_usd=None if budget is None else budget / CENTS_PER_USD,
                running_usd=running(timeline, column, k) / CENTS_PER_USD,
            )
        )
    holdings = []
    for (bought_in, sold, part), count in sorted(plan.held.items()):
        value = timeline.held(*part, (bought_in, sold)).total
        holdings.append(
            HoldingPart(
                phase=names[bought_in],
                part=part[0],
                component=part[1],
                description=description(market.book.row(part[0])),
                quantity=count,
                until=names[sold] if sold < len(names) else "",
                unit_price_usd=cents(timeline.price_usd(*part, bought_in)) / CENTS_PER_USD,
                unit_value_usd=value / CENTS_PER_USD,
                total_usd=value * count / CENTS_PER_USD,
            )
        )
    return GrowthPart(
        phases=phases,
        holdings=holdings,
        storage_usd=storage.total / CENTS_PER_USD,
        decline_servers_per_year=timeline.decline("servers"),
        decline_network_per_year=timeline.decline("switches"),
        decline_other_per_year=timeline.decline("racks"),
        others=others,
    )


def plan_cost(
    search: GrowthSearch, found: SearchedGrowth, plan: GrowthPlan, laid: list[LaidColumn]
) -> Cost:
    """Return the present value of a plan by component."""
    market, timeline = search.market, found.timeline
    sums = dict.fromkeys(COMPONENTS, UnitCost())
    for (bought, sold, part), count in plan.held.items():
        sums[part[1]] += timeline.held(*part, (bought, sold)).times(count)
    for k, column in enumerate(laid):
        for part, count in column.needs.items():
            sums[part[1]] += timeline.running(*part, k).times(count)
        if k:
            links = search.moved(laid[k - 1], column)
            sums[REWIRING] += UnitCost(capex=move_cents(timeline, k) * links)
    sums["storage"] += market.storage
    total = UnitCost()
    for value in sums.values():
        total += value
    return Cost(
        **_lines(total),
        components=[
            CostLine(component=name, **_lines(value))
            for name, value in sums.items()
            if value != UnitCost()
        ],
        not_priced=not_priced(market.book),
        years=market.book.rules.years,
    )


def _lines(value: UnitCost) -> dict[str, float]:
    return {
        "capex_usd": value.capex / CENTS_PER_USD,
        "energy_usd": value.energy / CENTS_PER_USD,
        "support_usd": value.support / CENTS_PER_USD,
        "other_usd": value.other / CENTS_PER_USD,
        "total_usd": value.total / CENTS_PER_USD,
    }


def ordered_now(
    market: Market, plan: GrowthPlan, found: SearchedGrowth, first: Solution
) -> list[BomLine]:
    """Return the order list of the first phase."""
    counts: Counter[tuple[str, str]] = Counter()
    for (bought, _, part), count in plan.held.items():
        if bought == 0:
            counts[part] += count
    listed = {(line.part, line.component): line for line in first.bill_of_materials}
    lines = [line for line in first.bill_of_materials if line.kind == "storage"]
    order = [key for key in listed if key in counts]
    order += sorted(key for key in counts if key not in listed)
    for key in order:
        line = listed.get(key) or _line(market, *key)
        unit = cents(found.timeline.price_usd(*key, 0))
        count = counts[key]
        update = {"quantity": count, "total_usd": unit * count / CENTS_PER_USD}
        lines.append(line.model_copy(update=update))
    return lines


def _line(market: Market, part: str, component: str) -> BomLine:
    """Return a line of one unit that the first phase buys for a later one."""
    book = market.book
    price, factor = book.price(part), book.factor(component)
    assert price is not None
    return BomLine(
        part=part,
        kind=KIND_OF_TABLE[book.table_of(part)],
        description=description(book.row(part)),
        component=component,
        quantity=1,
        unit_price_usd=cents(price.usd * factor) / CENTS_PER_USD,
        total_usd=cents(price.usd * factor) / CENTS_PER_USD,
        low_usd=None if price.low_usd is None else round(price.low_usd * factor, 2),
        high_usd=None if price.high_usd is None else round(price.high_usd * factor, 2),
        price_kind=price.kind,
        price_date=price.date,
        price_source=price.source,
    )


def scan_of(found: SearchedGrowth) -> Scan:
    """Return what became of the columns of all phases."""
    outcomes: Counter[str] = Counter()
    for search in found.searches:
        for name, count in search.outcomes.items():
            outcomes["of_one_phase" if without_workload(name)[1] else name] += count
    return Scan(columns=sum(outcomes.values()), outcomes=dict(sorted(outcomes.items())))


def without_plan(
    market: Market, found: SearchedGrowth, *, status: Status, run: Run, reasons: list[str]
) -> Solution:
    """Return the answer where no plan meets every limit, or none was found in time."""
    pairs = zip(market.instance.workloads, market.oracle.networks, strict=True)
    return Solution(
        instance=market.instance, status=status, objective_usd=None, bound_usd=None, gap=None,
        placement_gap=None, cost=None, design=None, workloads=[], binding=[], alternatives=[],
        racks=[], devices=[], cables=[], bill_of_materials=[],
        assumptions=assumptions(market, None, margin_assumptions(market)),
        networks={w.network: n for w, n in pairs}, calibration=market.calibration,
        reasons=reasons, scan=scan_of(found), run=run,
    )  # fmt: skip


RunOf = Callable[[str, str], Run]
"""Makes the answer's identity from the engine's name and version."""
