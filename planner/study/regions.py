"""Several sites: every split of servers, the program over them, and each site's own solution."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from planner import __version__
from planner.domain.errors import Fault, InputError, SolverError, UsageError
from planner.domain.instance import Instance
from planner.domain.price import Price
from planner.domain.regions import Region, Regions, WanLink, WanOffer
from planner.domain.regions_answer import RegionsAnswer, SecurityCost, SiteShare, WanLine
from planner.domain.site import Budget
from planner.domain.units import CENTS_PER_USD, cents
from planner.physics import wan
from planner.physics.costs import MONTHS_PER_YEAR, UnitCost, unit_cost
from planner.physics.refusal import Refusal
from planner.program.columns import Column
from planner.program.engines import EngineOptions, EngineResult, solve
from planner.program.market import Market, open_market
from planner.program.regions import (
    Line,
    RegionLimits,
    RegionsModel,
    SiteColumn,
    Split,
    build_regions,
    holds,
)
from planner.program.scan import PlacedCost
from planner.program.steps import StepOracle
from planner.study.decide import Decision
from planner.study.evaluate import evaluate_column

Say = Callable[[str], None]
MAX_COLUMNS = 500
"""Of one site; above, the instance must pin more."""
MAX_WAYS = 40_000
"""Site columns over all splits."""
TOLERANCE = 1e-6
NOTES = (
    (
        "No slowdown of training by link encryption has been published; what is shown follows "
        "from the bytes and the latency that the encryption adds, which is an estimate."
    ),
    "Nothing of the exchange between the sites is assumed to hide behind computation.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionsDecision:
    """The answer and each site's own solution, with the catalogue of both."""

    answer: RegionsAnswer
    sites: tuple[Decision, ...]


@dataclass
class _Site:
    """One site with its columns, placed, whatever their step time."""

    region: Region
    market: Market
    columns: list[tuple[Column, PlacedCost]]
    steps: dict[tuple[int, int], float | None] = field(default_factory=dict)
    """By column and part of the batch."""

    def step_s(self, number: int, batch: int) -> float | None:
        """Return the step of a part of the batch on a column, None where it does not fit."""
        key = (number, batch)
        if key not in self.steps:
            column, placed = self.columns[number]
            longest = max((x.max_m for x in placed.placement.lengths.values()), default=0.0)
            oracle = self._oracle(batch)
            found = oracle.fastest(0, column, longest)
            self.steps[key] = None if found is None else found.step_time_s
        return self.steps[key]

    def _oracle(self, batch: int) -> StepOracle:
        market = self.market
        job = market.instance.workloads[0]
        known = {job.network: market.oracle.networks[0]}
        return StepOracle.of(
            with_batch(market.instance, batch), market.catalog, market.file, market.calibration,
            known,
        )  # fmt: skip


def site_instance(instance: Instance, region: Region) -> Instance:
    """Return a site's own instance: its room, no common limits, the common target."""
    stated = region.model_dump(exclude={"name"}, exclude_none=True)
    job = instance.workloads[0]
    target = job.target_s
    alone = job.model_copy(
        update={"step_time_s": target, "tokens": None, "samples": None, "deadline_days": None,
                "repeat_days": None}
    )  # fmt: skip
    return instance.model_copy(
        update={
            "name": f"{instance.name}-{region.name}"[:80],
            "regions": None,
            "budget": Budget(),
            "site": instance.site.model_copy(update=stated),
            "workloads": [alone],
        }
    )


def with_batch(instance: Instance, batch: int) -> Instance:
    """Return an instance whose workload trains another part of the batch."""
    job = instance.workloads[0].model_copy(update={"global_batch": batch})
    return instance.model_copy(update={"workloads": [job]})


def decide_regions(instance: Instance, file: Path, say: Say = lambda _: None) -> RegionsDecision:
    """Return the cheapest split of servers over sites with the line between them.

    Raises
    ------
    UsageError
        If the instance has no regions, or leaves too many designs for each site.
    InputError
        If it names something unknown.
    SolverError
        If the engine's answer does not hold when it is counted again.
    """
    regions = _regions_of(instance, file)
    sites = {r.name: _open_site(instance, r, file, say) for r in regions.sites}
    market = next(iter(sites.values())).market
    limit_s = market.oracle.limits[0]
    splits = list(_splits(instance, regions, sites, limit_s))
    offered = list(_lines(instance, file, regions, market))
    lines = [line for line, *_ in offered]
    limits = _limits(instance, regions, limit_s)
    say(f"{instance.name}: {len(splits):,} splits, {len(lines):,} lines")
    model, result = _solve(splits, lines, limits)
    target, margin = instance.workloads[0].target_s, market.oracle.margins[0].value
    common = {
        "instance": instance, "limit_s": limit_s, "target_s": target, "margin": margin,
        "splits": len(splits), "planner_version": __version__,
        "solver": f"{result.engine} {result.version}",
        "notes": list(NOTES),
    }  # fmt: skip
    if result.status == "infeasible":
        answer = RegionsAnswer(
            status="infeasible", objective_usd=None, bound_usd=None, step_time_s=None, sites=[],
            line=None, alternatives=[], reasons=_why(splits, lines, limits), **common,
        )  # fmt: skip
        return RegionsDecision(answer=answer, sites=())
    chosen = _chosen(model, result, splits, lines)
    decisions = tuple(_site_decision(instance, sites, way, chosen[0]) for way in chosen[1])
    line = None if chosen[2] is None else _wan_line(offered[chosen[2]])
    answer = RegionsAnswer(
        status="optimal",
        objective_usd=_cost_cents(chosen, lines) / CENTS_PER_USD,
        bound_usd=_bound_cents(sites, chosen, lines) / CENTS_PER_USD,
        step_time_s=_step_s(chosen, lines),
        sites=[_share(d, way) for d, way in zip(decisions, chosen[1], strict=True)],
        line=line,
        alternatives=_alternatives(regions, splits, offered, limits),
        reasons=[],
        **common,
    )
    if (answer.step_time_s or 0.0) > limit_s * (1 + TOLERANCE):
        raise SolverError("the engine's split misses the step time when it is counted again")
    return RegionsDecision(answer=answer, sites=decisions)


Chosen = tuple[Split, tuple[SiteColumn, ...], int | None]
"""The split, each site's column, and the line."""


def _regions_of(instance: Instance, file: Path) -> Regions:
    if instance.regions is None:
        raise UsageError(f"{file}: the instance has no regions; planner solve answers it")
    if instance.goodput is not None or instance.owned is not None or instance.split:
        raise UsageError(
            f"{file}: regions do not go with goodput, owned, pools or cloud yet; leave those out"
        )
    return instance.regions


def _open_site(instance: Instance, region: Region, file: Path, say: Say) -> _Site:
    market = open_market(site_instance(instance, region), file)
    found: list[tuple[Column, PlacedCost]] = []
    for option in market.options:
        for nodes in market.node_range(option):
            for choice in market.choices(option):
                column = market.column(option, nodes, choice)
                if isinstance(column, Refusal) or market.column_limit(column) is not None:
                    continue
                if len(found) == MAX_COLUMNS:
                    raise UsageError(
                        f"{file}: more than {MAX_COLUMNS} designs of {region.name}; pin more under "
                        "fix (server, family, switch, topology) or set grid.max_nodes and grid.step"
                    )
                placed = market.place(column)
                if not isinstance(placed, Refusal):
                    found.append((column, placed))
        say(f"{instance.name}: {region.name}, {len(found):,} designs")
    return _Site(region=region, market=market, columns=found)


def _splits(
    instance: Instance, regions: Regions, sites: dict[str, _Site], limit_s: float
) -> Iterator[Split]:
    """Yield every split of every platform over one site or two linked ones."""
    batch = instance.workloads[0].global_batch
    pairs = [link.between for link in regions.wan]
    ways = 0
    for names in [*((site.name,) for site in regions.sites), *pairs]:
        by_size: list[dict[tuple[str, int], list[int]]] = []
        for name in names:
            sizes: dict[tuple[str, int], list[int]] = {}
            for number, (column, _) in enumerate(sites[name].columns):
                sizes.setdefault((column.option.key, column.nodes), []).append(number)
            by_size.append(sizes)
        for parts in itertools.product(*by_size):
            split = _split(names, parts, by_size, sites, batch, limit_s)
            if split is not None:
                ways += len(split.columns)
                yield split
        if ways > MAX_WAYS:
            raise UsageError(
                f"more than {MAX_WAYS:,} ways to build the sites; pin more under fix, or set "
                "grid.max_nodes and grid.step"
            )


def _split(
    names: tuple[str, ...],
    parts: tuple[tuple[str, int], ...],
    by_size: list[dict[tuple[str, int], list[int]]],
    sites: dict[str, _Site],
    batch: int,
    limit_s: float,
) -> Split | None:
    """Return a split with every column that holds the limit alone, None if a site has none."""
    if len({platform for platform, _ in parts}) > 1:
        return None
    total = sum(nodes for _, nodes in parts)
    if any(batch * nodes % total for _, nodes in parts):
        return None
    columns: list[SiteColumn] = []
    for name, part, sizes in zip(names, parts, by_size, strict=True):
        own = [
            _way(sites[name], number, seconds)
            for number in sizes[part]
            for seconds in (sites[name].step_s(number, batch * part[1] // total),)
            if seconds is not None and holds(seconds, limit_s)
        ]
        if not own:
            return None
        columns += own
    nodes = tuple((name, part[1]) for name, part in zip(names, parts, strict=True))
    return Split(nodes=nodes, columns=tuple(columns))


def _way(site: _Site, number: int, seconds: float) -> SiteColumn:
    column, placed = site.columns[number]
    return SiteColumn(
        site=site.region.name, column=number, cost_cents=placed.cost_cents,
        capex_cents=placed.capex_cents, power_w=column.max_power_w, gpus=column.gpus,
        step_time_s=seconds,
    )  # fmt: skip


Offered = tuple[Line, WanLink, WanOffer, UnitCost, int, float]
"""The line; its link and offer; one gateway's cost; rent in cents; bytes of one exchange."""


def _lines(instance: Instance, file: Path, regions: Regions, market: Market) -> Iterator[Offered]:
    """Yield every offer of every link with every encryption that it can do, plain ones too."""
    job = market.oracle.jobs[0]
    sent = job.network.parameters * job.gradient_bytes
    gateway = _gateway(file, regions, market)
    for link in regions.wan:
        for number, offer in enumerate(link.offers):
            rent = cents(offer.usd_per_month * MONTHS_PER_YEAR * market.book.rules.annuity)
            traffic = _traffic_cents(instance, file, market, offer, sent)
            for encryption in dict.fromkeys(link.encryption):
                cards = gateway.times(wan.gateways(offer.gbps, encryption))
                seconds = wan.exchange_s(sent, km=link.km, gbps=offer.gbps, encryption=encryption)
                line = Line(
                    link=frozenset(link.between), offer=number, encryption=encryption,
                    cost_cents=rent + traffic + cards.total, capex_cents=cards.capex,
                    exchange_s=seconds,
                )  # fmt: skip
                yield line, link, offer, cards, rent, sent


def _gateway(file: Path, regions: Regions, market: Market) -> UnitCost:
    nics = market.catalog.nics
    if regions.gateway not in nics:
        fault = Fault("$.regions.gateway", f"unknown card {regions.gateway!r}", "name a NIC or DPU")
        raise InputError(str(file), [fault])
    nic = nics[regions.gateway]
    price: Price | None = nic.price
    if price is None:
        fault = Fault("$.regions.gateway", f"{regions.gateway} has no price", "quote it")
        raise InputError(str(file), [fault])
    watts = nic.max_power_w or 0.0
    return unit_cost(
        market.book.rules, component="nics", price_usd=price.usd,
        average_w=nic.typical_power_w or watts, max_w=watts,
    )  # fmt: skip


def _traffic_cents(
    instance: Instance, file: Path, market: Market, offer: WanOffer, sent: float
) -> int:
    """Return the present value of the gigabytes that both sites send over all runs."""
    if offer.usd_per_gbyte == 0.0:
        return 0
    job = instance.workloads[0]
    if job.steps is None:
        fault = Fault(
            "$.regions.wan", "usd_per_gbyte needs the number of steps",
            "give the workload tokens or samples with deadline_days",
        )  # fmt: skip
        raise InputError(str(file), [fault])
    usd = 2.0 * sent * job.steps / 1e9 * offer.usd_per_gbyte
    if job.repeat_days is not None:
        usd *= 365.0 / job.repeat_days * market.book.rules.annuity
    return cents(usd)


def _limits(instance: Instance, regions: Regions, limit_s: float) -> RegionLimits:
    budget = instance.budget
    return RegionLimits(
        step_time_s=limit_s,
        encrypted=regions.encryption == "required",
        capex_cents=None if budget.capex_usd is None else cents(budget.capex_usd),
        power_w=None if budget.power_kw is None else budget.power_kw * 1000.0,
        gpus=budget.gpus,
    )


def _solve(
    splits: list[Split], lines: list[Line], limits: RegionLimits
) -> tuple[RegionsModel, EngineResult]:
    model = build_regions(splits, lines, limits)
    if not splits:
        return model, EngineResult(
            status="infeasible", objective=None, bound=None, values={}, engine="none: no split",
            version=__version__,
        )  # fmt: skip
    return model, solve(model.problem, EngineOptions())


def _chosen(
    model: RegionsModel, result: EngineResult, splits: list[Split], lines: list[Line]
) -> Chosen:
    def on(variable: object) -> bool:
        return result.values.get(getattr(variable, "name", ""), 0.0) > 0.5

    number = next(j for j in range(len(splits)) if on(model.split[j]))
    split = splits[number]
    ways = tuple(w for c, w in enumerate(split.columns) if on(model.take[number, c]))
    line = next((k for k in range(len(lines)) if on(model.line[k])), None)
    return split, ways, None if line is None else _fastest(line, lines)


def _fastest(line: int, lines: list[Line]) -> int:
    """Return the fastest line that costs the same, the first of equals; plain ones never replace."""
    wanted = lines[line]
    same = [
        k
        for k, other in enumerate(lines)
        if (other.link, other.cost_cents, other.capex_cents)
        == (wanted.link, wanted.cost_cents, wanted.capex_cents)
        and (other.encryption == "none") == (wanted.encryption == "none")
    ]
    return min(same, key=lambda k: (lines[k].exchange_s, k))


def _cost_cents(chosen: Chosen, lines: list[Line]) -> int:
    line = 0 if chosen[2] is None else lines[chosen[2]].cost_cents
    return sum(way.cost_cents for way in chosen[1]) + line


def _step_s(chosen: Chosen, lines: list[Line]) -> float:
    exchange = 0.0 if chosen[2] is None else lines[chosen[2]].exchange_s
    return max(way.step_time_s for way in chosen[1]) + exchange


def _bound_cents(sites: dict[str, _Site], chosen: Chosen, lines: list[Line]) -> int:
    """Return the objective, less what placements might still save where one is not proved."""
    open_cents = max(
        (p.cost_cents - p.bound_cents for s in sites.values() for _, p in s.columns), default=0
    )
    return _cost_cents(chosen, lines) - len(chosen[1]) * open_cents


def _site_decision(
    instance: Instance, sites: dict[str, _Site], way: SiteColumn, split: Split
) -> Decision:
    """Return a site's own solution: its column with its part of the batch."""
    site = sites[way.site]
    nodes = dict(split.nodes)
    total = sum(nodes.values())
    batch = instance.workloads[0].global_batch * nodes[way.site] // total
    market = open_market(with_batch(site.market.instance, batch), site.market.file)
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


def _share(decision: Decision, way: SiteColumn) -> SiteShare:
    found = decision.solution
    assert found.design is not None
    assert found.cost is not None
    assert found.objective_usd is not None
    job = found.workloads[0]
    return SiteShare(
        name=way.site, server=found.design.platform.server, nodes=found.design.nodes,
        gpus=found.design.gpus, global_batch=found.instance.workloads[0].global_batch,
        step_time_s=job.step_time_s, strategy=job.strategy_label,
        objective_usd=found.objective_usd, capex_usd=found.cost.capex_usd,
        run_id=found.run.run_id,
    )  # fmt: skip


def _wan_line(offered: Offered) -> WanLine:
    line, link, offer, cards, rent, sent = offered
    share = wan.goodput_share(line.encryption)
    return WanLine(
        between=link.between, km=link.km, gbps=offer.gbps, encryption=line.encryption,
        goodput_gbps=offer.gbps * share, latency_s=wan.one_way_s(link.km, line.encryption),
        exchange_bytes=sent, exchange_s=line.exchange_s,
        gateways=wan.gateways(offer.gbps, line.encryption),
        gateway_usd=cards.total / CENTS_PER_USD, gateway_capex_usd=cards.capex / CENTS_PER_USD,
        rent_usd=rent / CENTS_PER_USD,
        traffic_usd=(line.cost_cents - cards.total - rent) / CENTS_PER_USD, source=offer.source,
    )  # fmt: skip


def _alternatives(
    regions: Regions, splits: list[Split], offered: list[Offered], limits: RegionLimits
) -> list[SecurityCost]:
    """Return the best answer at one site, and over two with each encryption forced."""
    found = [_forced("one site", [s for s in splits if s.link is None], [], limits)]
    across = [s for s in splits if s.link is not None]
    free = replace(limits, encrypted=False)
    for name in dict.fromkeys(e for link in regions.wan for e in link.encryption):
        kept = [one for one in offered if one[0].encryption == name]
        shown = _forced(name, across, kept, free)
        if limits.encrypted and name == "none":
            shown = shown.model_copy(update={"allowed": False})
        found.append(shown)
    return found


def _forced(
    name: str, splits: list[Split], offered: list[Offered], limits: RegionLimits
) -> SecurityCost:
    lines = [line for line, *_ in offered]
    rates = [offer.gbps for _, _, offer, *_ in offered]
    model, result = _solve(splits, lines, limits)
    if result.status == "infeasible":
        return SecurityCost(name=name, status="infeasible", summary="no split holds the limits")
    chosen = _chosen(model, result, splits, lines)
    return SecurityCost(
        name=name,
        status="optimal",
        objective_usd=_cost_cents(chosen, lines) / CENTS_PER_USD,
        step_time_s=_step_s(chosen, lines),
        gbps=None if chosen[2] is None else rates[chosen[2]],
        summary=", ".join(f"{nodes} at {site}" for site, nodes in chosen[0].nodes),
    )


def _why(splits: list[Split], lines: list[Line], limits: RegionLimits) -> list[str]:
    """Return which limit alone, lifted, would leave an answer."""
    if not splits:
        return ["No split of servers steps within the limit, whatever the line."]
    free = RegionLimits(step_time_s=1e12, encrypted=False)
    lifted = {
        "the step time": replace(limits, step_time_s=1e12),
        "the demand for encryption": replace(limits, encrypted=False),
        "the budget": replace(limits, capex_cents=None, power_w=None, gpus=None),
    }
    reasons = [
        f"Lifting {name} alone would leave an answer."
        for name, relaxed in lifted.items()
        if _solve(splits, lines, relaxed)[1].status != "infeasible"
    ]
    if not reasons and _solve(splits, lines, free)[1].status == "infeasible":
        return ["No link joins two sites that would be enough together."]
    return reasons or ["No single limit explains it: several must give."]
