"""NCCL's own estimate of a collective's time, from which it chooses algorithm and protocol.

Follows NCCL 2.30.7, src/graph/tuning.cc: t = L + S / B, with L from a base and hops and B from
channels; the tree's B is corrected by size, the ring's L for Simple between nodes by a factor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.physics_constants import HopLatencies, TunerGeneration
from planner.physics.collectives.channels import Channels, channels_of, generation_of
from planner.physics.collectives.cluster import Cluster
from planner.physics.collectives.names import (
    COLLNET_CHAIN,
    COLLNET_DIRECT,
    LL,
    LL128,
    NVLS,
    NVLS_TREE,
    PAT,
    PCIE,
    PROTOCOLS,
    RING,
    SIMPLE,
    TREE,
)
from planner.physics.wiring import FloatArray

MICRO = 1e-6
GIGA = 1e9
_CORRECTED_FROM_BYTES = 64.0
_NONE = 1e-12
"""Stands for a bandwidth of 0, which means that a pair is not available, GB/s."""
_LOW_LATENCY_SHARE, _LL128_SHARE, _TREE_SHARE = 0.5, 0.92, 0.92
_TREE_LL_DIVISOR, _PAT_SHARE, _COLLNET_HOPPER_SHARE = 3.8, 0.75, 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuner:
    """NCCL's tables laid out for one cluster; `estimate` gives its (L, B) of a pair."""

    cluster: Cluster
    generation: TunerGeneration
    channels: Channels
    within: HopLatencies
    network: HopLatencies
    scale: FloatArray
    """Index of the columns N = 1, N = 2, N >= 3."""

    @classmethod
    def of(cls, cluster: Cluster) -> Tuner:
        """Return the tuner of a cluster."""
        tables = cluster.constants.tuner
        kind = "pcie" if cluster.wiring.scale_up in PCIE else "nvlink"
        return cls(
            cluster=cluster,
            generation=generation_of(cluster.wiring, cluster.constants),
            channels=channels_of(cluster.wiring, cluster.constants, cluster.span),
            within=tables.hops_us["pcie" if kind == "pcie" else "nvlink"],
            network=tables.hops_us["network"],
            scale=(np.minimum(cluster.span.nodes, 3.0) - 1.0).astype(np.int64),
        )

    def _cap(self, row: tuple[float, float, float]) -> FloatArray:
        return np.asarray(np.asarray(row)[self.scale])

    def _ll_max(self) -> FloatArray:
        many = self.cluster.constants.tuner.ll_max_many_nodes
        return self._cap((self.generation.ll_max, many[0], many[1]))

    def _hop_beyond(self, hops: tuple[float, float, float], protocol: int) -> FloatArray:
        """Return the network hop; with one rank per node NCCL takes the tree's value."""
        alone = self.network.tree[protocol]
        return np.where(self.cluster.span.within > 0, hops[protocol], alone)

    def ring(self, collective: str, protocol: int) -> tuple[FloatArray, FloatArray]:
        """Return (L in us, B in GB/s) of the ring."""
        span, tables = self.cluster.span, self.cluster.constants.tuner
        bus = self.channels.ring_count * self.channels.ring_speed
        if protocol == LL:
            bus = np.minimum(self._ll_max(), bus * _LOW_LATENCY_SHARE)
        elif protocol == LL128:
            cap = self.channels.ring_count * self._cap(self.generation.ring_ll128)
            bus = np.minimum(bus * _LL128_SHARE, cap)
        post = tables.post_overhead_us * (3.0 if protocol == SIMPLE else 1.0)
        inner = np.maximum(self.within.ring[protocol], post * span.beyond)
        outer = self._hop_beyond(self.network.ring, protocol)
        base = tables.base_us_ring[protocol]
        if collective in ("broadcast", "reduce"):
            return base + np.where(span.beyond > 0, outer, inner), bus
        turns = 2.0 if collective == "all_reduce" else 1.0
        latency = base + turns * ((span.ranks - span.nodes) * inner + (span.nodes - 1.0) * outer)
        return latency, bus * span.ranks / (turns * np.maximum(span.ranks - 1.0, 1.0))

    def tree(self, protocol: int) -> tuple[FloatArray, FloatArray]:
        """Return (L, B) of the tree, without the correction by size."""
        span, generation = self.cluster.span, self.generation
        count = self.channels.ring_count
        bus = count * self.channels.tree_speed * _TREE_SHARE
        bus = np.minimum(bus, count * self._cap(generation.tree_max))
        if protocol == LL:
            bus = np.minimum(bus / _TREE_LL_DIVISOR, self._ll_max())
        elif protocol == LL128:
            share = np.where(span.beyond > 0, 120.0 / 128.0, 7.0 / 9.0)
            bus = np.minimum(bus * share, count * self._cap(generation.tree_ll128))
        latency = self.cluster.constants.tuner.base_us_tree[protocol] + 2.0 * (
            (span.node_ranks - 1.0) * self.within.tree[protocol]
            + np.floor(span.log_nodes) * self.network.tree[protocol]
        )
        return latency, bus * 0.5

    def nvls(self, collective: str, *, with_tree: bool) -> tuple[FloatArray, FloatArray]:
        """Return (L, B) of NVLS, alone or with trees between the domains."""
        span, channels, generation = self.cluster.span, self.channels, self.generation
        count, ranks = channels.nvls_count, span.node_ranks
        inner = channels.nvls_within * generation.nvls_efficiency * (count - 1.0) / count
        inner = inner * (2.0 if collective == "all_reduce" else (ranks - 1.0) / ranks)
        outer = channels.nvls_beyond
        latency = np.full_like(span.ranks, self.within.nvls_tree if with_tree else self.within.nvls)
        turns = 2.0 if collective == "all_reduce" else 1.0
        if with_tree:
            outer = np.where(span.nodes <= 2.0, 2.0 * outer, outer)
            outer = np.minimum(outer, self._cap(generation.nvls_tree))
            latency = latency + 2.0 * np.floor(span.log_nodes) * self.network.nvls_tree
        else:
            latency = latency + span.beyond * self.network.nvls
        bus = count * np.minimum(inner, outer)
        if collective != "all_reduce":
            return latency, bus
        return latency, bus * span.ranks / (turns * np.maximum(span.ranks - 1.0, 1.0))

    def collnet(self, *, direct: bool) -> tuple[FloatArray, FloatArray]:
        """Return (L, B) of the SHARP algorithms."""
        span, channels = self.cluster.span, self.channels
        bus = channels.ring_count * channels.ring_speed
        chain = span.node_ranks - 1.0
        if not direct:
            return 2.0 * chain * self.within.collnet_chain + self.network.collnet_chain, bus * 0.5
        per_channel = span.node_ranks / channels.ring_count
        bus = bus / np.maximum(per_channel - (per_channel - 1.0) / 2.0, 0.5)
        if self.generation.nvls_efficiency > 0.0:
            bus = bus * _COLLNET_HOPPER_SHARE
        inner = np.minimum(1.0, chain) * self.within.collnet_direct + 0.4 * chain
        return 2.0 * inner + self.network.collnet_direct, bus * 0.5

    def pat(self) -> tuple[FloatArray, FloatArray]:
        """Return (L, B) of PAT."""
        span, channels = self.cluster.span, self.channels
        latency = (
            self.cluster.constants.tuner.base_us_pat
            + np.floor(span.log_nodes) * self.network.pat / 3.5
            + 2.8 * span.ranks
        )
        return latency, channels.ring_count * channels.ring_speed * _PAT_SHARE

    def estimate(
        self, collective: str, algorithm: int, protocol: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return NCCL's latency (us) and algorithm bandwidth (GB/s) for a pair."""
        if algorithm == RING:
            return self.ring(collective, protocol)
        if algorithm == TREE:
            return self.tree(protocol)
        if algorithm in (NVLS, NVLS_TREE):
            return self.nvls(collective, with_tree=algorithm == NVLS_TREE)
        if algorithm in (COLLNET_DIRECT, COLLNET_CHAIN):
            return self.collnet(direct=algorithm == COLLNET_DIRECT)
        if algorithm == PAT:
            return self.pat()
        raise ValueError(f"NCCL's tuner has no entry for algorithm {algorithm}")

    def time_s(
        self, collective: str, algorithm: int, protocol: int, size: FloatArray
    ) -> FloatArray:
        """Return NCCL's estimate in seconds for messages of `size` bytes."""
        latency, bandwidth = self.estimate(collective, algorithm, protocol)
        if algorithm == TREE:
            bandwidth = bandwidth * self._correction(protocol, size)
        elif algorithm == RING and protocol == SIMPLE and collective == "all_reduce":
            span = self.cluster.span
            pieces = self.channels.ring_count * span.ranks * _CORRECTED_FROM_BYTES
            slow = (span.beyond > 0) & (size >= pieces)
            latency = np.where(slow, latency * self.generation.ring_simple_factor, latency)
        return latency * MICRO + size / (GIGA * np.maximum(bandwidth, _NONE))

    def _correction(self, protocol: int, size: FloatArray) -> FloatArray:
        """Return the tree's factor, by floor(log2(size / 64)); 1 beyond the table."""
        table = np.ones(25)
        table[:24] = self.cluster.constants.tuner.tree_correction[PROTOCOLS[protocol]]  # type: ignore[index]
        table[23] = 1.0
        _, exponent = np.frexp(size / _CORRECTED_FROM_BYTES)
        return np.asarray(table[np.clip(exponent - 1, 0, 23)])
