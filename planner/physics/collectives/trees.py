"""Double binary trees between nodes, joined inside each node; all-reduce only."""

from __future__ import annotations

import numpy as np

from planner.physics.collectives.cluster import Cluster, Line
from planner.physics.collectives.names import LL, LL128, SIMPLE


def tree(protocol: int, cluster: Cluster) -> Line:
    """Return the time of an all-reduce up and down two complementary binary trees.

    Each rank sends 2 S (n - 1) / n over its port on average. Each node sends S with two nodes; with
    more, 2 S: as a leaf of one tree S / 2 up, inside the other S / 2 up and S down. Where GPUs share
    a NIC two nodes take as long as more do: inferred, not measured apart, from published steps
    of such pairs (vTrain on A100, DLPerf and 1-bit Adam on V100); with a NIC for every GPU pairs
    reach S (logs of GH200).
    Latency is twice the depth, log2 of nodes and of ranks in a node.
    """
    span, links, hops, constants = cluster.span, cluster.links, cluster.hops, cluster.constants
    latency = hops.launch + 2.0 * (
        span.log_node_ranks * hops.tree_within[protocol]
        + span.log_nodes * hops.tree_beyond[protocol]
        + hops.flight_tree
    )
    inner = 2.0 * (span.ranks - 1.0) / span.ranks * links.ring
    shared = cluster.wiring.nics_per_host < cluster.wiring.host_gpus
    outer = np.minimum((span.nodes - 1.0) * (2.0 if shared else 1.0), 2.0) * links.node
    upper = 2.0 * np.maximum(links.leaf, links.pod)
    slope = np.maximum(np.maximum(inner, outer), upper) / constants.tree_efficiency.value
    if protocol == LL128:
        slope = slope / constants.payload_share.LL128.value
    if protocol == LL:
        slope = slope / constants.tree_ll_share.value
        most = constants.architecture(cluster.wiring.architecture).ll_gbytes_per_s.value * 1e9
        slope = np.maximum(slope, 2.0 / most)
    if protocol != SIMPLE:
        return Line(latency, slope)
    fill = span.log_node_ranks * hops.fill_within + span.log_nodes * hops.fill_beyond
    slots = np.full_like(span.ranks, constants.fill_bytes.value)
    return Line(latency, slope, fill_s=2.0 * fill, fill_bytes=slots)
