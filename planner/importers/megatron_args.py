"""A Megatron launch (script, argument line, YAML list, log) as a workload, pinned as it runs."""

from __future__ import annotations

import re
from typing import Any

from planner.domain.errors import InputError
from planner.importers.imported import Given, Imported, Notes
from planner.importers.job_documents import Job, job_documents
from planner.importers.megatron_flags import Flags, read_flags
from planner.importers.megatron_network import described_network
from planner.importers.source import Source

KIND = "megatron-args"
_SBATCH = re.compile(r"^#SBATCH\s+(--[a-z-]+|-N|-n)[=\s]\s*(\S{1,40})", re.MULTILINE)
_STAGE = re.compile(r'"stage"\s{0,5}:\s{0,5}"?([^",\s}]{1,80})')
_SED_STAGE = re.compile(r"s/[A-Z_]*ZERO_STAGE[A-Z_]*/([0-3])/")
_SHARDED = {"optim_grads_params": "zero3", "optim_grads": "zero2", "optim": "zero1"}
_STAGES = {0: "ddp", 1: "zero1", 2: "zero2", 3: "zero3"}
_NODES = ("NNODES", "NUM_NODES", "NODES", "WORKER_CNT", "SLURM_NNODES", "SLURM_JOB_NUM_NODES")
_PER_NODE = ("GPUS_PER_NODE", "NUM_GPUS_PER_NODE", "NPROC_PER_NODE", "N_GPUS_PER_NODE")
_WORLD = ("WORLD_SIZE", "NUM_GPUS", "N_GPUS", "NGPUS", "TOTAL_GPUS")


def read_megatron_args(source: Source, given: Given) -> Imported:
    """Return the job that a launch describes.

    A script's own variables can be given too: ``--set NNODES=16``, ``--set 1=/checkpoints``.

    Raises
    ------
    InputError
        If there are no options of Megatron or some are unusable, all of them named.
    """
    notes = Notes(warnings=list(source.notes))
    flags = read_flags(source, given.everything())
    job = Job(name=given.text("name") or source.stem)
    job.described = described_network(flags, job.name, given, notes)
    job.sequence_length = flags.count("--seq-length", "--encoder-seq-length")
    job.global_batch = flags.count("--global-batch-size")
    _length(flags, job)
    _precision(flags, job)
    _strategy(flags, job, notes)
    _gpus(flags, source, job)
    job.fix["sharding"] = _sharding(flags, notes)
    if flags.faults:
        raise InputError(source.name, flags.faults)
    for option, variable in flags.unset.items():
        if not option.startswith(("--save", "--load", "--data", "--tokenizer", "--vocab-file")):
            notes.lack(f"{option} comes from a variable that is not set", variable)
    for name in flags.script.sourced if flags.script else []:
        notes.warn(f"the script reads {name}, which is not seen here")
    return notes.imported(KIND, job_documents(job, given, notes))


def _length(flags: Flags, job: Job) -> None:
    """Read how much is trained: tokens, samples, or iterations of the global batch."""
    tokens, samples = flags.count("--train-tokens"), flags.count("--train-samples")
    steps = flags.count("--train-iters")
    if tokens:
        job.tokens = float(tokens)
    elif samples:
        job.samples = float(samples)
    elif steps and job.global_batch:
        job.samples = float(steps * job.global_batch)


def _precision(flags: Flags, job: Job) -> None:
    if flags.text("--fp8-format", "--fp8") or flags.has("--fp8-hybrid", "--fp8-e4m3"):
        job.precision = "fp8"
    elif flags.has("--bf16"):
        job.precision = "bf16"
    elif flags.has("--fp16"):
        job.precision = "fp16"
    else:
        job.precision = "fp32"
    job.optimizer = "sgd" if flags.text("--optimizer") == "sgd" else "adam"


def _strategy(flags: Flags, job: Job, notes: Notes) -> None:
    fix: dict[str, Any] = {
        "tp": flags.count("--tensor-model-parallel-size", "--model-parallel-size") or 1,
        "pp": flags.count("--pipeline-model-parallel-size") or 1,
        "cp": flags.count("--context-parallel-size", "--ds-sequence-parallel-size") or 1,
    }
    micro = flags.count("--micro-batch-size")
    if micro:
        fix["micro_batch"] = micro
    experts = flags.count("--expert-model-parallel-size", "--moe-expert-parallel-size")
    if experts and experts > 1:
        fix["ep"] = experts
        etp = flags.count("--expert-tensor-parallel-size")
        if etp and etp not in (1, fix["tp"]):
            notes.warn(f"expert tensor parallelism {etp} cannot be pinned; it is left to the model")
    if flags.has("--sequence-parallel"):
        fix["sequence_parallel"] = True
    elif fix["tp"] > 1:
        fix["sequence_parallel"] = False
    fix["recompute"] = _recompute(flags)
    if fix["pp"] > 1:
        chunks = _chunks(flags, fix["pp"])
        fix["schedule"] = "interleaved" if chunks > 1 else "1f1b"
        if chunks > 1:
            fix["vpp"] = chunks
        if flags.has("--no-pipeline-parallel"):
            notes.warn("--no-pipeline-parallel stands beside a pipeline degree above 1")
    if flags.has("--use-tp-pp-dp-mapping"):
        fix["rank_order"] = "tp-cp-ep-pp-dp"
    if flags.has("--optimizer-cpu-offload", "--cpu-optimizer"):
        notes.warn("optimizer states are kept on the CPU: the strategy cannot pin that")
    if flags.has("--rampup-batch-size"):
        notes.warn("the batch grows at first; the final global batch is taken throughout")
    job.fix |= fix


def _chunks(flags: Flags, pp: int) -> int:
    """Return the model chunks of one pipeline stage."""
    chunks = flags.count("--num-virtual-stages-per-pipeline-rank",
                         "--virtual-pipeline-model-parallel-size")  # fmt: skip
    if chunks:
        return chunks
    layers, part = (
        flags.count("--num-layers"),
        flags.count("--num-layers-per-virtual-pipeline-stage"),
    )
    return max(1, layers // pp // part) if layers and part else 1


def _recompute(flags: Flags) -> str:
    kind = flags.text("--recompute-granularity")
    if kind in ("full", "selective"):
        return kind
    if flags.has("--checkpoint-activations", "--deepspeed-activation-checkpointing"):
        return "full"
    return "selective" if flags.has("--recompute-activations") else "none"


def _sharding(flags: Flags, notes: Notes) -> str:
    stage = flags.count("--zero-stage", low=0)
    if stage is None and flags.script is not None and flags.has("--deepspeed"):
        stage = _stage_in_script(flags)
        if stage is None:
            file = flags.text("--deepspeed-config") or "its ds_config.json"
            notes.warn(f"the ZeRO stage stands in {file[-60:]}: import that with deepspeed-config")
    if stage is not None and stage in _STAGES:
        return _STAGES[stage]
    if flags.has("--use-megatron-fsdp", "--use-custom-fsdp"):
        return _SHARDED.get(flags.text("--data-parallel-sharding-strategy"), "zero3")
    if flags.has("--use-torch-fsdp2"):
        return "zero3"
    return "zero1" if flags.has("--use-distributed-optimizer") else "ddp"


def _stage_in_script(flags: Flags) -> int | None:
    """Return the ZeRO stage that the script writes into DeepSpeed's file, None if not seen."""
    if flags.script is None:
        return None
    for text in flags.script.documents:
        found = _STAGE.search(text)
        if found:
            value = flags.script.variables.expand(found[1])
            return int(value) if value in ("0", "1", "2", "3") else None
    for command in flags.script.commands:
        found = _SED_STAGE.search(command)
        if found:
            return int(found[1])
    return None


def _gpus(flags: Flags, source: Source, job: Job) -> None:
    """Read GPUs a node and nodes from the launcher, the batch system or the variables."""
    batch = dict(_SBATCH.findall(source.text[:100_000]))
    per_node = flags.count("--nproc-per-node", "--num-gpus", "--gpus-per-node")
    nodes = flags.count("--nnodes", "--num-nodes")
    per_node = (
        per_node
        or _variable(flags, _PER_NODE)
        or _number(
            batch.get("--gpus-per-node") or batch.get("--gres") or batch.get("--ntasks-per-node")
        )
    )
    nodes = nodes or _variable(flags, _NODES) or _number(batch.get("--nodes") or batch.get("-N"))
    world = flags.count("--world-size") or _variable(flags, _WORLD)
    if per_node and nodes and not flags.count("--world-size"):
        world = per_node * nodes
    job.gpus_per_node = per_node or (world // nodes if world and nodes else None)
    job.world_size = world


def _variable(flags: Flags, names: tuple[str, ...]) -> int | None:
    if flags.script is None:
        return None
    for name in names:
        value = _number(flags.script.variables.values.get(name))
        if value:
            return value
    return None


def _number(text: str | None) -> int | None:
    """Return the number at a text's end (``gpu:h100:8``, ``8``), None if there is none."""
    found = re.search(r"(?:^|:)(\d{1,7})$", text or "")
    return int(found[1]) or None if found else None
