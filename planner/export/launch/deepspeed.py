"""A strategy as a DeepSpeed configuration file (ds_config.json)."""

from __future__ import annotations

import json
from typing import Any

from planner.domain.errors import UsageError
from planner.export.launch.job import LaunchJob

STAGES = {"ddp": 0, "zero1": 1, "zero2": 2, "zero3": 3, "hsdp": 3}


def deepspeed_text(job: LaunchJob) -> str:
    """Return the configuration; train batch = micro-batch x accumulation x data-parallel ranks.

    Raises
    ------
    UsageError
        For degrees that a DeepSpeed configuration cannot hold (tensor, pipeline, experts).
    """
    strategy = job.result.strategy
    own = [n for n in ("tp", "pp", "cp", "ep") if getattr(strategy, n) > 1]
    if own:
        raise UsageError(
            f"the strategy uses {', '.join(own).upper()}, which a DeepSpeed configuration does not "
            "hold; export to megatron, or pin them to 1 and solve again"
        )
    zero: dict[str, Any] = {"stage": STAGES[strategy.sharding], "overlap_comm": True}
    if strategy.offload == "optimizer_cpu":
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    if strategy.sharding == "hsdp":
        zero["zero_hpz_partition_size"] = strategy.shard_group
    document: dict[str, Any] = {
        "train_batch_size": job.demand.global_batch,
        "train_micro_batch_size_per_gpu": strategy.micro_batch,
        "gradient_accumulation_steps": job.accumulation,
        "zero_optimization": zero,
        "bf16": {"enabled": strategy.precision == "bf16"},
        "fp16": {"enabled": strategy.precision == "fp16"},
    }
    if strategy.recompute != "none":
        document["activation_checkpointing"] = {"partition_activations": False}
    return json.dumps(document, indent=2) + "\n"
