"""Exact counts of a network beside the scale-out fabric: leafs, spines and links by leaf.

The rules are those of the fabric (`planner/physics/fabric.py`) with two kinds of leaf below the
same spines: leafs of servers at a wanted oversubscription, and leafs of appliances at 1:1
(``models/formulation/services.md``).
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.physics.oversubscription import least_uplinks, split_ports
from planner.physics.refusal import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceNeed:
    """What is to be joined, and what one switch offers."""

    servers: int
    links_per_server: int
    appliance_links: int
    """Of all appliances together."""
    ports: int
    """Of one switch at the rate of the links."""
    oversubscription: float
    own_leafs: bool
    """Appliances have leafs of their own."""
    even_spread: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafRow:
    """Leafs of one kind: how many links to servers and to appliances each has, and its uplinks."""

    server_links: tuple[int, ...]
    appliance_links: tuple[int, ...]
    """By leaf, of the same length as `server_links`."""
    uplinks: int
    """Of each leaf."""

    @property
    def leafs(self) -> int:
        """Leafs of the kind."""
        return len(self.server_links)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePlan:
    """The counts of one network."""

    rows: tuple[LeafRow, ...]
    """Leafs of servers, then leafs of appliances if they have their own."""
    spines: int

    @property
    def leafs(self) -> int:
        """Leafs of all kinds."""
        return sum(row.leafs for row in self.rows)

    @property
    def switches(self) -> int:
        """Switches of both tiers."""
        return self.leafs + self.spines

    @property
    def uplinks(self) -> int:
        """Links between leafs and spines."""
        return sum(row.leafs * row.uplinks for row in self.rows) if self.spines else 0


def even_shares(total: int, parts: int) -> tuple[int, ...]:
    """Return a number split into whole shares that differ by at most 1, larger ones first."""
    each, more = divmod(total, parts)
    return tuple(each + (k < more) for k in range(parts))


def size_service_network(need: ServiceNeed) -> ServicePlan | Refusal:
    """Return the counts of the smallest network, or why two tiers do not reach.

    One switch carries all links where it has the ports (`service_single`). Else leafs of servers
    have at most d down ports, d of the fabric's rule (`service_split`); their number is a multiple
    of a server's links, so that each goes to another leaf (`service_rails`); links are spread
    evenly (`service_even`). Appliances share these leafs or have their own at 1:1
    (`service_own_leafs`). Spines are the fewest that have the ports, where every leaf's uplinks
    may be raised to a multiple of the spines (`service_spines`).
    """
    server_links = need.servers * need.links_per_server
    total = server_links + need.appliance_links
    if total <= need.ports:
        row = LeafRow(
            server_links=(server_links,), appliance_links=(need.appliance_links,), uplinks=0
        )
        return ServicePlan(rows=(row,), spines=0)
    down, _ = split_ports(need.ports, need.oversubscription)
    if down < 1:
        return Refusal(
            reason=f"a service switch with {need.ports} ports at the rate serves no server"
        )
    shared = 0 if need.own_leafs else need.appliance_links
    rails = need.links_per_server
    leafs = rails * -(-(server_links + shared) // (down * rails))
    ends = even_shares(server_links, leafs)
    rows = [
        LeafRow(
            server_links=ends,
            appliance_links=even_shares(shared, leafs)[::-1],
            uplinks=least_uplinks(-(-(server_links + shared) // leafs), need.oversubscription),
        )
    ]
    if need.own_leafs and need.appliance_links:
        own = -(-need.appliance_links // (need.ports // 2))
        links = even_shares(need.appliance_links, own)
        rows.append(LeafRow(server_links=(0,) * own, appliance_links=links, uplinks=links[0]))
    return _with_spines(need, rows)


def _with_spines(need: ServiceNeed, rows: list[LeafRow]) -> ServicePlan | Refusal:
    for spines in range(1, need.ports // 2 + 1):
        raised = [
            -(-row.uplinks // spines) * spines if need.even_spread else row.uplinks for row in rows
        ]
        links = sum(row.leafs * up for row, up in zip(rows, raised, strict=True))
        fits = all(
            up + max(map(sum, zip(row.server_links, row.appliance_links, strict=True)))
            <= need.ports
            for row, up in zip(rows, raised, strict=True)
        )
        if fits and links <= spines * need.ports:
            joined = tuple(
                LeafRow(
                    server_links=row.server_links, appliance_links=row.appliance_links, uplinks=up
                )
                for row, up in zip(rows, raised, strict=True)
            )
            return ServicePlan(rows=joined, spines=spines)
    leafs = sum(row.leafs for row in rows)
    return Refusal(
        reason=f"a service network of {leafs} leafs exceeds two tiers of switches with "
        f"{need.ports} ports"
    )
