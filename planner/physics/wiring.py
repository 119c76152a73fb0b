"""What physics needs to know of a cluster: how GPUs are joined and where the ranks of a group sit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

SCALE_UP_KINDS = (
    "none",
    "pcie_host",
    "pcie_p2p",
    "nvlink_bridge",
    "nvlink_mesh",
    "nvswitch",
    "nvl72",
    "xgmi",
)
NETWORK_KINDS = ("none", "infiniband", "roce", "tcp", "efa", "slingshot", "tcpx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """How the GPUs of one platform are joined on one fabric: scalars, everything a collective feels."""

    accelerator: str
    """Catalogue id of the accelerator, for constants measured on that part."""
    architecture: str
    """volta, turing, ampere, ada, hopper, blackwell, cdna2, cdna3, cdna4, gaudi or unknown."""
    scale_up: str
    """One of SCALE_UP_KINDS; pcie_host has no peer-to-peer copies, pcie_p2p has."""
    scale_up_gbytes_per_s: float
    """Marketed rate of one GPU into its scale-up domain, one direction, GB/s."""
    domain_gpus: int
    """GPUs of one scale-up domain (bridge pair 2, HGX 8, NVL72 72)."""
    host_gpus: int
    """GPUs of one host or tray; a host may hold several domains, a domain several hosts."""
    pcie_gen: int
    """PCIe generation between GPU and host; 0 stands for the accelerator's usual one."""
    nics_per_host: int
    """NIC ports of one host that carry the scale-out network."""
    nic_gbps: float
    """Rate of one NIC port after the host's own limit, gigabit/s, one direction."""
    network: str
    """One of NETWORK_KINDS."""
    network_efficiency: float = 1.0
    """Share of the line rate left under congestion (ECMP), 0 to 1."""
    tiers: int = 1
    """Switch tiers: 0 back to back, 1 single switch, 2 leaf-spine, 3 with core."""
    switch_latency_s: float = 0.0
    """Latency of one switch with its FEC, seconds."""
    cable_m: float = 0.0
    """Typical length of one link, metres (about 5 ns/m)."""
    hosts_per_leaf: int = 2**31 - 1
    """Hosts whose NICs of one rail meet at one leaf (all hosts on a single switch)."""
    uplink_ratio: float = 1.0
    """Uplink over downlink bandwidth of a leaf, 1 without oversubscription."""
    hosts_per_pod: int = 2**31 - 1
    """Hosts under one set of spines (three tiers)."""
    pod_uplink_ratio: float = 1.0
    rails_joined: bool = True
    """False where leafs of different rails have no spine in common (rail-only)."""
    joined_pair: bool = False
    """True where servers meet at two leafs that are joined: a hop may pass both."""
    sharp: bool = False
    """True where the network reduces in the switch (and NCCL is told to use it)."""
    virtualized: bool = False
    dealt: bool = False
    """True where ranks are dealt to hosts by turns, as by a launcher that knows no topology."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Where the ranks of each collective's group sit: arrays that broadcast to one shape.

    `ranks = per_domain x domains`; the members of a group are spread evenly. All groups of the
    same kind run at the same time, so `nic_sharing` groups share the NICs of one host and
    `uplink_sharing` groups share the uplinks of one leaf.
    """

    ranks: IntArray
    per_domain: IntArray
    """Ranks of the group inside one scale-up domain, at least 1."""
    per_host: IntArray
    """Ranks of the group inside one host, at least 1."""
    nic_sharing: IntArray
    """Groups of this kind with ranks on one host that leave it at the same time."""
    per_leaf: IntArray
    """Ranks of the group under one leaf unit (`hosts_per_leaf` hosts), at least 1."""
    per_pod: IntArray
    """Ranks of the group under one pod, at least 1."""
