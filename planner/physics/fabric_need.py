"""What sizing a fabric needs to know, and the rule for spines that every topology shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from planner.domain.design import FabricChoice, FabricPlan


class PortCount(Protocol):
    """What sizing needs of a switch."""

    def ports_at(self, link_gbps: float) -> int:
        """Return the ports that the switch has at a rate."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricNeed:
    """What the servers ask of the fabric and what its switches offer."""

    choice: FabricChoice
    servers: int
    links_per_server: int
    link_gbps: float
    leaf_ports: int
    """Ports of a leaf at `link_gbps`, 0 without a leaf switch."""
    spine_ports: int
    core_ports: int
    reserved_slots: int
    """Server slots kept free, for instance one for the fabric manager."""
    reserved_leafs: int = 0
    """Leafs to come for which spines keep ports free."""
    servers_beside: tuple[int, ...] = ()
    """Servers that one rack holds beside 1, 2, ... leafs."""
    tray_rails: int = 0
    """NIC ports of one tray of a server that is a rack; 0 of other servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafUnit:
    """How servers share leafs in one unit."""

    leafs: int
    links_per_server_leaf: int
    servers: int
    """Servers that a full unit holds."""
    kept_slots: int = 0
    """Further servers for which its leafs keep ports, though its rack holds no more."""

    @property
    def down_links(self) -> int:
        """Down ports in use, or kept, on a leaf of a full unit."""
        return (self.servers + self.kept_slots) * self.links_per_server_leaf

    def units(self, servers: int, reserved: int) -> int:
        """Return the units that hold so many servers beside slots kept free."""
        slots = self.servers + self.kept_slots
        return max(-(-servers // self.servers), -(-(servers + reserved) // slots))


def spine_count(leafs: int, uplinks: int, ports: int, *, even_spread: bool) -> int | None:
    """Return the spines that join the leafs, or None where two tiers cannot.

    Parameters
    ----------
    leafs, uplinks
        Leafs and uplinks of each.
    ports
        Ports of a spine at the links' rate.
    even_spread
        Whether every leaf has the same number of links to every spine.
    """
    if ports < 1 or leafs > ports or uplinks < 1:
        return None
    least = -(-leafs * uplinks // ports)
    if not even_spread:
        return least
    return next(s for s in range(least, uplinks + 1) if uplinks % s == 0)


def even_spread_spines(plan: FabricPlan, spine_ports: int) -> int:
    """Return the spines of a two-tier fabric beyond what its links need: the price of even spread.

    0 with cores, whose spines also keep ports for uplinks.
    """
    if not plan.spines or plan.cores:
        return 0
    links = plan.leafs // plan.planes * plan.uplinks_per_leaf
    return plan.spines - plan.planes * -(-links // spine_ports)
