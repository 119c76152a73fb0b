"""Why nothing fits, or what each limit costs: limits in a buyer's words, with their relaxations."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DesignFigures(_Part):
    """A design that a relaxation lets through."""

    summary: str
    capex_usd: float
    total_usd: float
    """Present value; the cheapest found, not proved the cheapest."""


class LimitAnswer(_Part):
    """One limit of the instance, and the least by which it must give."""

    limit: str
    """Stable id: the key of the instance, such as budget.capex_usd or workloads[0].deadline_days."""
    words: str
    """The limit in a buyer's words, with its figure."""
    value: float | None = None
    """The limit as it stands; None where it is a choice such as `fix.server`."""
    unit: str = ""
    alone: Literal["enough", "not_enough", "stopped"]
    """Whether relaxing this limit alone lets a design through; stopped: not decided in time."""
    largest_tried: float | None = None
    """Loosest value that was tried; None where the limit was lifted altogether."""
    needed: float | None = None
    """Value nearest to `value` that alone lets a design through."""
    needed_words: str = ""
    """The relaxed limit in a buyer's words; of a choice: what stands in its place."""
    refused: float | None = None
    """Next value of the scale, at which no design was left; the scale is a thousandth or finer."""
    proved: bool = False
    """Whether every value up to `refused` is proved to let no design through."""
    design: DesignFigures | None = None
    """With the limit at `needed`; of a feasible instance: without the limit."""
    in_the_way: list[str] = []
    """Where it alone is not enough: limits that still contradict each other without it."""
    in_the_way_words: list[str] = []
    """The same in a buyer's words."""
    saving_usd: float | None = None
    """Of a feasible instance: what lifting the limit would save."""


class Conflict(_Part):
    """Limits that no design meets together; any one of them lifted, the others can be met."""

    limits: list[str]
    """Ids of the limits."""
    reasons: list[str]
    """What stops the designs, in a buyer's words."""
    minimal: bool
    """Whether lifting each in turn was proved to let a design through."""
    ways_out: dict[str, DesignFigures]
    """By limit: the design found with that one lifted and the others held."""


class Together(_Part):
    """Every limit of the conflicts gives way, none by more than the least share that is enough for all."""

    share: float
    """0.12: no limit is more than 12 % looser."""
    refused_share: float
    """Share for all at which no design was left; the scale is a thousandth."""
    proved: bool
    """Whether a smaller share, and each value a step tighter with the others as they are, was proved
    to let no design through."""
    values: dict[str, float]
    """By limit: the value needed, at most `share` looser."""
    words: list[str]
    """The relaxed limits in a buyer's words, in the order of `values`."""
    lifted: list[str]
    """Choices without a figure that had to be lifted altogether."""
    design: DesignFigures


class Explanation(_Part):
    """The answer of `planner explain`."""

    instance: str
    status: Literal["feasible", "infeasible", "stopped"]
    conflicts: list[Conflict]
    """Of an infeasible instance; each is infeasible by itself, and they have no limit in common.
    Empty with status infeasible: no design exists even with every limit lifted."""
    limits: list[LimitAnswer]
    """Infeasible: the limits of the conflicts, the cheapest way out first. Feasible: the limits
    that bind, dearest first."""
    together: Together | None = None
    design: DesignFigures | None = None
    """Of a feasible instance: the cheapest design."""
    reasons: list[str] = []
    """Without a conflict: what stops the designs with every limit lifted."""
    looked_at: list[str]
    """Every limit that was examined."""
    solves: int
    complete: bool
    """False where the time limit ended the study."""
