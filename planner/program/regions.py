"""The program of several sites: servers of each, the line between them, its encryption.

The mathematics stands in ``models/formulation/regions.md``; each row begins with its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planner.domain.units import CENTS_PER_USD
from planner.program.selection import EPSILON_S, barely_over


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteColumn:
    """One way to build one site within one split: exact cost and step of its share."""

    site: str
    column: int
    """Which of the site's columns."""
    cost_cents: int
    capex_cents: int
    power_w: float
    gpus: int
    step_time_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What passes between sites in a step, and over which links."""

    dimension: str
    """``dp`` or ``pp``."""
    pattern: str
    """``mesh`` or ``hub`` of gradients, ``chain`` of pipeline stages."""
    sites: tuple[str, ...]
    links: tuple[frozenset[str], ...]
    rounds: int = 1
    """How often each link is waited for, there and back."""

    @property
    def in_turn(self) -> bool:
        """Whether a step passes the links one after the other, not all at once."""
        return self.pattern == "chain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one site does of the job."""

    batch: int
    """Its part of the batch; all of it where it holds stages of the pipeline."""
    elsewhere: int = 0
    """Servers that hold the other stages, at other sites."""
    choice: str = ""
    """JSON text of what is pinned of the strategy besides what the instance pins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Servers of one platform over sites: whole replicas at each, or stages of a pipeline."""

    nodes: tuple[tuple[str, int], ...]
    """(site, servers)."""
    columns: tuple[SiteColumn, ...]
    crossing: Crossing | None = None
    """None for one site."""
    parts: tuple[tuple[str, Part], ...] = ()
    """(site, what it does)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One bandwidth of a link with one encryption, for one kind of crossing."""

    crossing: Crossing
    link: frozenset[str]
    offer: int
    encryption: str
    cost_cents: int
    capex_cents: int
    exchange_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionLimits:
    """Right-hand sides; None is no limit."""

    step_time_s: float
    encrypted: bool
    capex_cents: int | None = None
    power_w: float | None = None
    gpus: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionsModel:
    """The program and its variables."""

    problem: Any
    split: dict[int, Any]
    take: dict[tuple[int, int], Any]
    """By split and its column."""
    line: dict[int, Any]


def build_regions(
    splits: Sequence[Split], lines: Sequence[Line], limits: RegionLimits
) -> RegionsModel:
    """Build the program over splits and lines."""
    import pulp

    problem = pulp.LpProblem("regions", pulp.LpMinimize)
    split = {j: pulp.LpVariable(f"split_{j}", cat="Binary") for j in range(len(splits))}
    take = {
        (j, c): pulp.LpVariable(f"take_{j}_{c}", cat="Binary")
        for j, found in enumerate(splits)
        for c in range(len(found.columns))
    }
    line = {k: pulp.LpVariable(f"line_{k}", cat="Binary") for k in range(len(lines))}
    model = RegionsModel(problem=problem, split=split, take=take, line=line)
    taken = [(take[key], splits[key[0]].columns[key[1]]) for key in take]
    rented = [(line[k], lines[k]) for k in line]
    priced: list[tuple[Any, SiteColumn | Line]] = [*taken, *rented]
    problem += pulp.lpSum(v * (item.cost_cents / CENTS_PER_USD) for v, item in priced)
    problem += pulp.lpSum(split.values()) == 1, "regions_one_split"
    _sites(problem, model, splits)
    _links(problem, model, splits, lines, limits)
    _step_times(problem, model, splits, lines, limits)
    if limits.capex_cents is not None:
        spent = pulp.lpSum(v * (i.capex_cents / CENTS_PER_USD) for v, i in priced)
        problem += spent <= limits.capex_cents / CENTS_PER_USD, "regions_capex"
    if limits.power_w is not None:
        drawn = pulp.lpSum(v * i.power_w for v, i in taken)
        problem += drawn <= limits.power_w, "regions_power"
    if limits.gpus is not None:
        problem += pulp.lpSum(v * i.gpus for v, i in taken) <= limits.gpus, "regions_gpus"
    return model


def _sites(problem: Any, model: RegionsModel, splits: Sequence[Split]) -> None:
    """Build `regions_site`: every site of the chosen split is built in one way."""
    import pulp

    for j, found in enumerate(splits):
        for number, (site, _) in enumerate(found.nodes):
            ways = [model.take[j, c] for c, w in enumerate(found.columns) if w.site == site]
            problem += pulp.lpSum(ways) == model.split[j], f"regions_site_{j}_{number}"


def _links(
    problem: Any,
    model: RegionsModel,
    splits: Sequence[Split],
    lines: Sequence[Line],
    limits: RegionLimits,
) -> None:
    """Build `regions_link` and, where it is demanded, `regions_encrypted`."""
    import pulp

    for number, (crossing, link) in enumerate(_crossed(splits, lines)):
        crossing_splits = [model.split[j] for j, s in enumerate(splits) if s.crossing == crossing]
        rented = [
            (model.line[k], one)
            for k, one in enumerate(lines)
            if (one.crossing, one.link) == (crossing, link)
        ]
        taken = pulp.lpSum(variable for variable, _ in rented)
        problem += taken == pulp.lpSum(crossing_splits), f"regions_link_{number}"
        plain = [variable for variable, one in rented if one.encryption == "none"]
        if limits.encrypted and plain:
            problem += pulp.lpSum(plain) == 0, f"regions_encrypted_{number}"


def _crossed(
    splits: Sequence[Split], lines: Sequence[Line]
) -> list[tuple[Crossing, frozenset[str]]]:
    """Return every link of every crossing, always in the same order."""
    crossings = {s.crossing for s in splits if s.crossing is not None} | {k.crossing for k in lines}
    ordered = sorted(crossings, key=lambda c: (c.dimension, c.pattern, c.sites, c.rounds))
    return [(crossing, link) for crossing in ordered for link in crossing.links]


def _step_times(
    problem: Any,
    model: RegionsModel,
    splits: Sequence[Split],
    lines: Sequence[Line],
    limits: RegionLimits,
) -> None:
    """Build `regions_step_time`: each site's step and what crosses meet the limit.

    A mesh or hub works on all its links at once, so that each has a row; what passes a chain adds
    up in one.
    """
    import pulp

    seconds: dict[tuple[Crossing, frozenset[str] | None], list[Any]] = {}
    for k, one in enumerate(lines):
        key = (one.crossing, None if one.crossing.in_turn else one.link)
        seconds.setdefault(key, []).append(model.line[k] * one.exchange_s)
    left = limits.step_time_s + EPSILON_S
    for number, site in enumerate(sorted({name for s in splits for name, _ in s.nodes})):
        own = pulp.lpSum(
            variable * splits[j].columns[c].step_time_s
            for (j, c), variable in model.take.items()
            if splits[j].columns[c].site == site
        )
        problem += own <= left, f"regions_step_time_{number}"
        for row, ((crossing, _), terms) in enumerate(seconds.items()):
            if site in crossing.sites:
                problem += own + pulp.lpSum(terms) <= left, f"regions_step_time_{number}_{row}"


def holds(step_time_s: float, limit_s: float) -> bool:
    """Return whether a column may join the program: its own step leaves room for nothing less."""
    return step_time_s <= limit_s and not barely_over(step_time_s, limit_s)
