"""Published failure rates by component, and the defaults of restarts and repairs."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from planner.domain.json_file import read_json, validate
from planner.domain.resources import data_root

FAILURES = "models/hardware/failures.json"
Positive = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False)]
Words = Annotated[str, Field(min_length=1, max_length=400)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ComponentFailures(_Part):
    """Interruptions of a job by one kind of component, as counted in the observed run."""

    component: Words
    per: Literal["gpu", "node"]
    interruptions: Annotated[int, Field(ge=0)]
    takes_server: bool
    """Whether the server is out until it is repaired."""


class Observed(_Part):
    """The run in which they were counted."""

    gpu_days: Positive
    node_days: Positive
    source: Words


class Level(_Part):
    """One of the published rates as a factor on the observed run's."""

    factor: Positive
    failures_per_1000_node_days: Positive
    source: Words


class Default(_Part):
    """A figure that an instance may leave out."""

    value: Positive
    low: Positive
    high: Positive
    status: Literal["sourced", "estimate"]
    source: Words


class Defaults(_Part):
    """Restart, repair and size of a checkpoint."""

    restart_minutes: Default
    repair_days: Default
    bytes_per_parameter: Default
    bytes_per_parameter_sgd: Default


class PublishedFailures(_Part):
    """The file of rates."""

    schema_version: Literal[1]
    components: list[ComponentFailures]
    observed: Observed
    levels: dict[Literal["low", "base", "high"], Level]
    defaults: Defaults
    note: str

    def per_thousand_days(
        self, gpus: int, hosts: int, *, level: Literal["low", "base", "high"], repairs: bool
    ) -> float:
        """Return failures per thousand days of a server with so many GPUs and hosts.

        `repairs` counts only those that take the server out until it is repaired.
        """
        each = {"gpu": gpus / self.observed.gpu_days, "node": hosts / self.observed.node_days}
        counted = (c for c in self.components if c.takes_server or not repairs)
        total = sum(c.interruptions * each[c.per] for c in counted)
        return 1000.0 * total * self.levels[level].factor


@lru_cache(maxsize=1)
def published_failures() -> PublishedFailures:
    """Return the rates that ship with the program; raises InputError naming every fault."""
    path = data_root() / FAILURES
    return validate(PublishedFailures, read_json(path), str(path))
