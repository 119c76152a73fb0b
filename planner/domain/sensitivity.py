"""What would change the decision: prices, electricity and efficiency at which another is better."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Flip(_Part):
    """The value of a factor at which another design becomes the better one."""

    at: float
    """Break-even, in the factor's unit: up to it the decision is proved the best."""
    beyond: float
    """Nearest value past it at which another design was proved better; `at` itself is a tie
    where costs are lines in the factor."""
    proved: bool
    """Whether both ends were proved."""
    summary: str
    """The design that is better past it; empty where no design is left."""
    server: str = ""
    nodes: int | None = None
    objective_usd: float | None = None
    """Its present value at `beyond`, US dollars."""
    decision_usd: float | None = None
    """That of the decision at `beyond`; None where it breaks a limit there."""


class Factor(_Part):
    """One figure that the decision was solved again under, from `low` to `high`."""

    name: Literal[
        "switch_price", "chosen_switch_price", "server_price", "chosen_server_price",
        "electricity", "step_time",
    ]  # fmt: skip
    """Multiplier of all switch prices, of the chosen leaf switch alone, of all server prices, of
    the chosen server alone, the price of electricity, multiplier of every step time (1.1: the
    model is 10 % too optimistic)."""
    unit: str
    """`x` for a multiplier, else USD/kWh."""
    base: float
    low: float
    high: float
    """Ends of the range that was asked about."""
    below: Flip | None = None
    above: Flip | None = None
    holds_from: float
    holds_to: float
    """The decision is the best between these, as far as was proved; the range's ends where it
    never flips."""
    proved: bool
    """Whether every solve of this factor ended with its proof."""


class PriceLevel(_Part):
    """All prices at one end of their published ranges at once."""

    level: Literal["low", "base", "high"]
    best_usd: float | None
    """Present value of the best design at these prices."""
    bound_usd: float | None
    """Proved lower bound of that."""
    best: str
    """The best design in a buyer's words."""
    decision_usd: float | None
    """Present value of the decision at these prices, its racks and cables laid anew; None where
    it breaks the budget."""
    decision_regret_usd: float | None
    """What deciding now costs against the best at these prices: decision less best."""
    runner_up_usd: float | None
    runner_up_regret_usd: float | None
    flips: bool
    """Whether another design is better than the decision at these prices."""


class QuoteNeeded(_Part):
    """A part whose price range alone turns the decision."""

    part: str
    """Catalogue id."""
    description: str
    component: str
    price_usd: float
    price_kind: str
    flips_at_usd: float
    """Nearest price of the range at which another design was proved better."""
    low_usd: float | None
    high_usd: float | None
    instead: str
    """What would be better there."""
    saving_usd: float | None
    """How much better at `flips_at_usd`; None where the decision breaks the budget there."""


class Sensitivity(_Part):
    """How far the decision holds."""

    factors: list[Factor]
    prices: list[PriceLevel]
    runner_up: str
    """The cheapest design that differs from the decision, proved; empty where there is none."""
    runner_up_delta_usd: float | None
    """What it costs more than the decision, present value."""
    runner_up_reason: str = ""
    """Where it spends more and less, by component."""
    quotes_needed: list[QuoteNeeded]
    """Empty where no single price within its published range turns the decision."""
    ranges_known: list[str]
    """Parts of the bill whose price has a published range, each tried alone at both ends."""
    ranges_unknown: list[str]
    """Parts whose price has no range, so that nothing can be said of them."""
    complete: bool
    """False where a time limit ended the study; what is missing is absent above."""
