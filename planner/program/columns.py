"""A column: one platform, a number of servers and a complete fabric, priced without its placement."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.catalog import Catalog
from planner.domain.design import FabricChoice, FabricPlan
from planner.domain.units import cents
from planner.physics.costs import UnitCost
from planner.physics.fabric import size_fabric
from planner.physics.planes import DUAL
from planner.physics.refusal import Refusal
from planner.program.owned_fabric import Joining, join
from planner.program.platforms import PlatformOption, beyond_sale, servers_net
from planner.program.prices import PriceBook
from planner.program.service_design import ServiceDesign

OOB_SWITCH = "sn2201"
"""Management switch of the out-of-band network; 48 copper ports of 1 Gb/s."""
OOB_CABLE = "cat6a-1g-20m"
WATTS_PER_KW = 1000.0
TINY = 1e-6
"""Watts and kilograms that rounding may lose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBand:
    """The management network: one port for every controller and every switch; an estimate."""

    ports: int
    switches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One design without its placement."""

    option: PlatformOption
    nodes: int
    plan: FabricPlan
    out_of_band: OutOfBand
    fixed: UnitCost
    """Servers, NICs, switches, out-of-band network and services with their racks: all that does
    not depend on placement."""
    max_power_w: float
    joining: Joining | None = None
    """How it joins the fabric that exists, where the instance gives one."""
    services: ServiceDesign | None = None
    """What stands beside it in racks of its own, where the instance asks for it."""

    @property
    def placed_power_w(self) -> float:
        """Most watts of what placement puts into racks: all but services."""
        return self.max_power_w - (self.services.max_w if self.services else 0.0)

    @property
    def gpus(self) -> int:
        """GPUs bought."""
        return self.nodes * self.option.server.gpus

    @property
    def key(self) -> tuple[str, int, str, str, str, str, float, str, float]:
        """Attributes in the order in which ties are broken."""
        choice = self.plan.choice
        return (
            self.option.key,
            self.nodes,
            choice.family,
            choice.topology,
            choice.leaf_switch,
            choice.spine_switch,
            choice.oversubscription,
            choice.core_switch,
            choice.spine_oversubscription,
        )


def out_of_band(
    catalog: Catalog, option: PlatformOption, nodes: int, switches: int, others: int = 0
) -> OutOfBand:
    """Return the management network of servers, fabric switches and `others`, ports of services."""
    ports = nodes * option.server.out_of_band_ports + switches + others
    return OutOfBand(ports=ports, switches=-(-ports // catalog.switch(OOB_SWITCH).ports))


def plan_of(
    catalog: Catalog, book: PriceBook, option: PlatformOption, nodes: int, choice: FabricChoice
) -> FabricPlan | Refusal:
    """Return the counts of a fabric that joins a number of servers; no price enters them."""
    leaf = catalog.switch(choice.leaf_switch) if choice.leaf_switch else None
    spine = catalog.switch(choice.spine_switch) if choice.spine_switch else None
    core = catalog.switch(choice.core_switch) if choice.core_switch else None
    platform = option.platform
    if choice.topology in ("rail_only", "rack_rails") and option.server.scale_up == "none":
        return Refusal(reason=f"GPUs of {option.server.id} meet other rails on the fabric only")
    adapters = catalog.adapters(option.nics)
    if choice.topology == "dual_plane" and option.nics.links % (DUAL * adapters):
        each = option.nics.links // adapters
        return Refusal(
            reason=f"a NIC of {option.server.id} with {each} links does not join two planes alike"
        )
    rules = book.instance.fabric
    return size_fabric(
        choice, nodes, platform.nics, platform.link_gbps, leaf, spine, rules.reserved_slots, core,
        rules.reserved_leafs, *_in_racks(catalog, book, option, choice),
    )  # fmt: skip


def _in_racks(
    catalog: Catalog, book: PriceBook, option: PlatformOption, choice: FabricChoice
) -> tuple[tuple[int, ...], int]:
    """Return the servers that the site's usual rack holds beside 1, 2, ... leafs, and tray rails."""
    server, site = option.server, book.instance.site
    if choice.topology not in ("top_of_rack", "rack_rails"):
        return (), 0
    if server.takes_whole_rack:
        return (), option.platform.nics // server.hosts
    rack, leaf = catalog.rack(site.rack), catalog.switch(choice.leaf_switch)
    limits = (
        (rack.rack_units, leaf.rack_units or 0, server.rack_units),
        (site.rack_kw * WATTS_PER_KW, book.watts(leaf.id).maximum, server.max_power_w),
        (site.rack_weight_kg, book.weight_kg(leaf.id), server.weight_kg),
    )
    return tuple(
        max(0, min(int((have - leafs * each + TINY) // need) for have, each, need in limits))
        for leafs in range(1, option.platform.nics + 1)
    ), 0


def build_column(
    catalog: Catalog,
    book: PriceBook,
    option: PlatformOption,
    nodes: int,
    plan: FabricPlan | Refusal,
    services: ServiceDesign | Refusal | None = None,
) -> Column | Refusal:
    """Return the column of a platform, a number of servers and a fabric, or why there is none."""
    if isinstance(plan, Refusal):
        return plan
    if isinstance(services, Refusal):
        return services
    joining = None
    if book.instance.owned is not None:
        choice = plan.choice
        speaks = catalog.switch(choice.leaf_switch).family if choice.leaf_switch else ""
        found = join(book.instance.owned, catalog, plan, option.server.id, speaks)
        if isinstance(found, Refusal):
            return found
        joining = found
    others = services.out_of_band_ports if services else 0
    oob = out_of_band(catalog, option, nodes, plan.switches, others)
    fixed = servers_net(book, option, nodes)
    power = nodes * option.server.max_power_w
    for switch, count in switch_counts(plan).items():
        refusal = beyond_sale(book, switch, "switches", count)
        if refusal is not None:
            return refusal
        fixed = fixed + book.net(switch, "switches", count)
        power += count * book.watts(switch).maximum
    fixed = fixed + book.net(OOB_SWITCH, "out_of_band", oob.switches)
    fixed = fixed + book.net(OOB_CABLE, "out_of_band", oob.ports)
    if joining is not None:
        fixed = fixed + rewiring_unit(book).times(joining.moved_links)
    power += oob.switches * book.watts(OOB_SWITCH).maximum
    if services is not None:
        fixed = fixed + services.cost
        power += services.max_w
    return Column(
        option=option, nodes=nodes, plan=plan, out_of_band=oob, fixed=fixed, max_power_w=power,
        joining=joining, services=services,
    )  # fmt: skip


def switch_counts(plan: FabricPlan) -> dict[str, int]:
    """Return the switches of a fabric by model, tiers of one model together."""
    counts: dict[str, int] = {}
    choice = plan.choice
    for switch, count in (
        (choice.leaf_switch, plan.leafs),
        (choice.spine_switch, plan.spines),
        (choice.core_switch, plan.cores),
    ):
        if count:
            counts[switch] = counts.get(switch, 0) + count
    return counts


def rewiring_unit(book: PriceBook) -> UnitCost:
    """Return the cost of moving one link that exists; work, paid once."""
    owned = book.instance.owned
    return UnitCost(capex=cents(owned.rewire_usd_per_link)) if owned else UnitCost()
