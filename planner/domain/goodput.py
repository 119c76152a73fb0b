"""What an instance says of failures, checkpoints and spares."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]


class Goodput(BaseModel):
    """Availability from failure rates, instead of a share that is given.

    It holds for every workload with a deadline and no `availability` of its own: the time between
    failures follows from the servers in use, and servers beyond them are hot spares.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    storage_gbytes_per_s: Positive | None = None
    """Rate at which a checkpoint is written, gigabyte/s; that of `storage` if absent."""
    failures: Literal["low", "base", "high"] = "base"
    """Which of the published rates: models/hardware/failures.json."""
    rate_factor: Annotated[float, Field(gt=0, le=1000)] = 1.0
    """Multiplies every failure rate, for what-if questions."""
    restart_minutes: Positive | None = None
    """From a failure to the first step after the checkpoint is loaded; an estimate if absent."""
    repair_days: Positive | None = None
    """Until a broken server is back; an estimate if absent."""
    blocking_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of a checkpoint's writing during which training stops; 1 without asynchronous saving."""
