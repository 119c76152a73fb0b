"""Point-to-point transfers: all-to-all as n - 1 exchanges of each rank, and send/receive."""

from __future__ import annotations

import numpy as np

from planner.physics.collectives.cluster import Cluster, Line
from planner.physics.collectives.names import LL, PROTOCOLS


def all_to_all(protocol: int, cluster: Cluster) -> Line:
    """Return the time of an all-to-all of S bytes per rank, S / n to each peer.

    S (g - 1) / n stays in the node, S (n - g) / n leaves it over the node's NICs; all ranks under a
    leaf send S (n - leaf ranks) / n over its uplinks. Where leafs of different rails do not meet,
    what is bound for another rail first crosses the node's scale-up links.
    """
    span, links, hops, constants = cluster.span, cluster.links, cluster.hops, cluster.constants
    network = constants.networks[cluster.wiring.network]
    ranks = span.ranks
    near = (span.node_ranks - 1.0) / ranks
    far = (ranks - span.node_ranks) / ranks
    inner = near * links.exchange
    if not cluster.wiring.rails_joined:
        inner = inner + far * (span.node_ranks - 1.0) / span.node_ranks * links.exchange
    if links.port_shared:
        inner = inner + far * links.exchange
    crowd = network.all_to_all_efficiency.value**-span.log_nodes
    outer = far * span.node_ranks * links.node
    outer = np.maximum(outer, (ranks - span.leaf_ranks) / ranks * span.leaf_ranks * links.leaf)
    outer = np.maximum(outer, (ranks - span.pod_ranks) / ranks * span.pod_ranks * links.pod)
    slope = np.maximum(inner, outer * crowd)
    own_peer = constants.scale_ups[cluster.wiring.scale_up].peer_s.value
    far_peer = max(network.peer_s.value, own_peer)
    peers = own_peer * (span.node_ranks - 1.0) + far_peer * (ranks - span.node_ranks)
    hop = np.where(
        span.beyond > 0, hops.ring_beyond[protocol] + hops.flight_mean, hops.ring_within[protocol]
    )
    if protocol == LL:
        slope = slope / constants.payload_share.of(PROTOCOLS[LL])
    return Line(hops.launch + constants.exchange_s.value + peers + hop, slope)


def send_recv(protocol: int, cluster: Cluster) -> Line:
    """Return the time for each rank to send S bytes to its neighbour and receive as many.

    The slowest pair counts: the one that crosses the highest level, and where leafs of different
    rails do not meet one between rails, which takes a hop over the server's scale-up links first.
    """
    span, links, hops, constants = cluster.span, cluster.links, cluster.hops, cluster.constants
    hop = np.where(
        span.beyond > 0, hops.ring_beyond[protocol] + hops.flight_mean, hops.ring_within[protocol]
    )
    if not cluster.wiring.rails_joined:
        hop = hop + span.beyond * hops.ring_within[protocol]
    slope = np.maximum(np.maximum(links.peer, links.rank), np.maximum(links.leaf, links.pod))
    if protocol == LL:
        slope = slope / constants.payload_share.of(PROTOCOLS[LL])
    return Line(hops.launch + hop, slope)
