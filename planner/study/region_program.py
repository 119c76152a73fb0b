"""Solve the program over sites, read what it chose, and force choices to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner import __version__
from planner.domain.regions import Regions
from planner.domain.regions_answer import SecurityCost
from planner.domain.units import CENTS_PER_USD
from planner.program.engines import EngineOptions, EngineResult, solve
from planner.program.regions import (
    Crossing,
    Line,
    RegionLimits,
    RegionsModel,
    SiteColumn,
    Split,
    build_regions,
)
from planner.study.region_lines import Offered, exchange_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The split, each site's column, and the lines."""

    split: Split
    ways: tuple[SiteColumn, ...]
    """In the split's order of sites."""
    lines: tuple[Offered, ...]

    @property
    def cost_cents(self) -> int:
        """Present value of everything."""
        return sum(w.cost_cents for w in self.ways) + sum(o.line.cost_cents for o in self.lines)

    @property
    def exchange_s(self) -> float:
        """What crosses between the sites adds to a step."""
        return exchange_s(self.split.crossing, [o.line for o in self.lines])

    @property
    def step_s(self) -> float:
        """Seconds of a step over all sites."""
        return max(way.step_time_s for way in self.ways) + self.exchange_s


def choose(
    splits: Sequence[Split], offered: Sequence[Offered], limits: RegionLimits
) -> tuple[Chosen | None, EngineResult]:
    """Return the cheapest choice, None if nothing holds the limits."""
    lines = [one.line for one in offered]
    model = build_regions(splits, lines, limits)
    if not splits:
        return None, EngineResult(
            status="infeasible", objective=None, bound=None, values={}, engine="none: no split",
            version=__version__,
        )  # fmt: skip
    result = solve(model.problem, EngineOptions())
    if result.status == "infeasible":
        return None, result
    return _read(model, result, splits, offered), result


def _read(
    model: RegionsModel, result: EngineResult, splits: Sequence[Split], offered: Sequence[Offered]
) -> Chosen:
    def on(variable: object) -> bool:
        return result.values.get(getattr(variable, "name", ""), 0.0) > 0.5

    number = next(j for j in range(len(splits)) if on(model.split[j]))
    split = splits[number]
    ways = tuple(w for c, w in enumerate(split.columns) if on(model.take[number, c]))
    taken = [one for k, one in enumerate(offered) if on(model.line[k])]
    lines = tuple(_fastest(one, offered) for one in taken)
    return _quickest(Chosen(split=split, ways=ways, lines=lines), splits, offered)


def _quickest(chosen: Chosen, splits: Sequence[Split], offered: Sequence[Offered]) -> Chosen:
    """Return the strategy with which the same sites and lines step fastest, the first of equals."""

    def built(lines: Sequence[Offered]) -> set[tuple[frozenset[str], int, str]]:
        return {(o.line.link, o.line.offer, o.line.encryption) for o in lines}

    best = chosen
    wanted = {(way.site, way.column) for way in chosen.ways}
    crossing = chosen.split.crossing
    for split in splits:
        other = split.crossing
        if crossing is None or other is None or split.nodes != chosen.split.nodes:
            continue
        if (other.pattern, other.sites) != (crossing.pattern, crossing.sites):
            continue
        ways = tuple(way for way in split.columns if (way.site, way.column) in wanted)
        own = [o for o in offered if o.line.crossing == other and built([o]) <= built(chosen.lines)]
        found = Chosen(split=split, ways=ways, lines=tuple(own))
        same = len(ways) == len(wanted) and built(own) == built(chosen.lines)
        if same and found.step_s < best.step_s:
            best = found
    return best


def _fastest(wanted: Offered, offered: Sequence[Offered]) -> Offered:
    """Return the fastest line that costs the same, the first of equals; plain ones never replace."""

    def kind(one: Offered) -> tuple[Crossing, frozenset[str], int, int, bool]:
        line: Line = one.line
        plain = line.encryption == "none"
        return line.crossing, line.link, line.cost_cents, line.capex_cents, plain

    same = [one for one in offered if kind(one) == kind(wanted)]
    return min(same, key=lambda one: one.line.exchange_s)


def compared(
    regions: Regions, splits: Sequence[Split], offered: Sequence[Offered], limits: RegionLimits
) -> list[SecurityCost]:
    """Return the best answer at one site, with each encryption, and with each dimension forced."""
    found = [_forced("one site", [s for s in splits if s.crossing is None], [], limits)]
    across = [s for s in splits if s.crossing is not None]
    free = replace(limits, encrypted=False)
    for name in dict.fromkeys(e for link in regions.wan for e in link.encryption):
        kept = [one for one in offered if one.encryption == name]
        shown = _forced(name, across, kept, free)
        if limits.encrypted and name == "none":
            shown = shown.model_copy(update={"allowed": False})
        found.append(shown)
    if len(regions.dimensions) > 1:
        for dimension in regions.dimensions:
            kept_splits = [s for s in across if s.crossing and s.crossing.dimension == dimension]
            found.append(_forced(dimension, kept_splits, offered, limits))
    return found


def _forced(
    name: str, splits: Sequence[Split], offered: Sequence[Offered], limits: RegionLimits
) -> SecurityCost:
    chosen, _ = choose(splits, offered, limits)
    if chosen is None:
        return SecurityCost(name=name, status="infeasible", summary="no split holds the limits")
    return SecurityCost(
        name=name,
        status="optimal",
        objective_usd=chosen.cost_cents / CENTS_PER_USD,
        step_time_s=chosen.step_s,
        exchange_s=chosen.exchange_s,
        lines_usd=sum(one.line.cost_cents for one in chosen.lines) / CENTS_PER_USD,
        gbps=min((one.offer.gbps for one in chosen.lines), default=None),
        summary=", ".join(f"{nodes} at {site}" for site, nodes in chosen.split.nodes),
    )


def reasons(splits: Sequence[Split], offered: Sequence[Offered], limits: RegionLimits) -> list[str]:
    """Return which limit alone, lifted, would leave an answer."""
    if not splits:
        return ["No split of servers steps within the limit, whatever the line."]
    free = RegionLimits(step_time_s=1e12, encrypted=False)
    lifted = {
        "the step time": replace(limits, step_time_s=1e12),
        "the demand for encryption": replace(limits, encrypted=False),
        "the budget": replace(limits, capex_cents=None, power_w=None, gpus=None),
    }
    found = [
        f"Lifting {name} alone would leave an answer."
        for name, relaxed in lifted.items()
        if choose(splits, offered, relaxed)[0] is not None
    ]
    if not found and choose(splits, offered, free)[0] is None:
        return ["No link joins two sites that would be enough together."]
    return found or ["No single limit explains it: several must give."]
