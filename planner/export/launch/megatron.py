"""A strategy as command-line arguments of Megatron-LM (`pretrain_gpt.py`)."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.errors import UsageError
from planner.export.launch.job import LaunchJob
from planner.physics.pipeline import counted_layers, stage_layers


def megatron_text(job: LaunchJob) -> str:
    """Return a torchrun line with one argument a line; rank order is Megatron's own default.

    Raises
    ------
    UsageError
        For a network that Megatron's GPT script does not build, or ZeRO-2, which it has not.
    """
    if job.network.family not in ("transformer", "moe"):
        raise UsageError(f"Megatron's GPT script does not train {job.network.family} networks")
    if job.result.strategy.sharding in ("zero2", "hsdp"):
        raise UsageError(f"Megatron has no {job.result.strategy.sharding}; export to deepspeed")
    head = (
        f"torchrun --nnodes {job.hosts} --nproc-per-node {job.gpus_per_host} "
        "--rdzv-backend c10d --rdzv-endpoint $MASTER_ADDR:$MASTER_PORT pretrain_gpt.py"
    )
    return " \\\n    ".join([head, *_arguments(job)]) + "\n"


def _arguments(job: LaunchJob) -> Iterator[str]:
    yield from _network(job)
    yield from _parallel(job)
    yield from _run(job)


def _network(job: LaunchJob) -> Iterator[str]:
    net = job.network
    yield f"--num-layers {net.num_hidden_layers}"
    yield f"--hidden-size {net.hidden_size}"
    yield f"--ffn-hidden-size {net.intermediate_size}"
    yield f"--num-attention-heads {net.num_attention_heads}"
    if net.num_key_value_heads != net.num_attention_heads:
        yield "--group-query-attention"
        yield f"--num-query-groups {net.num_key_value_heads}"
    yield f"--kv-channels {net.head_dim}"
    yield f"--seq-length {job.demand.sequence_length}"
    longest = max(net.max_position_embeddings, job.demand.sequence_length)
    yield f"--max-position-embeddings {longest}"
    yield f"--vocab-size {net.vocab_size}"
    if not net.tie_word_embeddings:
        yield "--untie-embeddings-and-output-weights"
    if net.gated:
        yield "--swiglu"
    if net.position_embedding == "rope":
        yield "--position-embedding-type rope"
    if net.norm == "rmsnorm":
        yield "--normalization RMSNorm"
    if not net.mlp_bias:
        yield "--disable-bias-linear"
    if net.num_experts:
        yield f"--num-experts {net.num_experts}"
        yield f"--moe-router-topk {net.num_experts_per_tok}"
        yield f"--moe-ffn-hidden-size {net.moe_intermediate_size}"


def _stages(job: LaunchJob) -> Iterator[str]:
    """Yield how the layers lie on the stages and their chunks, where not evenly or not plainly."""
    strategy, layers = job.result.strategy, job.network.num_hidden_layers
    chunks = strategy.pp * strategy.vpp
    if layers % chunks == 0:
        if strategy.vpp > 1:
            yield f"--num-layers-per-virtual-pipeline-stage {layers // chunks}"
        return
    counted = counted_layers(layers, strategy.pp)
    if counted is None or counted % chunks:
        held = stage_layers(layers, strategy.pp)
        parts = [f"t*{count}" for count in held]
        parts[0] = "E" + parts[0]
        parts[-1] += "m" * job.network.num_nextn_predict_layers + "L"
        yield f"--pipeline-model-parallel-layout '{'|'.join(parts)}'"
        return
    if counted == layers + 2:
        yield "--account-for-embedding-in-pipeline-split"
    yield "--account-for-loss-in-pipeline-split"
    if strategy.vpp > 1:
        yield f"--num-virtual-stages-per-pipeline-rank {strategy.vpp}"


def _parallel(job: LaunchJob) -> Iterator[str]:
    strategy = job.result.strategy
    yield f"--tensor-model-parallel-size {strategy.tp}"
    yield f"--pipeline-model-parallel-size {strategy.pp}"
    yield from _stages(job)
    if strategy.cp > 1:
        yield f"--context-parallel-size {strategy.cp}"
    if strategy.ep > 1:
        yield f"--expert-model-parallel-size {strategy.ep}"
    if strategy.etp > 1:
        yield f"--expert-tensor-parallel-size {strategy.etp}"
    if strategy.sequence_parallel:
        yield "--sequence-parallel"
    if strategy.sharding == "zero1":
        yield "--use-distributed-optimizer"
        yield "--overlap-param-gather"
    if strategy.sharding == "zero3":
        yield "--use-torch-fsdp2"
    else:
        yield "--overlap-grad-reduce"
    if strategy.recompute == "full":
        yield "--recompute-granularity full"
        yield "--recompute-method uniform"
        yield "--recompute-num-layers 1"
    elif strategy.recompute == "selective":
        yield "--recompute-granularity selective"


def _run(job: LaunchJob) -> Iterator[str]:
    strategy = job.result.strategy
    yield f"--micro-batch-size {strategy.micro_batch}"
    yield f"--global-batch-size {job.demand.global_batch}"
    if job.demand.samples or job.demand.steps:
        yield f"--train-iters {round(job.demand.steps or 0)}"
    if strategy.precision in ("bf16", "fp8", "mxfp8"):
        yield "--bf16"
    if strategy.precision == "fp16":
        yield "--fp16"
    if strategy.precision in ("fp8", "mxfp8"):
        yield "--fp8-format hybrid"
    if job.demand.flash_attention:
        yield "--attention-backend flash"
