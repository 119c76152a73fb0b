"""Small traces in the layouts of the PyTorch profiler and of Nsight Systems' SQLite export.

Written after the public documentation: the Trace Event Format, the fields that Kineto and c10d's
parameter records carry, and the SQLite schema reference of Nsight Systems.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"
ADAM = "void at::native::multi_tensor_apply_kernel<AdamFunctor>"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
ALL_GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SEND_RECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"


@dataclass(kw_only=True)
class Run:
    """Activities of one rank, microseconds; kernels are launched `lag` before they run."""

    kernels: list[tuple[str, int, float, float, dict[str, Any]]] = field(default_factory=list)
    """Name, stream, start, duration, args."""
    steps: list[tuple[str, float, float]] = field(default_factory=list)
    lag: float = 0.0

    def kernel(self, name: str, start: float, dur: float, stream: int = 7, **args: Any) -> Run:
        self.kernels.append((name, stream, start, dur, args))
        return self

    def step(self, name: str, start: float, dur: float) -> Run:
        self.steps.append((name, start, dur))
        return self


def message(name: str, elements: int, ranks: list[int], dtype: str = "BFloat16") -> dict[str, Any]:
    """Return the args that c10d records of one collective."""
    out = elements
    if "gather" in name:
        elements //= len(ranks)
    return {
        "Collective name": name, "dtype": dtype, "In msg nelems": elements, "Out msg nelems": out,
        "Group size": len(ranks), "Process Group Name": "1",
        "Process Group Ranks": json.dumps(ranks),
    }  # fmt: skip


def two_steps(lag: float = 0.0, count: int = 2) -> Run:
    """Return steps of 1,000 us: 600 compute, 300 all-reduce of which 100 hidden, copy, idle.

    [0, 500) compute; [400, 700) all-reduce; [700, 800) optimizer; [800, 850) copy; then nothing.
    """
    run = Run(lag=lag)
    for k in range(count):
        at = 1000.0 * k
        run.step(f"ProfilerStep#{k + 3}", at - lag, 1000.0)
        run.kernel(GEMM, at, 500.0)
        args = message("allreduce", 2**24, list(range(8)))
        run.kernel(ALL_REDUCE, at + 400.0, 300.0, 20, **args)
        run.kernel(ADAM, at + 700.0, 100.0)
        run.kernel("Memcpy DtoH (Device -> Pinned)", at + 800.0, 50.0)
    return run


def torch_document(run: Run, device: str = "NVIDIA H100 80GB HBM3") -> dict[str, Any]:
    """Return a run as the document of `export_chrome_trace`."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "python"}}
    ]
    for name, start, dur in run.steps:
        events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 4242, "tid": 4242,
                       "ts": start, "dur": dur, "args": {"External id": 1}})  # fmt: skip
    for k, (name, stream, start, dur, args) in enumerate(run.kernels, start=1):
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4242,
                       "tid": 4242, "ts": start - run.lag, "dur": 2.0,
                       "args": {"correlation": k}})  # fmt: skip
        category = "gpu_memcpy" if name.startswith("Mem") else "kernel"
        events.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream,
                       "ts": start, "dur": dur,
                       "args": {"device": 0, "stream": stream, "correlation": k} | args})  # fmt: skip
    return {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": device, "totalGlobalMem": 85899345920}],
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},
        "traceEvents": events,
        "traceName": "rank0.json",
    }


def write_torch(path: Path, run: Run, **about: Any) -> Path:
    """Write a run as a trace; gzipped where the path ends so."""
    data = json.dumps(torch_document(run, **about), indent=1).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


PID = 4242 << 24
SCHEMA = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  rangeId INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
"""


def write_nsys(path: Path, run: Run, device: str = "NVIDIA H100 80GB HBM3") -> Path:
    """Write a run as an export of Nsight Systems."""
    path.unlink(missing_ok=True)
    link = sqlite3.connect(path)
    link.executescript(SCHEMA)
    strings: dict[str, int] = {}

    def ident(text: str) -> int:
        return strings.setdefault(text, len(strings) + 1)

    link.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, ?)", (device,))
    for name, start, dur in run.steps:
        row = (_ns(start), _ns(start + dur), 59, 0, None, PID + 4242, ident(name), 0)
        link.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,?,?)", row)
    for k, (name, stream, start, dur, _) in enumerate(run.kernels, start=1):
        span = (_ns(start), _ns(start + dur))
        launch = (_ns(start - run.lag), _ns(start - run.lag) + 2000, PID + 4242, k, ident("launch"))
        link.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)", launch)
        if name.startswith("Mem"):
            row = (*span, 0, stream, k, PID, 1 << 20, 2)
            link.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,?,?,?,?,?,?)", row)
        else:
            named = ident(name)
            row = (*span, 0, stream, k, PID, named, named)
            link.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?)", row)
    link.executemany("INSERT INTO StringIds VALUES (?,?)", [(v, k) for k, v in strings.items()])
    link.commit()
    link.close()
    return path


def _ns(microseconds: float) -> int:
    return round((microseconds + 10_000.0) * 1000.0)
