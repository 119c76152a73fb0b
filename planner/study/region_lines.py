"""The lines that could be rented between sites: every offer with every encryption, priced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from planner.domain.errors import Fault, InputError
from planner.domain.instance import Instance
from planner.domain.price import Price
from planner.domain.regions import Encryption, Regions, WanLink, WanOffer
from planner.domain.regions_answer import WanLine
from planner.domain.units import CENTS_PER_USD, cents
from planner.physics import wan
from planner.physics.costs import MONTHS_PER_YEAR, UnitCost, unit_cost
from planner.physics.job import Job
from planner.program.market import Market
from planner.program.regions import Crossing, Line, Split


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A line of the program with what it is made of."""

    line: Line
    link: WanLink
    offer: WanOffer
    encryption: Encryption
    cards: UnitCost
    """Of all cards that encrypt it."""
    rent_cents: int
    carried_bytes: float
    """In each direction in one step."""

    def answer(self) -> WanLine:
        """Return the line as the answer shows it."""
        line, offer, cards = self.line, self.offer, self.cards
        share = wan.goodput_share(self.encryption)
        traffic = line.cost_cents - cards.total - self.rent_cents
        return WanLine(
            between=self.link.between, km=self.link.km, gbps=offer.gbps,
            encryption=self.encryption, goodput_gbps=offer.gbps * share,
            latency_s=wan.one_way_s(self.link.km, self.encryption),
            exchange_bytes=self.carried_bytes, exchange_s=line.exchange_s,
            gateways=wan.gateways(offer.gbps, self.encryption),
            gateway_usd=cards.total / CENTS_PER_USD,
            gateway_capex_usd=cards.capex / CENTS_PER_USD,
            rent_usd=self.rent_cents / CENTS_PER_USD, traffic_usd=traffic / CENTS_PER_USD,
            source=offer.source,
        )  # fmt: skip


def lines_of(
    instance: Instance, file: Path, regions: Regions, market: Market, splits: Sequence[Split]
) -> list[Offered]:
    """Return every offer of every link that some split crosses, plain ones too.

    Raises
    ------
    InputError
        If the encrypting card is unknown or has no price, or traffic has a price and no amount.
    """
    job = market.oracle.jobs[0]
    gateway = _gateway(file, regions, market)
    links = {frozenset(link.between): link for link in regions.wan}
    found = []
    for crossing in dict.fromkeys(s.crossing for s in splits if s.crossing is not None):
        carried = carried_bytes(job, crossing)
        for ends in crossing.links:
            link = links[ends]
            for number, offer in enumerate(link.offers):
                rent = cents(offer.usd_per_month * MONTHS_PER_YEAR * market.book.rules.annuity)
                traffic = _traffic_cents(instance, file, market, offer, carried)
                for encryption in dict.fromkeys(link.encryption):
                    cards = gateway.times(wan.gateways(offer.gbps, encryption))
                    line = Line(
                        crossing=crossing, link=ends, offer=number, encryption=encryption,
                        cost_cents=rent + traffic + cards.total, capex_cents=cards.capex,
                        exchange_s=wan.crossing_s(
                            carried, pattern=crossing.pattern, rounds=crossing.rounds,
                            km=link.km, gbps=offer.gbps, encryption=encryption,
                        ),
                    )  # fmt: skip
                    found.append(
                        Offered(line=line, link=link, offer=offer, encryption=encryption,
                                cards=cards, rent_cents=rent, carried_bytes=carried)
                    )  # fmt: skip
    return found


def carried_bytes(job: Job, crossing: Crossing) -> float:
    """Return what a line of a crossing carries in each direction in one step.

    Gradients: one for every parameter. Pipeline: the activations of the whole batch at one
    boundary, and the gradients of a tied embedding, which first and last stage sum.
    """
    network = job.network
    if crossing.dimension == "dp":
        size = network.parameters * job.gradient_bytes
    else:
        tokens = job.global_batch * job.sequence_length
        size = tokens * network.hidden_size * job.weight_bytes
        if network.tie_word_embeddings:
            size += network.vocab_size * network.hidden_size * job.gradient_bytes
    return wan.each_way_bytes(crossing.pattern, size, len(crossing.sites))


def exchange_s(crossing: Crossing | None, lines: Iterator[Line] | Sequence[Line]) -> float:
    """Return what lines add to a step: the slowest of a mesh or hub, all of a chain."""
    times = [line.exchange_s for line in lines]
    if crossing is None or not times:
        return 0.0
    return sum(times) if crossing.in_turn else max(times)


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
    instance: Instance, file: Path, market: Market, offer: WanOffer, carried: float
) -> int:
    """Return the present value of the gigabytes that both ends send over all runs."""
    if offer.usd_per_gbyte == 0.0:
        return 0
    job = instance.workloads[0]
    if job.steps is None:
        fault = Fault(
            "$.regions.wan", "usd_per_gbyte needs the number of steps",
            "give the workload tokens or samples with deadline_days",
        )  # fmt: skip
        raise InputError(str(file), [fault])
    usd = 2.0 * carried * job.steps / 1e9 * offer.usd_per_gbyte
    if job.repeat_days is not None:
        usd *= 365.0 / job.repeat_days * market.book.rules.annuity
    return cents(usd)
