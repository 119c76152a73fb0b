"""All-reduce with the reduction inside the network (CollNet over SHARP)."""

from __future__ import annotations

import numpy as np

from planner.physics.collectives.cluster import Cluster, Line
from planner.physics.collectives.names import SIMPLE
from planner.physics.wiring import FloatArray


def _outer(cluster: Cluster) -> FloatArray:
    links = cluster.links
    network = cluster.constants.networks[cluster.wiring.network]
    slowest = np.maximum(links.node, np.maximum(links.leaf, links.pod))
    return np.asarray(slowest / network.in_network_efficiency.value)


def _latency(cluster: Cluster) -> FloatArray:
    network = cluster.constants.networks[cluster.wiring.network]
    return cluster.hops.launch + network.in_network_s.value + 2.0 * cluster.hops.flight_tree


def collnet_direct(cluster: Cluster) -> Line:
    """Return the time with ranks of a node exchanging shares through the NVSwitch.

    Inside: reduce-scatter and all-gather, 2 S (g - 1) / g per GPU; outside: S per node, once up.
    """
    span, links, hops = cluster.span, cluster.links, cluster.hops
    latency = _latency(cluster) + 2.0 * hops.ring_within[SIMPLE]
    inner = 2.0 * (span.node_ranks - 1.0) / span.node_ranks * links.exchange
    return Line(latency, np.maximum(inner, _outer(cluster)), span.nodes > 1.0)


def collnet_chain(cluster: Cluster) -> Line:
    """Return the time with the ranks of a node in a chain to the GPU beside the NIC.

    The latency is that of a tree over all ranks, in the node and in the switches: nothing measured
    stands behind it, and it never falls when the same ranks are spread over more nodes.
    """
    span, links, hops = cluster.span, cluster.links, cluster.hops
    chain = 2.0 * (span.log_node_ranks + span.log_nodes) * hops.ring_within[SIMPLE]
    inner = 2.0 * (span.node_ranks - 1.0) / span.node_ranks * links.ring
    return Line(_latency(cluster) + chain, np.maximum(inner, _outer(cluster)), span.nodes > 1.0)
