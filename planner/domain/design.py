"""What is bought and how it is wired: platform, fabric, their exact counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A server model with its NIC choice."""

    server: str
    """Catalogue id of the server."""
    nic: str
    """Catalogue id of the NIC model."""
    nics: int
    """NIC ports of one server on the scale-out fabric (an NVL72 rack: 72)."""
    link_gbps: float
    """Rate of one NIC port, gigabit/s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricChoice:
    """What is chosen of a fabric; its counts follow from it and the number of servers."""

    family: str
    """infiniband, roce or ethernet (TCP); none for one server alone."""
    topology: str
    """direct (one server, no switch), single, leaf_spine or rail_optimised."""
    leaf_switch: str = ""
    spine_switch: str = ""
    oversubscription: float = 1.0
    """Wanted down over up bandwidth of a leaf; the plan's exact ratio is at most this."""
    even_spread: bool = True
    """Spines divide a leaf's uplinks, so that every leaf has the same links to each spine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Servers that share a set of leafs: `leafs` switches, each wired to every server of it."""

    servers: int
    leafs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricPlan:
    """The exact counts of a fabric for a number of servers."""

    choice: FabricChoice
    servers: int
    links_per_server: int
    link_gbps: float
    units: tuple[Unit, ...]
    """One entry a unit; a single switch is one unit with one leaf."""
    links_per_server_leaf: int
    """Links between one server and each leaf of its unit."""
    leafs: int
    spines: int
    links_per_leaf_spine: int
    """Links between each leaf and each spine."""
    down_ports_per_leaf: int
    """Ports of a leaf that may serve servers."""
    uplinks_per_leaf: int
    hosts_per_leaf: int
    """Servers that fit under one unit."""
    uplink_ratio: float
    """Uplink over used downlink bandwidth of a full leaf, at most 1."""

    @property
    def node_leaf_links(self) -> int:
        """Links from servers to leafs."""
        return self.servers * self.links_per_server if self.leafs else 0

    @property
    def leaf_spine_links(self) -> int:
        """Links from leafs to spines."""
        return self.leafs * self.uplinks_per_leaf if self.spines else 0

    @property
    def switches(self) -> int:
        """Switches of the scale-out fabric."""
        return self.leafs + self.spines

    @property
    def tiers(self) -> int:
        """Switch tiers between servers: 0, 1 or 2."""
        return 0 if not self.leafs else (2 if self.spines else 1)
