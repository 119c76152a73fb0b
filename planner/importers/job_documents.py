"""What launch files say about one job, as an instance, or as much of one as they give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.domain.errors import Fault, InputError
from planner.domain.instance import Instance
from planner.domain.json_file import validate
from planner.domain.network import Network
from planner.domain.resources import known_names
from planner.importers.imported import Given, Notes

MAX_GPUS = 10_000_000
_OWNED = ("server", "nic", "family", "switch", "topology")
"""Hardware that an instance can pin, as the user names it."""


@dataclass(slots=True, kw_only=True)
class Job:
    """One training job as a launch file describes it; None and empty where it is silent."""

    name: str
    network: str = ""
    """Name of a shipped network."""
    network_hint: str = ""
    """What the file calls the network where no shipped one is meant."""
    described: Network | None = None
    """The network where the file describes it."""
    global_batch: int | None = None
    sequence_length: int | None = None
    tokens: float | None = None
    samples: float | None = None
    precision: str = "bf16"
    optimizer: str = "adam"
    world_size: int | None = None
    gpus_per_node: int | None = None
    world_key: str = "world_size"
    """Key under which the GPU count can be given."""
    fix: dict[str, Any] = field(default_factory=dict)
    """Pinned parts of the strategy."""


def shipped_network(*names: str) -> str:
    """Return the shipped network that one of these names means, empty if none."""
    known = {
        re.sub(r"[^a-z0-9]", "", name.lower()): name for name in known_names("models/networks")
    }
    for name in names:
        plain = re.sub(r"[^a-z0-9]", "", name[:200].lower())
        for candidate in (plain, plain.replace("llama31", "llama3"), plain.removeprefix("meta")):
            if candidate in known:
                return known[candidate]
    return ""


def complete(job: Job, given: Given, notes: Notes) -> None:
    """Fill a job from what the user gives; note every arithmetic that does not come out."""
    job.world_size = given.count("world_size", MAX_GPUS) or job.world_size
    job.gpus_per_node = given.count("gpus_per_node", 1e5) or job.gpus_per_node
    job.global_batch = given.count("global_batch") or job.global_batch
    job.sequence_length = given.count("sequence_length") or job.sequence_length
    network = given.text("network")
    if network:
        job.network, job.described = network, None
    tokens, samples = given.number("tokens", 1), given.number("samples", 1)
    if tokens or samples:
        job.tokens, job.samples = tokens, None if tokens else samples
    _degrees(job, notes)


def _degrees(job: Job, notes: Notes) -> None:
    """Derive the data-parallel degree, and the batch arithmetic that it allows."""
    fixed = {name: int(job.fix.get(name, 1)) for name in ("tp", "pp", "cp")}
    ranks = fixed["tp"] * fixed["pp"] * fixed["cp"]
    shown = " x ".join(f"{name.upper()} {value}" for name, value in fixed.items() if value > 1)
    if job.world_size is None:
        return
    if job.world_size % ranks:
        notes.warn(
            f"{job.world_size} GPUs are no multiple of {shown or 'one rank'} = {ranks} ranks: "
            "this job cannot start as written; give the GPUs it really runs on (world_size)"
        )
        job.fix.pop("dp", None)
        return
    job.fix["dp"] = job.world_size // ranks
    micro, batch = job.fix.get("micro_batch"), job.global_batch
    if micro and batch is None:
        job.global_batch = micro * job.fix["dp"]
        notes.fact(f"no global batch: one micro-batch a rank, {job.global_batch} sequences")
    elif micro and batch and batch % (micro * job.fix["dp"]):
        notes.warn(
            f"global batch {batch} is no multiple of micro-batch {micro} x DP {job.fix['dp']}"
        )


def job_documents(job: Job, given: Given, notes: Notes) -> dict[str, dict[str, Any]]:
    """Return the instance, or its fragment, and the network file beside it.

    Whatever is missing is noted by name with the key that gives it; the instance is validated once
    nothing is.

    Raises
    ------
    InputError
        If the complete instance has faults.
    """
    complete(job, given, notes)
    workload = _workload(job, given, notes)
    fragment: dict[str, Any] = {"name": _plain(job.name), "workloads": [workload]}
    site = {"racks": given.count("racks", 20_000), "rack_kw": given.number("rack_kw", 0.1, 1000)}
    for key, value in site.items():
        if value is None:
            what = "the room: how many racks" if key == "racks" else "the room: kW of one rack"
            notes.lack(what, key)
    fragment["site"] = {key: value for key, value in site.items() if value is not None}
    fix = _hardware(job, given, notes)
    if fix:
        fragment["fix"] = fix
    documents = {"instance.json": fragment}
    if job.described is not None:
        file = workload["network"]
        documents[file] = job.described.model_dump(mode="json", exclude_defaults=True)
    _check(fragment, notes)
    return documents


def _hardware(job: Job, given: Given, notes: Notes) -> dict[str, Any]:
    fix: dict[str, Any] = {key: value for key in _OWNED if (value := given.text(key))}
    ratio = given.number("oversubscription", 1, 64)
    if ratio is not None:
        fix["oversubscription"] = ratio
    if "server" not in fix:
        notes.lack("the server that runs it, if 'evaluate' shall price what you have (also "
                   f"{', '.join(_OWNED[1:])}, oversubscription)", "server")  # fmt: skip
    if job.world_size is None:
        notes.lack("how many GPUs the job runs on", job.world_key)
    elif job.gpus_per_node is None:
        notes.lack("GPUs in one server", "gpus_per_node")
    elif job.world_size % job.gpus_per_node:
        notes.warn(f"{job.world_size} GPUs are no multiple of {job.gpus_per_node} a node")
    elif "dp" in job.fix:
        fix["nodes"] = job.world_size // job.gpus_per_node
        plural = "" if fix["nodes"] == 1 else "s"
        notes.fact(f"{fix['nodes']} node{plural} of {job.gpus_per_node} GPUs")
    return fix


def _workload(job: Job, given: Given, notes: Notes) -> dict[str, Any]:
    workload: dict[str, Any] = {"name": _plain(job.name)}
    if job.described is not None:
        workload["network"] = f"{_plain(job.described.name).replace(' ', '-')}.json"
        notes.fact(f"network {job.described.name}: {job.described.parameters:,} parameters")
    elif job.network:
        workload["network"] = job.network
    else:
        hint = f" ({job.network_hint})" if job.network_hint else ""
        notes.lack(
            f"the network{hint}: a shipped name, or the file that hf-config gives", "network"
        )
    for key, value, what in (
        ("global_batch", job.global_batch, "sequences per optimizer step"),
        ("sequence_length", job.sequence_length, "tokens of one sequence"),
    ):
        if value:
            workload[key] = value
        else:
            notes.lack(what, key)
    _target(workload, job, given, notes)
    workload["precision"], workload["optimizer"] = job.precision, job.optimizer
    if job.fix:
        workload["fix"] = dict(sorted(job.fix.items()))
    return workload


def _target(workload: dict[str, Any], job: Job, given: Given, notes: Notes) -> None:
    """Add the target: a step time, or tokens (samples) by a deadline."""
    step, days = given.number("step_time_s", 1e-9, 1e9), given.number("deadline_days", 1e-9, 1e6)
    if step is not None and days is not None:
        raise InputError("--set", [Fault("step_time_s", "goes without deadline_days", "give one")])
    if step is not None:
        workload["step_time_s"] = step
        return
    if job.tokens:
        workload["tokens"] = job.tokens
    elif job.samples:
        workload["samples"] = job.samples
    else:
        notes.lack("how much is trained", "tokens")
    if days is None:
        notes.lack(
            "by when, in days (or step_time_s, the step time that must be held)", "deadline_days"
        )
    else:
        workload["deadline_days"] = days


def _check(fragment: Mapping[str, Any], notes: Notes) -> None:
    """Validate the instance if nothing that it needs is missing."""
    needed = {"network", "global_batch", "sequence_length", "tokens", "deadline_days", "racks",
              "rack_kw"}  # fmt: skip
    open_keys = sorted({entry.key for entry in notes.missing} & needed)
    if open_keys:
        notes.fact(f"a fragment of an instance; it lacks {', '.join(open_keys)}")
        return
    validate(Instance, fragment, "instance.json")
    notes.fact("a complete instance")


def _plain(name: str) -> str:
    """Return a name that every output takes: letters, digits, space and ``._/+-``."""
    kept = re.sub(r"[^A-Za-z0-9._+-]+", " ", name[:500]).strip(" -._+")
    return kept[:60].rstrip(" -") or "job"
