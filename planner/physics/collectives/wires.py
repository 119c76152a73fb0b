"""Bytes that one message puts on each kind of wire, one direction, whatever the time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from planner.physics.collectives.busbw import busbw_factor
from planner.physics.collectives.names import ALGORITHMS, COLLECTIVES, SWITCHED
from planner.physics.collectives.span import Span, span_of
from planner.physics.wiring import FloatArray, Group, Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class WireBytes:
    """Payload bytes of one collective on each wire, one direction; arrays of one shape."""

    port: FloatArray
    """On the scale-up port of the busiest GPU."""
    node: FloatArray
    """On all NICs of a node together."""
    leaf: FloatArray
    """On the uplinks of a leaf unit; 0 where the group lies under one leaf."""
    pod: FloatArray


def _exchange(span: Span) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    ranks = span.ranks
    return (
        (span.node_ranks - 1.0) / ranks,
        span.node_ranks * (ranks - span.node_ranks) / ranks,
        span.leaf_ranks * (ranks - span.leaf_ranks) / ranks,
        span.pod_ranks * (ranks - span.pod_ranks) / ranks,
    )


def _reduced_in_switch(collective: str, ranks: FloatArray) -> FloatArray:
    return 1.0 + 1.0 / ranks if collective == "all_reduce" else (ranks - 1.0) / ranks


def wire_bytes(
    collective: str, algorithm: str, size_bytes: ArrayLike, group: Group, wiring: Wiring
) -> WireBytes:
    """Return the bytes on each kind of wire.

    Parameters
    ----------
    collective, algorithm
        Names from COLLECTIVES and ALGORITHMS.
    size_bytes
        Message as nccl-tests counts it.

    Raises
    ------
    ValueError
        For an unknown name.
    """
    if collective not in COLLECTIVES or algorithm not in ALGORITHMS:
        raise ValueError(f"unknown collective {collective!r} or algorithm {algorithm!r}")
    span = span_of(group, wiring)
    size = np.asarray(size_bytes, dtype=np.float64)
    one = np.ones_like(span.ranks)
    inner = (span.node_ranks - 1.0) / span.node_ranks
    up_and_down = np.minimum(span.nodes - 1.0, 2.0)
    share = busbw_factor(collective, span.ranks)
    in_switch = _reduced_in_switch(collective, span.node_ranks)
    if collective == "all_to_all":
        port, node, leaf, pod = _exchange(span)
    else:
        port, node, leaf, pod = {
            "ring": (share, share, share, share),
            "tree": (share, up_and_down, 2.0 * one, 2.0 * one),
            "nvls": (in_switch, one, one, one),
            "nvls_tree": (in_switch, up_and_down, 2.0 * one, 2.0 * one),
            "collnet_direct": (2.0 * inner, one, one, one),
            "collnet_chain": (2.0 * inner, one, one, one),
            "pat": (0.0 * one, share, share, share),
            "pairwise": (one, one, one, one),
        }[algorithm]
    within = span.within
    if wiring.scale_up not in (*SWITCHED, "nvlink_bridge", "nvlink_mesh", "xgmi"):
        within = (span.ranks > 1.0).astype(np.float64)
        if collective == "all_to_all":
            port = (span.ranks - 1.0) / span.ranks
    return WireBytes(
        port=size * port * within,
        node=size * node * span.beyond,
        leaf=size * leaf * (span.leafs > 1.0),
        pod=size * pod * (span.pods > 1.0),
    )
