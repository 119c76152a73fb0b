"""What the profile of a real training step shows on one rank, whatever tool wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from planner.domain.json_file import read_json, validate

MAX_PROFILE_BYTES = 50 * 1024 * 1024
KIND = "step_profile"

Seconds = Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Text = Annotated[str, Field(max_length=500)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StepParts(_Frozen):
    """A step's seconds on the GPU.

    ``wall = compute + exposed_network + exposed_copy + idle``; `network_s` and `copy_s` are whole,
    hidden parts included.
    """

    wall_s: Seconds
    compute_s: Seconds
    """At least one kernel runs that does not communicate."""
    network_s: Seconds
    """At least one communication kernel runs."""
    exposed_network_s: Seconds
    """Communication alone: the GPU waits for the network or for other ranks."""
    copy_s: Seconds
    """Copies and fills of memory."""
    exposed_copy_s: Seconds
    idle_s: Seconds
    """Nothing runs: the processor launches too late, or waits."""

    @property
    def overlap_share(self) -> float:
        """Share of the communication that computation hides; 0 if there is none."""
        return 1.0 - self.exposed_network_s / self.network_s if self.network_s > 0 else 0.0


class ProfiledStep(StepParts):
    """One step of the profile."""

    name: Text
    start_s: Annotated[float, Field(allow_inf_nan=False)]
    """From the start of the first step."""
    counted: bool
    """Whether it is in the mean: whole, and not far longer than the median."""


class CollectiveProfile(_Frozen):
    """All kernels of one collective, per step."""

    collective: Text
    calls: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    total_s: Seconds
    """Sum over the kernels."""
    exposed_s: Seconds
    """While at least one runs and nothing computes."""
    bytes: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    """Size of the messages as nccl-tests counts it; None where the profile has no sizes."""


class MessageProfile(_Frozen):
    """Calls of one collective with one size on one group of ranks."""

    collective: Text
    size_bytes: Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
    """As nccl-tests counts it: the larger of what a rank sends and receives."""
    dtype: Text
    ranks: Annotated[int, Field(ge=1, le=10_000_000)]
    members: tuple[Annotated[int, Field(ge=0, le=10_000_000)], ...] = ()
    """Global ranks of the group; empty where the profile does not list them."""
    calls: Annotated[int, Field(ge=1)]
    shortest_s: Seconds
    """A kernel also waits for the last rank to arrive; the shortest call waited least."""
    median_s: Seconds
    longest_s: Seconds


class WaitPeak(_Frozen):
    """A stretch in which the GPU did nothing but communicate, or nothing at all."""

    step: Text
    at_s: Seconds
    """From the start of the step."""
    duration_s: Seconds
    collective: Text
    """What was waited for; empty for a gap without any activity."""
    kernel: Text = ""


class StepProfile(_Frozen):
    """One rank's profile."""

    kind: Literal["step_profile"] = "step_profile"
    schema_version: Literal[1] = 1
    tool: Literal["torch-trace", "nsys"]
    file: Text
    device: Text = ""
    """The GPU's name, empty where the profile does not say."""
    rank: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    world_size: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    steps_found_by: Literal["annotation", "pattern", "window"]
    mean: StepParts
    """Over the steps that count."""
    steps: Annotated[tuple[ProfiledStep, ...], Field(min_length=1)]
    collectives: tuple[CollectiveProfile, ...]
    messages: tuple[MessageProfile, ...]
    peaks: tuple[WaitPeak, ...]
    """Longest waits for the network, longest first."""
    gaps: tuple[WaitPeak, ...]
    """Longest stretches without any activity."""
    gap_count: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Stretches without any activity, per step."""
    notes: tuple[str, ...] = ()


def read_profile(path: Path) -> StepProfile:
    """Return a profile that an import wrote; raises InputError naming every fault."""
    return validate(StepProfile, read_json(path, MAX_PROFILE_BYTES), str(path))
