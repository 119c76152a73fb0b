"""What a GPU kernel does, told by its name; and the collectives that frameworks name.

Names of NCCL and RCCL kernels by version: ``ncclAllReduceRingLLKernel_sum_f32`` (2.4 to 2.7),
``ncclKernel_AllReduce_RING_LL_Sum_float`` (2.8 to 2.18), ``ncclDevKernel_AllReduce_Sum_f32_RING_LL``
(from 2.19), ``ncclSymDevKernel_...`` and ``ncclSymkDevKernel_...`` (symmetric memory, from 2.27).
A kernel is built around one function and can carry out others, grouped calls above all
(github.com/NVIDIA/nccl, issues 714 and 2196), so that what the framework recorded counts first.
The suffix for algorithm and protocol is not what ran (issue 2196) and is not read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Kind = Literal["compute", "network", "copy"]

OTHER = "other"
"""A communication kernel that does not say what it does."""

_FUNCTIONS = (
    ("all_reduce", r"all_?reduce"),
    ("reduce_scatter", r"reduce_?scatter"),
    ("all_gather", r"all_?gather"),
    ("all_to_all", r"all_?to_?all|a2a"),
    ("send_recv", r"send_?recv|sendrecv"),
    ("broadcast", r"broadcast|bcast"),
    ("reduce", r"reduce"),
    ("gather", r"gather"),
    ("scatter", r"scatter"),
)
_NCCL = re.compile(r"^(?:void )?(?:r?nccl|msccl)(?:Sym(?:k|metric)?)?(?:Dev)?Kernel", re.IGNORECASE)
_NCCL_OLD = re.compile(r"^(?:void )?nccl(\w+?)(?:Ring|Tree|CollNet|NVLS)\w*Kernel", re.IGNORECASE)
_GENERIC = re.compile(r"^(?:void )?(?:msccl|nccl)\w*Kernel", re.IGNORECASE)
_OTHERS = (
    (re.compile(r"deep_ep::\w+::\w*(?:dispatch|combine)"), "all_to_all"),
    (re.compile(r"^(?:void )?userbuffers_\w*_rs"), "reduce_scatter"),
    (re.compile(r"^(?:void )?userbuffers_\w*_ag"), "all_gather"),
    (re.compile(r"^(?:void )?(?:kuserbuffers_|userbuffers_)"), OTHER),
    (re.compile(r"(?:one|two)_shot_all_reduce|multimem_all_reduce|cross_device_reduce"),
     "all_reduce"),
    (re.compile(r"^(?:void )?nvshmem"), OTHER),
)  # fmt: skip
"""Communication outside NCCL: DeepEP, Transformer Engine's user buffers, symmetric memory."""

_COPY = re.compile(r"^(?:mem(?:cpy|set)\b|\[cuda mem)", re.IGNORECASE)
_FRAMEWORK = (
    ("all_reduce", ("allreduce", "all_reduce", "allreduce_coalesced")),
    ("reduce_scatter", ("reduce_scatter", "_reduce_scatter_base", "reduce_scatter_tensor",
                        "reduce_scatter_tensor_coalesced")),
    ("all_gather", ("allgather", "all_gather", "_allgather_base", "all_gather_into_tensor",
                    "allgather_into_tensor_coalesced")),
    ("all_to_all", ("all_to_all", "all_to_allv", "alltoall", "alltoall_base")),
    ("send_recv", ("send", "recv", "sendrecv", "send_recv", "batch_isend_irecv")),
    ("broadcast", ("broadcast", "_broadcast_oop")),
    ("reduce", ("reduce", "_reduce_oop")),
    ("gather", ("gather",)),
    ("scatter", ("scatter",)),
)  # fmt: skip

_DTYPES = {
    "byte": 1, "char": 1, "bool": 1, "short": 2, "half": 2, "bfloat16": 2, "float16": 2,
    "int": 4, "float": 4, "float32": 4, "int32": 4, "long": 8, "double": 8, "int64": 8,
    "float64": 8, "int8": 1, "uint8": 1,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
}  # fmt: skip
"""Bytes of an element by PyTorch's names of scalar types."""


@lru_cache(maxsize=100_000)
def collective_of_kernel(name: str) -> str:
    """Return the collective that a kernel's name speaks of, empty if it computes or copies."""
    head = name[:300]
    if _NCCL.match(head) or _GENERIC.match(head):
        old = _NCCL_OLD.match(head)
        text = (old.group(1) if old else head.partition("(")[0]).lower()
        for function, pattern in _FUNCTIONS:
            if re.search(pattern, text):
                return function
        return OTHER
    return next((what for pattern, what in _OTHERS if pattern.search(head)), "")


def kind_of(name: str) -> Kind:
    """Return whether a GPU activity computes, communicates or copies."""
    if collective_of_kernel(name):
        return "network"
    return "copy" if _COPY.match(name) else "compute"


def collective_of_framework(name: str) -> str:
    """Return the collective of a name that PyTorch records, empty if unknown."""
    wanted = name.strip().lower().removeprefix("nccl:").removeprefix("c10d::")
    return next((what for what, names in _FRAMEWORK if wanted in names), "")


def is_coalesced(name: str) -> bool:
    """Return whether a recorded name stands for several messages in one kernel."""
    return "coalesced" in name.lower()


def element_bytes(dtype: str) -> int:
    """Return the bytes of an element of a recorded type, 0 if unknown."""
    return _DTYPES.get(dtype.strip().lower().removeprefix("torch."), 0)
