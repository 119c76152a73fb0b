"""The optimum of a small instance by trying everything, with its own counting.

Platforms, numbers of servers, fabrics, positions, cables and strategies are enumerated from the
rows of the catalogue. Only the catalogue's rows and the timing of a strategy are shared with the
program. A design is passed over without trying its positions only where servers, switches and one
rack already cost more than the best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from planner.domain.catalog import load_catalog
from planner.domain.compute_constants import shipped_constants
from tests.program.brute_cables import Menu, Signature, costs, menu
from tests.program.brute_money import Purse
from tests.program.brute_places import Box, Floor, signatures
from tests.program.brute_sizing import Sizes, direct, joined_pair, of_units, single, two_tiers
from tests.program.brute_steps import Clock


class Fabric(NamedTuple):
    """A family, a topology and its switches."""

    family: str
    topology: str
    leaf: str = ""
    spine: str = ""
    ratio: float = 1.0


@dataclass(frozen=True)
class Design:
    """Servers and a fabric, without positions."""

    option: Any
    nodes: int
    fabric: Fabric
    sizes: Sizes
    fixed: tuple[int, int]
    """(present value, purchase price) of all but racks, cables and modules."""
    watts: float
    oob: int


@dataclass(frozen=True)
class Optimum:
    """The least cost and a design that has it; None where nothing meets the limits."""

    cents: int | None
    design: Design | None = None
    designs: int = 0
    """Designs of the grid."""


def brute_force(instance: Any) -> Optimum:
    """Return the least cost of an instance over everything that can be bought and done."""
    return BruteForce(instance).optimum()


class BruteForce:
    """One instance, its prices, its room and its clock."""

    def __init__(self, instance: Any) -> None:
        self.instance = instance
        self.catalog = load_catalog()
        self.purse = Purse(instance, self.catalog)
        self.floor = Floor(instance.site, self.catalog.racks[instance.site.rack])
        self.clock = Clock(instance, self.catalog, shipped_constants())

    def allowed(self, key: str, value: Any) -> bool:
        """Return whether a choice is left by `fix` and `forbid`."""
        fix, forbid = self.instance.fix.values(), self.instance.forbid.values()
        return value in fix.get(key, (value,)) and value not in forbid.get(key, ())

    def optimum(self) -> Optimum:
        """Try everything."""
        designs = sorted(self.designs(), key=lambda d: d.fixed)
        best: int | None = None
        chosen = None
        for design in designs:
            if best is not None and design.fixed[0] + self.purse.racks(1)[0] >= best:
                break
            found = self.cheapest(design)
            if found is not None and (best is None or found < best):
                best, chosen = found, design
        return Optimum(best, chosen, len(designs))

    def designs(self) -> Iterator[Design]:
        """Yield every design of the grid that can be bought and sized."""
        grid, site = self.instance.grid, self.instance.site
        wanted = self.instance.fix.values().get("nodes")
        for option in self.catalog.server_nics.values():
            server = self.catalog.servers[option.server]
            if not self.offered(option, server):
                continue
            most = grid.max_nodes
            numbers = wanted or range(grid.min_nodes, most + 1, grid.step)
            for nodes in sorted(set(numbers)):
                if nodes > most or not self.allowed("nodes", nodes):
                    continue
                for fabric in self.fabrics(option, site):
                    sizes = self.size(option, nodes, fabric)
                    if sizes is not None and self.had(option, nodes, fabric, sizes):
                        yield self.priced(option, server, nodes, fabric, sizes)

    def had(self, option: Any, nodes: int, fabric: Fabric, sizes: Sizes) -> bool:
        """Return whether what is not on sale any more is owned in the number that is needed."""
        needs = [(option.server, "servers", nodes)]
        if not option.included:
            needs.append((option.nic, "nics", nodes * option.count))
        if fabric.leaf:
            spines = sizes.spines if fabric.spine == fabric.leaf else 0
            needs.append((fabric.leaf, "switches", sizes.leafs + spines))
        if fabric.spine and fabric.spine != fabric.leaf:
            needs.append((fabric.spine, "switches", sizes.spines))
        return all(self.purse.can_have(*need) for need in needs)

    def offered(self, option: Any, server: Any) -> bool:
        """Return whether servers with these cards can be bought and chosen."""
        named = {
            "server": server.id, "accelerator": server.accelerator, "scale_up": server.scale_up,
            "nic": option.nic, "nics_per_node": option.links,
        }  # fmt: skip
        banned = self.instance.forbid.values().get("product", ())
        return (
            all(self.allowed(key, value) for key, value in named.items())
            and not {server.accelerator, option.nic, option.id} & set(banned)
            and self.purse.can_have(server.id, "servers")
            and (option.included or self.purse.can_have(option.nic, "nics"))
            and (server.cooling == "air" or self.instance.site.cooling == "liquid")
        )

    def fabrics(self, option: Any, site: Any) -> Iterator[Fabric]:
        """Yield every fabric that a platform can have."""
        if self.allowed("topology", "direct"):
            yield Fabric("none", "direct")
        for family in option.families:
            if not self.allowed("family", family):
                continue
            fitting = [s for s in self.catalog.switches.values() if self.usable(s, family, option)]
            for leaf in fitting:
                if self.allowed("topology", "single"):
                    yield Fabric(family, "single", leaf.id)
                if "joined_pair" in self.instance.fix.values().get("topology", ()):
                    yield Fabric(family, "joined_pair", leaf.id)
                for topology in ("leaf_spine", "rail_optimised", "top_of_rack"):
                    spines = fitting if self.instance.grid.mixed_tiers else [leaf]
                    asked = topology in self.instance.fix.values().get("topology", ())
                    if topology == "top_of_rack" and not asked:
                        continue
                    for spine in spines if self.allowed("topology", topology) else ():
                        for ratio in self.instance.grid.oversubscription:
                            if self.allowed("oversubscription", ratio):
                                yield Fabric(family, topology, leaf.id, spine.id, ratio)

    def usable(self, switch: Any, family: str, option: Any) -> bool:
        """Return whether a switch speaks a family at the rate and can be bought and planned."""
        speaks = "infiniband" if family == "infiniband" else "ethernet"
        return (
            switch.family == speaks
            and (family != "roce" or switch.roce)
            and switch.ports_at(option.link_gbps) >= 2
            and self.allowed("switch", switch.id)
            and self.purse.can_have(switch.id, "switches")
            and switch.rack_units is not None
            and bool(switch.typical_power_w or switch.max_power_w)
            and (switch.cooling == "air" or self.instance.site.cooling == "liquid")
        )

    def size(self, option: Any, nodes: int, fabric: Fabric) -> Sizes | None:
        """Return the counts of a fabric, None where it cannot be built."""
        links = option.links
        if fabric.topology == "direct":
            return direct(nodes, links)
        ports = self.catalog.switches[fabric.leaf].ports_at(option.link_gbps)
        if fabric.topology == "single":
            return single(nodes, links, ports)
        if fabric.topology == "joined_pair":
            return joined_pair(nodes, links, ports)
        above = self.catalog.switches[fabric.spine].ports_at(option.link_gbps)
        if fabric.topology == "top_of_rack":
            return self.rack_units(option, nodes, fabric, (ports, above))
        rails = fabric.topology == "rail_optimised"
        return two_tiers(nodes, links, ports, above, fabric.ratio, rails=rails)

    def rack_units(
        self, option: Any, nodes: int, fabric: Fabric, ports: tuple[int, int]
    ) -> Sizes | None:
        """Return a fabric of racks: leafs are added until all servers beside them are served."""
        server, leaf = self.catalog.servers[option.server], self.catalog.switches[fabric.leaf]
        watts = self.purse.switch_watts(leaf)[1]
        one = (server.rack_units, server.max_power_w, server.weight_kg)
        switch = (leaf.rack_units, watts, leaf.weight_kg or 25.0)
        for leafs in range(1, option.links + 1):
            beside = 0
            while all(
                leafs * t + (beside + 1) * s <= limit + 1e-6
                for t, s, limit in zip(switch, one, self.floor.limits, strict=True)
            ):
                beside += 1
            if option.links % leafs or not beside:
                continue
            slots = self.instance.fabric.reserved_slots
            sizes = of_units(nodes, option.links, (leafs, beside), ports, fabric.ratio, slots)
            if sizes != "ports":
                return sizes  # type: ignore[return-value]
        return None

    def priced(self, option: Any, server: Any, nodes: int, fabric: Fabric, sizes: Sizes) -> Design:
        """Return a design with all costs that positions do not change, and its watts."""
        purse = self.purse
        bill = [purse.net(server.id, nodes), purse.storage()]
        watts = nodes * server.max_power_w
        if not option.included:
            bill.append(purse.net(option.nic, nodes * option.count))
        switches: dict[str, int] = {}
        for part, count in ((fabric.leaf, sizes.leafs), (fabric.spine, sizes.spines)):
            if count:
                switches[part] = switches.get(part, 0) + count
                watts += count * purse.switch_watts(self.catalog.switches[part])[1]
        bill += [purse.net(part, count) for part, count in switches.items()]
        management = self.catalog.switches["sn2201"]
        ports = nodes * server.out_of_band_ports + sizes.leafs + sizes.spines
        oob = -(-ports // management.ports)
        bill.append(purse.net("sn2201", oob, "out_of_band"))
        bill.append(purse.net("cat6a-1g-20m", ports, "out_of_band"))
        watts += oob * purse.switch_watts(management)[1]
        fixed = tuple(sum(money[k] for money in bill) for k in (0, 1))
        return Design(option, nodes, fabric, sizes, (fixed[0], fixed[1]), watts, oob)

    def cheapest(self, design: Design) -> int | None:
        """Return the least cost of a design over all positions, cables and strategies."""
        if not self.within_limits(design):
            return None
        menus = self.menus(design)
        if any(m is not None and not m.cables and not m.optics for m in menus):
            return None
        boxes = self.boxes(design)
        if any(box[k] > self.floor.limits[k] + 1e-6 for box in boxes.values() for k in range(3)):
            return None
        routes = self.floor.lengths() if design.sizes.leafs else [0.0]
        good = {metres: self.in_time(design, metres) for metres in routes}
        if not any(good.values()):
            return None
        best: int | None = None
        bring = self.catalog.servers[design.option.server].takes_whole_rack
        for what in signatures(self.floor, design.sizes, boxes, design.oob, menus, bring=bring):
            longest = max((entry[0] for entry in (*what.down, *what.up)), default=0.0)
            if good[longest]:
                cents = self.cost(design, menus, what)
                if cents is not None and (best is None or cents < best):
                    best = cents
        return best

    def within_limits(self, design: Design) -> bool:
        """Return whether GPUs, watts and price without racks and cables meet the limits."""
        site, budget, storage = self.instance.site, self.instance.budget, self.instance.storage
        gpus = design.nodes * self.catalog.servers[design.option.server].gpus
        watts = design.watts + (storage.power_kw * 1000 if storage else 0.0)
        kilowatts = [site.racks * site.rack_kw, site.power_kw, budget.power_kw]
        most = min(kw for kw in kilowatts if kw is not None) * 1000
        price = budget.capex_usd
        return (
            (budget.gpus is None or gpus <= budget.gpus)
            and watts <= most + 1e-6
            and (price is None or design.fixed[1] <= round(price * 100))
        )

    def menus(self, design: Design) -> tuple[Menu | None, Menu | None]:
        """Return what can join both tiers."""
        fabric, option = design.fabric, design.option
        if not fabric.leaf:
            return None, None
        speaks = "infiniband" if fabric.family == "infiniband" else "ethernet"
        rate = option.link_gbps
        leaf = self.catalog.switches[fabric.leaf]
        cage = (leaf.connector, leaf.links_per_cage(rate))
        nic = (option.connector, min(option.links_per_cage, option.links))
        down = menu(self.purse, speaks, rate, nic, cage)
        if fabric.topology == "joined_pair":
            cards = option.count * self.catalog.nics[option.nic].controllers
            if nic[1] > 1 and option.links > cards:
                down = down._replace(cables=[])
            across = menu(self.purse, speaks, rate, cage, cage)
            return down, across._replace(optics=[o for o in across.optics if o.a == o.b])
        if not fabric.spine:
            return down, None
        spine = self.catalog.switches[fabric.spine]
        above = (spine.connector, spine.links_per_cage(rate))
        return down, menu(self.purse, speaks, rate, cage, above)

    def boxes(self, design: Design) -> dict[str, Box]:
        """Return what stands in racks; a server that is a rack takes all of it."""
        server = self.catalog.servers[design.option.server]
        height = self.floor.height if server.takes_whole_rack else server.rack_units
        found = {"server": Box(height, server.max_power_w, server.weight_kg)}
        switches = [("leaf", design.fabric.leaf), ("spine", design.fabric.spine), ("oob", "sn2201")]
        for name, part in switches:
            found[name] = Box(0, 0, 0)
            if part:
                row = self.catalog.switches[part]
                watts = self.purse.switch_watts(row)[1]
                found[name] = Box(row.rack_units, watts, row.weight_kg or 25.0)
        return found

    def in_time(self, design: Design, metres: float) -> bool:
        """Return whether all workloads hold their targets and share the hours."""
        steps = self.clock.steps(design.option, design.nodes, design.sizes, design.fabric, metres)
        held = all(step <= self.clock.target(k) for k, step in enumerate(steps))
        return held and self.clock.hours(steps) <= 1 + 1e-9

    def cost(
        self, design: Design, menus: tuple[Menu | None, Menu | None], what: Signature
    ) -> int | None:
        """Return the least cost of a signature within the budget."""
        cages = self.catalog.switches[design.fabric.leaf].cages if design.fabric.leaf else 0
        budget = self.instance.budget.capex_usd
        left = None if budget is None else round(budget * 100) - design.fixed[1]
        points = costs(self.purse, design.sizes, menus, cages, what)
        met = [value for value, price in points if left is None or price <= left]
        return design.fixed[0] + min(met) if met else None
