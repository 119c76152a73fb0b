"""Recount an answer over several sites: shares, step, encryption, rent, cards and the total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.domain.catalog import Catalog
from planner.domain.regions_answer import RegionsAnswer, WanLine
from planner.domain.solution import Solution
from planner.domain.units import cents
from planner.verify.money import Money, Span, rounded
from planner.verify.violation import Violation, violation

GRADIENT_BYTES = 4
FIBRE_M_PER_S = 2e8
"""Two thirds of the speed of light."""
HEADERS = {"none": 0, "macsec": 40, "ipsec": 58, "tls": 0}
CARD_GBPS = 400
RELATIVE = 1e-9


def verify_regions(
    answer: RegionsAnswer, solutions: Sequence[Solution], catalog: Catalog
) -> list[Violation]:
    """Return every contradiction between the answer, its sites' solutions and the instance."""
    if answer.status != "optimal":
        return []
    return [
        *_shares(answer, solutions),
        *_line(answer, solutions),
        *_steps(answer),
        *_money(answer, solutions, catalog),
        *_budget(answer, solutions),
    ]


def _differ(left: float, right: float) -> bool:
    return abs(left - right) > RELATIVE * max(1.0, abs(left), abs(right))


def _shares(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    whole = answer.instance.workloads[0].global_batch
    nodes = sum(site.nodes for site in answer.sites)
    if len(solutions) != len(answer.sites):
        yield violation("regions-sites", "$.sites", len(answer.sites), len(solutions),
                        "a site has no solution of its own")  # fmt: skip
    if sum(site.global_batch for site in answer.sites) != whole:
        found = sum(site.global_batch for site in answer.sites)
        yield violation("regions-batch", "$.sites", whole, found, "the parts are not the batch")
    for index, (site, own) in enumerate(zip(answer.sites, solutions, strict=False)):
        where = f"$.sites[{index}]"
        if site.global_batch * nodes != whole * site.nodes:
            yield violation("regions-share", where, whole * site.nodes / nodes, site.global_batch,
                            "the part of the batch does not follow the servers")  # fmt: skip
        design = own.design
        said = (site.nodes, site.gpus, site.global_batch, site.run_id)
        holds = (
            design.nodes if design else 0, design.gpus if design else 0,
            own.instance.workloads[0].global_batch, own.run.run_id,
        )  # fmt: skip
        if said != holds:
            yield violation(
                "regions-site", where, holds, said, "the site's solution says otherwise"
            )
        step = own.workloads[0].step_time_s if own.workloads else 0.0
        if _differ(step, site.step_time_s):
            yield violation("regions-site-step", where, step, site.step_time_s,
                            "the site's solution steps otherwise")  # fmt: skip
        if own.objective_usd is None or cents(own.objective_usd) != cents(site.objective_usd):
            yield violation("regions-site-cost", where, own.objective_usd, site.objective_usd,
                            "the site's solution costs otherwise")  # fmt: skip


def _line(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    line, regions = answer.line, answer.instance.regions
    if (line is not None) != (len(answer.sites) == 2):
        yield violation("regions-line", "$.line", len(answer.sites) - 1, int(line is not None),
                        "two sites need a line, one needs none")  # fmt: skip
    if line is None or regions is None:
        return
    if regions.encryption == "required" and line.encryption == "none":
        yield violation("regions-encrypted", "$.line.encryption", "an encryption", "none",
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
        yield violation("regions-offer", "$.line", offers, line.gbps, "nobody offers this line")
    if {site.name for site in answer.sites} != set(line.between):
        yield violation("regions-ends", "$.line.between", [s.name for s in answer.sites],
                        line.between, "the line ends elsewhere")  # fmt: skip
    for own in solutions:
        sent = own.workloads[0].parameters * GRADIENT_BYTES
        if _differ(sent, line.exchange_bytes):
            yield violation("regions-bytes", "$.line.exchange_bytes", sent, line.exchange_bytes,
                            "gradients of other size")  # fmt: skip


def _exchange_s(line: WanLine) -> float:
    """Return the exchange counted packet by packet: two phases of half the message."""
    packet, carried = 9000 + 38 + HEADERS[line.encryption], 9000 - 52
    records = (16384 + 22) / 16384 if line.encryption == "tls" else 1.0
    bits = line.exchange_bytes / 2 * records * packet / carried * 8
    cipher_s = 0.0 if line.encryption == "none" else 3e-6
    phase_s = bits / (line.gbps * 1e9) + line.km * 1000 / FIBRE_M_PER_S + 2 * cipher_s
    return 2 * phase_s


def _steps(answer: RegionsAnswer) -> Iterator[Violation]:
    exchange = 0.0
    if answer.line is not None:
        exchange = _exchange_s(answer.line)
        if _differ(exchange, answer.line.exchange_s):
            yield violation("regions-exchange", "$.line.exchange_s", exchange,
                            answer.line.exchange_s, "the exchange takes another time")  # fmt: skip
    step = max(site.step_time_s for site in answer.sites) + exchange
    if answer.step_time_s is None or _differ(step, answer.step_time_s):
        yield violation("regions-step", "$.step_time_s", step, answer.step_time_s,
                        "slowest site and exchange add up otherwise")  # fmt: skip
    target = answer.instance.workloads[0].target_s
    if _differ(target / (1 + answer.margin), answer.limit_s):
        yield violation("regions-limit", "$.limit_s", target / (1 + answer.margin), answer.limit_s,
                        "target and margin give another limit")  # fmt: skip
    if step > answer.limit_s * (1 + 1e-6):
        yield violation("regions-within-limit", "$.step_time_s", answer.limit_s, step,
                        "the step is too slow")  # fmt: skip


def _line_cost(answer: RegionsAnswer, line: WanLine, catalog: Catalog) -> dict[str, Span]:
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
    offer = offers[0]
    first = regions.sites[0].model_dump(exclude={"name"}, exclude_none=True)
    site = answer.instance.site.model_copy(update=first)
    money = Money(instance=answer.instance.model_copy(update={"site": site}), catalog=catalog)
    job = answer.instance.workloads[0]
    gbytes = 2 * line.exchange_bytes * (job.steps or 0.0) / 1e9
    runs = 1.0 if job.repeat_days is None else 365 / job.repeat_days * money.annuity
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


def _money(
    answer: RegionsAnswer, solutions: Sequence[Solution], catalog: Catalog
) -> Iterator[Violation]:
    total = sum(cents(own.objective_usd or 0.0) for own in solutions)
    if answer.line is not None:
        for name, span in _line_cost(answer, answer.line, catalog).items():
            found = float(getattr(answer.line, name))
            if not span.holds(found):
                yield violation(f"regions-{name.replace('_', '-')}", f"$.line.{name}", span, found,
                                "the line costs otherwise")  # fmt: skip
        parts = (answer.line.rent_usd, answer.line.traffic_usd, answer.line.gateway_usd)
        total += sum(cents(part) for part in parts)
    if answer.objective_usd is None or cents(answer.objective_usd) != total:
        yield violation("regions-total", "$.objective_usd", total / 100, answer.objective_usd,
                        "sites and line add up otherwise")  # fmt: skip


def _budget(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    budget = answer.instance.budget
    cards = answer.line.gateway_capex_usd if answer.line else 0.0
    spent = sum(site.capex_usd for site in answer.sites) + cards
    gpus = sum(site.gpus for site in answer.sites)
    if budget.capex_usd is not None and spent > budget.capex_usd + 0.005:
        yield violation("regions-capex", "$.sites", budget.capex_usd, spent, "over the budget")
    if budget.gpus is not None and gpus > budget.gpus:
        yield violation("regions-gpus", "$.sites", budget.gpus, gpus, "more GPUs than allowed")
    drawn = sum(own.design.max_power_kw for own in solutions if own.design)
    if budget.power_kw is not None and drawn > budget.power_kw * (1 + RELATIVE):
        yield violation("regions-power", "$.sites", budget.power_kw, drawn, "over the power")
