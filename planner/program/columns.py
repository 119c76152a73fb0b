"""A column: one platform, a number of servers and a complete fabric, priced without its placement."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.catalog import Catalog
from planner.domain.design import FabricChoice, FabricPlan
from planner.physics.costs import UnitCost
from planner.physics.fabric import size_fabric
from planner.physics.refusal import Refusal
from planner.program.platforms import PlatformOption
from planner.program.prices import PriceBook

OOB_SWITCH = "sn2201"
"""Management switch of the out-of-band network; 48 copper ports of 1 Gb/s."""
OOB_CABLE = "cat6a-1g-20m"


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
    """Servers, NICs, switches and out-of-band network: all that does not depend on placement."""
    max_power_w: float

    @property
    def gpus(self) -> int:
        """GPUs bought."""
        return self.nodes * self.option.server.gpus

    @property
    def key(self) -> tuple[str, int, str, str, str, str, float]:
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
        )


def out_of_band(catalog: Catalog, option: PlatformOption, nodes: int, switches: int) -> OutOfBand:
    """Return the management network of a number of servers and fabric switches."""
    ports = nodes * option.server.out_of_band_ports + switches
    return OutOfBand(ports=ports, switches=-(-ports // catalog.switch(OOB_SWITCH).ports))


def build_column(
    catalog: Catalog, book: PriceBook, option: PlatformOption, nodes: int, choice: FabricChoice
) -> Column | Refusal:
    """Return the column of a platform, a number of servers and a fabric, or why there is none."""
    leaf = catalog.switch(choice.leaf_switch) if choice.leaf_switch else None
    spine = catalog.switch(choice.spine_switch) if choice.spine_switch else None
    core = catalog.switch(choice.core_switch) if choice.core_switch else None
    platform = option.platform
    reserved = book.instance.fabric.reserved_slots
    plan = size_fabric(
        choice, nodes, platform.nics, platform.link_gbps, leaf, spine, reserved, core
    )
    if isinstance(plan, Refusal):
        return plan
    oob = out_of_band(catalog, option, nodes, plan.switches)
    fixed = option.unit.times(nodes)
    power = nodes * option.server.max_power_w
    for switch, count in ((leaf, plan.leafs), (spine, plan.spines), (core, plan.cores)):
        if switch is not None:
            fixed = fixed + book.unit(switch.id).times(count)
            power += count * book.watts(switch.id).maximum
    fixed = fixed + book.unit(OOB_SWITCH, out_of_band=True).times(oob.switches)
    fixed = fixed + book.unit(OOB_CABLE, out_of_band=True).times(oob.ports)
    power += oob.switches * book.watts(OOB_SWITCH).maximum
    return Column(
        option=option, nodes=nodes, plan=plan, out_of_band=oob, fixed=fixed, max_power_w=power
    )
