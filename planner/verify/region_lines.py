"""Recount the lines between sites: offers, encryption, bytes, seconds and money of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from planner.domain.catalog import Catalog
from planner.domain.errors import InputError
from planner.domain.network import Network, load_network
from planner.domain.regions_answer import RegionsAnswer, WanLine
from planner.domain.resources import data_root
from planner.domain.solution import Solution
from planner.verify.money import Money, Span, rounded
from planner.verify.violation import Violation, violation

GRADIENT_BYTES = 4
ACTIVATION_BYTES = {"fp32": 4, "tf32": 4}
"""By precision; 2 for the others."""
FIBRE_M_PER_S = 2e8
"""Two thirds of the speed of light."""
HEADERS = {"none": 0, "macsec": 40, "ipsec": 58, "tls": 0}
CARD_GBPS = 400
RELATIVE = 1e-9


def differ(left: float, right: float) -> bool:
    """Return whether two figures are not the same."""
    return abs(left - right) > RELATIVE * max(1.0, abs(left), abs(right))


def check_lines(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    """Yield lines that join other sites, that nobody offers, or that carry something else."""
    yield from _joined(answer)
    if answer.crossing is None:
        return
    for index, line in enumerate(answer.lines):
        where = f"$.lines[{index}]"
        yield from _offered(answer, line, where)
        sent = _carried(answer, solutions)
        if sent is not None and differ(sent, line.exchange_bytes):
            yield violation("regions-bytes", f"{where}.exchange_bytes", sent, line.exchange_bytes,
                            "what crosses has another size")  # fmt: skip
        seconds = _line_s(answer, line)
        if differ(seconds, line.exchange_s):
            yield violation("regions-exchange", f"{where}.exchange_s", seconds, line.exchange_s,
                            "the exchange takes another time")  # fmt: skip
        goodput = line.gbps / _sent_for_each(line)
        if differ(goodput, line.goodput_gbps):
            yield violation("regions-goodput", f"{where}.goodput_gbps", goodput, line.goodput_gbps,
                            "headers leave another bandwidth")  # fmt: skip
        if not math.isclose(_way_s(line), line.latency_s, rel_tol=RELATIVE):
            yield violation("regions-latency", f"{where}.latency_s", _way_s(line), line.latency_s,
                            "one way takes another time")  # fmt: skip
    yield from _rounds(answer, solutions)


def crossing_s(answer: RegionsAnswer) -> float:
    """Return what all lines together add to a step."""
    if answer.crossing is None:
        return 0.0
    times = [_line_s(answer, line) for line in answer.lines]
    return sum(times) if answer.crossing.dimension == "pp" else max(times, default=0.0)


def _joined(answer: RegionsAnswer) -> Iterator[Violation]:
    """Yield a violation if the lines are not those that the pattern needs."""
    regions, crossing = answer.instance.regions, answer.crossing
    names = [site.name for site in answer.sites]
    have = sorted(tuple(sorted(line.between)) for line in answer.lines)
    if crossing is None:
        if len(names) > 1 or have:
            yield violation("regions-line", "$.lines", len(names) - 1, len(have),
                            "one site needs no line, several need some")  # fmt: skip
        return
    pairs = {
        "mesh": list(combinations(crossing.sites, 2)),
        "hub": [(crossing.sites[0], other) for other in crossing.sites[1:]],
        "chain": list(pairwise(crossing.sites)),
    }[crossing.pattern]
    need = sorted(tuple(sorted(pair)) for pair in pairs)
    if sorted(crossing.sites) != sorted(names):
        yield violation("regions-ends", "$.crossing.sites", names, crossing.sites,
                        "other sites train together")  # fmt: skip
    if have != need:
        yield violation("regions-line", "$.lines", need, have, "the lines join other sites")
    if regions is not None and crossing.dimension not in regions.may_cross:
        yield violation("regions-dimension", "$.crossing.dimension", regions.may_cross,
                        crossing.dimension, "this dimension may not cross")  # fmt: skip


def _offered(answer: RegionsAnswer, line: WanLine, where: str) -> Iterator[Violation]:
    regions = answer.instance.regions
    if regions is None:
        return
    if regions.encryption == "required" and line.encryption == "none":
        yield violation("regions-encrypted", f"{where}.encryption", "an encryption", "none",
                        "the instance demands encryption")  # fmt: skip
    offers = [
        offer.gbps
        for link in regions.wan
        for offer in link.offers
        if set(link.between) == set(line.between)
        and link.km == line.km
        and line.encryption in link.encryption
    ]
    if line.gbps not in offers:
        yield violation("regions-offer", where, offers, line.gbps, "nobody offers this line")


def _carried(answer: RegionsAnswer, solutions: Sequence[Solution]) -> float | None:
    """Return the bytes in each direction of a line; None where the network is not at hand."""
    crossing, job = answer.crossing, answer.instance.workloads[0]
    if crossing is None or not solutions or not solutions[0].workloads:
        return None
    if crossing.dimension == "dp":
        size = float(solutions[0].workloads[0].parameters * GRADIENT_BYTES)
        return size if crossing.pattern == "hub" else 2 * size / len(answer.sites)
    network = _network(answer, solutions)
    if network is None:
        return None
    width = ACTIVATION_BYTES.get(job.precision, 2)
    size = float(job.global_batch * job.sequence_length * network.hidden_size * width)
    if network.tie_word_embeddings:
        size += network.vocab_size * network.hidden_size * GRADIENT_BYTES
    return size


def _network(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Network | None:
    name = answer.instance.workloads[0].network
    for own in solutions:
        if name in own.networks:
            return own.networks[name]
    try:
        return load_network(name, near=data_root())
    except InputError:
        return None


def _rounds(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    """Yield a violation if a step waits for the fibre more or less often."""
    crossing = answer.crossing
    if crossing is None or not solutions or not solutions[0].workloads:
        return
    need = 1
    if crossing.dimension == "pp":
        strategies = {own.workloads[0].strategy for own in solutions if own.workloads}
        if len(strategies) > 1:
            yield violation("regions-strategy", "$.sites", 1, len(strategies),
                            "the stages of one pipeline run different strategies")  # fmt: skip
        strategy = solutions[0].workloads[0].strategy
        batches = answer.instance.workloads[0].global_batch // strategy.dp // strategy.micro_batch
        need = 1 if strategy.schedule == "gpipe" else (batches + 1) // 2
        network = _network(answer, solutions)
        if network is None:
            return
        need += 1 + int(network.tie_word_embeddings)  # the norm of the gradients, a tied embedding
    if crossing.rounds != need:
        yield violation("regions-rounds", "$.crossing.rounds", need, crossing.rounds,
                        "the step waits for the fibre another number of times")  # fmt: skip


def _line_s(answer: RegionsAnswer, line: WanLine) -> float:
    """Return a line's seconds counted packet by packet, direction after direction but in a mesh."""
    crossing = answer.crossing
    assert crossing is not None
    bits = line.exchange_bytes * 8 * _sent_for_each(line)
    turns = 1 if crossing.pattern == "mesh" else 2
    return turns * bits / (line.gbps * 1e9) + 2 * crossing.rounds * _way_s(line)


def _sent_for_each(line: WanLine) -> float:
    """Return the bytes on the line for each byte of the message."""
    packet, carried = 9000 + 38 + HEADERS[line.encryption], 9000 - 52
    records = (16384 + 22) / 16384 if line.encryption == "tls" else 1.0
    return records * packet / carried


def _way_s(line: WanLine) -> float:
    """Return the seconds from one end to the other, through the cards at both."""
    cipher_s = 0.0 if line.encryption == "none" else 3e-6
    return line.km * 1000 / FIBRE_M_PER_S + 2 * cipher_s


def line_cost(answer: RegionsAnswer, line: WanLine, catalog: Catalog) -> dict[str, Span]:
    """Return rent, traffic and cards of the line, counted again."""
    regions = answer.instance.regions
    assert regions is not None
    offers = [
        offer
        for link in regions.wan
        if set(link.between) == set(line.between)
        for offer in link.offers
        if offer.gbps == line.gbps
    ]
    if not offers:
        return {}
    first = regions.sites[0].model_dump(exclude={"name"}, exclude_none=True)
    site = answer.instance.site.model_copy(update=first)
    money = Money(instance=answer.instance.model_copy(update={"site": site}), catalog=catalog)
    job = answer.instance.workloads[0]
    gbytes = 2 * line.exchange_bytes * (job.steps or 0.0) / 1e9
    runs = 1.0 if job.repeat_days is None else 365 / job.repeat_days * money.annuity
    offer = min(  # of offers of one bandwidth the cheapest is taken: they differ in nothing else
        offers,
        key=lambda o: o.usd_per_month * 12 * money.annuity + gbytes * o.usd_per_gbyte * runs,
    )
    card = catalog.nics[regions.gateway]
    watts = card.max_power_w or 0.0
    usd = card.price.usd if card.price else 0.0
    value = money.card(usd, card.typical_power_w or watts, watts)
    each = value.capex.plus(value.energy).plus(value.support).plus(value.other)
    cards = 0
    if line.encryption != "none":
        while cards // 2 * CARD_GBPS < line.gbps:
            cards += 2
    return {
        "rent_usd": rounded(offer.usd_per_month * 12 * money.annuity),
        "traffic_usd": rounded(gbytes * offer.usd_per_gbyte * runs),
        "gateway_usd": Span(0, 0).plus(each, cards),
        "gateway_capex_usd": Span(0, 0).plus(value.capex, cards),
        "gateways": Span(cards * 100, cards * 100),
    }
