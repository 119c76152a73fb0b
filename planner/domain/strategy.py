"""A strategy: all degrees and options of one training job on one cluster."""

from __future__ import annotations

from itertools import permutations
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

SHARDINGS = ("ddp", "zero1", "zero2", "zero3", "hsdp")
RECOMPUTES = ("none", "selective", "full")
SCHEDULES = ("none", "gpipe", "1f1b", "interleaved", "zero_bubble")
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4")
OFFLOADS = ("none", "optimizer_cpu")
DEFAULT_ORDER = "tp-cp-ep-dp-pp"
RANK_ORDERS = (
    DEFAULT_ORDER,
    *sorted(
        order
        for order in ("-".join(p) for p in permutations(("tp", "cp", "ep", "dp", "pp")))
        if order != DEFAULT_ORDER
    ),
)

Degree = Annotated[int, Field(ge=1)]

_SHARDING_LABELS = {
    "ddp": "DDP", "zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3", "hsdp": "HSDP",
}  # fmt: skip
_SCHEDULE_LABELS = {
    "none": "", "gpipe": "GPipe", "1f1b": "1F1B", "interleaved": "interleaved",
    "zero_bubble": "zero-bubble",
}  # fmt: skip


class Strategy(BaseModel):
    """How one job is spread over the GPUs; `dp x cp x tp x pp` GPUs take part.

    `ep x etp` divides `dp x cp x tp`: experts are spread over the data-parallel ranks.
    `rank_order` names the dimensions from the innermost (neighbouring GPUs) outwards.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tp: Degree = 1
    pp: Degree = 1
    vpp: Degree = 1
    """Model chunks per pipeline stage (interleaving)."""
    cp: Degree = 1
    ep: Degree = 1
    etp: Degree = 1
    dp: Degree = 1
    micro_batch: Degree = 1
    """Samples that one pipeline pass carries on one data-parallel rank."""
    sharding: Literal["ddp", "zero1", "zero2", "zero3", "hsdp"] = "ddp"
    shard_group: Degree = 1
    """Ranks over which HSDP shards; the replicas are `dp x cp / shard_group`."""
    recompute: Literal["none", "selective", "full"] = "none"
    sequence_parallel: bool = False
    schedule: Literal["none", "gpipe", "1f1b", "interleaved", "zero_bubble"] = "none"
    precision: Literal["fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"] = "bf16"
    offload: Literal["none", "optimizer_cpu"] = "none"
    rank_order: str = Field(default=DEFAULT_ORDER, json_schema_extra={"enum": list(RANK_ORDERS)})

    @property
    def gpus(self) -> int:
        """GPUs that take part."""
        return self.tp * self.pp * self.cp * self.dp

    def label(self) -> str:
        """Return the strategy in words a training engineer uses."""
        degrees = [f"{n.upper()}{getattr(self, n)}" for n in ("tp", "pp", "cp", "ep", "etp", "dp")
                   if getattr(self, n) > 1]  # fmt: skip
        parts = [" x ".join(degrees) or "one GPU", _SHARDING_LABELS[self.sharding]]
        if self.sharding == "hsdp":
            parts[-1] += f" over {self.shard_group}"
        parts.append(f"mb {self.micro_batch}")
        if self.schedule != "none":
            chunks = f" x{self.vpp}" if self.vpp > 1 else ""
            parts.append(_SCHEDULE_LABELS[self.schedule] + chunks)
        parts.append("no recompute" if self.recompute == "none" else f"recompute {self.recompute}")
        if self.offload != "none":
            parts.append("optimizer on the CPU")
        if self.rank_order != DEFAULT_ORDER:
            parts.append(f"ranks {self.rank_order}")
        return ", ".join(parts)
