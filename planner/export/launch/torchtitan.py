"""A strategy as a torchtitan job file (TOML)."""

from __future__ import annotations

from planner.domain.errors import UsageError
from planner.export.launch.job import LaunchJob
from planner.physics.pipeline import counted_layers

SCHEDULES = {"none": "1F1B", "gpipe": "GPipe", "1f1b": "1F1B", "interleaved": "Interleaved1F1B",
             "zero_bubble": "InterleavedZeroBubble"}  # fmt: skip


def torchtitan_text(job: LaunchJob) -> str:
    """Return the job file: model, training, parallelism, activation checkpointing.

    Raises
    ------
    UsageError
        For ZeRO-1 and ZeRO-2, which torchtitan has not.
    """
    strategy = job.result.strategy
    ranks = strategy.dp
    shards = {"ddp": (ranks, 1), "zero3": (1, ranks),
              "hsdp": (ranks // strategy.shard_group, strategy.shard_group)}  # fmt: skip
    if strategy.sharding not in shards:
        raise UsageError(
            f"torchtitan has no {strategy.sharding}; pin sharding to ddp, hsdp or zero3 and solve "
            "again, or export to megatron"
        )
    replicas, shard = shards[strategy.sharding]
    mode = {"none": "none", "selective": "selective", "full": "full"}[strategy.recompute]
    lines = [
        "[training]",
        f"local_batch_size = {strategy.micro_batch * job.accumulation}",
        f"global_batch_size = {job.demand.global_batch}",
        f"seq_len = {job.demand.sequence_length}",
        "",
        "[parallelism]",
        f"data_parallel_replicate_degree = {replicas}",
        f"data_parallel_shard_degree = {shard}",
        f"tensor_parallel_degree = {strategy.tp}",
        f"pipeline_parallel_degree = {strategy.pp}",
        f"context_parallel_degree = {strategy.cp}",
        f"expert_parallel_degree = {strategy.ep}",
    ]
    if strategy.pp > 1:
        lines.append(f'pipeline_parallel_schedule = "{SCHEDULES[strategy.schedule]}"')
        lines.append(f"pipeline_parallel_microbatch_size = {strategy.micro_batch}")
        lines += _stages(job)
    lines += ["", "[activation_checkpoint]", f'mode = "{mode}"']
    return "\n".join(lines) + "\n"


def _stages(job: LaunchJob) -> list[str]:
    """Return how the layers lie on the stages; torchtitan's own default thins both outer ones."""
    strategy, layers = job.result.strategy, job.network.num_hidden_layers
    counted = counted_layers(layers, strategy.pp) or layers
    lines = [
        f"pipeline_parallel_first_stage_less_layers = {int(counted == layers + 2)}",
        f"pipeline_parallel_last_stage_less_layers = {int(counted > layers)}",
    ]
    if strategy.vpp > 1:
        held = counted // (strategy.pp * strategy.vpp)
        lines.append(f"pipeline_parallel_layers_per_stage = {held}")
    return lines
