"""A torchtitan training configuration (TOML) as a workload with its strategy pinned."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from planner.domain.errors import Fault, InputError
from planner.importers.imported import Given, Imported, Notes
from planner.importers.job_documents import Job, job_documents, shipped_network
from planner.importers.source import Source

KIND = "torchtitan"
MAX_CHARACTERS = 200_000
MAX_LINE = 1_000
"""Dotted keys cost the square of their parts."""
_PRESET = re.compile(r"#.{0,200}?\b(\d{1,7})\s+([A-Z]{1,3}\d{2,4})\s+GPUs?\b")
_SCHEDULES = {
    "1f1b": "1f1b",
    "gpipe": "gpipe",
    "interleaved1f1b": "interleaved",
    "interleavedzerobubble": "zero_bubble",
    "zbvzerobubble": "zero_bubble",
    "loopedbfs": "gpipe",
    "dualpipev": "zero_bubble",
}
_SECTIONS = frozenset(("training", "parallelism", "model", "job", "activation_checkpoint"))


class _Toml:
    """Tables of the file; values of a wrong type become faults."""

    __slots__ = ("data", "faults")

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.faults: list[Fault] = []

    def raw(self, *places: str) -> Any:
        """Return the first of these ``section.key`` that is set."""
        for place in places:
            section, key = place.split(".")
            table = self.data.get(section)
            if isinstance(table, dict) and table.get(key) is not None:
                return table[key]
        return None

    def text(self, *places: str) -> str:
        """Return a value as text, empty if absent or of another type."""
        value = self.raw(*places)
        return value if isinstance(value, str) else ""

    def count(self, *places: str, low: int = 1) -> int | None:
        """Return a whole number of at least `low`, None if absent."""
        value = self.raw(*places)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= 10**12:
            right = f"give a whole number from {low}"
            self.faults.append(Fault(places[0], f"{value!r:.40} is not usable", right))
            return None
        return value

    def degree(self, *names: str) -> int:
        """Return a parallel degree; sections moved over the versions, -1 means the rest."""
        sections = ("parallelism", "training", "experimental")
        places = [f"{section}.{name}" for name in names for section in sections]
        return self.count(*places, low=-1) or 1


def read_torchtitan(source: Source, given: Given) -> Imported:
    """Return the job that a configuration describes.

    ``--set world_size=`` says on how many GPUs it runs: the file leaves it to the launcher.

    Raises
    ------
    InputError
        If the file is no TOML, no torchtitan configuration, or has unusable values.
    """
    notes = Notes(warnings=list(source.notes))
    toml = _Toml(_parse(source))
    if not _SECTIONS & toml.data.keys():
        right = "give a file with [training] and [parallelism]"
        raise source.refuse("has no section of torchtitan", right)
    job = Job(name=given.text("name") or toml.text("job.description") or source.stem)
    _describe(toml, job, notes)
    _strategy(toml, job, given, notes)
    if toml.faults:
        raise InputError(source.name, toml.faults)
    preset = _PRESET.search(source.text[:5000])
    if preset and job.world_size is None:
        notes.fact(f"its comment speaks of {preset[1]} {preset[2]} GPUs (world_size={preset[1]})")
    return notes.imported(KIND, job_documents(job, given, notes))


def _parse(source: Source) -> dict[str, Any]:
    if len(source.text) > MAX_CHARACTERS:
        raise source.refuse(f"has more than {MAX_CHARACTERS:,} characters", "this is no such file")
    for _ in source.lines(MAX_LINE):
        pass
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise source.refuse(f"is no TOML: {str(error)[:200]}") from None
    except (RecursionError, ValueError):
        raise source.refuse("is no TOML that can be read: too deep or too large a number") from None


def _describe(toml: _Toml, job: Job, notes: Notes) -> None:
    """Read network, sequence, precision and optimizer."""
    family, flavor = toml.text("model.name"), toml.text("model.flavor")
    assets = toml.text("model.hf_assets_path", "model.tokenizer_path").rstrip("/").split("/")[-1]
    job.network = shipped_network(f"{family}-{flavor}", assets)
    job.network_hint = f"{family} {flavor}, {assets}".strip(" ,")
    if job.network:
        notes.fact(f"network {family} {flavor} is the shipped {job.network}")
    job.sequence_length = toml.count("training.seq_len")
    converters = toml.raw("model.converters")
    names = " ".join(str(item) for item in converters) if isinstance(converters, list) else ""
    if re.search("float8|mx", names[:1000]):
        job.precision = "fp8"
    param = toml.text("training.mixed_precision_param", "training.dtype")
    if param == "float32":
        job.precision = "fp32"
    job.optimizer = "sgd" if "sgd" in toml.text("optimizer.name").lower() else "adam"


def _strategy(toml: _Toml, job: Job, given: Given, notes: Notes) -> None:
    tp = toml.degree("tensor_parallel_degree")
    pp = toml.degree("pipeline_parallel_degree")
    cp = toml.degree("context_parallel_degree")
    ep = toml.degree("expert_parallel_degree")
    replicas = toml.degree("data_parallel_replicate_degree")
    shards = toml.degree("data_parallel_shard_degree", "data_parallel_degree")
    job.fix |= {"tp": tp, "pp": pp, "cp": cp}
    if ep > 1:
        job.fix["ep"] = ep
    world = given.count("world_size")
    if shards > 0:
        job.world_size = replicas * shards * tp * pp * cp
    elif world is not None:
        shards = max(1, world // (replicas * tp * pp * cp))
    _batch(toml, job, world or job.world_size, tp * pp * cp)
    job.fix["sharding"] = _sharding(toml, replicas, shards, pp, notes)
    job.fix["sequence_parallel"] = tp > 1
    mode = toml.text("activation_checkpoint.mode") or "selective"
    job.fix["recompute"] = mode if mode in ("none", "selective", "full") else "selective"
    if toml.text("activation_checkpoint.selective_ac_option").isdigit() and mode == "selective":
        notes.warn("whole layers are recomputed, every n-th: taken as selective recomputation")
    if pp > 1:
        name = toml.text("parallelism.pipeline_parallel_schedule",
                         "experimental.pipeline_parallel_schedule") or "1f1b"  # fmt: skip
        schedule = _SCHEDULES.get(name.lower())
        if schedule is None:
            notes.warn(f"pipeline schedule {name[:40]!r} is not known; left open")
        else:
            job.fix["schedule"] = schedule
    etp = toml.degree("expert_tensor_parallel_degree")
    if ep > 1 and etp not in (1, tp):
        notes.warn(f"expert tensor parallelism {etp} cannot be pinned; experts use ETP 1")


def _batch(toml: _Toml, job: Job, world: int | None, ranks: int) -> None:
    local = toml.count("training.local_batch_size", "training.batch_size") or 8
    inside = toml.count("parallelism.pipeline_parallel_microbatch_size",
                        "experimental.pipeline_parallel_microbatch_size") or 1  # fmt: skip
    job.fix["micro_batch"] = inside if job.fix["pp"] > 1 else local
    batch = toml.count("training.global_batch_size", low=-1)
    if batch is not None and batch > 0:
        job.global_batch = batch
    elif world is not None and world % ranks == 0:
        job.global_batch = local * (world // ranks)
    steps = toml.count("training.steps")
    if steps and job.global_batch and job.sequence_length:
        job.tokens = float(steps * job.global_batch * job.sequence_length)


def _sharding(toml: _Toml, replicas: int, shards: int, pp: int, notes: Notes) -> str:
    if shards == 1:
        return "ddp"
    if replicas > 1:
        notes.fact(f"HSDP: {replicas} replicas, each sharded")
        return "hsdp"
    reshard = toml.text("parallelism.fsdp_reshard_after_forward") or "default"
    if reshard == "never" or (reshard == "default" and pp > 1):
        notes.fact("parameters stay gathered between forward and backward: as ZeRO-2")
        return "zero2"
    return "zero3"
