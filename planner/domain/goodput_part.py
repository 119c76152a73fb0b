"""Goodput of one workload, as the answer states it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class GoodputPart(BaseModel):
    """Availability from failure rates, and what it is made of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    availability: float
    """checkpoint_share x (1 - waiting_share); the target's step time carries it."""
    servers: int
    spares: int
    """Servers bought beyond those in use: they stand by."""
    failures_per_1000_server_days: float
    """That stop the job."""
    repairs_per_1000_server_days: float
    """Of them, those that take the server out."""
    mtbf_h: float
    """Mean hours between two failures of the job."""
    checkpoint_write_s: float
    """Seconds that one checkpoint stops the training."""
    checkpoint_interval_s: float
    """Best seconds of work between two checkpoints."""
    restart_s: float
    repair_s: float
    checkpoint_share: float
    """Share left after checkpoints, lost work and restarts."""
    waiting_share: float
    """Share in which more servers are broken than there are spares."""
    expected_failures: float | None
    """In one run; None without a number of steps."""
