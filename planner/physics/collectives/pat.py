"""PAT, the parallel aggregated tree: logarithmic all-gather and reduce-scatter."""

from __future__ import annotations

import numpy as np

from planner.physics.collectives.busbw import busbw_factor
from planner.physics.collectives.cluster import Cluster, Line
from planner.physics.collectives.names import SIMPLE


def pat(collective: str, cluster: Cluster) -> Line:
    """Return the time; NCCL allows it with one rank per node only."""
    span, links, hops = cluster.span, cluster.links, cluster.hops
    latency = hops.launch + span.log_nodes * hops.tree_beyond[SIMPLE] + hops.flight_tree
    slowest = np.maximum(links.node, np.maximum(links.leaf, links.pod))
    slope = busbw_factor(collective, span.ranks) * slowest / cluster.constants.pat_efficiency.value
    return Line(latency, slope, (span.node_ranks <= 1.0) & (span.nodes > 1.0))
