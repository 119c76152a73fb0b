"""Where the ranks of a group sit: counts per node, leaf and pod, as arrays of floats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.physics.wiring import FloatArray, Group, Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Counts of one group (or many, broadcast together) on a wiring.

    A *node* is what NCCL calls one: a host, or a scale-up domain that spans several hosts.
    All arrays share one shape.
    """

    ranks: FloatArray
    node_ranks: FloatArray
    """Ranks of the group in one node."""
    nodes: FloatArray
    host_ranks: FloatArray
    hosts_per_node: FloatArray
    """Hosts of one node on which the group has ranks."""
    nic_sharing: FloatArray
    leaf_ranks: FloatArray
    leafs: FloatArray
    pod_ranks: FloatArray
    pods: FloatArray
    within: FloatArray
    """1 where the group has several ranks in a node, else 0."""
    beyond: FloatArray
    """1 where the group has several nodes, else 0."""
    split: FloatArray
    """1 where the ranks of one host lie in several scale-up domains, else 0."""
    log_nodes: FloatArray
    log_node_ranks: FloatArray


def span_of(group: Group, wiring: Wiring) -> Span:
    """Return the counts of `group` on `wiring`.

    A host joined by PCIe is one node whatever `per_domain` says.
    """
    ranks, per_domain, per_host, sharing, leaf, pod = np.broadcast_arrays(
        *(
            np.asarray(part, dtype=np.float64)
            for part in (
                group.ranks, group.per_domain, group.per_host,
                group.nic_sharing, group.per_leaf, group.per_pod,
            )
        )
    )  # fmt: skip
    node_ranks = np.minimum(np.maximum(per_domain, per_host), ranks)
    nodes = np.ceil(ranks / node_ranks)
    leaf = np.clip(leaf, node_ranks, ranks)
    pod = np.clip(pod, leaf, ranks)
    switched = wiring.scale_up not in ("pcie_host", "pcie_p2p", "none")
    split = per_host > per_domain
    return Span(
        ranks=ranks,
        node_ranks=node_ranks,
        nodes=nodes,
        host_ranks=np.minimum(per_host, node_ranks),
        hosts_per_node=np.maximum(node_ranks / per_host, 1.0),
        nic_sharing=np.maximum(sharing, 1.0),
        leaf_ranks=leaf,
        leafs=np.ceil(ranks / leaf),
        pod_ranks=pod,
        pods=np.ceil(ranks / pod),
        within=(node_ranks > 1.0).astype(np.float64),
        beyond=(nodes > 1.0).astype(np.float64),
        split=split.astype(np.float64) if switched else np.zeros_like(ranks),
        log_nodes=np.log2(nodes),
        log_node_ranks=np.log2(node_ranks),
    )
