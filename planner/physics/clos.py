"""Exact counts of larger fabrics: three tiers, several planes, separate rails, joined pairs.

Published designs that need more than `size_fabric` can express: NVIDIA SuperPODs beyond two tiers,
dual-plane 800G, Alibaba HPN, GB200 with a leaf in every rack, rail-only fabrics.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.physics.fabric_need import spine_count
from planner.physics.oversubscription import least_uplinks, split_ports
from planner.physics.refusal import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosNeed:
    """What servers ask of one plane and what its switches offer at the links' rate."""

    servers: int
    links_per_server: int
    """Links of a server into one plane; with rails one for each rail."""
    leaf_ports: int
    spine_ports: int
    core_ports: int = 0
    """0 where the top tier is not to be counted."""
    rails: bool = True
    """One leaf for each link of a server; else the links of a server share leafs."""
    rails_joined: bool = True
    """False: every rail is a fabric of its own (rail-only)."""
    planes: int = 1
    """Equal fabrics side by side: a NIC port split, or homed, over several."""
    oversubscription: float = 1.0
    spine_oversubscription: float = 1.0
    even_spread: bool = True
    reserved_slots: int = 0
    leaf_split: tuple[int, int] | None = None
    """Down and up ports of a leaf where they are given, for instance a rack's servers."""
    spine_split: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosCounts:
    """Switches and links of all planes and rails together."""

    leafs: int
    spines: int
    cores: int
    node_leaf_links: int
    leaf_spine_links: int
    spine_core_links: int

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return self.leafs + self.spines + self.cores

    @property
    def tiers(self) -> int:
        """Switch tiers."""
        return 1 + (self.spines > 0) + (self.cores > 0)

    def times(self, fabrics: int) -> ClosCounts:
        """Return the counts of several equal fabrics."""
        return ClosCounts(
            leafs=fabrics * self.leafs,
            spines=fabrics * self.spines,
            cores=fabrics * self.cores,
            node_leaf_links=fabrics * self.node_leaf_links,
            leaf_spine_links=fabrics * self.leaf_spine_links,
            spine_core_links=fabrics * self.spine_core_links,
        )


def size_clos(need: ClosNeed) -> ClosCounts | Refusal:
    """Return the counts of the fewest tiers that join all servers, or why none do.

    One leaf alone needs no spine; two tiers are taken as far as they reach, then three.

    Raises
    ------
    ValueError
        If a count is out of range.
    """
    if min(need.servers, need.links_per_server, need.planes) < 1 or need.reserved_slots < 0:
        raise ValueError("servers, links and planes must be at least 1, reserved slots 0")
    fabrics = need.planes
    links = need.links_per_server
    if not need.rails_joined:
        fabrics, links = fabrics * links, 1
    one = _one_fabric(need, links)
    return one if isinstance(one, Refusal) else one.times(fabrics)


def _one_fabric(need: ClosNeed, links: int) -> ClosCounts | Refusal:
    slots = need.servers + need.reserved_slots
    if slots * links <= need.leaf_ports and (links == 1 or not need.rails):
        return _counts(need, links, leafs=1)
    down, uplinks = need.leaf_split or split_ports(need.leaf_ports, need.oversubscription)
    if down < 1:
        return Refusal(reason=f"a leaf with {need.leaf_ports} ports serves no server")
    leafs = links * -(-slots // down) if need.rails else -(-slots * links // down)
    if need.leaf_split is None:
        uplinks = least_uplinks(down, need.oversubscription)
    if need.spine_split is None:
        spines = spine_count(leafs, uplinks, need.spine_ports, even_spread=need.even_spread)
        if spines is not None:
            return _counts(need, links, leafs=leafs, uplinks=uplinks, spines=spines)
    return _three_tiers(need, links, leafs, uplinks)


def _three_tiers(need: ClosNeed, links: int, leafs: int, uplinks: int) -> ClosCounts | Refusal:
    """Return a fabric of pods: leafs that share spines, joined by cores."""
    down, up = need.spine_split or split_ports(need.spine_ports, need.spine_oversubscription)
    if down < 1 or (not need.core_ports and need.spine_split is None):
        return Refusal(
            reason=f"{need.servers} servers need {leafs} leafs; two tiers end at "
            f"{need.spine_ports} and no third is offered"
        )
    pods, rest = divmod(leafs, down)
    whole = spine_count(down, uplinks, down, even_spread=need.even_spread) if pods else 0
    last = spine_count(rest, uplinks, down, even_spread=need.even_spread) if rest else 0
    assert whole is not None
    assert last is not None
    spines = pods * whole + last
    cores = 0
    if need.core_ports:
        if pods + (rest > 0) > need.core_ports:
            return Refusal(
                reason=f"{leafs} leafs make {pods + (rest > 0)} pods; a core has "
                f"{need.core_ports} ports, one for each pod at least"
            )
        cores = -(-spines * up // need.core_ports)
    return _counts(
        need,
        links,
        leafs=leafs,
        uplinks=uplinks,
        spines=spines,
        cores=cores,
        core_links=spines * up,
    )


def _counts(
    need: ClosNeed,
    links: int,
    *,
    leafs: int,
    uplinks: int = 0,
    spines: int = 0,
    cores: int = 0,
    core_links: int = 0,
) -> ClosCounts:
    return ClosCounts(
        leafs=leafs,
        spines=spines,
        cores=cores,
        node_leaf_links=need.servers * links,
        leaf_spine_links=leafs * uplinks if spines else 0,
        spine_core_links=core_links,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedPair:
    """Two leafs joined by links of their own instead of a spine."""

    down_links: int
    """Server links of one switch."""
    across_links: int
    """Links between the two switches, as many as serve one of them (1:1)."""
    free_ports: int
    """Ports of one switch left for other networks."""


def joined_pair(
    servers: int, links_per_switch: int, ports: int, other_ports: int = 0
) -> JoinedPair | Refusal:
    """Return two joined switches: c n links down and c n across must fit the ports of one.

    Parameters
    ----------
    servers
        Servers n, each with links to both switches.
    links_per_switch
        Links c of a server to one switch.
    ports
        Ports of one switch at the links' rate.
    other_ports
        Ports of one switch that other networks need, for instance north-south.
    """
    links = servers * links_per_switch
    free = ports - 2 * links
    if free < other_ports:
        beside = f" beside {other_ports} for other networks" if other_ports else ""
        return Refusal(
            reason=f"{servers} servers take {links} ports down and {links} across of one switch"
            f"{beside}; it has {ports}"
        )
    return JoinedPair(down_links=links, across_links=links, free_ports=free)
