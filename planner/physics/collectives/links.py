"""Seconds per byte of every link level that a group's ranks cross."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.physics_constants import CollectiveConstants
from planner.physics.collectives.names import MESHES, PCIE
from planner.physics.collectives.span import Span
from planner.physics.wiring import FloatArray, Wiring

GIGA = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Inverse rates in seconds per byte, one direction; 0 for a level that is not crossed."""

    ring: FloatArray
    """One GPU's port into its node as rings and trees load it."""
    exchange: FloatArray
    """The same port when every rank talks to every other."""
    peer: FloatArray
    """The same port when a rank talks to one other only."""
    nvls: FloatArray
    """The same port when the NVSwitch reduces."""
    node: FloatArray
    """All NICs that the group has of one node, together."""
    rank: FloatArray
    """The NICs that one rank can drive."""
    leaf: FloatArray
    """The group's share of the uplinks of one leaf unit."""
    pod: FloatArray
    port_shared: bool
    """True where scale-up and network share the GPU's PCIe port."""


def pcie_rate(wiring: Wiring, constants: CollectiveConstants) -> float:
    """Return the raw rate of 16 PCIe lanes in bytes/s; 0 stands for the accelerator's own."""
    generation = wiring.pcie_gen or constants.architecture(wiring.architecture).pcie_gen
    figure = constants.pcie_gbytes_per_s.get(str(generation))
    if figure is None:
        raise ValueError(f"PCIe generation {generation} is not among the constants")
    return figure.value * GIGA


def _port(
    wiring: Wiring, constants: CollectiveConstants, span: Span
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return bytes/s of a GPU's port for rings, for exchanges and towards one peer."""
    architecture = constants.architecture(wiring.architecture)
    own = constants.scale_ups[wiring.scale_up]
    raw = pcie_rate(wiring, constants)
    if wiring.scale_up in PCIE:
        # Without NVLink all traffic of a GPU, to its neighbours and to the NIC, takes this port.
        rate = np.full_like(span.ranks, raw * own.pcie_efficiency.value)
        return rate, rate, rate
    marketed = wiring.scale_up_gbytes_per_s * GIGA
    marketed *= own.link_efficiency.value
    ring = np.full_like(span.ranks, marketed * architecture.scale_up_efficiency.value)
    exchange = np.full_like(span.ranks, marketed * architecture.pairwise_efficiency.value)
    peer = exchange
    if wiring.scale_up in MESHES:
        # Full mesh: a port is split evenly over the links to each of the other GPUs.
        links = max(wiring.domain_gpus - 1, 1)
        share = np.minimum(np.maximum(span.node_ranks - 1.0, 1.0) / links, 1.0)
        ring, exchange, peer = ring * share, exchange * share, exchange / links
    if span.split.any():
        between = raw * constants.scale_ups["pcie_host"].pcie_efficiency.value
        ring = np.where(span.split > 0, np.minimum(ring, between), ring)
        exchange = np.where(span.split > 0, np.minimum(exchange, between), exchange)
        peer = np.where(span.split > 0, np.minimum(peer, between), peer)
    return ring, exchange, peer


def _inverse(rate: FloatArray, crossed: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(crossed > 0, 1.0 / rate, 0.0)


def links_of(wiring: Wiring, constants: CollectiveConstants, span: Span) -> Links:
    """Return the inverse rates of every level for a group's span.

    The NICs of a host are shared by `nic_sharing` groups; a rank reaches the NICs beside it
    (all NICs of the host over its GPUs, at least one) through its own PCIe lanes. A leaf's uplinks
    carry `uplink_ratio` times the NIC rate of its hosts, shared by the groups under it.
    """
    architecture = constants.architecture(wiring.architecture)
    network = constants.networks[wiring.network]
    ring, exchange, peer = _port(wiring, constants, span)
    line = wiring.nic_gbps / 8.0 * GIGA * network.efficiency.value
    nic = min(line, network.nic_gbytes_per_s.value * GIGA) * wiring.network_efficiency
    if wiring.nics_per_host < wiring.host_gpus:
        nic *= network.shared_nic_efficiency.value
    pcie = pcie_rate(wiring, constants) * constants.nic_pcie_efficiency.value
    share = wiring.nics_per_host / span.nic_sharing
    beside = max(wiring.nics_per_host / max(wiring.host_gpus, 1), 1.0)
    own = np.minimum(share, beside) * nic
    host = np.minimum(np.minimum(share, span.host_ranks * beside) * nic, span.host_ranks * pcie)
    leaf_hosts = np.maximum(span.leaf_ranks / span.host_ranks, 1.0)
    pod_hosts = np.maximum(span.pod_ranks / span.host_ranks, 1.0)
    nvls = wiring.scale_up_gbytes_per_s * GIGA * architecture.nvls_efficiency.value
    crossed_leaf = (span.leafs > 1.0).astype(np.float64)
    crossed_pod = (span.pods > 1.0).astype(np.float64)
    uplink = share * nic * wiring.uplink_ratio
    core = uplink * wiring.pod_uplink_ratio
    port_shared = wiring.scale_up in PCIE
    everyone = (span.ranks > 1.0).astype(np.float64)
    used = everyone if port_shared else span.within
    # Without a spine between rails, what is bound for another rail first crosses the server.
    paired = used if wiring.rails_joined else everyone
    return Links(
        ring=_inverse(ring, used),
        exchange=_inverse(exchange, used),
        peer=_inverse(peer, paired),
        nvls=_inverse(np.full_like(span.ranks, nvls), span.within * float(nvls > 0.0)),
        node=_inverse(host * span.hosts_per_node, span.beyond),
        rank=_inverse(np.minimum(own, pcie), span.beyond),
        leaf=_inverse(uplink * leaf_hosts, crossed_leaf),
        pod=_inverse(core * pod_hosts, crossed_pod),
        port_shared=port_shared,
    )
