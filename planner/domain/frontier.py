"""Cost against step time: the cheapest design for each step time, every point with its proof."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FrontierPoint(_Part):
    """The cheapest design for one step-time target of one workload."""

    workload: str
    """Name of the workload whose target was varied."""
    limit_s: float
    """Step time that the point had to hold, seconds; margin already taken off."""
    status: Literal["optimal", "feasible", "infeasible", "stopped"]
    step_time_s: float | None = None
    """What the design reaches; below `limit_s`."""
    objective_usd: float | None = None
    bound_usd: float | None = None
    """Proved lower bound of the cost of any design that holds `limit_s`."""
    gap: float | None = None
    capex_usd: float | None = None
    server: str = ""
    nodes: int | None = None
    gpus: int | None = None
    family: str = ""
    topology: str = ""
    oversubscription: float | None = None
    summary: str = ""
    """The design in a buyer's words."""
    chosen: bool = False
    """Whether this is the design of the answer itself."""


class Frontier(_Part):
    """Designs of which none is both cheaper and faster than another, cheapest and slowest first."""

    workload: str
    """Whose step time it is; empty where all targets were scaled together."""
    points: list[FrontierPoint]
    """Where all targets were scaled, one entry for each workload of each design."""
    complete: bool
    """Whether it was traced to its end: to within `tick`, no design of the declared grid is missing,
    each as far as the gap of its point says."""
    tick: float
    """Relative: of step times nearer to each other than this, the cheapest design's is shown."""
    slowest_s: float | None = None
    """Slowest limit that was asked for, seconds; None for any."""
    note: str = ""
    """Why it ends early; empty where complete."""
