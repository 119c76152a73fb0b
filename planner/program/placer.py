"""From a column to its placement problem, with the links that its cages can take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from planner.domain.catalog import Catalog
from planner.domain.fabric_parts import LinkProtocol, Switch
from planner.domain.hardware import Server
from planner.domain.instance import Instance
from planner.domain.solution import RackUse
from planner.physics.costs import UnitCost
from planner.physics.links import Cage, LinkMenu, alike, link_menu
from planner.program.box import Box
from planner.program.columns import OOB_SWITCH, Column
from planner.program.limits import racks_for
from planner.program.link_prices import LeafEnd, Medium, media
from planner.program.placement_problem import PlacementProblem
from planner.program.prices import PriceBook
from planner.program.racks import RackSet, rack_set, racks_bought, with_pdus
from planner.program.room import Room, room_of


@dataclass(frozen=True)
class Placer:
    """Builds placement problems for the columns of one instance; what repeats is kept."""

    instance: Instance
    catalog: Catalog
    book: PriceBook
    weights: tuple[int, int] = (1, 0)
    """What a cent of present value and a cent of purchase price count in the problems."""

    def weighted(self, present: int, capex: int) -> Placer:
        """Return a placer whose problems minimise present x value + capex x purchase price."""
        return Placer(self.instance, self.catalog, self.book, (present, capex))

    def weigh(self, unit: UnitCost) -> int:
        """Return what one unit counts in the problems."""
        return self.weights[0] * unit.total + self.weights[1] * unit.capex

    @cached_property
    def room(self) -> Room:
        """The floor with the racks that servers and their fabric may use."""
        services = self.instance.services
        kept = services.racks if services else 0
        return room_of(self.instance.site, dict(self.catalog.racks), kept)

    @cached_property
    def whole_room(self) -> Room:
        """The floor with all its racks."""
        return room_of(self.instance.site, dict(self.catalog.racks))

    @cached_property
    def rack(self) -> RackSet:
        """Cabinet and PDUs of one of the site's usual racks in use."""
        site = self.instance.site
        return rack_set(self.instance, self.catalog, self.book, site.rack, site.rack_kw)

    @cached_property
    def _sets(self) -> dict[tuple[str, float], RackSet]:
        return {}

    def set_of(self, model: str, limit_w: float) -> RackSet:
        """Return cabinet and PDUs of a rack of one model and power."""
        key = (model, limit_w)
        if key not in self._sets:
            kw = limit_w / 1000.0
            self._sets[key] = rack_set(self.instance, self.catalog, self.book, model, kw)
        return self._sets[key]

    @cached_property
    def rack_units(self) -> list[UnitCost]:
        """Cost of every rack of the room in use; nothing where cabinet and PDUs stand already."""
        stands = self.room.stands
        if not stands:
            return [self.rack.unit] * self.room.racks
        return [
            UnitCost() if s.partly_used else self.set_of(s.model, s.limit_w).unit for s in stands
        ]

    def fewest_rack_cents(self, watts: float) -> int:
        """Return the least present value of the racks that so many watts need, cents."""
        racks = racks_for(watts, self.room.rack_w / 1000.0)
        if self.room.alike:
            return racks * self.rack.unit.total
        return sum(sorted(unit.total for unit in self.rack_units)[:racks])

    def with_pdus(self, racks: Sequence[RackUse]) -> list[RackUse]:
        """Return racks in use with their PDUs, where these are bought with them."""
        return [
            with_pdus(rack, self.set_of(rack.model, rack.limit_w)) if rack.bought else rack
            for rack in racks
        ]

    def bought(self, racks: Sequence[RackUse]) -> dict[str, int]:
        """Return cabinets and PDUs of racks in use by catalogue id, less those that stand there."""
        return racks_bought(self.with_pdus(racks))

    @cached_property
    def rack_parts(self) -> list[dict[str, int]]:
        """Cabinet and PDUs of every rack of the room, if it comes into use."""
        stands = self.room.stands
        if not stands:
            return [{self.rack.rack: 1, self.rack.pdu: self.rack.pdus}] * self.room.racks
        sets = [None if s.partly_used else self.set_of(s.model, s.limit_w) for s in stands]
        return [{one.rack: 1, one.pdu: one.pdus} if one else {} for one in sets]

    def cost_of(self, racks: Sequence[RackUse]) -> UnitCost:
        """Return the cost of racks in use."""
        total = UnitCost()
        for rack in racks:
            if rack.bought:
                total += self.set_of(rack.model, rack.limit_w).unit
        return total

    @cached_property
    def unit_cents(self) -> dict[str, int]:
        """What one unit of every cable, module and fibre that can be bought counts."""
        forbidden = set(self.instance.forbid.values().get("product", ()))
        tables = (self.catalog.cables, self.catalog.transceivers, self.catalog.fibres)
        return {
            part: self.weigh(self.book.unit(part))
            for table in tables
            for part, row in table.items()
            if row.buyable and part not in forbidden
        }

    @cached_property
    def _menus(self) -> dict[tuple[object, ...], LinkMenu]:
        return {}

    def take_menus(self, other: Placer) -> None:
        """Take over what joins which cages where the same parts can be bought; no price enters."""
        if self.unit_cents.keys() == other.unit_cents.keys():
            self._menus.update(other._menus)

    @cached_property
    def _media(self) -> dict[tuple[object, ...], tuple[Medium, ...]]:
        return {}

    @cached_property
    def _boxes(self) -> dict[str, Box]:
        return {}

    def problem(self, column: Column) -> PlacementProblem:
        """Return the placement problem of a column."""
        plan, choice = column.plan, column.plan.choice
        leaf = self.catalog.switch(choice.leaf_switch) if plan.leafs else None
        spine = self.catalog.switch(choice.spine_switch) if plan.spines else None
        down, up = self.menus(column)
        core = self.catalog.switch(choice.core_switch) if plan.cores else None
        return PlacementProblem(
            plan=plan,
            room=self.room,
            server=self.server_box(column.option.server),
            leaf=self.switch_box(leaf) if leaf else None,
            spine=self.switch_box(spine) if spine else None,
            oob=self.switch_box(self.catalog.switch(OOB_SWITCH)),
            oob_count=column.out_of_band.switches,
            rack_cents=self.weigh(self.rack.unit),
            rack_cents_in=() if self.room.alike else tuple(map(self.weigh, self.rack_units)),
            unit_cents=self.unit_cents,
            node_leaf=self._priced(down, "b") if down else (),
            leaf_spine=self._priced(up, "a") if up else (),
            leaf_cages=leaf.cages if leaf else 0,
            core=self.switch_box(core) if core else None,
            spine_core=self._core_media(column, spine, core) if spine and core else (),
            spine_cages=spine.cages if spine else 0,
            whole_cages=self.whole_cages(column),
        )

    def _core_media(self, column: Column, spine: Switch, core: Switch) -> tuple[Medium, ...]:
        cage = self._switch_cage(spine, column.plan.link_gbps)
        return self._priced(self._menu(column, (spine.id, core.id), cage, core), "a")

    def menus(self, column: Column) -> tuple[LinkMenu | None, LinkMenu | None]:
        """Return what can join servers with leafs, and leafs with spines or a leaf with its pair.

        None without a tier.
        """
        plan, choice = column.plan, column.plan.choice
        if not plan.leafs:
            return None, None
        leaf = self.catalog.switch(choice.leaf_switch)
        nics = column.option.nics
        cage = Cage(
            connector=self.catalog.connectors[nics.connector],
            links=min(nics.links_per_cage, nics.links),
        )
        down = self._menu(column, (nics.connector, cage.links, leaf.id), cage, leaf)
        if plan.by_turns and not self.whole_cages(column):
            down = replace(down, fixed=())  # one plug would carry both ports of a NIC to one leaf
        module = column.services.leaf_module if column.services else ""
        if module:
            down = replace(down, optics=tuple(o for o in down.optics if o.module_b == module))
        if plan.joint_links:
            own = self._switch_cage(leaf, plan.link_gbps)
            return down, alike(self._menu(column, (leaf.id, leaf.id), own, leaf))
        if not plan.spines:
            return down, None
        spine = self.catalog.switch(choice.spine_switch)
        above = self._switch_cage(leaf, plan.link_gbps)
        return down, self._menu(column, (leaf.id, spine.id), above, spine)

    def whole_cages(self, column: Column) -> bool:
        """Return whether all links of a server's cage may join one leaf (`cabling_pair`).

        Where a NIC has several ports they shall meet several leafs; those of different NICs need not.
        """
        nics = column.option.nics
        return nics.links_per_cage == 1 or nics.links <= self.catalog.adapters(nics)

    def server_box(self, server: Server) -> Box:
        """Return a server as it stands in a rack."""
        if server.id not in self._boxes:
            self._boxes[server.id] = Box(
                part=server.id,
                units=server.rack_units,
                max_w=server.max_power_w,
                weight_kg=server.weight_kg,
                cooling=server.cooling,
                whole_rack=server.takes_whole_rack,
            )
        return self._boxes[server.id]

    def switch_box(self, switch: Switch) -> Box:
        """Return a switch as it stands in a rack."""
        if switch.id not in self._boxes:
            self._boxes[switch.id] = Box(
                part=switch.id,
                units=switch.rack_units or 0,
                max_w=self.book.watts(switch.id).maximum,
                weight_kg=self.book.weight_kg(switch.id),
                cooling=switch.cooling,
            )
        return self._boxes[switch.id]

    def _switch_cage(self, switch: Switch, link_gbps: float) -> Cage:
        return Cage(
            connector=self.catalog.connectors[switch.connector],
            links=switch.links_per_cage(link_gbps),
        )

    def _menu(self, column: Column, key: tuple[object, ...], cage: Cage, to: Switch) -> LinkMenu:
        """Return what joins a cage to a switch, of the parts that can be bought."""
        protocol: LinkProtocol = (
            "infiniband" if column.plan.choice.family == "infiniband" else "ethernet"
        )
        link_gbps = column.plan.link_gbps
        full = (protocol, link_gbps, *key)
        if full not in self._menus:
            menu = link_menu(
                protocol,
                link_gbps,
                cage,
                self._switch_cage(to, link_gbps),
                self.catalog.cables.values(),
                self.catalog.transceivers.values(),
                self.catalog.fibres.values(),
            )
            self._menus[full] = menu.within(self.unit_cents)
        return self._menus[full]

    def _priced(self, menu: LinkMenu, leaf_end: LeafEnd) -> tuple[Medium, ...]:
        key = (menu, leaf_end)
        if key not in self._media:
            self._media[key] = media(menu, self.unit_cents, self.room, leaf_end)
        return self._media[key]
