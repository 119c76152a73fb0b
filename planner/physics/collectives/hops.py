"""Latency of one hop inside a node and between nodes, with switches and cable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.physics_constants import CollectiveConstants
from planner.physics.collectives.names import PROTOCOLS
from planner.physics.collectives.span import Span
from planner.physics.wiring import FloatArray, Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class Hops:
    """Latencies in seconds; the hop tuples are ordered as PROTOCOLS."""

    launch: FloatArray
    """Fixed time of the call, with the network stack's own where the group leaves its node."""
    ring_within: tuple[FloatArray | float, ...]
    tree_within: tuple[FloatArray | float, ...]
    ring_beyond: tuple[float, ...]
    tree_beyond: tuple[float, ...]
    fill_within: float
    fill_beyond: float
    """Pipeline fill of one hop with protocol Simple, seconds."""
    flight_mean: FloatArray
    """Switches and cable of one hop between neighbouring nodes of a ring, on average."""
    flight_tree: FloatArray
    """Switches and cable along the whole depth of a tree, once."""


def hops_of(wiring: Wiring, constants: CollectiveConstants, span: Span) -> Hops:
    """Return the latencies of a span.

    A hop under one leaf passes one switch and two cables, over a joined pair two and three (counted
    for every hop, which is the most), between leafs three and four, between pods five and six. A
    ring crosses a leaf boundary once per leaf; the upper log2(leafs) levels of a tree cross leafs. A hop between nodes is never quicker than one inside a node.
    """
    own = constants.scale_ups[wiring.scale_up]
    other = constants.scale_ups["pcie_host"]
    network = constants.networks[wiring.network]
    architecture = constants.architecture(wiring.architecture)

    def within(kind: str) -> tuple[FloatArray | float, ...]:
        inner = [getattr(own, kind).of(p) for p in PROTOCOLS]
        if not span.split.any():
            return tuple(inner)
        outer = [getattr(other, kind).of(p) for p in PROTOCOLS]
        return tuple(np.where(span.split > 0, o, i) for i, o in zip(inner, outer, strict=True))

    cable = constants.cable_s_per_m.value * wiring.cable_m
    first = cable if wiring.tiers == 0 else wiring.switch_latency_s + 2.0 * cable
    if wiring.joined_pair:
        first += wiring.switch_latency_s + cable
    more = 2.0 * (wiring.switch_latency_s + cable)
    if first > 0.0 or more > 0.0:
        crossings = np.where(span.leafs > 1.0, span.leafs, 0.0)
        crossings = crossings + np.where(span.pods > 1.0, span.pods, 0.0)
        flight_mean = first + more * crossings / span.nodes
        levels = np.log2(span.leafs) + np.log2(span.pods)
        flight_tree = first * span.log_nodes + more * levels
    else:
        flight_mean = flight_tree = np.zeros_like(span.ranks)
    return Hops(
        launch=architecture.launch_s.value + network.offset_s.value * span.beyond,
        ring_within=within("ring_hop_s"),
        tree_within=within("tree_hop_s"),
        ring_beyond=tuple(max(network.ring_hop_s.of(p), own.ring_hop_s.of(p)) for p in PROTOCOLS),
        tree_beyond=tuple(max(network.tree_hop_s.of(p), own.tree_hop_s.of(p)) for p in PROTOCOLS),
        fill_within=own.fill_hop_s.value,
        fill_beyond=max(network.fill_hop_s.value, own.fill_hop_s.value),
        flight_mean=flight_mean,
        flight_tree=flight_tree,
    )
