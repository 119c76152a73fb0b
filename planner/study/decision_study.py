"""A proved decision under question: every changed market is solved to its proof, or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from planner.program.market import Market
from planner.program.scan import Found, ScanResult, scan
from planner.study.repriced import Probe, at_prices, probe


class LateError(Exception):
    """The time limit passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionStudy:
    """A decision and what it is asked."""

    market: Market
    best: Found
    deadline_s: float | None
    say: Callable[[str], None]
    faster: bool
    """Whether to ask too what a faster model would change: that needs new physics."""

    def probe(self, market: Market, at: float) -> Probe:
        """Solve a changed market.

        Raises
        ------
        LateError
            If the time limit passed before the proof.
        """
        found = probe(market, at, self.best.column, deadline_s=self.deadline_s)
        if found.result.stopped or self.late():
            raise LateError
        return found

    def at_price(self, part: str, usd: float) -> Market:
        """Return the market at another price of one part of the catalogue."""
        return at_prices(self.market, {part: usd})

    def within(self, market: Market, keep_cents: int) -> list[Found] | None:
        """Return every design that costs no more than so much above a market's best.

        None where a limit of work left one undecided.

        Raises
        ------
        LateError
            If the time limit passed before the proof.
        """
        keep = max(keep_cents, 0)
        found = scan(market, deadline_s=self.deadline_s, keep_cents=keep, skip_slow=True)
        if found.stopped or self.late():
            raise LateError
        return None if found.undecided or found.best is None else found.feasible

    def runner_up(self) -> Found | None:
        """Return the cheapest design that is not the decision.

        Raises
        ------
        LateError
            If the time limit passed before the proof.
        """
        key = self.best.column.key
        found = scan(self.market, deadline_s=self.deadline_s, skip_slow=True, without=key)
        if found.stopped or self.late():
            raise LateError
        return found.best

    @property
    def now(self) -> Probe:
        """What was solved already: the decision at today's figures."""
        found = ScanResult(best=self.best, bound_cents=self.best.placed.cost_cents, proved=True)
        cents = self.best.placed.cost_cents
        return Probe(at=1.0, market=self.market, result=found, decision_cents=cents)

    def late(self) -> bool:
        """Return whether the time limit passed."""
        return self.deadline_s is not None and time.monotonic() > self.deadline_s
