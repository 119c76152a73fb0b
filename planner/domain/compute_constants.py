"""Constants of compute and memory: validated figures, each with its source and status."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.json_file import read_json, validate
from planner.domain.physics_constants import (
    CollectiveConstants,
    Figure,
    shipped_collective_constants,
)
from planner.domain.resources import data_root

KernelFamily = Literal["half", "fp8", "fp4", "tf32", "fp32"]
FAMILY_OF = {
    "fp32": "fp32", "tf32": "tf32", "fp16": "half", "bf16": "half",
    "fp8": "fp8", "mxfp8": "fp8", "nvfp4": "fp4",
}  # fmt: skip
"""Kernel family of each precision."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GemmConstants(_Frozen):
    """How fast matrix products run in one kernel family."""

    efficiency: Figure
    """Share of the marketed peak that large products reach in a short burst."""
    sustained: Figure
    """Rate under the power cap of a long run over that of a short burst."""
    depth: Figure
    """Inner dimension that a tile's prologue and epilogue cost as much as."""


class AttentionConstants(_Frozen):
    """How fast fused attention runs.

    rate = efficiency x peak x l / (l + half_length) x w / (w + half_width) for heads w wide over
    sequences of l, the last factor being 1 for heads 128 wide.
    """

    efficiency: Figure
    half_length: Figure
    half_width: Figure
    backward_rate: Figure
    """Rate of the backward pass over that of the forward pass."""
    portable_rate: Figure
    """Rate of portable kernels (FlashAttention 2) over the vendor's for this generation."""


class AcceleratorConstants(_Frozen):
    """What depends on one accelerator."""

    multiprocessors: Figure
    memory_efficiency: Figure
    """Share of the marketed memory bandwidth that element-wise kernels sustain."""
    collective_slowdown: Figure
    """Seconds that computation loses for each second of a collective hidden behind it."""
    kernel_s: Figure
    """Time of one kernel that does almost nothing, seconds."""
    gemm: dict[KernelFamily, GemmConstants]
    attention: AttentionConstants

    @model_validator(mode="after")
    def _has_half(self) -> Self:
        if not {"half", "fp32"} & set(self.gemm):
            raise ValueError("gemm lacks both 'half' and 'fp32'; give one")
        return self

    def product(self, family: str) -> GemmConstants:
        """Return the constants of matrix products of a family, or of the nearest that is known."""
        known: dict[str, GemmConstants] = {str(name): value for name, value in self.gemm.items()}
        for name in (family, "half", "fp32"):
            if name in known:
                return known[name]
        raise AssertionError("unreachable: half or fp32 is always given")


class Tile(_Frozen):
    """One tile shape of the matrix kernels and its rate relative to the best."""

    rows: Annotated[int, Field(gt=0)]
    columns: Annotated[int, Field(gt=0)]
    rate: Annotated[float, Field(gt=0, le=1)]


class HostConstants(_Frozen):
    """What the host's processor costs."""

    launch_s: Figure
    """Processor time of one operator in an eager framework, seconds."""
    replay_s: Figure
    """Processor time of one operator in a captured or compiled graph, seconds."""
    update_bytes_per_s: Figure
    """Rate at which the processor updates offloaded optimizer states, bytes/s per accelerator."""
    slice_s: Figure
    """Processor time of one slice of a tensor in Python, seconds."""
    step_s: Figure
    """Fixed time of one optimizer step outside the network: data, logging, clipping."""


class OverlapConstants(_Frozen):
    """What hidden communication costs the compute it hides behind."""

    slowdown: Figure
    """Seconds that computation loses for each second of the transfers of tensor, context and
    expert parallelism hidden behind it."""
    bucket_elements: Figure
    """Gradients of one bucket, elements."""
    bucket_elements_per_rank: Figure
    """The same per data-parallel rank, where that is more."""


class ExpertConstants(_Frozen):
    """How evenly tokens reach experts."""

    imbalance: Figure
    """Tokens of the fullest rank over the mean; 1 where the run forces balance."""


class StragglerConstants(_Frozen):
    """How much slower the slowest of n GPUs is: 1 + per_doubling x log2(n)."""

    per_doubling: Figure


class MemoryConstants(_Frozen):
    """What a process holds besides the tensors of the model."""

    context_bytes: Figure
    """Driver context, libraries and workspaces."""
    communicator_bytes: Figure
    """Buffers of one communicator."""
    fragmentation: Figure
    """Share of the tensors lost in the allocator."""


class MeasuredCompute(_Frozen):
    """How long one family of jobs computes on one accelerator, over what the model says."""

    accelerator: str
    family: str
    factor: Annotated[float, Field(gt=0, lt=1000)]


class ComputeConstants(_Frozen):
    """All constants of compute and memory."""

    schema_version: Literal[1]
    tiles: Annotated[list[Tile], Field(min_length=1)]
    accelerators: dict[str, AcceleratorConstants]
    stands_in: dict[str, str]
    """Accelerator or architecture to the accelerator whose constants stand in for it."""
    host: HostConstants
    overlap: OverlapConstants
    experts: ExpertConstants
    straggler: StragglerConstants
    memory: MemoryConstants
    measured: tuple[MeasuredCompute, ...] = ()
    """From a user's own profiles; empty as shipped."""

    @model_validator(mode="after")
    def _resolved(self) -> Self:
        for name, other in self.stands_in.items():
            if other not in self.accelerators:
                raise ValueError(f"stands_in {name!r} names the unknown accelerator {other!r}")
        if "unknown" not in self.stands_in:
            raise ValueError("stands_in lacks 'unknown'; it stands in for unlisted accelerators")
        return self

    def validated(self, accelerator: str, architecture: str) -> bool:
        """Whether figures of this part, or of its generation, were held against measurements."""
        return any(
            name in self.accelerators or name in self.stands_in
            for name in (accelerator, architecture)
            if name != "unknown"
        )

    def accelerator(self, accelerator: str, architecture: str) -> AcceleratorConstants:
        """Return an accelerator's constants, or those that stand in for it."""
        for name in (accelerator, architecture, "unknown"):
            known = self.stands_in.get(name, name)
            if known in self.accelerators:
                return self.accelerators[known]
        raise AssertionError("unreachable: 'unknown' always resolves")

    def measured_factor(self, accelerator: str, family: str) -> float:
        """Return what the time of every kernel is multiplied by; 1 where nothing was measured."""
        for entry in self.measured:
            if (entry.accelerator, entry.family) == (accelerator, family):
                return entry.factor
        return 1.0


class ModelConstants(_Frozen):
    """Every constant of the physics: compute, memory and collectives."""

    compute: ComputeConstants
    collectives: CollectiveConstants


def read_compute_constants(path: Path) -> ComputeConstants:
    """Return the constants of a file; raises InputError naming every fault."""
    return validate(ComputeConstants, read_json(path), str(path))


@lru_cache(maxsize=1)
def shipped_constants() -> ModelConstants:
    """Return the constants that ship with the program."""
    return ModelConstants(
        compute=read_compute_constants(data_root() / "models" / "hardware" / "compute.json"),
        collectives=shipped_collective_constants(),
    )
