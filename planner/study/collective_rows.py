"""Rows of measured collectives, mapped onto wirings before anything is predicted."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planner.domain.errors import Fault, InputError
from planner.domain.json_file import read_text
from planner.domain.physics_constants import shipped_collective_constants
from planner.physics.collectives import ALGORITHMS, COLLECTIVES, PROTOCOLS, collective_time
from planner.physics.wiring import NETWORK_KINDS, SCALE_UP_KINDS, Group, Wiring
from planner.study.architectures import architecture_of

MAX_BYTES = 50 * 1024 * 1024
REQUIRED = ("collective", "bytes", "gpu", "gpus", "nodes", "gpus_per_node", "scale_up", "time_us")
_COLLECTIVE_ALIASES = {"alltoall": "all_to_all", "sendrecv": "send_recv"}
_RACK_GPUS = 72
_BOARD_GPUS = {"nvlink_bridge": 2, "xgmi": 8}
_LINKED = ("nvlink_bridge", "nvlink_mesh", "nvswitch", "nvl72", "xgmi")


class UnmappedRowError(ValueError):
    """A row that cannot be mapped; the text is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveRow:
    """One measurement as the model takes it."""

    index: int
    """Place of the row in the file, from 0."""
    collective: str
    size_bytes: float
    wiring: Wiring
    group: tuple[int, int, int, int]
    """Ranks, ranks per domain, ranks per host, groups that share the NICs."""
    algorithm: str | None
    protocol: str | None
    time_s: float
    platform: str
    source: str


def read_table(path: Path, required: tuple[str, ...] = REQUIRED) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header line.

    Raises
    ------
    InputError
        If the file is unreadable, has no rows, lacks columns, or a row has too many cells.
    """
    text = read_text(path, MAX_BYTES)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        names = reader.fieldnames or []
        missing = [name for name in required if name not in names]
        if missing:
            right = f"the header has {', '.join(names)[:200] or 'nothing'}"
            raise InputError(
                str(path),
                [Fault("line 1", f"column {name!r} is missing", right) for name in missing],
            )
        rows = list(reader)
    except csv.Error as error:
        raise InputError(str(path), [Fault("$", f"no CSV: {error}")]) from None
    faults = [
        Fault(f"line {number + 2}", "has more cells than the header", "quote cells with commas")
        for number, row in enumerate(rows)
        if None in row
    ]
    if faults:
        raise InputError(str(path), faults)
    if not rows:
        raise InputError(str(path), [Fault("$", "has a header but no rows")])
    return [{key: (value or "").strip() for key, value in row.items()} for row in rows]


def _number(row: dict[str, str], key: str, *, least: float = 0.0, most: float = 1e18) -> float:
    text = row.get(key, "")
    if not text:
        raise UnmappedRowError(f"{key} is blank")
    try:
        value = float(text)
    except ValueError:
        raise UnmappedRowError(f"{key} is no number") from None
    if not math.isfinite(value) or not least <= value <= most:
        raise UnmappedRowError(f"{key} lies outside {least:g} to {most:g}")
    return value


def _number_or(row: dict[str, str], key: str, default: float, *, most: float) -> float:
    return _number(row, key, most=most) if row.get(key, "") else default


def _choice(row: dict[str, str], key: str, known: tuple[str, ...]) -> str | None:
    """Return the row's algorithm or protocol, None where the row leaves it to the tuner."""
    text = row.get(key, "").lower()
    if not text:
        return None
    for name in known:
        if name.lower() == text:
            return name
    raise UnmappedRowError(f"{key} {text[:30]!r} is not one of NCCL's")


def _kind(row: dict[str, str], key: str, known: tuple[str, ...]) -> str:
    text = row.get(key, "")
    if not text:
        raise UnmappedRowError(f"{key} is blank")
    if text not in known:
        raise UnmappedRowError(f"{key} {text[:30]!r} is not modelled")
    return text


def _domain(scale_up: str, gpus: int, per_host: int) -> tuple[int, int]:
    """Return (GPUs of a scale-up domain, ranks of the group in one domain)."""
    if scale_up == "nvl72":
        domains = math.ceil(gpus / _RACK_GPUS)
        return _RACK_GPUS, math.ceil(gpus / domains)
    if scale_up == "nvlink_bridge":
        return 2, min(2, per_host)
    return max(_BOARD_GPUS.get(scale_up, per_host), per_host), per_host


def _true(text: str) -> bool:
    return text.lower() in ("true", "1", "yes")


def _wiring(row: dict[str, str], gpus: int, nodes: int, per_host: int) -> tuple[Wiring, int]:
    scale_up = _kind(row, "scale_up", SCALE_UP_KINDS)
    domain, per_domain = _domain(scale_up, gpus, per_host)
    leaves = per_domain < gpus and nodes > 1
    network = _kind(row, "network", NETWORK_KINDS) if leaves else "none"
    if leaves and network == "none":
        raise UnmappedRowError("network is none, yet the ranks span several domains")
    if per_host > 1 and scale_up == "none":
        raise UnmappedRowError("scale_up is none, yet a host has several GPUs")
    rate = 0.0
    if scale_up in _LINKED:
        rate = _number(row, "scale_up_gbytes_per_s", least=0.1)
    wiring = Wiring(
        accelerator=row["gpu"],
        architecture=architecture_of(row["gpu"]),
        scale_up=scale_up,
        scale_up_gbytes_per_s=rate,
        domain_gpus=domain,
        host_gpus=per_host,
        pcie_gen=int(_number_or(row, "pcie_gen", 0.0, most=6.0)),
        nics_per_host=int(_number(row, "nics_per_node", least=1.0, most=1024.0)) if leaves else 0,
        nic_gbps=_number(row, "nic_gbps", least=0.1) if leaves else 0.0,
        network=network,
        sharp=_true(row.get("sharp", "")),
        virtualized=_true(row.get("virtualized", "")),
    )
    return wiring, per_domain


def map_row(index: int, row: dict[str, str]) -> CollectiveRow:
    """Return a row as the model takes it.

    Raises
    ------
    UnmappedRowError
        With the reason; nothing has been predicted then.
    """
    quality = row.get("quality", "")
    if quality and not quality.startswith("ok"):
        raise UnmappedRowError(f"quality: {quality[:80]}")
    collective = _COLLECTIVE_ALIASES.get(row["collective"], row["collective"])
    if collective not in COLLECTIVES:
        raise UnmappedRowError(f"collective {collective[:30]!r} is not modelled")
    size = _number(row, "bytes", least=1.0)
    time_us = _number(row, "time_us", least=1e-3)
    gpus = int(_number(row, "gpus", least=2.0, most=1e7))
    nodes = int(_number(row, "nodes", least=1.0, most=1e7))
    per_host = int(_number(row, "gpus_per_node", least=1.0, most=1024.0))
    if per_host * nodes < gpus:
        raise UnmappedRowError("gpus exceed nodes x gpus_per_node")
    per_host = min(per_host, gpus)
    wiring, per_domain = _wiring(row, gpus, nodes, per_host)
    platform = row.get("platform_key", "") or f"{row['gpu']}-{nodes}n{gpus}g"
    mapped = CollectiveRow(
        index=index,
        collective=collective,
        size_bytes=size,
        wiring=wiring,
        group=(gpus, per_domain, per_host, 1),
        algorithm=_choice(row, "algorithm", ALGORITHMS),
        protocol=_choice(row, "protocol", PROTOCOLS),
        time_s=time_us * 1e-6,
        platform=platform,
        source=row.get("source", "").partition(":")[0] or "unnamed",
    )
    if (mapped.algorithm or mapped.protocol) and not _may_run(mapped):
        forced = " with ".join(part for part in (mapped.algorithm, mapped.protocol) if part)
        raise UnmappedRowError(f"NCCL cannot run {forced} for {collective} there")
    return mapped


def _may_run(row: CollectiveRow) -> bool:
    """Return whether the forced algorithm and protocol are open to the row's group at all."""
    timing = collective_time(
        row.collective,
        1.0,
        group_of([row]),
        row.wiring,
        constants=shipped_collective_constants(),
        algorithm=row.algorithm,
        protocol=row.protocol,
    )
    return bool(np.isfinite(timing.time_s).all())


def group_of(rows: list[CollectiveRow]) -> Group:
    """Return the groups of rows that share one wiring, one leaf holding them all."""
    counts = np.array([row.group for row in rows], dtype=np.int64)
    ranks, per_domain, per_host, sharing = counts.T
    return Group(
        ranks=ranks,
        per_domain=per_domain,
        per_host=per_host,
        nic_sharing=sharing,
        per_leaf=ranks,
        per_pod=ranks,
    )
