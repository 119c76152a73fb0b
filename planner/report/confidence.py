"""How firm the figures are: price kinds, ranges, what is not priced, what needs a quote."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import BomLine, Solution
from planner.domain.units import CENTS_PER_USD, cents
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.words import Words

FIRM = ("quote", "list", "street")
"""Words in a price kind that mark a price somebody asked; every other kind is an estimate."""

MOST_ESTIMATED = 0.2
"""Share of the purchase at estimated prices from which the first screen warns."""

QUOTE_SHARE = 0.01
"""Estimated lines from this share of the purchase upwards are named as needing a quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceKind:
    """What part of the purchase rests on one kind of price."""

    kind: str
    total_usd: float
    share: float
    estimate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """The figures a buyer asks for before signing."""

    kinds: list[PriceKind]
    """Largest first."""
    needs_quote: list[BomLine]
    """Lines at an estimated price, largest first."""
    low_usd: float
    high_usd: float
    """Purchase with every line at its low or high published price."""
    estimates: int
    defaults: int

    @property
    def estimate_share(self) -> float:
        """Share of the purchase that rests on estimated prices."""
        return sum(kind.share for kind in self.kinds if kind.estimate)


def is_estimate(price_kind: str) -> bool:
    """Return whether a price kind means that nobody asked this price."""
    return not any(word in price_kind.casefold() for word in FIRM)


def confidence(solution: Solution) -> Confidence:
    """Return the confidence figures of a solution's bill of materials and assumptions."""
    lines = [line for line in solution.bill_of_materials if not line.owned]
    totals: dict[str, int] = {}
    for line in lines:
        totals[line.price_kind] = totals.get(line.price_kind, 0) + cents(line.total_usd)
    whole = sum(totals.values())
    kinds = [
        PriceKind(
            kind=kind,
            total_usd=total / CENTS_PER_USD,
            share=total / whole if whole else 0.0,
            estimate=is_estimate(kind),
        )
        for kind, total in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    ]
    guessed = [
        line
        for line in lines
        if is_estimate(line.price_kind)
        and cents(line.total_usd) >= QUOTE_SHARE * whole
        and line.total_usd > 0
    ]
    return Confidence(
        kinds=kinds,
        needs_quote=sorted(guessed, key=lambda line: (-line.total_usd, line.part)),
        low_usd=sum(_bound(line, line.low_usd) for line in lines) / CENTS_PER_USD,
        high_usd=sum(_bound(line, line.high_usd) for line in lines) / CENTS_PER_USD,
        estimates=sum(a.kind == "estimate" for a in solution.assumptions),
        defaults=sum(a.kind == "default" for a in solution.assumptions),
    )


def _bound(line: BomLine, unit_usd: float | None) -> int:
    """Return a line's total in cents at a bound of its unit price."""
    return cents(line.total_usd) if unit_usd is None else line.quantity * cents(unit_usd)


def headline_risk(solution: Solution, w: Words, n: Notation) -> str:
    """Return the warning that stands in the headline: money that rests on estimated prices."""
    found = confidence(solution)
    if found.estimate_share < MOST_ESTIMATED:
        return ""
    money = n.money(sum(kind.total_usd for kind in found.kinds if kind.estimate))
    share = n.percent(found.estimate_share, 0 if found.estimate_share < 0.995 else 1)
    return w(f"confidence.headline{_when(solution)}", share=share, money=money)


def _when(solution: Solution) -> str:
    """Return the ending of the phrases for an answer over phases, whose bill is ordered now."""
    return "" if solution.growth is None else "_now"


def model_text(solution: Solution, w: Words, n: Notation) -> str:
    """Return how far the model of the step time may be wrong, by comparable published runs."""
    for item in solution.assumptions:
        for result in solution.workloads:
            if item.what == f"margin on the step time of {result.name}" and item.kind == "sourced":
                return w("confidence.measured", margin=n.percent(result.margin))
    margins = {result.margin for result in solution.workloads}
    return w("confidence.model", margin=n.percent(max(margins))) if margins else ""


def assumptions_text(found: Confidence, w: Words) -> str:
    """Return how many figures the instance left open."""
    return w(
        "confidence.assumptions",
        estimates=w.count("confidence.estimates", found.estimates),
        defaults=w.count("confidence.defaults", found.defaults),
    )


def confidence_lines(
    solution: Solution, w: Words, n: Notation, *, headlined: bool = False
) -> list[str]:
    """Return what a buyer should know before signing, one sentence a line.

    `headlined` leaves out what `headline_risk` says already.
    """
    found = confidence(solution)
    lines = [w.said(plain(solution.calibration_effect))] if solution.calibration_effect else []
    if found.kinds:
        share = n.percent(found.estimate_share)
        if found.estimate_share == 0:
            lines.append(w("confidence.firm"))
        elif not (headlined and headline_risk(solution, w, n)):
            lines.append(w(f"confidence.estimate_share{_when(solution)}", share=share))
        low, high = n.money(found.low_usd), n.money(found.high_usd)
        lines.append(w("confidence.range", low=low, high=high))
    if found.needs_quote:
        names = "; ".join(
            w(
                "confidence.quote_line",
                part=w.said(plain(line.description or line.part)),
                total=n.money(line.total_usd),
            )
            for line in found.needs_quote
        )
        lines.append(f"{w('confidence.needs_quote')}: {names}")
    if solution.cost is not None and solution.cost.not_priced:
        missing = ", ".join(w.said(plain(item)) for item in solution.cost.not_priced)
        lines.append(f"{w('cost.not_priced')}: {missing}")
    model = model_text(solution, w, n)
    if model:
        lines.append(model)
    lines.append(assumptions_text(found, w))
    return lines
