"""Recount an answer over several sites: shares, step, encryption, rent, cards and the total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.domain.catalog import Catalog
from planner.domain.regions_answer import RegionsAnswer, SiteShare
from planner.domain.solution import Solution
from planner.domain.units import cents
from planner.verify.region_choices import check_claims, check_seals
from planner.verify.region_lines import RELATIVE, check_lines, crossing_s, differ, line_cost
from planner.verify.violation import Violation, violation


def verify_regions(
    answer: RegionsAnswer, solutions: Sequence[Solution], catalog: Catalog
) -> list[Violation]:
    """Return every contradiction between the answer, its sites' solutions and the instance."""
    if answer.status == "infeasible":
        return [*check_seals(answer, solutions), *_target(answer)]
    return [
        *check_seals(answer, solutions),
        *_shares(answer, solutions),
        *check_lines(answer, solutions),
        *_steps(answer),
        *_money(answer, solutions, catalog),
        *_budget(answer, solutions),
        *check_claims(answer),
    ]


def _shares(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    whole = answer.instance.workloads[0].global_batch
    piped = answer.crossing is not None and answer.crossing.dimension == "pp"
    nodes = sum(site.nodes for site in answer.sites)
    if len(solutions) != len(answer.sites):
        yield violation("regions-sites", "$.sites", len(answer.sites), len(solutions),
                        "a site has no solution of its own")  # fmt: skip
    found = sum(site.global_batch for site in answer.sites)
    if not piped and found != whole:
        yield violation("regions-batch", "$.sites", whole, found, "the parts are not the batch")
    for index, (site, own) in enumerate(zip(answer.sites, solutions, strict=False)):
        where = f"$.sites[{index}]"
        if piped:
            yield from _stages(site, own, whole, nodes, where)
        elif site.global_batch * nodes != whole * site.nodes:
            yield violation("regions-share", where, whole * site.nodes / nodes, site.global_batch,
                            "the part of the batch does not follow the servers")  # fmt: skip
        design = own.design
        said = (site.server, site.nodes, site.gpus, site.global_batch, site.run_id)
        holds = (
            design.platform.server if design else "", design.nodes if design else 0,
            design.gpus if design else 0, own.instance.workloads[0].global_batch, own.run.run_id,
        )  # fmt: skip
        if said != holds:
            yield violation(
                "regions-site", where, holds, said, "the site's solution says otherwise"
            )
        step = own.workloads[0].step_time_s if own.workloads else 0.0
        if differ(step, site.step_time_s):
            yield violation("regions-site-step", where, step, site.step_time_s,
                            "the site's solution steps otherwise")  # fmt: skip
        if own.objective_usd is None or cents(own.objective_usd) != cents(site.objective_usd):
            yield violation("regions-site-cost", where, own.objective_usd, site.objective_usd,
                            "the site's solution costs otherwise")  # fmt: skip
        capex = own.cost.capex_usd if own.cost else 0.0
        if cents(capex) != cents(site.capex_usd):
            yield violation("regions-site-capex", where, capex, site.capex_usd,
                            "the site's solution buys for another amount")  # fmt: skip


def _stages(
    site: SiteShare, own: Solution, whole: int, nodes: int, where: str
) -> Iterator[Violation]:
    """Yield a violation if a site does not hold whole stages of the whole batch's pipeline."""
    if site.global_batch != whole:
        yield violation("regions-batch", where, whole, site.global_batch,
                        "every stage passes the whole batch")  # fmt: skip
    if not own.workloads:
        return
    strategy = own.workloads[0].strategy
    elsewhere = own.instance.workloads[0].pipeline_nodes_elsewhere
    if (site.stages or 0) * nodes != strategy.pp * site.nodes:
        yield violation("regions-stages", f"{where}.stages", strategy.pp * site.nodes / nodes,
                        site.stages, "the stages do not follow the servers")  # fmt: skip
    if elsewhere != nodes - site.nodes or strategy.vpp != 1:
        yield violation("regions-elsewhere", where, nodes - site.nodes, elsewhere,
                        "other servers hold the other stages, one chunk each")  # fmt: skip


def _steps(answer: RegionsAnswer) -> Iterator[Violation]:
    exchange = crossing_s(answer)
    if answer.crossing is not None and differ(exchange, answer.crossing.exchange_s):
        yield violation("regions-crossing", "$.crossing.exchange_s", exchange,
                        answer.crossing.exchange_s, "the lines add up otherwise")  # fmt: skip
    step = max(site.step_time_s for site in answer.sites) + exchange
    if answer.step_time_s is None or differ(step, answer.step_time_s):
        yield violation("regions-step", "$.step_time_s", step, answer.step_time_s,
                        "slowest site and exchange add up otherwise")  # fmt: skip
    yield from _target(answer)
    if step > answer.limit_s * (1 + 1e-6):
        yield violation("regions-within-limit", "$.step_time_s", answer.limit_s, step,
                        "the step is too slow")  # fmt: skip


def _target(answer: RegionsAnswer) -> Iterator[Violation]:
    target = answer.instance.workloads[0].target_s
    if differ(target, answer.target_s):
        yield violation("regions-target", "$.target_s", target, answer.target_s,
                        "the instance asks for another step time")  # fmt: skip
    if differ(target / (1 + answer.margin), answer.limit_s):
        yield violation("regions-limit", "$.limit_s", target / (1 + answer.margin), answer.limit_s,
                        "target and margin give another limit")  # fmt: skip


def _money(
    answer: RegionsAnswer, solutions: Sequence[Solution], catalog: Catalog
) -> Iterator[Violation]:
    total = sum(cents(own.objective_usd or 0.0) for own in solutions)
    for index, line in enumerate(answer.lines):
        for name, span in line_cost(answer, line, catalog).items():
            found = float(getattr(line, name))
            if not span.holds(found):
                yield violation(f"regions-{name.replace('_', '-')}", f"$.lines[{index}].{name}",
                                span, found, "the line costs otherwise")  # fmt: skip
        total += sum(cents(part) for part in (line.rent_usd, line.traffic_usd, line.gateway_usd))
    if answer.objective_usd is None or cents(answer.objective_usd) != total:
        yield violation("regions-total", "$.objective_usd", total / 100, answer.objective_usd,
                        "sites and line add up otherwise")  # fmt: skip


def _budget(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    budget = answer.instance.budget
    cards = sum(line.gateway_capex_usd for line in answer.lines)
    spent = sum(site.capex_usd for site in answer.sites) + cards
    gpus = sum(site.gpus for site in answer.sites)
    if budget.capex_usd is not None and spent > budget.capex_usd + 0.005:
        yield violation("regions-capex", "$.sites", budget.capex_usd, spent, "over the budget")
    if budget.gpus is not None and gpus > budget.gpus:
        yield violation("regions-gpus", "$.sites", budget.gpus, gpus, "more GPUs than allowed")
    drawn = sum(own.design.max_power_kw for own in solutions if own.design)
    if budget.power_kw is not None and drawn > budget.power_kw * (1 + RELATIVE):
        yield violation("regions-power", "$.sites", budget.power_kw, drawn, "over the power")
