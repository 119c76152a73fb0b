"""Runs of nccl-tests as rows of a table of measured collectives."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planner.domain.errors import Fault, InputError
from planner.importers.device_names import board_of, board_of_id
from planner.importers.nccl_tests import NcclRun

COLUMNS = (
    "id", "platform_key", "collective", "bytes", "gpu", "gpus", "nodes", "gpus_per_node",
    "scale_up", "pcie_gen", "scale_up_gbytes_per_s", "nics_per_node", "nic_gbps", "network",
    "algorithm", "protocol", "nccl_version", "time_us", "algbw_gbytes_per_s",
    "busbw_gbytes_per_s", "quality", "source",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a log does not say about the machines; None where the log or its GPUs must tell."""

    gpu: str | None = None
    nodes: int | None = None
    scale_up: str | None = None
    scale_up_gbytes_per_s: float | None = None
    pcie_gen: int | None = None
    network: str | None = None
    nics_per_node: int | None = None
    nic_gbps: float | None = None
    algorithm: str | None = None
    protocol: str | None = None


def completed(run: NcclRun, facts: Facts) -> Facts:
    """Return the facts with what the run itself tells: its hosts and the usual board of its GPUs.

    Hosts that the log lists count before those given.

    Raises
    ------
    InputError
        Naming every fact that is missing.
    """
    board = board_of(run.device_names) or board_of_id(facts.gpu)
    if board is not None and facts.gpu is None:
        facts = replace(facts, gpu=board.gpu)
    if board is not None and facts.gpu == board.gpu:
        rate = board.scale_up_gbytes_per_s
        facts = replace(
            facts,
            pcie_gen=board.pcie_gen if facts.pcie_gen is None else facts.pcie_gen,
            scale_up_gbytes_per_s=facts.scale_up_gbytes_per_s
            or (rate if facts.scale_up in (None, board.scale_up) else None),
            scale_up=facts.scale_up or board.scale_up,
        )
    if run.hosts is not None:
        facts = replace(facts, nodes=run.hosts)
    if facts.nodes is not None and facts.nodes == run.ranks and facts.scale_up != "nvl72":
        facts = replace(facts, scale_up="none", scale_up_gbytes_per_s=None)
    faults = [
        Fault("log", f"does not say the {what}", f"give {option}")
        for missing, what, option in _missing(run, facts)
        if missing
    ]
    if faults:
        raise InputError(run.file, faults)
    return facts


def _missing(run: NcclRun, facts: Facts) -> list[tuple[bool, str, str]]:
    one_domain = facts.nodes == 1 or (facts.scale_up == "nvl72" and run.ranks <= 72)
    leaves = facts.nodes is not None and not one_domain
    linked = facts.scale_up in ("nvlink_bridge", "nvlink_mesh", "nvswitch", "nvl72", "xgmi")
    return [
        (facts.gpu is None, "GPU", "--gpu"),
        (facts.nodes is None, "number of hosts", "--nodes"),
        (facts.scale_up is None, "way in which the GPUs of a host are joined", "--scale-up"),
        (
            linked and not facts.scale_up_gbytes_per_s,
            "rate of the scale-up links",
            "--scale-up-gbytes-per-s",
        ),
        (leaves and facts.network is None, "network", "--network"),
        (leaves and facts.nics_per_node is None, "NICs of a host", "--nics-per-node"),
        (leaves and facts.nic_gbps is None, "rate of a NIC", "--nic-gbps"),
    ]


def table_rows(run: NcclRun, facts: Facts) -> list[dict[str, str]]:
    """Return the rows of a run with COLUMNS; raises InputError as `completed`."""
    known = completed(run, facts)
    nodes = known.nodes or 1
    per_node = run.gpus_per_host or -(-run.ranks // nodes)
    leaves = known.network if nodes > 1 and known.network else "none"

    def text(value: object) -> str:
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    shared = {
        "platform_key": "-".join(
            part
            for part in (known.gpu, f"{nodes}n{run.ranks}g", known.scale_up, leaves)
            if part and part != "none"
        ),
        "collective": run.collective,
        "gpu": text(known.gpu),
        "gpus": text(run.ranks),
        "nodes": text(nodes),
        "gpus_per_node": text(per_node),
        "scale_up": text(known.scale_up),
        "pcie_gen": text(known.pcie_gen),
        "scale_up_gbytes_per_s": text(known.scale_up_gbytes_per_s),
        "nics_per_node": text(known.nics_per_node),
        "nic_gbps": text(known.nic_gbps),
        "network": leaves,
        "algorithm": text(known.algorithm),
        "protocol": text(known.protocol),
        "nccl_version": run.nccl_version,
        "quality": "ok",
        "source": run.file,
    }
    return [
        shared
        | {
            "id": f"{run.file}#{number}",
            "bytes": str(row.size_bytes),
            "time_us": f"{row.time_us:.10g}",
            "algbw_gbytes_per_s": f"{row.algbw_gbytes_per_s:.6g}",
            "busbw_gbytes_per_s": f"{row.busbw_gbytes_per_s:.6g}",
        }
        for number, row in enumerate(run.rows, start=1)
    ]
