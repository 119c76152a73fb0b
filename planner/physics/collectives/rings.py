"""Ring algorithm: every link of the ring carries the same bytes at the same time."""

from __future__ import annotations

import numpy as np

from planner.physics.collectives.busbw import busbw_factor
from planner.physics.collectives.cluster import Cluster, Line
from planner.physics.collectives.names import LL, LL128, PROTOCOLS, SIMPLE


def ring(collective: str, protocol: int, cluster: Cluster) -> Line:
    """Return the ring's time.

    Each rank's data passes n - 1 hops (all-reduce twice), N - 1 of them between nodes. The slowest
    of the GPU's port, the node's NICs and the uplinks of a leaf or pod (crossed once per leaf or
    pod and ring) sets the rate. LL carries 8 payload bytes in 16, LL128 120 in 128.
    """
    span, links, hops, constants = cluster.span, cluster.links, cluster.hops, cluster.constants
    turns = 2.0 if collective == "all_reduce" else 1.0
    latency = hops.launch + turns * (
        (span.ranks - span.nodes) * hops.ring_within[protocol]
        + (span.nodes - 1.0) * (hops.ring_beyond[protocol] + hops.flight_mean)
    )
    slowest = np.maximum(np.maximum(links.ring, links.node), np.maximum(links.leaf, links.pod))
    if protocol in (LL, LL128):
        slowest = slowest / constants.payload_share.of(PROTOCOLS[protocol])
    if protocol == LL:
        most = constants.architecture(cluster.wiring.architecture).ll_gbytes_per_s.value * 1e9
        slowest = np.maximum(slowest, 1.0 / most)
    slope = busbw_factor(collective, span.ranks) * slowest
    if protocol != SIMPLE:
        return Line(latency, slope)
    fill = (span.ranks - span.nodes) * hops.fill_within + (span.nodes - 1.0) * hops.fill_beyond
    slots = constants.fill_bytes.value * span.ranks
    return Line(latency, slope, fill_s=turns * fill, fill_bytes=slots)
