"""How far the decision holds: where each factor turns it, regret at low and high prices, quotes."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.sensitivity import Factor, Flip
from planner.domain.solution import Solution
from planner.export.dimensions import RUN_OF
from planner.export.keys import run_key
from planner.export.table import Column, Row, Table


def _flips(solution: Solution) -> Iterable[Row]:
    for factor in solution.sensitivity.factors if solution.sensitivity else []:
        yield _flip(solution, factor, "below", factor.low, factor.holds_from, factor.below)
        yield _flip(solution, factor, "above", factor.high, factor.holds_to, factor.above)


def _flip(
    solution: Solution, factor: Factor, side: str, end: float, holds: float, flip: Flip | None
) -> Row:
    head = (run_key(solution), factor.name, side, factor.unit, factor.base, end, holds)
    if flip is None:
        return (*head, factor.proved, None, None, None, None, None, None, None)
    return (
        *head, flip.proved, flip.at, flip.beyond, flip.summary or None, flip.server or None,
        flip.nodes, flip.objective_usd, flip.decision_usd,
    )  # fmt: skip


FACT_FLIP = Table(
    "fact_flip",
    "one direction in which one factor was moved; no rows if sensitivity was not asked",
    (
        RUN_OF,
        Column("factor", "text", "What was moved: a price, electricity, the model's step time"),
        Column("side", "text", "below or above today's value"),
        Column("unit", "text", "x for a multiplier, else USD/kWh"),
        Column("base", "decimal", "Today's value", "in column unit"),
        Column("asked_to", "decimal", "End of the range that was asked about", "in column unit"),
        Column("holds_to", "decimal", "Up to here the decision is the best", "in column unit"),
        Column("proved", "boolean", "Whether every search ended with its proof"),
        Column("flips_at", "decimal", "Where another becomes better; empty if none", "in column unit"),
        Column("better_from", "decimal", "Nearest value where another was proved better", "in column unit"),
        Column("instead", "text", "The design that is better past it; empty where none is left"),
        Column("server", "text", "Catalogue id of its server"),
        Column("nodes", "integer", "Its servers", "servers"),
        Column("objective_usd", "money", "Its present value at better_from", "USD"),
        Column("decision_usd", "money", "That of the decision there; empty if impossible", "USD"),
    ),
    _flips,
    ("run_key", "factor", "side"),
)  # fmt: skip


def _regrets(solution: Solution) -> Iterable[Row]:
    for level in solution.sensitivity.prices if solution.sensitivity else []:
        yield (
            run_key(solution), level.level, level.best or None, level.best_usd, level.bound_usd,
            level.decision_usd, level.decision_regret_usd, level.runner_up_usd,
            level.runner_up_regret_usd, level.flips,
        )  # fmt: skip


FACT_REGRET = Table(
    "fact_regret",
    "all prices at one end of their published ranges; no rows if sensitivity was not asked",
    (
        RUN_OF,
        Column("level", "text", "low, base or high"),
        Column("best", "text", "The best design at these prices"),
        Column("best_usd", "money", "Its present value", "USD"),
        Column("bound_usd", "money", "Proved lower bound of that", "USD"),
        Column("decision_usd", "money", "Present value of the decision at these prices", "USD"),
        Column(
            "decision_regret_usd", "money", "What deciding now costs: decision less best", "USD"
        ),
        Column("runner_up_usd", "money", "Present value of the runner-up", "USD"),
        Column("runner_up_regret_usd", "money", "Runner-up less best", "USD"),
        Column("flips", "boolean", "Whether another design is better than the decision"),
    ),
    _regrets,
    ("run_key", "level"),
)


def _quotes(solution: Solution) -> Iterable[Row]:
    for quote in solution.sensitivity.quotes_needed if solution.sensitivity else []:
        yield (
            run_key(solution), quote.part, quote.component, quote.price_usd, quote.price_kind,
            quote.flips_at_usd, quote.low_usd, quote.high_usd, quote.instead, quote.saving_usd,
        )  # fmt: skip


FACT_QUOTE_NEEDED = Table(
    "fact_quote_needed",
    "one part whose price range alone turns the decision",
    (
        RUN_OF,
        Column("part_key", "key", "Catalogue id of the product", refers_to="dim_part"),
        Column("component", "text", "Cost component"),
        Column("price_usd", "money", "Price of one unit today", "USD"),
        Column("price_kind", "text", "list, street, quote, analyst estimate, own interpolation"),
        Column("flips_at_usd", "money", "Nearest price at which another design is better", "USD"),
        Column("low_usd", "money", "Lowest published price", "USD"),
        Column("high_usd", "money", "Highest published price", "USD"),
        Column("instead", "text", "What would be better there"),
        Column("saving_usd", "money", "How much better; empty where the decision breaks a limit", "USD"),
    ),
    _quotes,
    ("run_key", "part_key"),
)  # fmt: skip
