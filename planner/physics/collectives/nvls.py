"""Reduction and multicast inside the NVSwitch (NVLS), alone or joined by a tree between nodes."""

from __future__ import annotations

import numpy as np

from planner.physics.collectives.cluster import Cluster, Line
from planner.physics.collectives.names import SIMPLE
from planner.physics.wiring import FloatArray

_BASE_RANKS = 8.0
"""Ranks of the smallest NVSwitch domain that was measured; smaller ones are not taken as quicker."""


def _inside(collective: str, cluster: Cluster) -> FloatArray:
    """Return seconds per byte inside the switch.

    All-reduce: every GPU sends its whole message once to be reduced and receives it once by
    multicast, and handles its own share besides: S (1 + 1/g) each way. Large domains are slower.
    """
    ranks = cluster.span.node_ranks
    share = 1.0 + 1.0 / ranks if collective == "all_reduce" else (ranks - 1.0) / ranks
    crowd = cluster.constants.nvls_slowdown_per_rank.value * np.maximum(ranks - _BASE_RANKS, 0.0)
    return share * cluster.links.nvls * (1.0 + crowd)


def _latency(cluster: Cluster) -> FloatArray:
    architecture = cluster.constants.architecture(cluster.wiring.architecture)
    return cluster.hops.launch + architecture.nvls_s.value


def _fill(cluster: Cluster) -> tuple[FloatArray, FloatArray]:
    """Return the time to fill the pipeline and the message at which half of it is reached."""
    architecture = cluster.constants.architecture(cluster.wiring.architecture)
    ranks = np.maximum(cluster.span.node_ranks, _BASE_RANKS)
    return architecture.nvls_fill_rank_s.value * ranks, cluster.constants.fill_bytes.value * ranks


def nvls(collective: str, cluster: Cluster) -> Line:
    """Return the time inside one NVSwitch domain, or over several joined by SHARP."""
    span, links = cluster.span, cluster.links
    latency = _latency(cluster)
    slope = _inside(collective, cluster)
    allowed = span.node_ranks > 1.0
    fill, slots = _fill(cluster)
    if not cluster.wiring.sharp:
        return Line(latency, slope, allowed & (span.nodes <= 1.0), fill, slots)
    network = cluster.constants.networks[cluster.wiring.network]
    reduction = network.in_network_s.value + 2.0 * cluster.hops.flight_tree
    latency = latency + span.beyond * reduction
    outer = np.maximum(links.node, np.maximum(links.leaf, links.pod))
    outer = outer / network.in_network_efficiency.value
    return Line(latency, np.maximum(slope, outer), allowed, fill, slots)


def nvls_tree(cluster: Cluster) -> Line:
    """Return the time of an all-reduce reduced in each NVSwitch domain and by trees between.

    Each node sends S with two nodes and 2 S with more, as in `trees.tree`.
    """
    span, links, hops = cluster.span, cluster.links, cluster.hops
    latency = _latency(cluster) + 2.0 * (
        span.log_nodes * hops.tree_beyond[SIMPLE] + hops.flight_tree
    )
    outer = np.minimum(span.nodes - 1.0, 2.0) * links.node
    upper = 2.0 * np.maximum(links.leaf, links.pod)
    slope = np.maximum(_inside("all_reduce", cluster), np.maximum(outer, upper))
    slope = slope / cluster.constants.nvls_tree_efficiency.value
    fill, slots = _fill(cluster)
    fill = fill + 2.0 * span.log_nodes * hops.fill_beyond
    return Line(latency, slope, (span.nodes > 1.0) & (span.node_ranks > 1.0), fill, slots)
