"""Whether a user's own measurements change the answer: the same question without them."""

from __future__ import annotations

from dataclasses import replace

from planner.domain.model_constants import model_constants
from planner.program.market import Market
from planner.program.scan import Found, ScanResult, describe, scan

SHOWN = 3
"""Workloads that one sentence names."""


def calibration_effect(
    market: Market, result: ScanResult, *, deadline_s: float | None = None, gap: float = 0.0
) -> str:
    """Return in one sentence what the calibration changed; empty where there is none.

    Columns and cheapest placements serve again: only step times, and placements held to them, are
    computed anew.
    """
    if market.calibration is None or result.stopped:
        return ""
    other = scan(_uncalibrated(market), deadline_s=deadline_s, gap=gap)
    if other.stopped:
        return "Whether the calibration changes the answer was not decided within the time limit."
    return effect_text(market, result.best, other.best)


def _uncalibrated(market: Market) -> Market:
    """Return the market with the shipped constants; what no step time touched is shared."""
    oracle = replace(market.oracle, constants=model_constants(None), _free={}, _best={}, _usable={})
    return replace(market, calibration=None, oracle=oracle, evaluated={}, _limited={})


def effect_text(market: Market, best: Found | None, plain: Found | None) -> str:
    """Return the sentence for the best design with and without the calibration."""
    if best is None and plain is None:
        return "The calibration does not change the answer: without it no design fits either."
    if best is None and plain is not None:
        return (
            "The calibration rules out every design; without it the answer would be"
            f" {_priced(plain)}."
        )
    assert best is not None
    if plain is None:
        return "The calibration makes a design fit; without it there would be none."
    jobs = _jobs(market, best, plain)
    if best.column.key != plain.column.key:
        return (
            f"The calibration flips the design: without it the answer would be {_priced(plain)};"
            f" {jobs}."
        )
    return f"The calibration keeps the design; {jobs}."


def _priced(found: Found) -> str:
    return f"{describe(found.column)} at {found.placed.cost_cents / 100:,.0f} USD"


def _jobs(market: Market, best: Found, plain: Found) -> str:
    """Return what happens to strategies and step times, the flipped strategies first."""
    rows = []
    steps = zip(market.instance.workloads, best.steps.steps, plain.steps.steps, strict=True)
    for workload, now, before in steps:
        times = f"{now.step_time_s:.4g} s a step instead of {before.step_time_s:.4g} s"
        chosen, other = now.best.strategy, before.best.strategy
        if chosen == other:
            rows.append((1, f"{workload.name} keeps its strategy, {times}"))
        else:
            flip = f"from {other.label()} to {chosen.label()}"
            rows.append((0, f"the strategy of {workload.name} flips {flip}, {times}"))
    rows.sort(key=lambda row: row[0])
    more = f"; {len(rows) - SHOWN} more workloads" if len(rows) > SHOWN else ""
    return "; ".join(text for _, text in rows[:SHOWN]) + more
