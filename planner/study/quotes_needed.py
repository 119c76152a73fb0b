"""Parts of the bill whose published price range alone turns the decision: what needs a quote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from planner.domain.price import Price
from planner.domain.sensitivity import Factor, QuoteNeeded
from planner.domain.units import CENTS_PER_USD, cents
from planner.program.answer import money
from planner.program.bill import description
from planner.program.columns import Column
from planner.program.market import Market
from planner.program.scan import describe
from planner.study.break_even import break_even
from planner.study.decision_study import DecisionStudy
from planner.study.repriced import Probe, at_prices, cost_of

SMALL = 0.01
"""Share of the decision's cost up to which a price range is proved together with the others."""


def _bought(study: DecisionStudy) -> list[str]:
    """Return the parts of the decision's bill, in its order."""
    market, best = study.market, study.best
    _, lines = money(market, best)
    return list(dict.fromkeys(line.part for line in lines if line.part != "storage"))


def price_ranges(study: DecisionStudy) -> tuple[list[str], list[str]]:
    """Return the parts bought whose price has a published range, and those without one."""
    known: list[str] = []
    unknown: list[str] = []
    for part in _bought(study):
        price = study.market.book.price(part)
        if price is None or price.kind == "quote":
            continue
        ends = (price.at("low"), price.at("high"))
        (known if ends != (price.usd, price.usd) else unknown).append(part)
    return known, unknown


def quotes_needed(
    study: DecisionStudy, parts: list[str], servers: Factor | None
) -> Iterator[QuoteNeeded]:
    """Yield the parts whose price range alone turns the decision.

    Parameters
    ----------
    study
        The decision.
    parts
        Parts of its bill that have a range.
    servers
        Where the chosen server's price was found to turn the decision, in multiples of it.
    """
    server = study.best.column.option.server.id
    settled = _held_by_small_ranges(study, parts)
    for part in parts:
        study.say(f"{study.market.instance.name}: the price of {part}")
        price = study.market.book.price(part)
        assert price is not None
        for end in (price.at("high"), price.at("low")):
            if end == price.usd or (part, end) in settled:
                continue
            known = servers if part == server else None
            if known is not None and _holds_at(known, price.usd, end):
                continue
            needed = _known(study, part, price, end, known) or _asked(study, part, price, end)
            if needed is not None:
                yield needed
                break


class _End(NamedTuple):
    """One end of a part's price range."""

    part: str
    low_usd: float
    usd: float
    cents: int
    """What the decision costs there."""
    market: Market


def _held_by_small_ranges(study: DecisionStudy, parts: list[str]) -> set[tuple[str, float]]:
    """Return ends (part, price) of small ranges at which the decision is proved to hold.

    With all these parts at their low end no design costs more than with one of them at either end.
    So a design that costs more there than the decision does at any end is never the better one,
    and only those that are left are costed at each end.
    """
    best = study.best
    now = best.placed.cost_cents
    ends = [e for e in _ends(study, parts) if abs(e.cents - now) <= now * SMALL]
    if not ends:
        return set()
    lowest = at_prices(study.market, {end.part: end.low_usd for end in ends})
    least = cost_of(lowest, best.column)
    if least is None:
        return set()
    rivals = study.within(lowest, max(end.cents for end in ends) - least.cost_cents)
    if rivals is None:
        return set()
    others = [found.column for found in rivals if found.column.key != best.column.key]
    return {(end.part, end.usd) for end in ends if not any(_better(end, o) for o in others)}


def _better(end: _End, other: Column) -> bool:
    placed = cost_of(end.market, other)
    return placed is not None and placed.cost_cents < end.cents


def _ends(study: DecisionStudy, parts: list[str]) -> Iterator[_End]:
    for part in parts:
        price = study.market.book.price(part)
        assert price is not None
        for usd in sorted({price.at("low"), price.at("high")} - {price.usd}):
            market = study.at_price(part, usd)
            placed = cost_of(market, study.best.column)
            if placed is not None:
                yield _End(part, price.at("low"), usd, placed.cost_cents, market)


def _holds_at(servers: Factor, usd: float, end: float) -> bool:
    """Return whether the decision is proved to hold at a price of its server."""
    return servers.proved and servers.holds_from * usd <= end <= servers.holds_to * usd


def _known(
    study: DecisionStudy, part: str, price: Price, end: float, servers: Factor | None
) -> QuoteNeeded | None:
    """Return the need of a quote where a flip was already found short of the range's end."""
    if servers is None:
        return None
    flip = servers.above if end > price.usd else servers.below
    if flip is None or abs(flip.beyond - 1) * price.usd > abs(end - price.usd):
        return None
    saving = None
    if flip.decision_usd is not None and flip.objective_usd is not None:
        saving = cents(flip.decision_usd) - cents(flip.objective_usd)
    return _needed(study, part, price, price.usd * flip.beyond, flip.summary, saving)


def _asked(study: DecisionStudy, part: str, price: Price, end: float) -> QuoteNeeded | None:
    """Return the need of a quote where the decision flips between a price and its range's end."""

    def ask(usd: float) -> Probe:
        return study.probe(study.at_price(part, usd), usd)

    far = ask(end)
    ends = None if far.holds else break_even(ask, replace(study.now, at=price.usd), far)
    if ends is None:
        return None
    outside = ends[1]
    best = outside.result.best
    saving = None
    if outside.decision_cents is not None and outside.best_cents is not None:
        saving = outside.decision_cents - outside.best_cents
    instead = "" if best is None else describe(best.column)
    return _needed(study, part, price, outside.at, instead, saving)


def _needed(
    study: DecisionStudy, part: str, price: Price, at_usd: float, instead: str, saving: int | None
) -> QuoteNeeded:
    book = study.market.book
    return QuoteNeeded(
        part=part,
        description=description(book.row(part)),
        component=book.component(part),
        price_usd=price.usd,
        price_kind=price.kind,
        flips_at_usd=at_usd,
        low_usd=price.low_usd,
        high_usd=price.high_usd,
        instead=instead,
        saving_usd=None if saving is None else saving / CENTS_PER_USD,
    )
