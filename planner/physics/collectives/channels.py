"""How many channels of what speed NCCL's search would find: a count of capacities, no topology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planner.domain.physics_constants import CollectiveConstants, TunerGeneration
from planner.physics.collectives.names import MESHES, PCIE
from planner.physics.collectives.span import Span
from planner.physics.wiring import FloatArray, Wiring

MAX_CHANNELS = 32
_UNLIMITED = 1e9
_NOTHING_FOUND = (1.0, 0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """Channel counts and speeds (GB/s) of a group, arrays of the group's shape."""

    ring_count: FloatArray
    ring_speed: FloatArray
    tree_speed: FloatArray
    """Speed of the tree inside a node where two nodes or fewer are joined, else between them."""
    nvls_count: FloatArray
    nvls_within: FloatArray
    nvls_beyond: FloatArray


@lru_cache(maxsize=4096)
def _search(speeds: tuple[float, ...], port: float, nic: float, nics: int) -> tuple[float, float]:
    """Return (channels, GB/s) with the greatest product under the port's and the NICs' limits."""
    best = _NOTHING_FOUND
    for speed in speeds:
        count = int(port / speed)
        if nics > 0:
            count = min(count, int(nic / speed) * nics)
        count = min(count, MAX_CHANNELS)
        if count * speed > best[0] * best[1]:
            best = (float(count), speed)
    count_, speed_ = best
    if speed_ >= 25.0 and count_ < MAX_CHANNELS and not (speed_ < 50.0 and count_ > 4):
        count_, speed_ = 2.0 * count_, speed_ / 2.0
    return count_, speed_


def planned_port(wiring: Wiring, constants: CollectiveConstants) -> float:
    """Return the GB/s of one GPU's port that NCCL's search plans with."""
    if wiring.scale_up in PCIE:
        return constants.tuner.pcie_gbytes_per_s.get(str(wiring.pcie_gen), 12.0)
    return wiring.scale_up_gbytes_per_s * generation_of(wiring, constants).planned_share


def generation_of(wiring: Wiring, constants: CollectiveConstants) -> TunerGeneration:
    """Return the tuner's tables for the wiring's accelerator."""
    architecture = constants.architecture(wiring.architecture)
    return constants.tuner.generations[architecture.tuner_generation]


def _nvls_pair(
    port: float, ranks: int, speeds: tuple[float, ...], outside: float
) -> tuple[float, float, float]:
    """Return (channels, GB/s inside, GB/s between) of the NVLS graph of `ranks` per domain."""
    count = min(MAX_CHANNELS, ranks)
    room = port * ranks / max(ranks - 1, 1) / count
    inside = next((s for s in speeds if s <= room), speeds[-1])
    between = outside if outside > 0 else min(speeds[0], 2.0 * inside)
    return float(count), inside, between


def _by_count(counts: FloatArray, most: int, rows: Sequence[tuple[float, ...]]) -> FloatArray:
    table = np.asarray(rows, dtype=np.float64).T
    index = np.clip(counts, 0, most).astype(np.int64)
    return np.asarray(table[:, index])


def channels_of(wiring: Wiring, constants: CollectiveConstants, span: Span) -> Channels:
    """Return the channels for every group of a span.

    One node: the GPU's port alone limits; several: each ring channel also takes its speed from a
    NIC in both directions. A tree is planned inside the node with up to twice the speed between
    nodes, and NCCL takes that for two nodes. NVLS has one channel per GPU of the domain.
    """
    generation = generation_of(wiring, constants)
    port = planned_port(wiring, constants)
    nic = wiring.nic_gbps / 8.0
    one, many = generation.one_node_speeds, generation.many_node_speeds
    links = max(wiring.domain_gpus - 1, 1)
    most = int(span.node_ranks.max()) if span.node_ranks.size else 1
    sizes = range(most + 1)
    shares = [min(max(r - 1, 1) / links, 1.0) if wiring.scale_up in MESHES else 1.0 for r in sizes]
    ring_one = [_search(one, port * share, 0.0, 0) for share in shares]
    beside = max(wiring.nics_per_host / max(wiring.host_gpus, 1), 1.0)
    nics = np.minimum(wiring.nics_per_host, span.host_ranks * beside) * span.hosts_per_node
    most_nics = int(nics.max()) if nics.size else 0
    outer = [_NOTHING_FOUND] + [
        _search(many, port if most > 1 else _UNLIMITED, nic, k) for k in range(1, most_nics + 1)
    ]
    alone = _by_count(span.node_ranks, most, ring_one)
    joined = _by_count(nics, most_nics, outer)
    beyond = span.beyond > 0
    step = next((s for s in many if s <= nic), many[-1])
    inside = [_nvls_pair(port, max(r, 1), one, 0.0) for r in sizes]
    nvls = _by_count(span.node_ranks, most, inside)
    ring_count = np.where(beyond, joined[0], alone[0])
    ring_speed = np.where(beyond, joined[1], alone[1])
    room = port * span.node_ranks / np.maximum(span.node_ranks - 1.0, 1.0) / ring_count
    raised = np.minimum(2.0 * ring_speed, np.maximum(room, ring_speed))
    pair = (span.nodes == 2.0) & (span.within > 0)
    return Channels(
        ring_count=ring_count,
        ring_speed=ring_speed,
        tree_speed=np.where(pair, raised, ring_speed),
        nvls_count=nvls[0],
        nvls_within=nvls[1],
        nvls_beyond=np.where(beyond, step, nvls[2]),
    )
