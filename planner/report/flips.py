"""Where the decision flips, in words."""

from __future__ import annotations

from planner.domain.sensitivity import Factor, Flip, QuoteNeeded
from planner.report.plain import plain
from planner.report.view import View


def factor_value(value: float, factor: Factor, view: View) -> str:
    """Return a value of a factor with its unit."""
    shown = view.n.short(value, 4 if factor.unit != "x" else 3)
    return (
        f"{shown}\N{NO-BREAK SPACE}x"
        if factor.unit == "x"
        else f"{shown}\N{NO-BREAK SPACE}{factor.unit}"
    )


def factor_text(factor: Factor, view: View) -> str:
    """Return between which values of a factor the decision is the best."""
    low, high = (factor_value(v, factor, view) for v in (factor.holds_from, factor.holds_to))
    whole = factor.below is None and factor.above is None
    text = view.w("sensitivity.never" if whole else "sensitivity.holds", low=low, high=high)
    return text if factor.proved else f"{text} ({view.w('sensitivity.unproved')})"


def flip_text(flip: Flip | None, factor: Factor, view: View) -> str:
    """Return at which value another design is better, and which; a dash where none is."""
    if flip is None:
        return "–"
    at = factor_value(flip.at, factor, view)
    design = view.w.said(plain(flip.summary)) or view.w("sensitivity.nothing")
    return f"{at}: {design}"


def quote_text(quote: QuoteNeeded, view: View) -> str:
    """Return why a price must be asked before signing."""
    w, n = view.w, view.n
    return w(
        "sensitivity.quote",
        part=w.said(plain(quote.description or quote.part)),
        price=n.money(quote.price_usd),
        flip=n.money(quote.flips_at_usd),
        instead=w.said(plain(quote.instead)),
    )
