"""From a decided column to the answer: every number that reports and the checker need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.domain.goodput_part import GoodputPart
from planner.domain.network import Network
from planner.domain.solution import (
    Alternative,
    Assumption,
    BomLine,
    CableCounts,
    CollectiveUse,
    Cost,
    DesignPart,
    Fabric,
    PlatformPart,
    Run,
    Scan,
    Solution,
    Tier,
    WorkloadResult,
)
from planner.domain.units import CENTS_PER_USD, GIB
from planner.physics.fabric_need import even_spread_spines
from planner.physics.steptime import StepDetail
from planner.program.assumptions import assumptions
from planner.program.bill import bom_lines, cost_of, not_priced, quantities, rewiring_line
from planner.program.binding import bindings
from planner.program.careless import careless_part
from planner.program.columns import Column, rewiring_unit
from planner.program.inventory import inventory_result
from planner.program.job_goodput import THOUSAND_DAYS_S
from planner.program.market import Market
from planner.program.module_makers import foreign_modules
from planner.program.scan import Found, ScanResult
from planner.program.service_part import all_cables, all_devices, all_racks, services_part
from planner.program.steps import UsedStep

WATTS_PER_KW = 1000.0
SECONDS_PER_HOUR = 3600.0
Status = Literal["optimal", "feasible", "infeasible", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the answer is made of besides the design."""

    status: Status
    reasons: list[str]
    alternatives: list[Alternative]
    run: Run
    binding_limits: frozenset[str]
    """Ids of limits without which a cheaper design might exist."""


def solution_of(market: Market, result: ScanResult, answered: Answered) -> Solution:
    """Return the answer of a scan."""
    best = result.best
    scanned = Scan(
        columns=sum(result.outcomes.values()), outcomes=dict(sorted(result.outcomes.items()))
    )
    if best is None:
        return _without_design(market, answered, scanned, result)
    cost, bom = money(market, best)
    objective = best.placed.cost_cents
    bound = objective if result.bound_cents is None else result.bound_cents
    placement = best.placed.placement
    results = workload_results(market, best)
    return Solution(
        instance=market.instance,
        status=answered.status,
        objective_usd=objective / CENTS_PER_USD,
        bound_usd=bound / CENTS_PER_USD,
        gap=(objective - bound) / objective if objective else 0.0,
        placement_gap=_placement_gap(best, beside_stock=bool(market.owned_placer.parts)),
        cost=cost,
        design=design_part(market, best),
        workloads=results,
        binding=bindings(market, best, results, answered.binding_limits),
        alternatives=answered.alternatives,
        racks=market.placer.with_pdus(all_racks(best)),
        devices=all_devices(best),
        cables=all_cables(best),
        cable_groups=placement.cable_groups,
        bill_of_materials=bom,
        services=services_part(market, best),
        inventory=inventory_result(market, best),
        assumptions=[
            *assumptions(market, best.column, margin_assumptions(market)),
            *foreign_modules(
                all_devices(best), [*placement.cables, *placement.cable_groups], market.catalog
            ),
        ],
        networks=_networks(market),
        calibration=market.calibration,
        reasons=answered.reasons,
        scan=scanned,
        run=answered.run,
    )


def _without_design(
    market: Market, answered: Answered, scanned: Scan, result: ScanResult
) -> Solution:
    bound = None if result.bound_cents is None else result.bound_cents / CENTS_PER_USD
    return Solution(
        instance=market.instance,
        status=answered.status,
        objective_usd=None,
        bound_usd=bound if answered.status == "stopped" else None,
        gap=None,
        placement_gap=None,
        cost=None,
        design=None,
        workloads=[],
        binding=[],
        alternatives=[],
        racks=[],
        devices=[],
        cables=[],
        bill_of_materials=[],
        assumptions=assumptions(market, None, margin_assumptions(market)),
        networks=_networks(market),
        calibration=market.calibration,
        reasons=answered.reasons,
        scan=scanned,
        run=answered.run,
    )


def _networks(market: Market) -> dict[str, Network]:
    pairs = zip(market.instance.workloads, market.oracle.networks, strict=True)
    return {workload.network: network for workload, network in pairs}


def _placement_gap(best: Found, *, beside_stock: bool) -> float:
    """Return the gap of the cost that depends on the placement alone."""
    placement, laid = best.placed.placement, best.placed.services
    if not placement.cost_cents:
        return 0.0
    cents = placement.cost_cents
    open_cents = cents - placement.lower_bound_cents
    if beside_stock or laid is not None:
        open_cents = best.placed.cost_cents - best.placed.bound_cents
    if laid is not None:
        cents += laid.cost.total
    gap: float = open_cents / cents
    return gap


def margin_assumptions(market: Market) -> list[Assumption]:
    """Return the margins that the instance does not give."""
    pairs = zip(market.instance.workloads, market.oracle.margins, strict=True)
    return [
        Assumption.model_validate(
            {
                "what": f"margin on the step time of {workload.name}",
                "value": f"{margin.value:.1%}",
                "kind": margin.kind,
                "source": margin.source,
            }
        )
        for workload, margin in pairs
        if workload.margin is None
    ]


def money(market: Market, best: Found) -> tuple[Cost, list[BomLine]]:
    """Return cost by component and the bill of materials; their totals are the objective's."""
    placement, book = best.placed.placement, market.book
    racks = market.placer.bought(all_racks(best))
    laid = best.placed.services
    beside = laid.quantities if laid else ()
    parts = list(quantities(best.column, placement.parts, racks, book, beside))
    joining, moving = best.column.joining, rewiring_unit(book)
    moved = joining.moved_links if joining else 0
    cost = cost_of(parts, book, market.storage, not_priced(book), moving.times(moved))
    lines = bom_lines(parts, book)
    if moved:
        lines.append(rewiring_line(moved, moving.capex))
    storage = market.instance.storage
    if storage is not None and storage.price_usd is not None:
        lines.append(
            BomLine(
                part="storage",
                kind="storage",
                description=f"shared storage of {storage.capacity_tb:g} TB",
                component="storage",
                quantity=1,
                unit_price_usd=market.storage.capex / CENTS_PER_USD,
                total_usd=market.storage.capex / CENTS_PER_USD,
                low_usd=None,
                high_usd=None,
                price_kind="quote",
                price_date="",
                price_source="the instance",
            )
        )
    return cost, lines


def design_part(market: Market, best: Found) -> DesignPart:
    """Return what is bought, in counts."""
    column = best.column
    option = column.option
    return DesignPart(
        platform=PlatformPart(
            server=option.server.id,
            model=option.server.model,
            accelerator=option.accelerator.id,
            accelerator_model=option.accelerator.model,
            gpus=option.server.gpus,
            scale_up=option.server.scale_up,
            domain_gpus=option.server.domain_gpus,
            scale_up_gbytes_per_s=option.server.scale_up_gbytes_per_s,
            nic=option.nics.nic,
            nics=option.platform.nics,
            link_gbps=option.platform.link_gbps,
        ),
        nodes=column.nodes,
        gpus=column.gpus,
        racks=len(all_racks(best)),
        fabric=fabric_part(market, best),
        max_power_kw=(column.max_power_w / WATTS_PER_KW) + market.storage_kw,
        average_power_kw=average_power_w(market, best) / WATTS_PER_KW + market.storage_kw,
        careless=careless_part(market, best),
    )


def average_power_w(market: Market, best: Found) -> float:
    """Return watts on average of everything that is bought."""
    placement, book = best.placed.placement, market.book
    racks = market.placer.bought(all_racks(best))
    laid = best.placed.services
    beside = laid.quantities if laid else ()
    parts = quantities(best.column, placement.parts, racks, book, beside)
    nics = best.column.option.nics.nic
    return sum(book.watts(part).average * count for part, _, count in parts if part != nics)


def fabric_part(market: Market, best: Found) -> Fabric:
    """Return the scale-out network in counts."""
    column, placement = best.column, best.placed.placement
    plan, choice = column.plan, column.plan.choice
    tiers = []
    if plan.leafs:
        tiers.append(Tier(tier="leaf", switch=choice.leaf_switch, count=plan.leafs))
    if plan.spines:
        tiers.append(Tier(tier="spine", switch=choice.spine_switch, count=plan.spines))
    if plan.cores:
        tiers.append(Tier(tier="core", switch=choice.core_switch, count=plan.cores))
    spine = market.catalog.switch(choice.spine_switch) if plan.spines else None
    extra = even_spread_spines(plan, spine.ports_at(plan.link_gbps)) if spine else 0
    unit = market.book.unit(choice.spine_switch).capex if extra else 0
    transceivers = sum(
        count for part, count in placement.parts.items() if part in market.catalog.transceivers
    )
    return Fabric(
        family=choice.family,
        topology=choice.topology,
        oversubscription=1 / plan.uplink_ratio,
        link_gbps=plan.link_gbps,
        tiers=tiers,
        cables=CableCounts(
            node_leaf=plan.node_leaf_links,
            leaf_spine=plan.leaf_spine_links,
            spine_core=plan.spine_core_links,
            leaf_leaf=plan.joint_links,
        ),
        transceivers=transceivers,
        units=len(plan.units) if plan.leafs else 0,
        servers_per_unit=plan.hosts_per_leaf,
        kept_slots_per_unit=plan.kept_slots,
        links_per_server=plan.links_per_server if plan.leafs else 0,
        links_per_leaf_spine=plan.links_per_leaf_spine,
        pods=len(plan.pods),
        uplinks_per_spine=plan.uplinks_per_spine if plan.cores else 0,
        spine_oversubscription=1 / plan.pod_uplink_ratio if plan.cores else 1.0,
        planes=plan.planes,
        even_spread_spines=extra,
        even_spread_usd=extra * unit / CENTS_PER_USD,
    )


def longest_m(best: Found) -> float:
    """Return the longest link as laid, metres."""
    return max((x.max_m for x in best.placed.placement.lengths.values()), default=0.0)


def workload_results(market: Market, best: Found) -> list[WorkloadResult]:
    """Return every workload's step on the design as it is laid."""
    found = []
    for index, step in enumerate(best.steps.steps):
        detail = market.oracle.detail(index, best.column, longest_m(best), step)
        found.append(_workload_result(market, index, best.column, step, detail))
    return found


def goodput_part(market: Market, index: int, column: Column, step: UsedStep) -> GoodputPart | None:
    """Return a workload's modelled goodput; None where the instance gives its availability."""
    job, terms = market.oracle.goodputs[index], step.goodput
    if job is None or terms is None:
        return None
    rates, demand = job.rates(column.option.server), market.oracle.demands[index]
    failures = None
    if demand.steps is not None:
        failures = demand.steps * step.wall_s / terms.mtbf_s
    return GoodputPart(
        availability=terms.availability,
        servers=step.servers,
        spares=column.nodes - step.servers,
        failures_per_1000_server_days=rates.interrupting_per_s * THOUSAND_DAYS_S,
        repairs_per_1000_server_days=rates.repairing_per_s * THOUSAND_DAYS_S,
        mtbf_h=terms.mtbf_s / SECONDS_PER_HOUR,
        checkpoint_write_s=terms.write_s,
        checkpoint_interval_s=terms.interval_s,
        restart_s=job.restart_s,
        repair_s=job.repair_s,
        checkpoint_share=terms.checkpoint_share,
        waiting_share=terms.waiting_share,
        expected_failures=failures,
    )


def _workload_result(
    market: Market, index: int, column: Column, step: UsedStep, detail: StepDetail
) -> WorkloadResult:
    workload, oracle = market.instance.workloads[index], market.oracle
    network = oracle.networks[index]
    seconds, demand = step.step_time_s, oracle.demands[index]
    days = None
    if workload.steps is not None:
        days = workload.steps * step.wall_s / (demand.availability * 86400.0)
    return WorkloadResult(
        name=workload.name,
        network=workload.network,
        parameters=network.parameters,
        step_time_s=seconds,
        target_s=demand.target_s * step.availability,
        margin=oracle.margins[index].value,
        limit_s=oracle.limits[index] * step.availability,
        nodes_used=step.servers,
        gpus_used=step.best.strategy.gpus,
        strategy=step.best.strategy,
        strategy_label=step.best.strategy.label(),
        breakdown=dict(step.best.parts_s),
        collectives=[
            CollectiveUse(
                name=row.name,
                collective=row.collective,
                algorithm=row.algorithm,
                protocol=row.protocol,
                size_bytes=row.size_bytes,
                count=row.calls,
                ranks=row.ranks,
                level=row.level,
                time_s=row.time_s,
                total_s=row.total_s,
                exposed_s=row.exposed_s,
            )
            for row in detail.collectives
        ],
        memory_gib={name: value / GIB for name, value in detail.memory_bytes.items()}
        | {
            "total": step.best.memory_bytes / GIB,
            "limit": column.option.accelerator.memory_gib,
        },
        mfu=detail.mfu,
        hfu=detail.hfu,
        tokens_per_s_per_gpu=detail.tokens_per_s_per_gpu,
        busy_fraction=demand.busy_fraction(step.wall_s),
        run_days=days,
        goodput=goodput_part(market, index, column, step),
    )
