"""Several sites: every split of a job over them, the program, and each site's own solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from planner import __version__
from planner.domain.errors import SolverError, UsageError
from planner.domain.instance import Instance
from planner.domain.network import Network
from planner.domain.regions import Regions
from planner.domain.regions_answer import Crossing, RegionsAnswer, SiteShare
from planner.domain.seal import seal_of
from planner.domain.units import CENTS_PER_USD, cents
from planner.physics.refusal import Refusal
from planner.program.market import Market, open_market
from planner.program.regions import RegionLimits, SiteColumn, Split
from planner.study.decide import Decision
from planner.study.evaluate import evaluate_column
from planner.study.region_lines import Offered, lines_of
from planner.study.region_program import Chosen, choose, compared, reasons
from planner.study.region_site import Say, Site, open_site, with_part
from planner.study.region_splits import splits_of

TOLERANCE = 1e-6
NOTES = (
    (
        "No slowdown of training by link encryption has been published; what is shown follows "
        "from the bytes and the latency that the encryption adds, which is an estimate."
    ),
    "Nothing of the exchange between the sites is assumed to hide behind computation.",
)
PIPELINE_NOTE = (
    "Of pipelines the fastest strategy of each depth and schedule was weighed, one chunk a stage; "
    "their waits for the line are an upper bound."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionsDecision:
    """The answer and each site's own solution, with the catalogue of all."""

    answer: RegionsAnswer
    sites: tuple[Decision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRegions:
    """What the program over several sites is made of."""

    regions: Regions
    sites: dict[str, Site]
    splits: list[Split]
    offered: list[Offered]
    limits: RegionLimits

    @property
    def market(self) -> Market:
        """The first site's market; limits and margins of the job are the same at all."""
        return next(iter(self.sites.values())).market


def open_regions(
    instance: Instance,
    file: Path,
    say: Say = lambda _: None,
    networks: Mapping[str, Network] | None = None,
) -> OpenRegions:
    """Return every split of servers over the sites and every line between them.

    `networks` are not read again.

    Raises
    ------
    UsageError
        If the instance has no regions, or leaves too many designs for each site.
    InputError
        If it names something unknown.
    """
    regions = _regions_of(instance, file)
    sites = {r.name: open_site(instance, r, file, say, networks) for r in regions.sites}
    market = next(iter(sites.values())).market
    limit_s = market.oracle.limits[0]
    splits = splits_of(instance, regions, sites, limit_s)
    return OpenRegions(
        regions=regions,
        sites=sites,
        splits=splits,
        offered=lines_of(instance, file, regions, market, splits),
        limits=_limits(instance, regions, limit_s),
    )


def decide_regions(instance: Instance, file: Path, say: Say = lambda _: None) -> RegionsDecision:
    """Return the cheapest split of servers over sites with the lines between them.

    Raises
    ------
    UsageError
        If the instance has no regions, or leaves too many designs for each site.
    InputError
        If it names something unknown.
    SolverError
        If the engine's answer does not hold when it is counted again.
    """
    opened = open_regions(instance, file, say)
    sites, splits, offered, limits = opened.sites, opened.splits, opened.offered, opened.limits
    say(f"{instance.name}: {len(splits):,} splits, {len(offered):,} lines")
    chosen, result = choose(splits, offered, limits)
    target, margin = instance.workloads[0].target_s, opened.market.oracle.margins[0].value
    limit_s = limits.step_time_s
    common = {
        "instance": instance, "limit_s": limit_s, "target_s": target, "margin": margin,
        "splits": len(splits), "planner_version": __version__,
        "solver": f"{result.engine} {result.version}",
        "notes": [*NOTES, *([PIPELINE_NOTE] if "pp" in opened.regions.dimensions else [])],
    }  # fmt: skip
    if chosen is None:
        answer = RegionsAnswer(
            status="infeasible", objective_usd=None, bound_usd=None, step_time_s=None, sites=[],
            crossing=None, lines=[], alternatives=[], reasons=reasons(splits, offered, limits),
            **common,
        )  # fmt: skip
        return RegionsDecision(answer=answer, sites=())
    decisions = tuple(_site_decision(sites, way, chosen.split) for way in chosen.ways)
    bound_cents = _bound_cents(sites, chosen)
    answer = RegionsAnswer(
        status="optimal" if bound_cents == chosen.cost_cents else "feasible",
        objective_usd=chosen.cost_cents / CENTS_PER_USD,
        bound_usd=bound_cents / CENTS_PER_USD,
        step_time_s=chosen.step_s,
        sites=[_share(d, w, chosen.split) for d, w in zip(decisions, chosen.ways, strict=True)],
        crossing=_crossing(chosen),
        lines=[one.answer() for one in chosen.lines],
        alternatives=compared(opened.regions, splits, offered, limits),
        reasons=[],
        **common,
    )
    if (answer.step_time_s or 0.0) > limit_s * (1 + TOLERANCE):
        raise SolverError("the engine's split misses the step time when it is counted again")
    return RegionsDecision(answer=answer, sites=decisions)


def _regions_of(instance: Instance, file: Path) -> Regions:
    if instance.regions is None:
        raise UsageError(f"{file}: the instance has no regions; planner solve answers it")
    if instance.goodput is not None or instance.owned is not None or instance.split:
        raise UsageError(
            f"{file}: regions do not go with goodput, owned, pools or cloud yet; leave those out"
        )
    return instance.regions


def _limits(instance: Instance, regions: Regions, limit_s: float) -> RegionLimits:
    budget = instance.budget
    return RegionLimits(
        step_time_s=limit_s,
        encrypted=regions.encryption == "required",
        capex_cents=None if budget.capex_usd is None else cents(budget.capex_usd),
        power_w=None if budget.power_kw is None else budget.power_kw * 1000.0,
        gpus=budget.gpus,
    )


def _bound_cents(sites: dict[str, Site], chosen: Chosen) -> int:
    """Return the objective, less what placements might still save where one is not proved."""
    gaps: Sequence[int] = [
        placed.cost_cents - placed.bound_cents
        for site in sites.values()
        for _, placed in site.columns
    ]
    return chosen.cost_cents - len(chosen.ways) * max(gaps, default=0)


def _crossing(chosen: Chosen) -> Crossing | None:
    found = chosen.split.crossing
    if found is None:
        return None
    return Crossing.model_validate(
        {"dimension": found.dimension, "pattern": found.pattern, "sites": found.sites,
         "rounds": found.rounds, "exchange_s": chosen.exchange_s}
    )  # fmt: skip


def _site_decision(sites: dict[str, Site], way: SiteColumn, split: Split) -> Decision:
    """Return a site's own solution: its column with its part of the job."""
    site = sites[way.site]
    part = dict(split.parts)[way.site]
    market = open_market(with_part(site.market.instance, part), site.market.file)
    wanted = site.columns[way.column][0]
    option = next(o for o in market.options if o.key == wanted.option.key)
    column = market.column(option, wanted.nodes, wanted.plan.choice)
    if isinstance(column, Refusal):
        raise SolverError(f"the chosen design of {way.site} cannot be built: {column.reason}")
    decision = evaluate_column(market, column)
    found = decision.solution
    if found.objective_usd is None or cents(found.objective_usd) != way.cost_cents:
        raise SolverError(f"{way.site} costs {found.objective_usd}, the program says otherwise")
    return decision


def _share(decision: Decision, way: SiteColumn, split: Split) -> SiteShare:
    found = decision.solution
    assert found.design is not None
    assert found.cost is not None
    assert found.objective_usd is not None
    job = found.workloads[0]
    stages = None
    if split.crossing is not None and split.crossing.dimension == "pp":
        total = sum(nodes for _, nodes in split.nodes)
        stages = job.strategy.pp * found.design.nodes // total
    return SiteShare(
        name=way.site, server=found.design.platform.server, nodes=found.design.nodes,
        gpus=found.design.gpus, global_batch=found.instance.workloads[0].global_batch,
        step_time_s=job.step_time_s, strategy=job.strategy_label, stages=stages,
        objective_usd=found.objective_usd, capex_usd=found.cost.capex_usd,
        run_id=found.run.run_id, seal=seal_of(found),
    )  # fmt: skip
