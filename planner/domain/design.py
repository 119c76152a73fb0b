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
    """direct (one server, no switch), single, joined_pair (two leafs with links of their own between
    them), rail_only, leaf_spine, rail_optimised, top_of_rack (leafs in the rack of their servers),
    rack_rails (a leaf for each rail of every rack that is one server, rails not joined), dual_plane,
    three_tier. Rail-only and dual-plane fabrics have as many tiers as switches are named."""
    leaf_switch: str = ""
    spine_switch: str = ""
    core_switch: str = ""
    oversubscription: float = 1.0
    """Wanted down over up bandwidth of a leaf; the plan's exact ratio is at most this."""
    even_spread: bool = True
    """Spines divide a leaf's uplinks, so that every leaf has the same links to each spine."""
    spine_oversubscription: float = 1.0
    """Wanted down over up bandwidth of a spine below cores."""
    core_asked: bool = False
    """Cores even where two tiers reach, because the buyer asks for three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Servers that share a set of leafs: `leafs` switches, each wired to every server of it."""

    servers: int
    leafs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """Consecutive units whose leafs share spines, below a core tier; of all planes together."""

    units: int
    leafs: int
    spines: int


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
    """Links between each leaf and each spine of its plane, of its pod if there are several."""
    down_ports_per_leaf: int
    """Ports of a leaf that may serve servers."""
    uplinks_per_leaf: int
    hosts_per_leaf: int
    """Servers that fit under one unit."""
    uplink_ratio: float
    """Uplink over used downlink bandwidth of a full leaf, at most 1."""
    pods: tuple[Pod, ...] = ()
    """Empty without a core tier."""
    cores: int = 0
    uplinks_per_spine: int = 0
    """Links of each spine to cores."""
    pod_uplink_ratio: float = 1.0
    """Uplink over used downlink bandwidth of a spine of a full pod, at most 1."""
    planes: int = 1
    """Equal fabrics side by side that no switch joins: of a unit's leafs, leaf r serves plane
    r mod planes. Spines are counted pod by pod and within a pod plane by plane, cores by plane."""
    joint_links: int = 0
    """Links between the two leafs of a joined pair."""
    leafs_beside: bool = False
    """The servers of a unit and its leafs fill a rack of their own (top of rack)."""
    kept_slots: int = 0
    """Further servers for which the leafs of every unit keep ports, though its rack holds no more."""
    tray_rails: int = 0
    """Rails of the trays of a server that is a rack, each on a leaf of its own; else 0."""

    @property
    def parted(self) -> bool:
        """True where not every leaf meets every spine: there are pods, or planes with spines."""
        return self.cores > 0 or (self.planes > 1 and self.spines > 0)

    @property
    def by_turns(self) -> bool:
        """True where the ports of a server go to its leafs by turns: planes, a pair, rails of trays."""
        return self.planes > 1 or self.joint_links > 0 or self.tray_rails > 1

    @property
    def links_beyond_leaf(self) -> int:
        """Links of a leaf to other switches: to spines, or to the other leaf of a pair."""
        return self.uplinks_per_leaf if self.spines else self.joint_links

    @property
    def spine_groups(self) -> tuple[Pod, ...]:
        """Pods, or the whole fabric as one; each holds the leafs and spines of every plane."""
        return self.pods or (Pod(units=len(self.units), leafs=self.leafs, spines=self.spines),)

    @property
    def hosts_per_pod(self) -> int:
        """Servers that fit under one pod; 0 without a core tier."""
        return self.pods[0].units * self.hosts_per_leaf if self.pods else 0

    @property
    def spine_core_links(self) -> int:
        """Links from spines to cores."""
        return self.spines * self.uplinks_per_spine if self.cores else 0

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
        return self.leafs + self.spines + self.cores

    @property
    def tiers(self) -> int:
        """Switch tiers between servers: 0, 1, 2 or 3."""
        return (self.leafs > 0) + (self.spines > 0) + (self.cores > 0)
