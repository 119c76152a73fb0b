"""What would change the decision: price factors, electricity, efficiency, and published ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from planner.domain.price import PriceLevel
from planner.domain.sensitivity import Factor, QuoteNeeded, Sensitivity
from planner.domain.sensitivity import PriceLevel as PriceRow
from planner.domain.units import CENTS_PER_USD
from planner.program.market import Market
from planner.program.scan import Found, describe
from planner.study.alternatives import why_dearer
from planner.study.break_even import (
    Ask,
    Ends,
    break_even,
    flip_of,
    step_crossing,
    until_broken,
)
from planner.study.decision_study import DecisionStudy, LateError
from planner.study.quotes_needed import price_ranges, quotes_needed
from planner.study.repriced import (
    Probe,
    at_level,
    cost_of,
    with_electricity,
    with_prices,
    with_step_factor,
)

SWITCH_PRICE = (0.25, 4.0)
SERVER_PRICE = (0.5, 2.0)
STEP_TIME = (0.8, 1.25)
ELECTRICITY_TIMES = 4.0
"""Ranges that are asked about: multiples of the figure as it stands."""
UNITS = {"electricity": "USD/kWh"}
"""Of what is no multiplier."""
LEVELS: tuple[PriceLevel, ...] = ("low", "base", "high")


def sensitivity(
    market: Market,
    best: Found,
    *,
    deadline_s: float | None,
    say: Callable[[str], None],
    faster: bool = True,
) -> Sensitivity:
    """Return how far a proved decision holds.

    Parameters
    ----------
    market
        The instance.
    best
        The decision: the best design, proved.
    deadline_s
        `time.monotonic()` at which to stop with what is known.
    say
        Progress.
    faster
        Whether to ask too from where on a faster model would decide otherwise.
    """
    study = DecisionStudy(market=market, best=best, deadline_s=deadline_s, say=say, faster=faster)
    factors: list[Factor] = []
    prices: list[PriceRow] = []
    quotes: list[QuoteNeeded] = []
    known, unknown = price_ranges(study)
    complete = True
    other: Found | None = None
    try:
        say(f"{market.instance.name}: the runner-up")
        other = study.runner_up()
        prices += _levels(study, other)
        factors += _factors(study)
        servers = next((f for f in factors if f.name == "chosen_server_price"), None)
        quotes += quotes_needed(study, known, servers)
    except (LateError, KeyboardInterrupt):
        complete = False
    delta = None if other is None else other.placed.cost_cents - best.placed.cost_cents
    return Sensitivity(
        factors=factors,
        prices=prices,
        runner_up="" if other is None else describe(other.column),
        runner_up_delta_usd=None if delta is None else delta / CENTS_PER_USD,
        runner_up_reason="" if other is None else why_dearer(market, best, market, other),
        quotes_needed=quotes,
        ranges_known=known,
        ranges_unknown=unknown,
        complete=complete,
    )


def _factors(study: DecisionStudy) -> Iterator[Factor]:
    market = study.market
    base_kwh = market.book.rules.electricity_usd_per_kwh

    def priced(table: str, only: str, factor: float) -> Probe:
        changed = with_prices(market, {table: lambda p: p.scaled(factor)}, only)
        return study.probe(changed, factor)

    def powered(usd: float) -> Probe:
        return study.probe(with_electricity(market, usd), usd)

    study.say(f"{market.instance.name}: where the decision flips")
    if study.best.column.plan.leafs:
        yield _factor(study, "switch_price", 1.0, SWITCH_PRICE, partial(priced, "switches", ""))
        leaf = partial(priced, "switches", study.best.column.plan.choice.leaf_switch)
        yield _factor(study, "chosen_switch_price", 1.0, SWITCH_PRICE, leaf)
    yield _factor(study, "server_price", 1.0, SERVER_PRICE, partial(priced, "servers", ""))
    chosen = partial(priced, "servers", study.best.column.option.server.id)
    yield _factor(study, "chosen_server_price", 1.0, SERVER_PRICE, chosen)
    most = max(base_kwh, 0.1) * ELECTRICITY_TIMES
    yield _factor(study, "electricity", base_kwh, (0.0, most), powered)
    yield _step_factor(study)


def _factor(
    study: DecisionStudy, name: str, base: float, ends: tuple[float, float], ask: Ask
) -> Factor:
    """Return where the decision flips along a figure in which every cost is a line."""
    middle = replace(study.now, at=base)
    below, above = ask(ends[0]), ask(ends[1])
    down, up = break_even(ask, middle, below), break_even(ask, middle, above)
    proved = all(p.proved for p in (middle, below, above, *(down or ()), *(up or ())))
    highest = above if up is None else up[0]
    lines = name == "electricity" or _no_budget_between(study, highest)
    return _held(name, base, ends, down, up, proved=proved and lines)


def _no_budget_between(study: DecisionStudy, highest: Probe) -> bool:
    """Return whether no purchase budget hides a better design between values that were solved.

    A budget takes designs away as prices rise. One that is better in between, but gone at the
    highest value, would cost less there than the decision, so no more than the budget where the
    decision's whole present value, of which purchase is a part, is within it.
    """
    budget = study.market.limits.capex_cents
    if budget is None:
        return True
    whole = highest.decision_cents
    return study.market.book.rules.resale_share == 0 and whole is not None and whole <= budget


def _held(
    name: str, base: float, ends: tuple[float, float], down: Ends, up: Ends, *, proved: bool
) -> Factor:
    return Factor.model_validate(
        {
            "name": name,
            "unit": UNITS.get(name, "x"),
            "base": base,
            "low": ends[0],
            "high": ends[1],
            "below": None if down is None else flip_of(down),
            "above": None if up is None else flip_of(up),
            "holds_from": ends[0] if down is None else down[0].at,
            "holds_to": ends[1] if up is None else up[0].at,
            "proved": proved,
        }
    )


def _step_factor(study: DecisionStudy) -> Factor:
    """Return where the decision flips as every step time is multiplied.

    A slower model only takes designs away: the decision is the best until it breaks a limit
    itself. A faster one only adds designs.
    """
    low, high = STEP_TIME

    def market_at(factor: float) -> Market:
        return with_step_factor(study.market, factor, 1.0 if factor >= 1.0 else low)

    def ask(factor: float) -> Probe:
        return study.probe(market_at(factor), factor)

    middle = study.now
    up = until_broken(ask, middle, high, lambda f: cost_of(market_at(f), study.best.column))
    down, asked = None, [*(up or ())]
    if study.faster:
        below = ask(low)
        down = break_even(ask, middle, below, step_crossing)
        asked += [below, *(down or ())]
    ends = (low if study.faster else 1.0, high)
    return _held("step_time", 1.0, ends, down, up, proved=all(p.proved for p in asked))


def _levels(study: DecisionStudy, other: Found | None) -> Iterator[PriceRow]:
    for level in LEVELS:
        study.say(f"{study.market.instance.name}: {level} prices")
        market = study.market if level == "base" else at_level(study.market, level)
        found = study.now if level == "base" else study.probe(market, 1.0)
        runner = None if other is None else cost_of(market, other.column)
        best, bound = found.best_cents, found.result.bound_cents
        yield PriceRow(
            level=level,
            best_usd=_usd(best),
            bound_usd=_usd(bound),
            best=_shown(study, found),
            decision_usd=_usd(found.decision_cents),
            decision_regret_usd=_regret(found.decision_cents, best),
            runner_up_usd=None if runner is None else _usd(runner.cost_cents),
            runner_up_regret_usd=None if runner is None else _regret(runner.cost_cents, best),
            flips=not found.holds,
        )


def _shown(study: DecisionStudy, found: Probe) -> str:
    """Return the best design; the decision where it costs the same."""
    if found.holds:
        return describe(study.best.column)
    return "" if found.result.best is None else describe(found.result.best.column)


def _regret(cost: int | None, best: int | None) -> float | None:
    return None if cost is None or best is None else (cost - best) / CENTS_PER_USD


def _usd(amount: int | None) -> float | None:
    return None if amount is None else amount / CENTS_PER_USD
