"""A DeepSpeed configuration (`ds_config.json`) as a workload with its sharding pinned."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from planner.domain.errors import Fault, InputError
from planner.domain.json_file import parse_json
from planner.importers.imported import Given, Imported, Notes
from planner.importers.job_documents import Job, job_documents
from planner.importers.source import Source

KIND = "deepspeed-config"
_PLACEHOLDER = re.compile(r":\s*([A-Z][A-Z0-9_]{3,60})\s*[,}\n]")
_STAGES = ("ddp", "zero1", "zero2", "zero3")
_BATCH = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")
_KNOWN = frozenset(
    (*_BATCH, "zero_optimization", "fp16", "bf16", "optimizer", "scheduler", "gradient_clipping",
     "amp", "steps_per_print", "wall_clock_breakdown", "activation_checkpointing", "pipeline",
     "tensor_parallel", "zero_allow_untested_optimizer", "communication_data_type", "aio")
)  # fmt: skip


def read_deepspeed_config(source: Source, given: Given) -> Imported:
    """Return the job that a configuration describes; ``auto`` values are listed as missing.

    Raises
    ------
    InputError
        If the file is no JSON, a template, no DeepSpeed configuration, or contradicts itself.
    """
    notes = Notes(warnings=list(source.notes))
    data = _parse(source)
    faults: list[Fault] = []
    job = Job(name=given.text("name") or source.stem)
    _precision(data, job)
    _zero(data.get("zero_optimization"), job, faults, notes)
    _parallel(data, job)
    _batch_sizes(data, job, given, faults, notes)
    if faults:
        raise InputError(source.name, faults)
    optimizer = _inner(data, "optimizer").get("type")
    if isinstance(optimizer, str):
        job.optimizer = "sgd" if "sgd" in optimizer.lower() else "adam"
        if "onebit" in optimizer.lower() or "zeroone" in optimizer.lower():
            notes.warn(f"{optimizer[:40]} compresses gradients; they are counted uncompressed")
    if "activation_checkpointing" in data:
        notes.warn("activation_checkpointing only tunes recomputation; whether the model "
                   "recomputes is said by the training script: recompute is left open")  # fmt: skip
    return notes.imported(KIND, job_documents(job, given, notes))


def _parse(source: Source) -> Mapping[str, Any]:
    try:
        data = parse_json(source.text, source.name)
    except InputError:
        names = list(dict.fromkeys(_PLACEHOLDER.findall(source.text[:200_000])))
        if names:
            what = (
                f"is a template: {', '.join(names[:6])} stand{'s' * (len(names) == 1)} for values"
            )
            raise source.refuse(what, "give the file that the launch script writes") from None
        raise
    if not isinstance(data, dict) or not _KNOWN & data.keys():
        right = "give a file with train_batch_size, zero_optimization, ..."
        raise source.refuse("is no DeepSpeed configuration", right)
    return data


def _inner(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _precision(data: Mapping[str, Any], job: Job) -> None:
    if (
        _inner(data, "bf16").get("enabled") is True
        or _inner(data, "bfloat16").get("enabled") is True
    ):
        job.precision = "bf16"
    elif _inner(data, "fp16").get("enabled") in (True, "auto") or "amp" in data:
        job.precision = "fp16"
    elif _inner(data, "bf16").get("enabled") == "auto":
        job.precision = "bf16"
    else:
        job.precision = "fp32"


def _zero(value: Any, job: Job, faults: list[Fault], notes: Notes) -> None:
    """Read the ZeRO stage, what it offloads and what it shards within a node only."""
    zero = value if isinstance(value, dict) else {}
    stage = zero.get("stage", 1 if value is True else 0)
    if isinstance(stage, bool) or not isinstance(stage, int) or not 0 <= stage <= 3:
        right = "give 0, 1, 2 or 3"
        faults.append(Fault("$.zero_optimization.stage", f"{stage!r:.40} is no stage", right))
        return
    job.fix["sharding"] = _STAGES[stage]
    notes.fact(f"ZeRO stage {stage}")
    for key, what in (("offload_optimizer", "optimizer states"), ("offload_param", "parameters")):
        device = _inner(zero, key).get("device")
        if zero.get("cpu_offload") is True and key == "offload_optimizer":
            device = "cpu"
        if isinstance(device, str) and device not in ("none", "auto"):
            notes.warn(
                f"{what} are kept on {device[:20]}: the strategy cannot pin that, and the step "
                "time is that of states on the GPU"
            )
    shards = zero.get("mics_shard_size")
    if isinstance(shards, int) and not isinstance(shards, bool) and shards > 1:
        job.fix["sharding"] = "hsdp"
        notes.fact(f"MiCS: sharded over {shards} GPUs, replicated between them")
    within = zero.get("zero_hpz_partition_size")
    if isinstance(within, int) and not isinstance(within, bool) and within > 1:
        notes.warn(f"a second copy of the weights within {within} GPUs (ZeRO++) is not modelled")
    for key in ("zero_quantized_weights", "zero_quantized_gradients"):
        if zero.get(key) is True:
            notes.warn(f"{key} shrinks what is sent; it is counted unquantised")
    for key in ("reduce_bucket_size", "allgather_bucket_size", "stage3_prefetch_bucket_size"):
        size = zero.get(key)
        if isinstance(size, int | float) and not isinstance(size, bool):
            notes.fact(f"{key} {size:,.0f} elements")
    if zero.get("overlap_comm") is False:
        notes.warn("overlap_comm is off: communication is not hidden, the model assumes it is")


def _parallel(data: Mapping[str, Any], job: Job) -> None:
    tensor = _inner(data, "tensor_parallel")
    for value, key in (
        (tensor.get("autotp_size") or _inner(tensor, "tp").get("tp_size"), "tp"),
        (data.get("sequence_parallel_size"), "cp"),
        (_inner(data, "pipeline").get("stages"), "pp"),
    ):
        if isinstance(value, int) and not isinstance(value, bool) and 1 < value <= 100_000:
            job.fix[key] = value


def _batch_sizes(
    data: Mapping[str, Any], job: Job, given: Given, faults: list[Fault], notes: Notes
) -> None:
    """Solve train = micro x accumulation x data-parallel ranks for what is not stated."""
    sizes: dict[str, int | None] = {}
    for key in _BATCH:
        value: Any = given.count(key) or data.get(key)
        if value in (None, "auto"):
            sizes[key] = None
            if value == "auto":
                notes.warn(f"{key} is auto: the training script decides it")
        elif isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**9:
            faults.append(Fault(f"$.{key}", f"{value!r:.40} is no batch size"))
            sizes[key] = None
        else:
            sizes[key] = value
    train, micro, accumulation = (sizes[key] for key in _BATCH)
    ranks = job.fix.get("tp", 1) * job.fix.get("pp", 1) * job.fix.get("cp", 1)
    world = given.count("world_size")
    dp = world // ranks if world and world % ranks == 0 else None
    if train and micro and accumulation and dp is None:
        if train % (micro * accumulation):
            what = f"{train} is no multiple of micro-batch {micro} x accumulation {accumulation}"
            faults.append(Fault("$.train_batch_size", what, "make it one"))
            return
        dp = train // (micro * accumulation)
        job.world_size = dp * ranks
        notes.fact(f"the batch sizes mean {dp} data-parallel ranks")
    if dp and micro and accumulation and train and micro * accumulation * dp != train:
        what = f"{train} is not micro-batch {micro} x accumulation {accumulation} x {dp} ranks"
        faults.append(Fault("$.train_batch_size", what, "correct one of them, or world_size"))
        return
    if train is None and micro and dp:
        train = micro * (accumulation or 1) * dp
    if micro is None and train and dp and train % ((accumulation or 1) * dp) == 0:
        micro = train // ((accumulation or 1) * dp)
    if train and micro and dp is None:
        notes.fact(f"accumulation x data-parallel ranks = {train / micro:g}")
    job.global_batch = train
    if micro:
        job.fix["micro_batch"] = micro
    else:
        notes.lack("samples of one micro-batch on one GPU", "train_micro_batch_size_per_gpu")
