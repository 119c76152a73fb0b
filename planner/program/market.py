"""An instance as the scan sees it: what may be bought, its limits, its physics, its placement."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from planner.domain.calibration import Calibration
from planner.domain.catalog import Catalog
from planner.domain.design import FabricChoice, FabricPlan
from planner.domain.instance import Instance
from planner.domain.network import Network
from planner.physics.costs import UnitCost, unit_cost
from planner.physics.refusal import Refusal
from planner.program.choices import check_choices
from planner.program.columns import Column, build_column, plan_of
from planner.program.fabrics import allowed, fabric_choices
from planner.program.limits import SiteLimits, milliwatts
from planner.program.link_prices import IMPOSSIBLE
from planner.program.owned_check import check_owned
from planner.program.place_owned import OwnedPlacer
from planner.program.placement_bound import fits, unwired
from planner.program.placement_within import Within
from planner.program.placer import Placer
from planner.program.platforms import (
    PlatformOption,
    beyond_sale,
    platform_options,
    servers_net,
)
from planner.program.prices import PriceBook
from planner.program.quotes import catalog_for
from planner.program.scan import Found, PlacedCost, StepTimes
from planner.program.service_laying import lay_services
from planner.program.services import ServicePlanner
from planner.program.steps import StepOracle


@dataclass
class Market:
    """One instance, prepared; what is expensive is kept and shared with its variants."""

    instance: Instance
    file: Path
    calibration: Calibration | None
    catalog: Catalog
    book: PriceBook
    placer: Placer
    oracle: StepOracle
    limits: SiteLimits
    options: list[PlatformOption]
    left_out: dict[str, str]
    """Platforms that may not be bought, each with the reason."""
    asked: Instance | None = None
    """The user's own instance, of which this is a variant; the instance itself if absent."""
    _columns: dict[tuple[object, ...], Column | Refusal] = field(default_factory=dict)
    _plans: dict[tuple[object, ...], FabricPlan | Refusal] = field(default_factory=dict)
    """Counts of fabrics; they hold at other prices too."""
    _bounds: dict[tuple[object, ...], int] = field(default_factory=dict)
    _placed: dict[tuple[object, ...], PlacedCost | Refusal] = field(default_factory=dict)
    _laid_bounds: dict[tuple[object, ...], int] = field(default_factory=dict)
    _within: dict[tuple[object, ...], Within | Refusal] = field(default_factory=dict)
    """Bounds and placements of racks and cables alone, whatever servers and switches cost."""
    evaluated: dict[tuple[object, ...], Found] = field(default_factory=dict)
    """Every column that was placed and timed under these limits, by this market or a variant."""
    _limited: dict[tuple[object, ...], PlacedCost | Refusal] = field(default_factory=dict)
    """Columns whose cheapest placement breaks the budget or a step time, placed within them."""
    _choices: dict[tuple[object, ...], list[FabricChoice]] = field(default_factory=dict)
    """By all that fabrics depend on: families of the cards and rate of a link."""

    @cached_property
    def owned_placer(self) -> OwnedPlacer:
        """Places columns beside what is owned of racks, cables and modules."""
        return OwnedPlacer(self.placer)

    @cached_property
    def service_planner(self) -> ServicePlanner | None:
        """Designs what stands beside the servers; None where the instance asks for nothing."""
        wanted = self.instance.services
        return None if wanted is None else ServicePlanner(self.placer, wanted)

    def variant(self, instance: Instance) -> Market:
        """Return the market of an instance that differs in `fix`, budget or targets only.

        Columns, placements and step times that were computed serve both.
        """
        book = PriceBook(instance, self.catalog)
        asked = self.asked or self.instance
        options, left_out = platform_options(instance, self.catalog, book, asked)
        variant = Market(
            instance=instance,
            file=self.file,
            calibration=self.calibration,
            catalog=self.catalog,
            book=self.book,
            placer=self.placer,
            oracle=self.oracle.variant(instance),
            limits=SiteLimits(instance),
            options=options,
            left_out=left_out,
            asked=asked,
            _columns=self._columns,
            _plans=self._plans,
            _bounds=self._bounds,
            _placed=self._placed,
        )
        if narrows(instance, self.instance):
            variant.evaluated = self.evaluated
            variant._limited = self._limited
        return variant

    def repriced(self, other: Market, *, laid_alike: bool) -> Market:
        """Return another market of this instance at other prices; physics and counts serve both.

        `laid_alike` says that no price of racks, cables, modules or energy differs, so that
        placements serve both too.
        """
        other.asked = self.asked
        other.oracle = replace(self.oracle, instance=other.instance)
        other._plans = self._plans
        other.placer.take_menus(self.placer)
        if laid_alike:
            other._within = self._within
            other._laid_bounds = self._laid_bounds
        return other

    @cached_property
    def storage(self) -> UnitCost:
        """Present value of the storage that the instance quotes."""
        wanted = self.instance.storage
        if wanted is None:
            return UnitCost()
        watts = wanted.power_kw * 1000.0
        return unit_cost(
            self.book.rules,
            component="storage",
            price_usd=wanted.price_usd or 0.0,
            average_w=watts,
            max_w=watts,
        )

    def node_range(self, option: PlatformOption) -> range:
        """Return the numbers of servers of the declared grid, within what the racks could hold.

        Numbers that `fix` names stand in the place of the grid's own.
        """
        grid = self.instance.grid
        server = option.server
        room = self.placer.room
        by_power = milliwatts(room.rack_w) // milliwatts(server.max_power_w)
        by_units = room.rack_units // server.rack_units
        most = room.racks * max(1, min(by_power, by_units))
        if server.takes_whole_rack:
            most = room.racks
        if grid.max_nodes is not None:
            most = min(most, grid.max_nodes)
        wanted = self.instance.fix.values().get("nodes")
        if wanted is None:
            return range(grid.min_nodes, most + 1, grid.step)
        return range(min(wanted), min(max(wanted), most) + 1)

    def choices(self, option: PlatformOption) -> list[FabricChoice]:
        """Return the fabrics of a platform."""
        key = (option.nics.families, option.platform.link_gbps)
        if key not in self._choices:
            found = fabric_choices(self.instance, self.catalog, self.book, option)
            self._choices[key] = found
        return self._choices[key]

    def beyond_reach(self, option: PlatformOption, nodes: int) -> Refusal | None:
        """Return why no allowed fabric joins so many servers or more, None where one may.

        Asked of fabrics of one tier only: what has too few ports for some has too few for more.
        """
        link_gbps = option.platform.link_gbps
        refusal = Refusal(reason=f"no switch that may be taken joins links of {link_gbps:g} Gb/s")
        for choice in self.choices(option):
            plan = None if choice.spine_switch else self._plan(option, nodes, choice)
            if not isinstance(plan, Refusal):
                return None
            refusal = plan
        return refusal

    def _plan(
        self, option: PlatformOption, nodes: int, choice: FabricChoice
    ) -> FabricPlan | Refusal:
        key = (option.key, nodes, choice)
        if key not in self._plans:
            self._plans[key] = plan_of(self.catalog, self.book, option, nodes, choice)
        return self._plans[key]

    def least_cents(self, option: PlatformOption, nodes: int) -> int:
        """Return a bound on the cost of any column: servers, their racks, storage."""
        servers = servers_net(self.book, option, nodes).total
        watts = 0.0 if option.server.takes_whole_rack else nodes * option.server.max_power_w
        racks = self.owned_placer.fewest_rack_cents(watts)
        return servers + racks + self.storage.total

    def server_limit(self, option: PlatformOption, nodes: int) -> Refusal | None:
        """Return a limit that this many servers break whatever the fabric."""
        name, capex = option.server.id, servers_net(self.book, option, nodes).capex
        refusal = beyond_sale(self.book, name, "servers", nodes)
        if refusal is None and not option.nics.included:
            count = nodes * option.nics.count
            refusal = beyond_sale(self.book, option.nics.nic, "nics", count)
        if refusal is None and self.service_planner is not None:
            refusal = self.service_planner.server_limit(option)
        return (
            refusal
            or self._too_heavy(option)
            or self.limits.of_servers(option, nodes, capex + self.storage.capex, self.storage_kw)
        )

    def _too_heavy(self, option: PlatformOption) -> Refusal | None:
        """Return a refusal where no rack carries even one server."""
        room, server = self.placer.room, option.server
        if server.weight_kg <= room.rack_kg:
            return None
        reason = (
            f"one server {server.id} weighs {server.weight_kg:g} kg; "
            f"a rack carries {room.rack_kg:g} kg"
        )
        return Refusal(limit="placement_weight", reason=reason)

    @property
    def storage_kw(self) -> float:
        """Power of the storage, kW."""
        return self.instance.storage.power_kw if self.instance.storage else 0.0

    def column(self, option: PlatformOption, nodes: int, choice: FabricChoice) -> Column | Refusal:
        """Return a column or why it cannot be built."""
        if not allowed(self.instance, "nodes", nodes):
            return Refusal(reason=f"{nodes} servers are not among the numbers to choose from")
        key = (option.key, nodes, choice)
        if key not in self._columns:
            plan = self._plan(option, nodes, choice)
            services = None
            if self.service_planner is not None and not isinstance(plan, Refusal):
                services = self.service_planner.design(option, nodes, plan)
            self._columns[key] = build_column(
                self.catalog, self.book, option, nodes, plan, services
            )
        return self._columns[key]

    def column_limit(self, column: Column) -> Refusal | None:
        """Return a limit that a column breaks before it is placed."""
        return self.limits.of_column(column, self.storage, self.storage_kw)

    def column_cheap_bound_cents(self, column: Column) -> int:
        """Return a bound that needs no look at cables."""
        server = column.option.server
        own = column.nodes * server.max_power_w if server.takes_whole_rack else 0.0
        racks = self.owned_placer.fewest_rack_cents(column.placed_power_w - own)
        return column.fixed.total + racks + self.storage.total

    def column_bound_cents(self, column: Column) -> int | Refusal:
        """Return a bound on the cost of a column over all placements, or why it cannot stand."""
        if column.key not in self._bounds:
            problem = self.placer.problem(column)
            refusal = fits(problem)
            if refusal is not None:
                return refusal
            if column.key not in self._laid_bounds:
                self._laid_bounds[column.key] = self.owned_placer.lower_bound_cents(column)
            if self._laid_bounds[column.key] >= IMPOSSIBLE:
                return unwired(column.nodes)
            self._bounds[column.key] = column.fixed.total + self._laid_bounds[column.key]
        return self._bounds[column.key] + self.storage.total

    def free_steps(self, option: PlatformOption, nodes: int) -> StepTimes:
        """Return step times that no fabric can beat."""
        return self.oracle.free(option, nodes)

    def known_slow(self, option: PlatformOption) -> int:
        """Return up to how many servers a free network was already found to be too slow."""
        return self.oracle.known_slow(option)

    def ideal_steps(self, option: PlatformOption, nodes: int) -> StepTimes:
        """Return step times on a fabric that none of the allowed ones can beat."""
        families = sorted({choice.family for choice in self.choices(option)})
        usable = [f for f in families if f != "none" or nodes == 1]
        return self.oracle.ideal(option, nodes, usable)

    def steps(self, column: Column) -> StepTimes:
        """Return the step times on a column's fabric with its shortest links."""
        return self.oracle.on_column(column, self.placer.room.lengths_m[0])

    def place(self, column: Column) -> PlacedCost | Refusal:
        """Return the column placed at least cost within every limit, or why it cannot be.

        Where no placement holds the step times, the cheapest of all is returned, and `settle`
        names the step time that fails.
        """
        if column.key not in self._placed:
            if column.key not in self._within:
                self._within[column.key] = self.owned_placer.place(column, None)
            self._placed[column.key] = self.costed(column, self._within[column.key])
        placed = self._placed[column.key]
        if isinstance(placed, Refusal) or self._holds(column, placed):
            return placed
        if column.key not in self._limited:
            self._limited[column.key] = self._place_limited(column, placed)
        return self._limited[column.key]

    def _holds(self, column: Column, placed: PlacedCost) -> bool:
        """Whether a placement meets the budget and the step times."""
        most = self.limits.capex_cents
        return (most is None or placed.capex_cents <= most) and not self._timed(
            column, placed
        ).failed

    def _place_limited(self, column: Column, first: PlacedCost) -> PlacedCost | Refusal:
        """Place a column whose cheapest placement breaks the budget or a step time."""
        placed: PlacedCost | Refusal = first
        left = self.limits.capex_cents
        if left is not None:
            left -= column.fixed.capex + self.storage.capex
            if first.capex_cents > (self.limits.capex_cents or 0):
                placed = self._within_left(column, left)
        if isinstance(placed, Refusal) or not self._timed(column, placed).failed:
            return placed
        reach_m = self._reach_m(column)
        if reach_m is None:
            return placed
        near = self._within_left(column, left, reach_m)
        if isinstance(near, Refusal) and near.limit not in ("capex", "work_limit"):
            return placed
        return near

    def _reach_m(self, column: Column) -> float | None:
        """Return the longest links with which a column holds its step times; None if there is none.

        Longer links never make a step faster.
        """
        lengths = self.placer.room.lengths_m
        good = bisect_left(
            lengths, True, key=lambda m: bool(self.oracle.on_column(column, m).failed)
        )
        return lengths[good - 1] if good else None

    def _within_left(
        self, column: Column, left: int | None, reach_m: float | None = None
    ) -> PlacedCost | Refusal:
        """Place a column within what is left of the budget.

        `left` counts the links of services with their bound. Where they come out dearer than is
        left for them, the rest is placed for less; if that fails too, the question stays open.
        """
        most = self.limits.capex_cents
        placed = self.costed(column, self.owned_placer.place(column, left, reach_m))
        if isinstance(placed, Refusal) or left is None or most is None:
            return placed
        over = placed.capex_cents - most
        if over <= 0 or column.services is None:
            return placed
        again = self.costed(column, self.owned_placer.place(column, left - over, reach_m))
        if isinstance(again, Refusal) or again.capex_cents > most:
            reason = "whether the links of services fit the budget in another placement stayed open"
            return Refusal(limit="work_limit", reason=reason)
        return again._replace(bound_cents=min(placed.bound_cents, again.cost_cents))

    def costed(self, column: Column, within: Within | Refusal) -> PlacedCost | Refusal:
        """Return what a placed column costs in all, links of services as laid included."""
        if isinstance(within, Refusal):
            return within
        fixed, laid, beside = column.fixed + self.storage, None, UnitCost()
        if column.services is not None:
            room = self.placer.whole_room
            laid = lay_services(column.services, within.placement, room, self.book)
            if isinstance(laid, Refusal):
                return laid
            beside = laid.cost + column.services.least_links.times(-1)
        return PlacedCost(
            cost_cents=fixed.total + beside.total + within.cost_cents,
            bound_cents=fixed.total + within.bound_cents,
            capex_cents=fixed.capex + beside.capex + within.capex_cents,
            placement=within.placement,
            services=laid,
        )

    def _timed(self, column: Column, placed: PlacedCost) -> StepTimes:
        longest = max((x.max_m for x in placed.placement.lengths.values()), default=0.0)
        return self.oracle.on_column(column, longest)

    def settle(self, column: Column, placed: PlacedCost) -> StepTimes:
        """Return the step times with the links as long as they were laid."""
        steps = self._timed(column, placed)
        if not steps.failed:
            self.evaluated[column.key] = Found(column=column, placed=placed, steps=steps)
        return steps


def narrows(one: Instance, whole: Instance) -> bool:
    """Return whether an instance is another with no more than choices taken away.

    Then every column of the one, placed and timed under its limits, is so under the other's.
    """
    if one.model_copy(update={"fix": whole.fix}) != whole:
        return False
    wanted, allowed = one.fix.values(), whole.fix.values()
    return all(set(wanted.get(key, (None,))) <= set(values) for key, values in allowed.items())


def open_market(
    instance: Instance,
    file: Path,
    calibration: Calibration | None = None,
    change: Callable[[Catalog, Instance], Catalog] | None = None,
    networks: Mapping[str, Network] | None = None,
) -> Market:
    """Return the market of an instance, with the user's own measurements if there are any.

    `change` is applied to the catalogue before anything is offered; `networks` are not read again.

    Raises
    ------
    InputError
        If the instance names something unknown, with the nearest known name.
    """
    catalog = catalog_for(instance, file)
    check_choices(instance, catalog, file)
    check_owned(instance, catalog, file)
    if change is not None:
        catalog = change(catalog, instance)
    book = PriceBook(instance, catalog)
    options, left_out = platform_options(instance, catalog, book)
    return Market(
        instance=instance,
        file=file,
        calibration=calibration,
        catalog=catalog,
        book=book,
        placer=Placer(instance, catalog, book),
        oracle=StepOracle.of(instance, catalog, file, calibration, networks),
        limits=SiteLimits(instance),
        options=options,
        left_out=left_out,
    )
