"""One training job of an instance: what is trained, and by when."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from planner.domain.text import Name, Prose
from planner.domain.units import SECONDS_PER_DAY

Positive = Annotated[float, Field(gt=0, le=1e18, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=1, le=1e18, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10_000_000)]


class StrategyChoice(BaseModel):
    """A pinned or forbidden part of a strategy; each key takes one value or a list of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    tp: Count | list[Count] | None = None
    pp: Count | list[Count] | None = None
    vpp: Count | list[Count] | None = None
    cp: Count | list[Count] | None = None
    ep: Count | list[Count] | None = None
    dp: Count | list[Count] | None = None
    micro_batch: Count | list[Count] | None = None
    sharding: str | list[str] | None = None
    recompute: str | list[str] | None = None
    schedule: str | list[str] | None = None
    sequence_parallel: bool | None = None
    etp: Count | list[Count] | None = None
    shard_group: Count | list[Count] | None = None
    offload: str | list[str] | None = None
    precision: str | list[str] | None = None
    rank_order: str | list[str] | None = None
    nodes: Count | list[Count] | None = None

    def values(self) -> dict[str, tuple[Any, ...]]:
        """Return the keys that are set, each with a tuple of its values."""
        result: dict[str, tuple[Any, ...]] = {}
        for key in type(self).model_fields:
            value = getattr(self, key)
            if value is not None:
                result[key] = tuple(value) if isinstance(value, list) else (value,)
        return result


class Workload(BaseModel):
    """A training job: its network, batch and target.

    The target is `step_time_s`, or `tokens` (or `samples`) with `deadline_days`, from which the
    step time follows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: Name
    network: Annotated[str, Field(min_length=1, max_length=300)]
    """Name of a shipped network, or the path of a network file beside the instance."""
    global_batch: Count
    """Sequences (samples) per optimizer step over the whole cluster."""
    sequence_length: Count = 1
    """Tokens per sequence; 1 where samples have no length."""
    step_time_s: Positive | None = None
    tokens: Amount | None = None
    samples: Amount | None = None
    deadline_days: Positive | None = None
    """Days within which the run must end, from its start."""
    repeat_days: Positive | None = None
    """The run comes back every so many days (1: every night); one run only if absent."""
    availability: Annotated[float, Field(gt=0, le=1)] = 0.9
    """Share of wall time spent on useful steps; 0.9 is an estimate."""
    hours_per_day: Annotated[float, Field(gt=0, le=24)] | None = None
    """With `step_time_s`: hours a day that the job holds the cluster, for sharing it in time."""
    runs: Literal["time_shared", "concurrent"] = "time_shared"
    """concurrent: it keeps servers of its own, on leafs of its own; else jobs take turns."""
    pool: Name | None = None
    """Bought servers that it must run on: workloads that name the same pool share it."""
    margin: Annotated[float, Field(ge=0, le=10)] | None = None
    """Safety on the step time; the model's own measured error if absent."""
    precision: Literal["fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"] = "bf16"
    """Precision of the matrix products."""
    optimizer: Literal["adam", "sgd"] = "adam"
    flash_attention: bool = True
    pipeline_nodes_elsewhere: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Servers at other sites that hold the other stages of its pipeline, as `planner regions` says.

    What crosses between the sites is not in the step time here.
    """
    fix: StrategyChoice = StrategyChoice()
    forbid: StrategyChoice = StrategyChoice()
    note: Prose = ""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        amounts = [self.tokens is not None, self.samples is not None]
        if self.step_time_s is not None:
            if any(amounts) or self.deadline_days is not None:
                raise ValueError(
                    "two targets; give step_time_s, or tokens (samples) with deadline_days"
                )
            return self
        if sum(amounts) != 1 or self.deadline_days is None:
            raise ValueError(
                "no target; give step_time_s, or one of tokens and samples with deadline_days"
            )
        if self.hours_per_day is not None:
            raise ValueError("hours_per_day goes with step_time_s; give repeat_days instead")
        if self.repeat_days is not None and self.deadline_days > self.repeat_days:
            raise ValueError("deadline_days exceeds repeat_days; a run must end before the next")
        return self

    @model_serializer(mode="wrap")
    def _availability_if_given(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out an availability that nobody gave: failure rates may stand for it."""
        document: dict[str, Any] = dump(self)
        if "availability" not in self.model_fields_set:
            document.pop("availability", None)
        return document

    @property
    def steps(self) -> float | None:
        """Optimizer steps of one run, None with a bare step-time target."""
        if self.samples is not None:
            return self.samples / self.global_batch
        if self.tokens is not None:
            return self.tokens / (self.global_batch * self.sequence_length)
        return None

    @property
    def target_s(self) -> float:
        """The step time that must be held, seconds: deadline x availability / steps."""
        if self.step_time_s is not None:
            return self.step_time_s
        days = self.deadline_days or 0.0  # the validator guarantees both
        return days * SECONDS_PER_DAY * self.availability / (self.steps or 1.0)

    def busy_fraction(self, step_time_s: float) -> float:
        """Return the share of all hours that the job holds the cluster at a step time."""
        if self.steps is None:
            return (self.hours_per_day or 0.0) / 24.0
        period = self.repeat_days or self.deadline_days or 0.0  # the validator guarantees one
        return self.steps * step_time_s / (period * SECONDS_PER_DAY * self.availability)

    def kept_fraction(self, step_time_s: float, margin: float) -> float:
        """Return the share of all hours to keep for the job: its steps may be slower by a margin.

        Hours that the instance declares are kept as they are: they do not follow from the step,
        and the limit on the step has the margin already.
        """
        busy = self.busy_fraction(step_time_s)
        return busy if self.steps is None else busy * (1.0 + margin)
