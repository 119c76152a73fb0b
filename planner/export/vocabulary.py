"""Dimensions with the same rows in every run: levels of the interconnect, collectives."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.table import Column, Row, Table

LEVELS = (
    ("domain", "Scale-up domain", "GPUs that NVLink or the like joins"),
    ("host", "Host", "GPUs of one server over PCIe"),
    ("leaf", "Leaf", "Servers on the same leaf switch, or on the leaf of the same rail"),
    ("pod", "Pod", "Servers whose leafs meet at the same spines"),
    ("spine", "Spine", "Leafs that meet at the spines"),
    ("core", "Core", "Beyond a pod, or any pair that only the top tier joins"),
)
"""Levels of the interconnect, innermost first: key, name, where two GPUs meet."""

COLLECTIVES = (
    ("all_reduce", "All-reduce", "Every GPU ends with the sum of all", "2 (n - 1) / n"),
    ("all_gather", "All-gather", "Every GPU ends with the parts of all", "(n - 1) / n"),
    ("reduce_scatter", "Reduce-scatter", "Every GPU ends with its part of the sum", "(n - 1) / n"),
    ("broadcast", "Broadcast", "One GPU's data to all", "1"),
    ("reduce", "Reduce", "The sum of all to one GPU", "1"),
    ("all_to_all", "All-to-all", "Every GPU sends another part to every other", "(n - 1) / n"),
    ("send_recv", "Send and receive", "One GPU to one other", "1"),
)
"""Collectives: key, name, what happens, bus over algorithm bandwidth as nccl-tests counts it."""


def _used(solution: Solution, field: str) -> list[str]:
    """Return the values of one field over all communications, each once."""
    uses = [use for result in solution.workloads for use in result.collectives]
    return list(dict.fromkeys(str(getattr(use, field)) for use in uses))


def _levels(solution: Solution) -> Iterable[Row]:
    known = {row[0] for row in LEVELS}
    for order, row in enumerate(LEVELS, 1):
        yield (*row, order)
    for key in _used(solution, "level"):
        if key not in known:
            yield key, key, None, None


def _collectives(solution: Solution) -> Iterable[Row]:
    known = {row[0] for row in COLLECTIVES}
    yield from COLLECTIVES
    for key in _used(solution, "collective"):
        if key not in known:
            yield key, key, None, None


DIM_LEVEL = Table(
    "dim_level",
    "one level of the interconnect",
    (
        Column("level_key", "key", "Level"),
        Column("level_name", "text", "Name of the level"),
        Column("meeting_place", "text", "Where two GPUs of the level meet"),
        Column("level_order", "integer", "1 is the innermost"),
    ),
    _levels,
    ("level_key",),
)

DIM_COLLECTIVE = Table(
    "dim_collective",
    "one kind of communication",
    (
        Column("collective_key", "key", "Collective"),
        Column("collective_name", "text", "Name of the collective"),
        Column("outcome", "text", "What each GPU ends with"),
        Column("busbw_factor", "text", "Bus over algorithm bandwidth among n GPUs"),
    ),
    _collectives,
    ("collective_key",),
)
