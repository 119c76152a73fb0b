"""The optimum of a small instance with services: brute force with its own count of them.

Shares no code with `planner.program.services` or `planner.physics.service_network`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from tests.program.brute_cables import Menu, menu
from tests.program.brute_force import BruteForce, Design, Fabric
from tests.program.brute_places import Floor
from tests.program.brute_sizing import Sizes, Unit

MAINTAINED = {"switches": "switches", "transceivers": "transceivers", "cables": "cables"}


class Extra(NamedTuple):
    """What services add to a design."""

    cents: int
    price: int
    watts: float
    ports: int
    module: str
    """Module at the leafs whose halves the manager takes; empty if none."""


def spread(total: int, parts: int) -> list[int]:
    """Deal a number out, one at a time."""
    found = [0] * parts
    for k in range(total):
        found[k % parts] += 1
    return found


class BruteServices(BruteForce):
    """Brute force beside services whose cables are all as long as the farthest route.

    The managers' modules are counted as if placement left free halves wherever it can.
    """

    def __init__(self, instance: Any) -> None:
        super().__init__(instance)
        self.services = instance.services
        site = instance.site
        self.kept = self.services.racks
        fewer = site.model_copy(update={"racks": site.racks - self.kept})
        self.floor = Floor(fewer, self.catalog.racks[site.rack])
        whole = Floor(site, self.catalog.racks[site.rack])
        self.needed_m = self.services.cable_m or whole.lengths()[-1]
        self.modules: dict[Any, str] = {}
        self.refused: set[Any] = set()

    def size(self, option: Any, nodes: int, fabric: Fabric) -> Sizes | None:
        """Size for the slots kept free too; the last units are then not full."""
        kept = self.instance.fabric.reserved_slots
        if fabric.topology == "direct" or not kept:
            return super().size(option, nodes, fabric)
        sizes = super().size(option, nodes + kept, fabric)
        if sizes is None:
            return None
        left, units = nodes, []
        for unit in sizes.units:
            units.append(Unit(min(sizes.unit_size, left), unit.leafs))
            left -= units[-1].servers
        return replace(sizes, servers=nodes, units=tuple(units))

    def had(self, option: Any, nodes: int, fabric: Fabric, sizes: Sizes) -> bool:
        """Leave out designs beside which services cannot be built."""
        if not super().had(option, nodes, fabric, sizes):
            return False
        return self.extra(option, nodes, fabric, sizes) is not None

    def priced(self, option: Any, server: Any, nodes: int, fabric: Fabric, sizes: Sizes) -> Design:
        """Add services to a design."""
        bare = super().priced(option, server, nodes, fabric, sizes)
        extra = self.extra(option, nodes, fabric, sizes)
        assert extra is not None
        management = self.catalog.switches["sn2201"]
        ports = nodes * server.out_of_band_ports + sizes.leafs + sizes.spines
        oob = -(-(ports + extra.ports) // management.ports)
        more, copper = oob - bare.oob, extra.ports
        switches = self.purse.net("sn2201", more, "out_of_band")
        cables = self.purse.net("cat6a-1g-20m", copper, "out_of_band")
        watts = bare.watts + extra.watts + more * self.purse.switch_watts(management)[1]
        fixed = (
            bare.fixed[0] + switches[0] + cables[0] + extra.cents,
            bare.fixed[1] + switches[1] + cables[1] + extra.price,
        )
        return replace(bare, fixed=fixed, watts=watts, oob=oob)

    def menus(self, design: Design) -> tuple[Menu | None, Menu | None]:
        """Leave only the module that the manager's links share."""
        down, up = super().menus(design)
        extra = self.extra(design.option, design.nodes, design.fabric, design.sizes)
        if down is not None and extra is not None and extra.module:
            down = down._replace(optics=[o for o in down.optics if o.b == extra.module])
        return down, up

    def extra(self, option: Any, nodes: int, fabric: Fabric, sizes: Sizes) -> Extra | None:
        """Count services beside a design; None where they cannot be built."""
        server = self.catalog.servers[option.server]
        links = sum(n.links_per_server for n in self.services.networks.values())
        rates = [n.link_gbps for n in self.services.networks.values()]
        if links > server.front_end_links or max(rates, default=0) > server.front_end_gbps:
            return None
        bill: Counter[str] = Counter()
        gear: list[str] = []
        ports = 0
        for network in self.services.networks.values():
            if not self.network(network, nodes, bill, gear):
                return None
        module = ""
        manager = self.services.fabric_manager
        if manager is not None and fabric.family == "infiniband":
            found = self.manager(manager, option, fabric, sizes, bill)
            if found is None:
                return None
            module = found
            gear += [manager.appliance] * manager.count
        for part in gear:
            row = self.catalog.appliances.get(part)
            ports += row.out_of_band_ports if row else 1
            bill[part] += 1
        racks = self.racks(gear)
        if racks is None:
            return None
        money = [self.worth(part, count) for part, count in bill.items()]
        money.append(self.purse.racks(racks))
        watts = sum(self.box(part)[1] for part in gear)
        return Extra(sum(m[0] for m in money), sum(m[1] for m in money), watts, ports, module)

    def worth(self, part: str, count: int) -> tuple[int, int]:
        """Return (value, price) of units, without the factor of the fabric's prices."""
        purse = self.purse
        row = self.catalog.appliances.get(part)
        if row is not None:
            quote = self.instance.quotes.get(part)
            usd = quote.usd if quote else row.price.usd if row.price else 0.0
            share = self.catalog.rates["util-power"].value
            average = row.typical_power_w or row.max_power_w * share
            one = purse._lines("servers", usd, average, row.max_power_w, 0)
            resale = self.instance.finance.resale_share
            if resale:
                back = usd * resale * (1 + purse.rate) ** -purse.years
                one = one[0] + int(back * 100 + 0.5), one[1]
        else:
            component, found = purse.find(part)
            average, most = purse.watts(component, found)
            one = purse._lines(component, purse.usd(part), average, most, 0)
        return one[0] * count, one[1] * count

    def box(self, part: str) -> tuple[int, float, float]:
        """Return units, watts and kilograms."""
        row = self.catalog.appliances.get(part)
        if row is not None:
            return row.rack_units, row.max_power_w, row.weight_kg
        switch = self.catalog.switches[part]
        return switch.rack_units, self.purse.switch_watts(switch)[1], switch.weight_kg or 25.0

    def racks(self, gear: list[str]) -> int | None:
        """Stand the hungriest first where the fewest watts are; return the racks in use."""
        have = [[0.0, 0.0, 0.0] for _ in range(self.kept)]
        boxes = sorted(map(self.box, gear), key=lambda b: (-b[1], -b[0]))
        for box in boxes:
            free = [
                k for k, used in enumerate(have)
                if all(u + b <= most + 1e-6 for u, b, most in zip(used, box, self.floor.limits, strict=True))
            ]  # fmt: skip
            if not free:
                return None
            at = min(free, key=lambda k: (round(have[k][1] * 1000), have[k][0], k))
            have[at] = [u + b for u, b in zip(have[at], box, strict=True)]
        return sum(1 for used in have if used[0])

    def network(self, wanted: Any, nodes: int, bill: Counter[str], gear: list[str]) -> bool:
        """Count one network into a bill; False where it cannot be built."""
        switch = self.catalog.switches[wanted.switch]
        ports, each = switch.ports_at(wanted.link_gbps), switch.links_per_cage(wanted.link_gbps)
        servers = nodes * wanted.links_per_server
        appliances = sum(g.count * g.links for g in wanted.appliances)
        if servers + appliances <= ports:
            leafs, spines, ups = [(servers, appliances)], 0, [0]
        else:
            shape = self.two_tiers(wanted, ports, servers, appliances)
            if shape is None:
                return False
            leafs, spines, ups = shape
        gear += [wanted.switch] * (len(leafs) + spines)
        cage, speaks = (switch.connector, each), switch.family
        server = menu(self.purse, speaks, wanted.link_gbps, (wanted.server_connector, 1), cage)
        lots = [(server, [1] * servers, [s for s, _ in leafs if s], [])]
        left = [a for _, a in leafs]
        for group in wanted.appliances:
            gear += [group.appliance] * group.count
            plug = (self.catalog.appliances[group.appliance].connector, 1)
            taken = []
            for _ in range(group.count * group.links):
                k = next(k for k, n in enumerate(left) if n)
                left[k] -= 1
                taken.append(k)
            joins = menu(self.purse, speaks, wanted.link_gbps, plug, cage)
            lots.append((joins, [1] * len(taken), list(Counter(taken).values()), []))
        if spines:
            joins = menu(self.purse, speaks, wanted.link_gbps, cage, cage)
            lots.append((joins, ups, spread(sum(ups), spines), [u / spines for u in ups]))
        for joins, at_a, at_b, pairs in lots:
            parts = self.parts(joins, at_a, at_b, pairs)
            if parts is None:
                return False
            bill.update(parts)
        return self.cages_hold(wanted, leafs, ups, each, switch.cages)

    def cages_hold(
        self, wanted: Any, leafs: list[tuple[int, int]], ups: list[int], each: int, cages: int
    ) -> bool:
        """Tell whether plugs of every kind find cages of their own on every leaf."""
        for (servers, appliances), up in zip(leafs, ups, strict=True):
            kinds = min(len(wanted.appliances), appliances)
            plugs = math.ceil(servers / each) + math.ceil(up / each)
            plugs += (appliances + kinds * (each - 1)) // each if appliances else 0
            if plugs > cages:
                return False
        return True

    def two_tiers(
        self, wanted: Any, ports: int, servers: int, appliances: int
    ) -> tuple[list[tuple[int, int]], int, list[int]] | None:
        """Return links of every leaf, spines and uplinks of every leaf."""
        ratio = Fraction(str(wanted.oversubscription))
        most = max((d for d in range(1, ports) if d <= ratio * (ports - d)), default=0)
        if not most:
            return None
        shared = 0 if wanted.own_leafs else appliances
        count = wanted.links_per_server
        while count * most < servers + shared:
            count += wanted.links_per_server
        fullest = math.ceil((servers + shared) / count)
        leafs = list(zip(spread(servers, count), reversed(spread(shared, count)), strict=True))
        least = [next(u for u in range(1, ports + 1) if fullest <= ratio * u)] * count
        if wanted.own_leafs and appliances:
            own = math.ceil(appliances / (ports // 2))
            mine = spread(appliances, own)
            leafs += [(0, n) for n in mine]
            least += [mine[0]] * own
        for spines in range(1, ports // 2 + 1):
            even = self.instance.fabric.even_spread
            ups = [math.ceil(u / spines) * spines if even else u for u in least]
            full = any(s + a + u > ports for (s, a), u in zip(leafs, ups, strict=True))
            if not full and sum(ups) <= spines * ports:
                return leafs, spines, ups
        return None

    def parts(
        self, joins: Menu, at_a: list[int], at_b: list[int], pairs: list[float], spare: int = 0
    ) -> Counter[str] | None:
        """Return the cheapest parts of so many links by device, None where none reach."""
        links, offers = sum(at_a), []
        for length, cable in joins.cables:
            whole = joins.size == 1 or (pairs and all(p % joins.size == 0 for p in pairs))
            if whole and length >= self.needed_m:
                offers.append(((cable, "", ""), Counter({cable: links // joins.size})))
        for optics in joins.optics:
            for length, fibre in optics.fibres:
                if length < self.needed_m:
                    continue
                bill = Counter({fibre: links})
                bill[optics.a] += sum(math.ceil(n / joins.links_a) for n in at_a)
                bill[optics.b] += sum(math.ceil(n / joins.links_b) for n in at_b) - spare
                offers.append(((fibre, optics.a, optics.b), bill))
        if not offers:
            return None
        return min(offers, key=lambda o: (sum(self.worth(p, n)[0] for p, n in o[1].items()), o[0]))[
            1
        ]

    def manager(
        self, manager: Any, option: Any, fabric: Fabric, sizes: Sizes, bill: Counter[str]
    ) -> str | None:
        """Count the manager's links; return the module they share (or nothing), None if impossible."""
        if not sizes.leafs:
            return None
        free = {
            (k, leaf): (sizes.unit_size - unit.servers) * sizes.links_per_server_leaf
            for k, unit in enumerate(sizes.units)
            for leaf in range(unit.leafs)
        }
        links = manager.count * manager.links
        if links > sum(free.values()):
            return None
        taken: Counter[tuple[int, int]] = Counter()
        while links:
            for leaf, most in free.items():
                if links and taken[leaf] < most:
                    taken[leaf] += 1
                    links -= 1
        switch = self.catalog.switches[fabric.leaf]
        rate = option.link_gbps
        each = switch.links_per_cage(rate)
        added = 0
        for (unit, _), count in taken.items():
            if not count:
                continue
            down = sizes.units[unit].servers * sizes.links_per_server_leaf
            up = sizes.uplinks_per_leaf
            if math.ceil((down + count) / each) + math.ceil(up / each) > switch.cages:
                return None
            added += min(
                math.ceil((n + count) / each) - math.ceil(n / each) for n in (down, down + up)
            )
        cage = (switch.connector, each)
        plug = (self.catalog.appliances[manager.appliance].connector, 1)
        joins = menu(self.purse, "infiniband", rate, plug, cage)
        nic = (option.connector, min(option.links_per_cage, option.links))
        known = {o.b for o in menu(self.purse, "infiniband", rate, nic, cage).optics}
        if known:
            joins = joins._replace(optics=[o for o in joins.optics if o.b in known])
        at_b = [n for n in taken.values() if n]
        spare = sum(math.ceil(n / each) for n in at_b) - added
        parts = self.parts(joins, [1] * sum(at_b), at_b, [], spare)
        if parts is None:
            return None
        bill.update(parts)
        modules = {o.b for o in joins.optics} & set(parts)
        return modules.pop() if modules and added < sum(at_b) else ""
