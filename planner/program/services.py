"""From an instance's services and a fabric to their design: networks, managers, gear, racks.

Devices, racks and the ends of links follow from rules, so services add exact figures to every column
before it is placed, and a bound on their links, whose routes placement decides
(``models/formulation/services.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from planner.domain.design import FabricPlan
from planner.domain.fabric_parts import Switch
from planner.domain.services import ServiceNetwork, Services
from planner.domain.solution import Device, RackUse
from planner.physics.costs import UnitCost
from planner.physics.refusal import Refusal
from planner.physics.service_network import ServiceNeed, ServicePlan, size_service_network
from planner.program.box import Box
from planner.program.placer import Placer
from planner.program.platforms import PlatformOption
from planner.program.rack_layout import devices_of, names, racks_of
from planner.program.service_design import ServiceDesign
from planner.program.service_links import Kind
from planner.program.service_menus import IN_BAND, MANAGER, SWITCH_KINDS, Managers, ServiceMenus
from planner.program.service_racks import Gear, stand_in

APPLIANCES = "appliances"
"""Component of storage appliances and management servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stood:
    """Networks and appliances in their racks."""

    kinds: tuple[Kind, ...]
    least: UnitCost
    quantities: tuple[tuple[str, str, int], ...]
    cost: UnitCost
    """Devices and racks."""
    max_w: float
    rack_of: dict[str, int]
    racks: tuple[RackUse, ...]
    devices: tuple[Device, ...]


@dataclass
class ServicePlanner:
    """Designs the services of one instance; what repeats is kept."""

    placer: Placer
    services: Services

    @cached_property
    def links(self) -> ServiceMenus:
        """What joins the devices."""
        return ServiceMenus(self.placer, self.services)

    @cached_property
    def _networks(self) -> dict[tuple[str, int], ServicePlan | Refusal]:
        return {}

    @cached_property
    def _stood(self) -> dict[tuple[str, int, int], _Stood | Refusal]:
        return {}

    def design(
        self, option: PlatformOption, nodes: int, plan: FabricPlan
    ) -> ServiceDesign | Refusal:
        """Return the services beside a number of servers and their fabric, or why there are none."""
        refusal = self.server_limit(option)
        if refusal is not None:
            return refusal
        networks: dict[str, ServicePlan] = {}
        for name, wanted in self.services.networks.items():
            found = self._network(name, wanted, nodes)
            if isinstance(found, Refusal):
                return found
            networks[name] = found
        wanted_managers = self.services.fabric_manager
        managers = None
        if wanted_managers is not None and plan.choice.family == "infiniband":
            built = self.links.managers(wanted_managers, option, plan)
            if isinstance(built, Refusal):
                return built
            managers = built
        return self._complete(option, nodes, networks, managers)

    def server_limit(self, option: PlatformOption) -> Refusal | None:
        """Return a refusal that holds for any number of servers of a platform.

        A server has fewer or slower front-end ports than are linked (`service_ports`), or nothing
        joins it to a switch over the length (`service_reach`).
        """
        return self._ports(option) or self._server_links

    @cached_property
    def _server_links(self) -> Refusal | None:
        """Return a refusal where no part joins servers to a network, whatever their number."""
        for wanted in self.services.networks.values():
            switch = self.placer.catalog.switch(wanted.switch)
            menu = self.links.menu(wanted.server_connector, 1, switch, wanted.link_gbps)
            if not self.links.media(menu, IN_BAND, single=True):
                return self.links.unbuilt(switch.id)
        return None

    def _ports(self, option: PlatformOption) -> Refusal | None:
        """Return a refusal where a server has fewer or slower front-end ports than are linked."""
        server = option.server
        wanted = self.services.networks.values()
        links = sum(network.links_per_server for network in wanted)
        if links > server.front_end_links:
            return Refusal(
                limit="service_ports",
                reason=f"{server.id} has {server.front_end_links} ports beside the fabric's; "
                f"services link {links}",
            )
        rate = max((network.link_gbps for network in wanted), default=0.0)
        if rate > server.front_end_gbps:
            return Refusal(
                limit="service_ports",
                reason=f"ports of {server.id} beside the fabric's run at up to "
                f"{server.front_end_gbps:g} Gb/s; services link {rate:g} Gb/s",
            )
        return None

    def _network(self, name: str, wanted: ServiceNetwork, nodes: int) -> ServicePlan | Refusal:
        key = name, nodes
        if key not in self._networks:
            self._networks[key] = self._sized(wanted, nodes)
        return self._networks[key]

    def _sized(self, wanted: ServiceNetwork, nodes: int) -> ServicePlan | Refusal:
        switch = self.placer.catalog.switch(wanted.switch)
        plan = size_service_network(
            ServiceNeed(
                servers=nodes,
                links_per_server=wanted.links_per_server,
                appliance_links=sum(group.count * group.links for group in wanted.appliances),
                ports=switch.ports_at(wanted.link_gbps),
                oversubscription=wanted.oversubscription,
                own_leafs=wanted.own_leafs,
                even_spread=self.placer.instance.fabric.even_spread,
            )
        )
        if isinstance(plan, Refusal):
            return replace(plan, limit="service_spines")
        return _cages(plan, switch, wanted) or plan

    def _complete(
        self,
        option: PlatformOption,
        nodes: int,
        networks: dict[str, ServicePlan],
        managers: Managers | None,
    ) -> ServiceDesign | Refusal:
        key = option.server.id, nodes, managers.count if managers else 0
        if key not in self._stood:
            self._stood[key] = self._stand(option, nodes, networks, key[2])
        stood = self._stood[key]
        if isinstance(stood, Refusal):
            return stood
        kinds, least = stood.kinds, stood.least
        if managers is not None:
            bound = self.links.least(managers.kind, stood.rack_of, managers.free, loose=None)
            if isinstance(bound, Refusal):
                return bound
            kinds, least = (*kinds, managers.kind), least + bound
        return ServiceDesign(
            networks=networks,
            managers=managers.count if managers else 0,
            leaf_module=managers.module if managers else "",
            leaf_links=managers.kind.links_b if managers else 1,
            kinds=kinds,
            quantities=stood.quantities,
            cost=stood.cost + least,
            least_links=least,
            max_w=stood.max_w,
            out_of_band_ports=self._out_of_band_ports(networks, managers.count if managers else 0),
            racks=stood.racks,
            devices=stood.devices,
        )

    def _stand(
        self, option: PlatformOption, nodes: int, networks: dict[str, ServicePlan], managers: int
    ) -> _Stood | Refusal:
        """Return the devices in their racks, and what their links cost at least."""
        gear = list(self._gear(networks, managers))
        room = self.placer.whole_room
        spots = stand_in(room, range(self.placer.room.racks, room.racks), gear)
        if isinstance(spots, Refusal):
            return spots
        racks, book = racks_of(room, spots), self.placer.book
        quantities = self._quantities(networks, managers)
        cost = self.placer.cost_of(racks)
        for part, component, count in quantities:
            cost += book.unit(part, component=component).times(count)
        rack_of = {spot.id: spot.rack for spot in spots}
        kinds = tuple(
            k for name, plan in networks.items() for k in self.links.kinds(name, plan, nodes)
        )
        least = UnitCost()
        for kind in kinds:
            bound = self.links.least(kind, rack_of, 0, loose=self.placer.server_box(option.server))
            if isinstance(bound, Refusal):
                return bound
            least += bound
        return _Stood(
            kinds=kinds, least=least, quantities=quantities, cost=cost, rack_of=rack_of,
            max_w=sum(box.max_w for _, _, box in gear), racks=tuple(racks),
            devices=tuple(devices_of(room, spots)),
        )  # fmt: skip

    def _gear(self, networks: Mapping[str, ServicePlan], managers: int) -> Iterator[Gear]:
        """Yield every device: by network its leafs, spines and appliances, then the managers."""
        placer = self.placer
        for name, plan in networks.items():
            wanted = self.services.networks[name]
            kind, word = SWITCH_KINDS[name]
            box = placer.switch_box(placer.catalog.switch(wanted.switch))
            for tier, count in (("leaf", plan.leafs), ("spine", plan.spines)):
                yield from ((one, kind, box) for one in names(f"{word}-{tier}", count, 2))
            ids = iter(names(f"{word}-node", sum(g.count for g in wanted.appliances), 2))
            for group in wanted.appliances:
                box = self._appliance_box(group.appliance)
                for _ in range(group.count):
                    yield next(ids), "appliance", box
        manager = self.services.fabric_manager
        if manager is not None:
            box = self._appliance_box(manager.appliance)
            yield from ((one, "fabric_manager", box) for one in names("manager", managers, 1))

    def _appliance_box(self, part: str) -> Box:
        row = self.placer.catalog.appliance(part)
        return Box(
            part=row.id, units=row.rack_units, max_w=row.max_power_w, weight_kg=row.weight_kg,
            cooling=row.cooling,
        )  # fmt: skip

    def _quantities(
        self, networks: Mapping[str, ServicePlan], managers: int
    ) -> tuple[tuple[str, str, int], ...]:
        found: Counter[tuple[str, str]] = Counter()
        for name, plan in networks.items():
            wanted = self.services.networks[name]
            found[wanted.switch, name] += plan.switches
            for group in wanted.appliances:
                found[group.appliance, APPLIANCES] += group.count
        manager = self.services.fabric_manager
        if manager is not None and managers:
            found[manager.appliance, MANAGER] += managers
        return tuple((part, component, n) for (part, component), n in found.items() if n)

    def _out_of_band_ports(self, networks: Mapping[str, ServicePlan], managers: int) -> int:
        """Return the ports of the management network: controllers of appliances, every switch."""
        catalog = self.placer.catalog
        ports = sum(plan.switches for plan in networks.values())
        for name in networks:
            for group in self.services.networks[name].appliances:
                ports += group.count * catalog.appliance(group.appliance).out_of_band_ports
        manager = self.services.fabric_manager
        if manager is not None:
            ports += managers * catalog.appliance(manager.appliance).out_of_band_ports
        return ports


def _cages(plan: ServicePlan, switch: Switch, wanted: ServiceNetwork) -> Refusal | None:
    """Return a refusal where a leaf has too few cages for plugs of their own to every kind."""
    each = switch.links_per_cage(wanted.link_gbps)
    kinds = len(wanted.appliances)
    for row in plan.rows:
        for servers, appliances in zip(row.server_links, row.appliance_links, strict=True):
            shares = min(kinds, appliances)
            plugs = -(-servers // each) + -(-row.uplinks // each)
            plugs += (appliances + shares * (each - 1)) // each if appliances else 0
            if plugs > switch.cages:
                return Refusal(
                    limit="service_cages",
                    reason=f"{switch.id} has {switch.cages} cages; a leaf of services needs up to "
                    f"{plugs} for servers, appliances and uplinks",
                )
    return None
