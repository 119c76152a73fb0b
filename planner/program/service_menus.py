"""What may join the devices of services, by kind of link, and what it costs at least.

Built of `planner/program/service_kinds.py` (who is joined to whom) and
`planner/program/service_links.py` (of which parts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from planner.domain.design import FabricPlan
from planner.domain.fabric_parts import LinkProtocol, Switch
from planner.domain.services import FabricManager, Services
from planner.physics.costs import UnitCost
from planner.physics.links import Cage, LinkMenu, link_menu
from planner.physics.refusal import Refusal
from planner.physics.service_network import ServicePlan
from planner.program.box import Box, load_in, rack_load_in
from planner.program.link_prices import FORBIDDEN, IMPOSSIBLE, Medium
from planner.program.link_prices import media as priced_media
from planner.program.placer import Placer
from planner.program.platforms import PlatformOption
from planner.program.rack_layout import DIGITS, names
from planner.program.rack_layout import Kind as DeviceKind
from planner.program.service_kinds import (
    appliance_joins,
    manager_joins,
    server_joins,
    uplink_joins,
)
from planner.program.service_links import Kind, StepOf, lay_kind, least_cents, parts_of
from planner.program.service_manager import manager_links, modules_added

MANAGER = "fabric_manager"
IN_BAND = "in_band_network"
SWITCH_KINDS: dict[str, tuple[DeviceKind, str]] = {
    "storage_network": ("storage_switch", "storage"),
    "in_band_network": ("in_band_switch", "in-band"),
}
"""Kind of device and first word of its name, by network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Managers:
    """Fabric managers on one fabric."""

    count: int
    kind: Kind
    free: int
    """Modules of leafs whose free half takes a link, at most."""
    module: str
    """Module of the leafs that they share; empty if none."""


@dataclass
class ServiceMenus:
    """Links of the services of one instance; what repeats is kept."""

    placer: Placer
    services: Services

    @cached_property
    def cents(self) -> dict[str, dict[str, int]]:
        """Present value of what links are built of, without the factor of the fabric's prices."""
        book, parts = self.placer.book, self.placer.unit_cents
        return {
            name: {part: book.unit(part, component=name).total for part in parts}
            for name in (*SWITCH_KINDS, MANAGER)
        }

    @cached_property
    def step(self) -> StepOf:
        """Index of the length of a route between two racks of the whole room."""
        room = self.placer.whole_room
        index = {length: k for k, length in enumerate(room.lengths_m)}
        return lru_cache(maxsize=None)(lambda one, two: index[room.route_m(one, two)])

    @cached_property
    def _menus(self) -> dict[tuple[object, ...], LinkMenu]:
        return {}

    def unbuilt(self, switch: str) -> Refusal:
        """Return the refusal that no part joins links of services to a switch."""
        least = self.services.cable_m or self.placer.whole_room.lengths_m[0]
        return Refusal(
            limit="service_reach",
            reason=f"no part that can be bought joins links of services to {switch} over "
            f"{least:g} m; give services.cable_m or other connectors",
        )

    def kinds(self, name: str, plan: ServicePlan, nodes: int) -> Iterator[Kind]:
        """Yield what is linked: servers, each model of appliance, uplinks (`service_alike`)."""
        wanted, catalog = self.services.networks[name], self.placer.catalog
        switch, gbps, word = catalog.switch(wanted.switch), wanted.link_gbps, SWITCH_KINDS[name][1]
        each = switch.links_per_cage(gbps)
        servers = names("node", nodes, DIGITS["node"])
        menu = self.menu(wanted.server_connector, 1, switch, gbps)
        yield Kind(
            network=name, ends="server", media=self.media(menu, name, single=True), links_b=each,
            joins=server_joins(plan, wanted.links_per_server, servers, word),
        )  # fmt: skip
        for part, joins in appliance_joins(plan, wanted, word):
            menu = self.menu(catalog.appliance(part).connector, 1, switch, gbps)
            yield Kind(
                network=name, ends="appliance", appliance=part, joins=joins, links_b=each,
                media=self.media(menu, name, single=True),
            )  # fmt: skip
        if plan.spines:
            menu = self.menu(switch.connector, each, switch, gbps)
            yield Kind(
                network=name, ends="uplink", joins=uplink_joins(plan, word), links_b=each,
                media=self.media(menu, name, single=False),
            )  # fmt: skip

    def media(self, menu: LinkMenu, network: str, *, single: bool) -> tuple[Medium, ...]:
        """Return what may join cages over the routes of the room; `single` links share no cable."""
        if single and menu.assembly_links > 1:
            menu = replace(menu, fixed=())
        least_m = self.services.cable_m or 0.0
        found = priced_media(menu, self.cents[network], self.placer.whole_room, "", least_m)
        return tuple(m for m in found if any((*m.fibre, *m.fixed)))

    def menu(self, connector: str, links: int, switch: Switch, gbps: float) -> LinkMenu:
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
            self._menus[key] = menu.within(self.placer.unit_cents)
        return self._menus[key]

    def managers(
        self, manager: FabricManager, option: PlatformOption, plan: FabricPlan
    ) -> Managers | Refusal:
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
        menu = self.menu(catalog.appliance(manager.appliance).connector, 1, leaf, gbps)
        nics = option.nics
        servers = self.menu(nics.connector, min(nics.links_per_cage, nics.links), leaf, gbps)
        known = {optic.module_b for optic in servers.optics}
        if known:
            menu = replace(menu, optics=tuple(o for o in menu.optics if o.module_b in known))
        found = self.media(menu, MANAGER, single=True)
        if not found:
            return self.unbuilt(leaf.id)
        links = sum(taken.values())
        kind = Kind(
            network=MANAGER, ends="manager", media=found, links_b=each,
            joins=manager_joins(plan, taken, manager.count, manager.links),
        )  # fmt: skip
        last = len(self.placer.whole_room.lengths_m) - 1
        medium = min(found, key=lambda m: (_farthest_cents(m, last, links, added), *_ids(m)))
        return Managers(
            count=manager.count,
            kind=replace(kind, media=(medium,)),
            free=sum(-(-n // each) for n in taken.values()) - added,
            module=medium.module_b if added < links and not any(medium.fixed) else "",
        )

    def least(
        self, kind: Kind, rack_of: Mapping[str, int], free: int, loose: Box | None
    ) -> UnitCost | Refusal:
        """Return the least that a kind's links cost: exactly where both ends stand already."""
        book = self.placer.book
        if kind.ends in ("appliance", "uplink"):
            steps = [self.step(rack_of[a], rack_of[b]) for a, b in kind.joins]
            laid = lay_kind(kind, steps, self.cents[kind.network], lambda *_: 0)
            if laid is None:
                return self.unbuilt(self.services.networks[kind.network].switch)
            found = UnitCost()
            for part, count in laid.parts.items():
                found += book.unit(part, component=kind.network).times(count)
            return found
        room = self.placer.room
        most_in = {
            r: rack_load_in(room, r).most(load_in(loose, room, r)) for r in range(room.racks)
        }
        cents = least_cents(kind, rack_of, most_in, self.step, free)
        if cents >= IMPOSSIBLE:
            return self.unbuilt(kind.network)
        shares = [
            Fraction(unit.capex, unit.total)
            for part in parts_of(kind)
            if (unit := book.unit(part, component=kind.network)).total > 0
        ]
        capex = int(min(shares, default=Fraction(0)) * cents)
        return UnitCost(capex=capex, other=cents - capex)


def _ids(medium: Medium) -> tuple[str, str]:
    return medium.module_a, medium.module_b


def _farthest_cents(medium: Medium, last: int, links: int, added: int) -> int:
    """Return the cost of so many links over the farthest route of the room."""
    fibre, fixed = medium.fibre[last], medium.fixed[last]
    optical = FORBIDDEN
    if fibre is not None:
        optical = links * (fibre.cents + medium.module_a_cents) + added * medium.module_b_cents
    return optical if fixed is None else min(optical, links * fixed.cents)
