"""From an instance's services and a fabric to their design: networks, managers, gear, racks.

Nothing is left to choose but the cheapest part of each kind of link, so services add exact figures
to every column before it is placed (``models/formulation/services.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from planner.domain.design import FabricPlan
from planner.domain.fabric_parts import LinkProtocol, Switch
from planner.domain.services import FabricManager, ServiceNetwork, Services
from planner.physics.links import Cage, LinkMenu, link_menu
from planner.physics.refusal import Refusal
from planner.physics.service_network import ServiceNeed, ServicePlan, size_service_network
from planner.program.box import Box
from planner.program.placer import Placer
from planner.program.platforms import PlatformOption
from planner.program.rack_layout import Kind, devices_of, names, racks_of
from planner.program.service_design import ServiceDesign, ServiceLot
from planner.program.service_links import Built, Lot, cheapest
from planner.program.service_manager import manager_links, modules_added
from planner.program.service_racks import Gear, stand_in

APPLIANCES = "appliances"
"""Component of storage appliances and management servers."""
MANAGER = "fabric_manager"
SWITCH_KINDS: dict[str, tuple[Kind, str]] = {
    "storage_network": ("storage_switch", "storage"),
    "in_band_network": ("in_band_switch", "in-band"),
}
"""Kind of device and first word of its name, by network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Network:
    """A network sized and built."""

    plan: ServicePlan
    lots: tuple[ServiceLot, ...]


@dataclass
class ServicePlanner:
    """Designs the services of one instance; what repeats is kept."""

    placer: Placer
    services: Services

    @cached_property
    def needed_m(self) -> float:
        """Length that every cable must reach: as given, else the farthest route of the room."""
        return self.services.cable_m or self.placer.whole_room.lengths_m[-1]

    @cached_property
    def _unit_cents(self) -> dict[str, int]:
        """Present value of what links are built of, without the factor of the fabric's prices."""
        book = self.placer.book
        return {part: book.unit(part, component=MANAGER).total for part in self.placer.unit_cents}

    @cached_property
    def _networks(self) -> dict[tuple[str, int], _Network | Refusal]:
        return {}

    @cached_property
    def _menus(self) -> dict[tuple[object, ...], LinkMenu]:
        return {}

    def design(
        self, option: PlatformOption, nodes: int, plan: FabricPlan
    ) -> ServiceDesign | Refusal:
        """Return the services beside a number of servers and their fabric, or why there are none."""
        refusal = self.server_limit(option)
        if refusal is not None:
            return refusal
        networks: dict[str, ServicePlan] = {}
        lots: list[ServiceLot] = []
        for name, wanted in self.services.networks.items():
            found = self._network(name, wanted, nodes)
            if isinstance(found, Refusal):
                return found
            networks[name] = found.plan
            lots += found.lots
        manager = self.services.fabric_manager
        module, managers = "", 0
        if manager is not None and plan.choice.family == "infiniband":
            built = self._manager(manager, option, plan)
            if isinstance(built, Refusal):
                return built
            managers = manager.count
            lots.append(ServiceLot(network=MANAGER, ends="manager", built=built))
            module = built.module_b if built.modules_b < built.links else ""
        return self._complete(networks, managers, module, tuple(lots))

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
            menu = self._menu(wanted.server_connector, 1, switch, wanted.link_gbps)
            lot = Lot(links=1, at_a=(1,), at_b=(1,))
            if cheapest(menu, lot, self._unit_cents, self.needed_m) is None:
                return self._unbuilt(switch.id)
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

    def _network(self, name: str, wanted: ServiceNetwork, nodes: int) -> _Network | Refusal:
        key = name, nodes
        if key not in self._networks:
            self._networks[key] = self._sized(name, wanted, nodes)
        return self._networks[key]

    def _sized(self, name: str, wanted: ServiceNetwork, nodes: int) -> _Network | Refusal:
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
        refusal = _cages(plan, switch, wanted)
        if refusal is not None:
            return refusal
        found = []
        for ends, appliance, menu, lot in self._kinds(wanted, switch, plan):
            built = cheapest(menu, lot, self._unit_cents, self.needed_m)
            if built is None:
                return self._unbuilt(switch.id)
            found.append(ServiceLot(network=name, ends=ends, appliance=appliance, built=built))
        return _Network(plan=plan, lots=tuple(found))

    def _unbuilt(self, switch: str) -> Refusal:
        return Refusal(
            limit="service_reach",
            reason=f"no part that can be bought joins links of services to {switch} over "
            f"{self.needed_m:g} m; give services.cable_m or other connectors",
        )

    def _kinds(
        self, wanted: ServiceNetwork, switch: Switch, plan: ServicePlan
    ) -> Iterator[tuple[str, str, LinkMenu, Lot]]:
        """Yield what is linked: servers, each model of appliance, uplinks."""
        catalog, gbps = self.placer.catalog, wanted.link_gbps
        to_servers = tuple(n for row in plan.rows for n in row.server_links if n)
        yield (
            "server",
            "",
            self._menu(wanted.server_connector, 1, switch, gbps),
            Lot(links=sum(to_servers), at_a=(1,) * sum(to_servers), at_b=to_servers),
        )
        free = [n for row in plan.rows for n in row.appliance_links]
        for group in wanted.appliances:
            links = group.count * group.links
            connector = catalog.appliance(group.appliance).connector
            yield (
                "appliance",
                group.appliance,
                self._menu(connector, 1, switch, gbps),
                Lot(links=links, at_a=(1,) * links, at_b=_taken(free, links)),
            )
        if plan.spines:
            pairs = [row.uplinks // plan.spines for row in plan.rows for _ in range(row.leafs)]
            even = all(row.uplinks % plan.spines == 0 for row in plan.rows)
            whole = tuple(links for links in pairs for _ in range(plan.spines)) if even else ()
            below = tuple(row.uplinks for row in plan.rows for _ in range(row.leafs))
            each, more = divmod(plan.uplinks, plan.spines)
            above = tuple(each + (k < more) for k in range(plan.spines))
            lot = Lot(links=plan.uplinks, at_a=below, at_b=above, pairs=whole)
            cage = switch.links_per_cage(gbps)
            yield "uplink", "", self._menu(switch.connector, cage, switch, gbps), lot

    def _menu(self, connector: str, links: int, switch: Switch, gbps: float) -> LinkMenu:
        """Return what joins a cage of so many links to a switch, of what can be bought."""
        key = connector, links, switch.id, gbps
        if key not in self._menus:
            catalog = self.placer.catalog
            protocol: LinkProtocol = switch.family
            menu = link_menu(
                protocol,
                gbps,
                Cage(connector=catalog.connectors[connector], links=links),
                Cage(
                    connector=catalog.connectors[switch.connector],
                    links=switch.links_per_cage(gbps),
                ),
                catalog.cables.values(),
                catalog.transceivers.values(),
                catalog.fibres.values(),
            )
            self._menus[key] = menu.within(self._unit_cents)
        return self._menus[key]

    def _manager(
        self, manager: FabricManager, option: PlatformOption, plan: FabricPlan
    ) -> Built | Refusal:
        """Return the links between fabric managers and leafs (`service_manager`)."""
        taken = manager_links(plan, manager.count * manager.links)
        if isinstance(taken, Refusal):
            return taken
        catalog, gbps = self.placer.catalog, plan.link_gbps
        leaf = catalog.switch(plan.choice.leaf_switch)
        each = leaf.links_per_cage(gbps)
        added = modules_added(plan, taken, each, leaf.cages)
        if isinstance(added, Refusal):
            return added
        menu = self._menu(catalog.appliance(manager.appliance).connector, 1, leaf, gbps)
        nics = option.nics
        servers = self._menu(nics.connector, min(nics.links_per_cage, nics.links), leaf, gbps)
        known = {optic.module_b for optic in servers.optics}
        if known:
            menu = replace(menu, optics=tuple(o for o in menu.optics if o.module_b in known))
        links = sum(taken.values())
        whole = sum(-(-n // each) for n in taken.values())
        lot = Lot(
            links=links,
            at_a=(1,) * links,
            at_b=tuple(taken.values()),
            half_filled=whole - added,
        )
        built = cheapest(menu, lot, self._unit_cents, self.needed_m)
        return self._unbuilt(leaf.id) if built is None else built

    def _complete(
        self,
        networks: dict[str, ServicePlan],
        managers: int,
        module: str,
        lots: tuple[ServiceLot, ...],
    ) -> ServiceDesign | Refusal:
        gear = list(self._gear(networks, managers))
        room = self.placer.whole_room
        spots = stand_in(room, range(self.placer.room.racks, room.racks), gear)
        if isinstance(spots, Refusal):
            return spots
        racks, book = racks_of(room, spots), self.placer.book
        quantities = self._quantities(networks, managers, lots)
        cost = self.placer.cost_of(racks)
        for part, component, count in quantities:
            cost += book.unit(part, component=component).times(count)
        return ServiceDesign(
            networks=networks,
            managers=managers,
            leaf_module=module,
            lots=lots,
            quantities=quantities,
            cost=cost,
            max_w=sum(box.max_w for _, _, box in gear),
            out_of_band_ports=self._out_of_band_ports(networks, managers),
            needed_m=self.needed_m,
            racks=tuple(racks),
            devices=tuple(devices_of(room, spots)),
        )

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
        self, networks: Mapping[str, ServicePlan], managers: int, lots: tuple[ServiceLot, ...]
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
        for lot in lots:
            for part, count in lot.built.parts.items():
                found[part, lot.network] += count
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


def _taken(free: list[int], links: int) -> tuple[int, ...]:
    """Take links of the leafs in their order, and return how many of each."""
    found = []
    for k, have in enumerate(free):
        take = min(have, links)
        free[k] -= take
        links -= take
        if take:
            found.append(take)
    return tuple(found)


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
