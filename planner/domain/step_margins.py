"""Safety on predicted step times by family of networks: the model's measured optimistic error."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from planner.domain.json_file import read_json, validate
from planner.domain.physics_constants import Status
from planner.domain.resources import data_root

MARGINS = "models/hardware/step_margins.json"


class StepMargin(BaseModel):
    """A family's margin: the limit on the predicted step is target / (1 + margin)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    margin: Annotated[float, Field(ge=0, le=10)]
    """90th percentile over runs of measured / predicted - 1 where the prediction was too fast,
    each source left out of the fit in turn."""
    rows: Annotated[int, Field(ge=0)]
    sources: Annotated[int, Field(ge=0)]
    median_abs_error_pct: Annotated[float, Field(ge=0)]
    status: Status
    source: Annotated[str, Field(min_length=1, max_length=300)]


class StepMargins(BaseModel):
    """The margins of all families."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1]
    families: dict[str, StepMargin]


@lru_cache(maxsize=1)
def shipped_margins() -> StepMargins:
    """Return the margins that ship with the program; raises InputError naming every fault."""
    path = data_root() / MARGINS
    return validate(StepMargins, read_json(path), str(path))


def step_margin(family: str) -> StepMargin | None:
    """Return the margin of a family, None if it was not measured."""
    return shipped_margins().families.get(family)
