"""Every way to spread a job's servers over sites: whole replicas, or stages of one pipeline."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from planner.domain.errors import UsageError
from planner.domain.instance import Instance
from planner.domain.regions import Regions
from planner.domain.strategy import DEFAULT_ORDER, RANK_ORDERS, Strategy
from planner.physics import wan
from planner.physics.enumeration import divisors
from planner.program.regions import Crossing, Part, SiteColumn, Split, holds
from planner.study.region_site import Site, stage_choice

MAX_WAYS = 40_000
"""Site columns over all splits."""
SCHEDULES = ("1f1b", "gpipe")
"""Of a pipeline that crosses: one chunk a stage, so that every micro-batch crosses once each way."""
NORM_ROUNDS = 1
"""All stages sum the norm of their gradients once a step."""
PIPELINE_LAST = tuple(order for order in RANK_ORDERS if order.endswith("-pp"))
"""Orders in which a stage's ranks are neighbours, so that they can stand at one site."""

Parts = tuple[tuple[str, int], ...]
"""Platform and servers, by site."""


def splits_of(
    instance: Instance, regions: Regions, sites: dict[str, Site], limit_s: float
) -> list[Split]:
    """Return every split of every platform over the sites that may train together.

    Raises
    ------
    UsageError
        If there are too many ways to build them.
    """
    found: list[Split] = []
    ways = 0
    for crossing, names in _crossings(regions):
        sizes = [sites[name].sizes() for name in names]
        for parts in itertools.product(*sizes):
            if len({platform for platform, _ in parts}) > 1:
                continue
            own = [sites[name] for name in names]
            columns = [by_size[part] for by_size, part in zip(sizes, parts, strict=True)]
            for split in _built(instance, crossing, own, parts, columns, limit_s):
                ways += len(split.columns)
                found.append(split)
            if ways > MAX_WAYS:
                raise UsageError(
                    f"more than {MAX_WAYS:,} ways to build the sites; pin more under fix, or set "
                    "grid.max_nodes, grid.step and regions.most_sites"
                )
    return found


def _crossings(
    regions: Regions,
) -> Iterator[tuple[Crossing | None, tuple[str, ...]]]:
    """Yield what may cross between which sites; single sites first."""
    names = [site.name for site in regions.sites]
    linked = {frozenset(link.between) for link in regions.wan}
    for name in names:
        yield None, (name,)
    for count in range(2, min(regions.most_sites, len(names)) + 1):
        if "dp" in regions.dimensions:
            for chosen in itertools.combinations(names, count):
                for pattern, order, links in _summed(chosen):
                    if set(links) <= linked:
                        crossing = Crossing(dimension="dp", pattern=pattern, sites=order,
                                            links=links)  # fmt: skip
                        yield crossing, order
        if "pp" in regions.dimensions:
            for order in itertools.permutations(names, count):
                if names.index(order[0]) > names.index(order[-1]):
                    continue  # the same chain from its other end
                links = tuple(frozenset(pair) for pair in itertools.pairwise(order))
                if set(links) <= linked:
                    yield Crossing(dimension="pp", pattern="chain", sites=order, links=links), order


def _summed(
    chosen: tuple[str, ...],
) -> Iterator[tuple[str, tuple[str, ...], tuple[frozenset[str], ...]]]:
    """Yield how sites may sum their gradients: every pair at once, or over one of three or more."""
    pairs = tuple(frozenset(pair) for pair in itertools.combinations(chosen, 2))
    yield "mesh", chosen, pairs
    if len(chosen) > 2:
        for hub in chosen:
            others = tuple(name for name in chosen if name != hub)
            yield "hub", (hub, *others), tuple(frozenset((hub, name)) for name in others)


def _built(
    instance: Instance,
    crossing: Crossing | None,
    sites: Sequence[Site],
    parts: Parts,
    columns: Sequence[list[int]],
    limit_s: float,
) -> Iterator[Split]:
    batch = instance.workloads[0].global_batch
    total = sum(nodes for _, nodes in parts)
    if crossing is None or crossing.dimension == "dp":
        if any(batch * nodes % total for _, nodes in parts):
            return
        shares = [Part(batch=batch * nodes // total) for _, nodes in parts]
        yield from _split(crossing, sites, parts, columns, shares, limit_s)
        return
    yield from _undominated(list(_stages(crossing, sites, parts, columns, limit_s)))


def _stages(
    crossing: Crossing,
    sites: Sequence[Site],
    parts: Parts,
    columns: Sequence[list[int]],
    limit_s: float,
) -> Iterator[Split]:
    """Yield a split for every strategy whose stages fill the sites."""
    batch = sites[0].market.instance.workloads[0].global_batch
    total = sum(nodes for _, nodes in parts)
    for strategy in _pipelines(batch, sites, parts, columns):
        rounds = wan.pipeline_rounds(
            batch // (strategy.dp * strategy.micro_batch), strategy.schedule
        )
        ends = NORM_ROUNDS + int(sites[0].market.oracle.networks[0].tie_word_embeddings)
        passed = Crossing(dimension="pp", pattern="chain", sites=crossing.sites,
                          links=crossing.links, rounds=rounds + ends)  # fmt: skip
        shares = [
            Part(batch=batch, elsewhere=total - nodes,
                 choice=stage_choice(strategy).model_dump_json(exclude_none=True))
            for _, nodes in parts
        ]  # fmt: skip
        yield from _split(passed, sites, parts, columns, shares, limit_s)


def _undominated(splits: list[Split]) -> list[Split]:
    """Return the splits than which none is as fast on every column with as few waits."""
    kept: list[Split] = []
    for split in sorted(splits, key=lambda s: s.crossing.rounds if s.crossing else 0):
        own = _times(split)
        better = [t for t in map(_times, kept) if all(t.get(k, math.inf) <= own[k] for k in own)]
        if not better:
            kept.append(split)
    return kept


def _times(split: Split) -> dict[tuple[str, int], float]:
    return {(way.site, way.column): way.step_time_s for way in split.columns}


def _split(
    crossing: Crossing | None,
    sites: Sequence[Site],
    parts: Parts,
    columns: Sequence[list[int]],
    shares: Sequence[Part],
    limit_s: float,
) -> Iterator[Split]:
    """Yield the split with every column that holds the limit alone, none if a site has none."""
    ways: list[SiteColumn] = []
    for site, share, numbers in zip(sites, shares, columns, strict=True):
        own = [
            _way(site, number, step.step_time_s)
            for number in numbers
            for step in (site.step(number, share),)
            if step is not None and holds(step.step_time_s, limit_s)
        ]
        if not own:
            return
        ways += own
    nodes = tuple((s.region.name, part[1]) for s, part in zip(sites, parts, strict=True))
    yield Split(nodes=nodes, columns=tuple(ways), crossing=crossing,
                parts=tuple((s.region.name, share) for s, share in zip(sites, shares, strict=True)))  # fmt: skip


def _way(site: Site, number: int, seconds: float) -> SiteColumn:
    column, placed = site.columns[number]
    return SiteColumn(
        site=site.region.name, column=number, cost_cents=placed.cost_cents,
        capex_cents=placed.capex_cents, power_w=column.max_power_w, gpus=column.gpus,
        step_time_s=seconds,
    )  # fmt: skip


def _pipelines(
    batch: int, sites: Sequence[Site], parts: Parts, columns: Sequence[list[int]]
) -> list[Strategy]:
    """Return the fastest strategy of each depth and schedule on each site's columns.

    All sites run one strategy, so each found on one is tried on the others.
    """
    total = sum(nodes for _, nodes in parts)
    asked = sites[0].market.instance.workloads[0].fix.values()
    layers = sites[0].market.oracle.networks[0].num_hidden_layers
    depths = [
        depth
        for depth in divisors(total * sites[0].columns[columns[0][0]][0].option.server.gpus)
        if 1 < depth <= layers
        and all(depth * nodes % total == 0 for _, nodes in parts)
        and depth in asked.get("pp", (depth,))
    ]
    orders = [o for o in asked.get("rank_order", (DEFAULT_ORDER,)) if o in PIPELINE_LAST]
    found: dict[Strategy, None] = {}
    for depth, schedule, order in itertools.product(depths, SCHEDULES, orders):
        if schedule not in asked.get("schedule", SCHEDULES) or 1 not in asked.get("vpp", (1,)):
            continue
        choice = f'{{"pp":{depth},"vpp":1,"schedule":"{schedule}","rank_order":"{order}"}}'
        for site, (_, nodes), numbers in zip(sites, parts, columns, strict=True):
            part = Part(batch=batch, elsewhere=total - nodes, choice=choice)
            for number in numbers:
                step = site.step(number, part)
                if step is not None:
                    found.setdefault(step.best.strategy)
    return list(found)
