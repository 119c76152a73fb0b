"""Why this and not that: the best design under each forced choice, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from planner.domain.instance import FAMILIES, HardwareChoice, Instance
from planner.domain.solution import Alternative
from planner.domain.units import CENTS_PER_USD
from planner.program import interrupt
from planner.program.answer import money
from planner.program.columns import Column
from planner.program.market import Market
from planner.program.platforms import excluded
from planner.program.scan import Found, ScanResult, describe, scan
from planner.study.why_not import FABRIC, HOURS, kept_elsewhere, short_of_hours

ALTERNATIVE_GAP = 0.0
"""Alternatives are proved as the design itself is."""

SCALE_UP_WORDS = {
    "pcie_host": "PCIe through the host",
    "pcie_p2p": "PCIe peer-to-peer",
    "nvlink_bridge": "NVLink bridges",
    "nvlink_mesh": "NVLink mesh",
    "nvswitch": "NVSwitch",
    "nvl72": "NVL72",
    "xgmi": "Infinity Fabric",
    "none": "no scale-up link",
}
FAMILY_WORDS = {"infiniband": "InfiniBand", "roce": "RoCE", "ethernet": "Ethernet (TCP)"}
TOPOLOGY_WORDS = {
    "direct": "one server",
    "single": "a single switch",
    "joined_pair": "two joined switches",
    "leaf_spine": "leaf-spine",
    "rail_optimised": "rail-optimised",
    "rail_only": "rail-only",
    "top_of_rack": "top-of-rack",
    "rack_rails": "rails of racks",
    "dual_plane": "dual-plane",
    "three_tier": "three tiers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One forced choice."""

    name: str
    question: str
    forced: dict[str, Any]


def questions(chosen: Column, scale_ups: Iterable[str], servers: dict[str, str]) -> list[Question]:
    """Return what a buyer asks about a chosen column.

    Parameters
    ----------
    chosen
        The column that was chosen.
    scale_ups
        Scale-up kinds of all servers of the catalogue.
    servers
        Model by id of the servers that may be bought.
    """
    choice, plan = chosen.plan.choice, chosen.plan
    asked: list[Question] = [
        Question(
            name=FAMILY_WORDS[family],
            question="InfiniBand or RoCE?",
            forced={"family": family},
        )
        for family in FAMILIES
        if plan.leafs and family != choice.family
    ]
    asked += [
        Question(
            name=SCALE_UP_WORDS[kind],
            question="NVSwitch or PCIe?",
            forced={"scale_up": kind},
        )
        for kind in sorted(set(scale_ups))
        if kind != chosen.option.server.scale_up
    ]
    asked += _shape_questions(choice.topology, 1 / plan.uplink_ratio if plan.spines else None)
    asked += [
        Question(name=model, question="Which server?", forced={"server": server})
        for server, model in sorted(servers.items())
        if server != chosen.option.server.id
    ]
    if chosen.nodes > 1:
        asked.append(
            Question(
                name=f"{chosen.nodes - 1} x {chosen.option.server.model}",
                question="Fewer or more servers?",
                forced={"server": chosen.option.server.id, "nodes": chosen.nodes - 1},
            )
        )
    return asked


def _shape_questions(topology: str, ratio: float | None) -> list[Question]:
    """Ask for the other topologies, and for another oversubscription of the two-tier ones."""
    found = [
        Question(
            name=TOPOLOGY_WORDS[other],
            question="Which topology?",
            forced={"topology": other},
        )
        for other in ("single", "leaf_spine", "rail_optimised")
        if other != topology
    ]
    two_tier = ["leaf_spine", "rail_optimised"]
    if ratio is None or ratio > 1:
        forced = {"topology": two_tier, "oversubscription": 1.0}
        found.append(Question(name="two tiers at 1:1", question="1:1 or less?", forced=forced))
    if ratio is None or ratio < 2:
        forced = {"topology": two_tier, "oversubscription": 2.0}
        found.append(Question(name="two tiers at 2:1", question="1:1 or less?", forced=forced))
    return found


def force(instance: Instance, forced: dict[str, Any]) -> Instance | str:
    """Return the instance with a choice pinned, or why its own `fix` or `forbid` excludes it."""
    fixed, forbidden = instance.fix.values(), instance.forbid.values()
    narrowed: dict[str, Any] = {}
    for key, value in forced.items():
        wanted = value if isinstance(value, list) else [value]
        kept = [v for v in wanted if key not in fixed or v in fixed[key]]
        kept = [v for v in kept if v not in forbidden.get(key, ())]
        if not kept:
            return f"the instance does not allow {key} {', '.join(map(str, wanted))}"
        narrowed[key] = kept
    grid = instance.grid
    nodes = None if "nodes" in fixed else forced.get("nodes")
    if nodes is not None and (nodes < grid.min_nodes or (nodes - grid.min_nodes) % grid.step):
        return f"{nodes} servers are not in the declared grid"
    merged = {k: list(v) for k, v in fixed.items()} | narrowed
    return instance.model_copy(update={"fix": HardwareChoice(**merged)})


def alternatives(
    market: Market, best: Found, *, deadline_s: float | None, say: Callable[[str], None]
) -> list[Alternative]:
    """Return the best design under each forced choice, cheapest first, then the impossible ones."""
    servers = {
        server.id: f"{server.vendor} {server.model}"
        for server in market.catalog.servers.values()
        if _may_be_asked(market, server.id)
    }
    scale_ups = {server.scale_up for server in market.catalog.servers.values()}
    found = []
    for question in questions(best.column, scale_ups, servers):
        say(f"{market.instance.name}: {question.question} {question.name}")
        found.append(_alternative(market, best, question, deadline_s))
    return sorted(found, key=lambda a: (a.objective_usd is None, a.objective_usd or 0.0, a.name))


def _may_be_asked(market: Market, server: str) -> bool:
    """Whether the instance's own choices leave a server in, on sale or not."""
    return any(
        not excluded(market.instance, option, market.catalog.server(server))
        for option in market.catalog.nic_options(server)
    )


def _alternative(
    market: Market, best: Found, question: Question, deadline_s: float | None
) -> Alternative:
    forced = force(market.instance, question.forced)
    if isinstance(forced, str):
        return _without(question, "infeasible", forced)
    variant = market.variant(forced)
    if not variant.options:
        return _without(question, "infeasible", why_no_platform(market, question.forced))
    result = scan(variant, deadline_s=deadline_s, gap=ALTERNATIVE_GAP, skip_slow=True)
    if result.best is None:
        if result.stopped:
            if interrupt.asked():
                return _without(question, "stopped", "not decided before the search was stopped")
            return _without(question, "stopped", "not decided within the time limit")
        return _without(question, "infeasible", why_no_design(variant, result))
    cost = result.best.placed.cost_cents
    return Alternative(
        name=question.name,
        question=question.question,
        forced=question.forced,
        status="optimal" if result.proved else "feasible",
        objective_usd=cost / CENTS_PER_USD,
        delta_usd=(cost - best.placed.cost_cents) / CENTS_PER_USD,
        summary=describe(result.best.column),
        reason=why_dearer(market, best, variant, result.best),
        step_times_s=step_times_s(market, result.best),
    )


def step_times_s(market: Market, found: Found) -> dict[str, float]:
    """Return the step time of every workload on a design, seconds."""
    names = [workload.name for workload in market.instance.workloads]
    times = [step.step_time_s for step in found.steps.steps]
    return dict(zip(names, times, strict=True))


def why_dearer(market: Market, best: Found, variant: Market, other: Found) -> str:
    """Return where the alternative spends more and less, by component."""
    if other.placed.cost_cents == best.placed.cost_cents:
        return "costs the same; the choice between them is by name"
    base = {line.component: line.total_usd for line in money(market, best)[0].components}
    lines = {line.component: line.total_usd for line in money(variant, other)[0].components}
    deltas = {k: lines.get(k, 0.0) - base.get(k, 0.0) for k in {*base, *lines}}
    ordered = sorted(deltas.items(), key=lambda item: (-abs(item[1]), item[0]))
    shown = [f"{k.replace('_', ' ')} {v:+,.0f}" for k, v in ordered[:3] if abs(v) >= 1]
    return f"over the years in USD: {', '.join(shown)}"


def _without(
    question: Question, status: Literal["infeasible", "stopped"], reason: str
) -> Alternative:
    return Alternative(
        name=question.name,
        question=question.question,
        forced=question.forced,
        status=status,
        reason=reason,
    )


def why_no_platform(market: Market, forced: dict[str, Any]) -> str:
    """Return why no server of the forced kind can be bought."""
    catalog = market.catalog
    for option_id, reason in sorted(market.left_out.items()):
        option = catalog.server_nics[option_id]
        server = catalog.server(option.server)
        matches = {"server": server.id, "scale_up": server.scale_up}
        fits = all(matches.get(key, value) == value for key, value in forced.items())
        if fits and not excluded(market.instance, option, server):
            return reason
    return "the instance leaves no such server"


def why_no_design(market: Market, result: ScanResult) -> str:
    """Return the reason in a buyer's words: the closest miss, else what refused the cheapest."""
    missed = [
        (int(constraint.rpartition("_w")[2]), miss)
        for constraint, miss in sorted(result.nearest.items())
    ]
    slow = [(index, miss) for index, miss in missed if not kept_elsewhere(result, index)]
    if slow:
        index, (seconds, design) = slow[0]
        name = market.instance.workloads[index].name
        limit = market.oracle.limits[index]
        return f"too slow: {name} steps in {seconds:.4g} s at best, limit {limit:.4g} s ({design})"
    if short_of_hours(result):
        return HOURS
    told = [text for limit, text in result.refusals.items() if limit != FABRIC]
    if result.refusals:
        return [*told, *result.refusals.values()][0]
    if any("network_step_time" in name for name in result.outcomes):
        return "too slow even with a free network, within racks, power and budget"
    return "no column of the grid meets every limit"
