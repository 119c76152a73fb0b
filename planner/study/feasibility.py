"""Whether a variant of an instance has any design: one search for each, nothing polished."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from planner.domain.calibration import Calibration
from planner.domain.explanation import DesignFigures
from planner.domain.instance import Grid, HardwareChoice, Instance
from planner.domain.site import Budget
from planner.domain.units import CENTS_PER_USD
from planner.program.engines import EngineOptions
from planner.program.limits import WATTS_PER_KW
from planner.program.market import Market, open_market
from planner.program.platforms import platform_options
from planner.program.portfolio_answer import moves_of
from planner.program.portfolio_search import Search, SearchResult
from planner.program.scan import Found, ScanResult, describe, scan

ANY = 1.0
"""Gap at which the first design found ends the search."""
MOST_MARKETS = 24
"""Markets that are kept for variants that share their placements."""
ENGINE = EngineOptions(engine="highs", seed=0, threads=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether there is a design, and one of them."""

    design: DesignFigures | None
    decided: bool
    """False where a limit of time or work ended the search without a design."""
    proved: bool
    """Whether the design is the cheapest."""
    power_kw: float = 0.0
    gpus: int = 0
    scan: ScanResult | None = None
    """What became of every column; None of an instance with several pools or a cloud."""

    @property
    def infeasible(self) -> bool:
        """Whether it is proved that there is no design."""
        return self.design is None and self.decided

    def used(self, key: str) -> float | None:
        """Return what the design uses of a limit that counts sums; None where it counts none."""
        if self.design is None:
            return None
        if key == "budget.capex_usd":
            return self.design.capex_usd
        if key == "budget.gpus":
            return float(self.gpus)
        return self.power_kw if key in ("budget.power_kw", "site.power_kw") else None


@dataclass
class Feasibility:
    """Answers for variants of one instance; what was searched is kept."""

    instance: Instance
    file: Path
    calibration: Calibration | None = None
    deadline_s: float | None = None
    """`time.monotonic()` after which nothing more is searched."""
    solves: int = 0
    _markets: dict[Instance | str, Market] = field(default_factory=dict)
    _known: dict[tuple[str, float], Verdict] = field(default_factory=dict)

    def out_of_time(self) -> bool:
        """Whether the time is up."""
        return self.deadline_s is not None and time.monotonic() > self.deadline_s

    def __call__(self, instance: Instance, gap: float = ANY) -> Verdict:
        """Return whether an instance has a design; with gap 0 the cheapest."""
        key = instance.model_dump_json(), gap
        if key not in self._known:
            if self.out_of_time():
                return Verdict(design=None, decided=False, proved=False)
            self.solves += 1
            market = self.market(instance)
            searched = self._portfolio(market) if instance.split else self._scanned(market, gap)
            if not searched.decided and self.out_of_time():
                return searched
            self._known[key] = searched
        return self._known[key]

    def market(self, instance: Instance) -> Market:
        """Return the market of a variant; placements and step times serve several of them."""
        key = _shared(instance).model_dump_json()
        base = self._markets.get(key)
        if base is not None:
            return base.variant(instance)
        first = next(iter(self._markets.values()), None)
        made = self._asked_for(open_market(instance, self.file, self.calibration))
        if first is not None and _same_jobs(first.instance, instance):
            made = replace(made, oracle=first.oracle.variant(instance))
        if len(self._markets) >= MOST_MARKETS:
            del self._markets[list(self._markets)[1]]
        self._markets[key] = made
        return made

    def _asked_for(self, market: Market) -> Market:
        """Return a market that considers what the whole instance names, lifted or not."""
        options, left_out = platform_options(
            market.instance, market.catalog, market.book, self.instance
        )
        return replace(market, asked=self.instance, options=options, left_out=left_out)

    def _scanned(self, market: Market, gap: float) -> Verdict:
        result = scan(market, deadline_s=self.deadline_s, gap=gap)
        best = result.best
        return Verdict(
            design=None if best is None else _figures([best], best.placed.cost_cents),
            decided=best is not None or not result.stopped,
            proved=result.proved,
            power_kw=0.0 if best is None else best.column.max_power_w / WATTS_PER_KW
            + market.storage_kw,
            gpus=0 if best is None else best.column.gpus,
            scan=result,
        )  # fmt: skip

    def _portfolio(self, market: Market) -> Verdict:
        search = Search(
            market=market, engine=ENGINE, deadline_s=self.deadline_s, say=lambda _: None
        )
        result = search.run()
        stands = result.best is not None and moves_of(result.pools) is not None
        if result.best is None or not stands:
            decided = result.best is None and not result.stopped
            return Verdict(design=None, decided=decided, proved=False)
        return _portfolio_verdict(market, result)


def _portfolio_verdict(market: Market, result: SearchResult) -> Verdict:
    assert result.best is not None
    pools = [found for _, found in result.pools]
    kw = sum(found.column.max_power_w for found in pools) / WATTS_PER_KW
    figures = _figures(pools, result.best.cost_cents)
    bought = market.storage.capex / CENTS_PER_USD if pools else 0.0
    rented = [f"{o.servers} x {o.offer.instance} rented" for o in result.best.rents]
    summary = "; ".join(text for text in (figures.summary, *rented) if text)
    capex = round(figures.capex_usd + bought, 2)
    return Verdict(
        design=figures.model_copy(update={"summary": summary, "capex_usd": capex}),
        decided=True,
        proved=result.bound_cents == result.best.cost_cents,
        power_kw=kw + (market.storage_kw if pools else 0.0),
        gpus=sum(found.column.gpus for found in pools),
    )


def _figures(found: list[Found], cost_cents: int) -> DesignFigures:
    return DesignFigures(
        summary="; ".join(describe(one.column) for one in found),
        capex_usd=sum(one.placed.capex_cents for one in found) / CENTS_PER_USD,
        total_usd=cost_cents / CENTS_PER_USD,
    )


def _shared(instance: Instance) -> Instance:
    """Return the instance without what variants of one market may differ in."""
    products = instance.forbid.product
    jobs = [
        job.model_copy(
            update={
                "step_time_s": None, "deadline_days": None, "repeat_days": None, "margin": None,
                "hours_per_day": None, "runs": "time_shared", "pool": None, "availability": 1.0,
            }
        )
        for job in instance.workloads
    ]  # fmt: skip
    return instance.model_copy(
        update={
            "workloads": jobs,
            "budget": Budget(),
            "fix": HardwareChoice(),
            "forbid": HardwareChoice(product=products),
            "grid": Grid(),
            "pools": 1,
            "cloud": None,
            "site": instance.site.model_copy(update={"power_kw": None}),
        }
    )


def _same_jobs(one: Instance, other: Instance) -> bool:
    """Whether step times of the one serve the other: the same work and parallelism allowed."""
    pairs = zip(_shared(one).workloads, _shared(other).workloads, strict=True)
    return all(first == second for first, second in pairs)
