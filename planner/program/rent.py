"""What each workload could rent: offers, servers, step times and prices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from planner.domain.cloud import TERM_YEARS, CloudOffer, allowed_offers, shipped_offers, term_order
from planner.domain.design import Platform
from planner.domain.units import HOURS_PER_YEAR
from planner.domain.workload import Workload
from planner.physics.costs import UnitCost
from planner.physics.rent import RentedHours, egress_cents, on_demand_cents, reserved_cents
from planner.physics.steptime import StepDetail
from planner.physics.wiring import Wiring
from planner.program.market import Market
from planner.program.platforms import PlatformOption
from planner.program.steps import UsedStep
from planner.program.wire import DEFAULT_SWITCH_NS, FEC_LOW_S, FEC_S, congestion, platform_wiring

NETWORK = {"infiniband": "infiniband", "roce": "roce", "ethernet": "tcp", "efa": "efa"}
CABLE_M = 20.0
HOSTS_PER_LEAF = 32
"""Of a rented fabric, which no provider describes: two tiers, non-blocking; an estimate."""
DAYS_PER_YEAR = HOURS_PER_YEAR / 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RentOption:
    """One way to rent for one workload."""

    key: int
    job: int
    offer: CloudOffer
    kind: str
    """on_demand, spot, 1y, 3y, or shared: beside a reservation, by the hour above it."""
    servers: int
    step: UsedStep
    busy: float
    kept: float
    """Share of all hours kept for the workload where servers are used in turn: with its margin."""
    hours: RentedHours
    unit_cents: int
    """Value of one server that this workload pays alone; by the hour where shared."""
    egress_cents: int

    @property
    def alone_cents(self) -> int:
        """Value without any reservation."""
        return self.unit_cents * self.servers + self.egress_cents


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A base of servers reserved for the life, that workloads use in turn."""

    key: int
    offer: CloudOffer
    unit_cents: int
    most: int


def hours_of(demand: Workload, busy: float) -> RentedHours:
    """Return when a workload needs its servers; without hours it keeps them all the time."""
    if demand.steps is None:
        share = 1.0 if demand.hours_per_day is None else busy
        return RentedHours(per_year=share * HOURS_PER_YEAR, once=0.0)
    if demand.repeat_days is not None:
        return RentedHours(per_year=busy * HOURS_PER_YEAR, once=0.0)
    return RentedHours(per_year=0.0, once=busy * (demand.deadline_days or 0.0) * 24.0)


class RentStoppedError(Exception):
    """A limit ended the timing of rented servers; without all of them nothing is proved."""


def rent_options(
    market: Market, late: Callable[[], bool] = lambda: False
) -> tuple[list[RentOption], list[Reservation]]:
    """Return every way to rent that could be best, for every workload not pinned to a pool.

    Raises
    ------
    RentStoppedError
        If `late` says so before all are timed.
    """
    cloud = market.instance.cloud
    if cloud is None:
        return [], []
    offers = sorted(allowed_offers(cloud, shipped_offers()), key=lambda o: o.id)
    options: list[RentOption] = []
    for job, demand in enumerate(market.oracle.demands):
        if demand.pool is None:
            for offer in offers:
                base = any(o.offer == offer.offer and o.term in TERM_YEARS for o in offers)
                options += _of_offer(market, job, offer, len(options), late, base=base)
    return options, list(_reservations(market, offers, options))


def _reservations(
    market: Market, offers: list[CloudOffer], options: list[RentOption]
) -> Iterator[Reservation]:
    """Yield a reservation for each term of an offer that workloads could use in turn."""
    finance = market.instance.finance
    for key, offer in enumerate(offers):
        years = TERM_YEARS.get(offer.term)
        using = [o for o in options if o.kind == "shared" and o.offer.offer == offer.offer]
        if years is None or not using:
            continue
        yield Reservation(
            key=key,
            offer=offer,
            unit_cents=reserved_cents(
                offer.usd_per_hour, finance.years, years, finance.discount_rate
            ),
            most=max(o.servers for o in using),
        )


def _of_offer(
    market: Market,
    job: int,
    offer: CloudOffer,
    first: int,
    late: Callable[[], bool],
    *,
    base: bool,
) -> list[RentOption]:
    """Return a workload's options on an offer: the cheapest alone, all sizes beside a base."""
    shared = base and offer.term == "on_demand"
    steps = _steps(market, job, offer, late, every=shared)
    made = [_option(market, job, offer, step) for step in steps]
    if not made:
        return []
    best = min(made, key=lambda o: (o.alone_cents, o.servers))
    kept = [best]
    if shared:
        kept += [replace(o, kind="shared") for o in made]
    return [replace(o, key=first + k) for k, o in enumerate(kept)]


def _option(market: Market, job: int, offer: CloudOffer, step: UsedStep) -> RentOption:
    finance, cloud = market.instance.finance, market.instance.cloud
    assert cloud is not None
    demand = market.oracle.demands[job]
    busy = demand.busy_fraction(step.wall_s)
    hours = hours_of(demand, busy)
    years = TERM_YEARS.get(offer.term)
    if years is None:
        unit = on_demand_cents(offer.usd_per_hour, hours, finance.years, finance.discount_rate)
    else:
        once = demand.steps is not None and demand.repeat_days is None
        need = (demand.deadline_days or 0.0) / DAYS_PER_YEAR if once else finance.years
        unit = reserved_cents(offer.usd_per_hour, need, years, finance.discount_rate)
    runs = 0.0 if demand.repeat_days is None else DAYS_PER_YEAR / demand.repeat_days
    return RentOption(
        key=0,
        job=job,
        offer=offer,
        kind=offer.term,
        servers=step.servers,
        step=step,
        busy=busy,
        kept=demand.kept_fraction(step.wall_s, market.oracle.margins[job].value),
        hours=hours,
        unit_cents=unit,
        egress_cents=egress_cents(
            cloud.egress_usd_per_gb, cloud.egress_gb_per_run, runs, finance.years,
            finance.discount_rate,
        ),
    )  # fmt: skip


def _steps(
    market: Market, job: int, offer: CloudOffer, late: Callable[[], bool], *, every: bool
) -> list[UsedStep]:
    """Return the step on numbers of servers that meet the limit, no dominated one.

    A step on more servers stays only if it is faster. Unless `every` one is asked for, those are
    left out that must cost more alone: a reservation costs by its servers, so the fewest do; rent
    by the hour costs by server-hours, which a free network bounds. No server is a spare: the
    provider replaces a broken one within the restart.
    """
    cloud, oracle = market.instance.cloud, market.oracle
    assert cloud is not None
    option = platform_of(market, offer)
    wiring = rented_wiring(market, option, offer.family)
    found: list[UsedStep] = []
    least_s = math.inf
    for servers in range(1, cloud.max_instances + 1):
        if late():
            raise RentStoppedError
        if not every and found and offer.term in TERM_YEARS:
            break
        if not every and servers * oracle.free_s(job, option, servers) >= least_s:
            continue
        step = oracle.exactly(job, option, servers, wiring)
        if step is None or step.wall_s > oracle.limits[job]:
            continue
        if not found or step.wall_s < found[-1].wall_s:
            found.append(step)
            least_s = min(least_s, servers * step.wall_s)
    return found


def platform_of(market: Market, offer: CloudOffer) -> PlatformOption:
    """Return the server and cards that stand for an offer; they cost nothing here."""
    catalog = market.catalog
    nics = catalog.server_nics[offer.platform]
    server = catalog.server(nics.server)
    return PlatformOption(
        platform=Platform(
            server=server.id, nic=nics.nic, nics=nics.links, link_gbps=nics.link_gbps
        ),
        server=server,
        accelerator=catalog.accelerator(server.accelerator),
        nics=nics,
        nic_gbps=catalog.nic_link_gbps(nics),
        unit=UnitCost(),
    )


def rented_wiring(market: Market, option: PlatformOption, family: str) -> Wiring:
    """Return the fabric of rented servers: two tiers, non-blocking; an estimate."""
    fec_s = FEC_LOW_S if family == "infiniband" else FEC_S
    share = congestion(market.instance, family) if family != "efa" else 1.0
    return replace(
        platform_wiring(option),
        network=NETWORK[family],
        network_efficiency=share,
        tiers=2,
        switch_latency_s=DEFAULT_SWITCH_NS * 1e-9 + fec_s,
        cable_m=CABLE_M,
        hosts_per_leaf=HOSTS_PER_LEAF * option.server.hosts,
    )


def rented_detail(market: Market, option: RentOption) -> StepDetail:
    """Return every part of the step of what a workload rents."""
    platform = platform_of(market, option.offer)
    wiring = rented_wiring(market, platform, option.offer.family)
    if option.servers == 1:
        wiring = platform_wiring(platform)
    return market.oracle.detail_on(option.job, platform, wiring, option.step)


def offer_order(option: RentOption) -> tuple[str, int, int]:
    """Return the order in which equal options are preferred."""
    return option.offer.id, term_order(option.offer.term), option.servers
