"""What a unit costs that is bought in one phase and given up at another, and to run in each.

A plan lasts from now to the end of the life; times are years from now. The least that a unit can
cost which one phase needs makes the price book under which the columns of that phase are found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from planner.domain.growth import Growth
from planner.domain.instance import Instance
from planner.physics.costs import NETWORK_COMPONENTS, UnitCost, held_part, running_part
from planner.program.prices import PriceBook

DECLINE_SERVERS = "decline-servers"
DECLINE_NETWORK = "decline-network"
MONTHS = 12.0

Hold = tuple[int, int]
"""Phase in which a unit is bought, and phase at whose start it is sold; their number if never."""


@dataclass(frozen=True)
class Timeline:
    """Prices over the phases of a plan."""

    instance: Instance
    book: PriceBook
    starts: tuple[float, ...]
    """Start of each phase, years from now."""

    @classmethod
    def of(cls, instance: Instance, book: PriceBook, phases: int | None = None) -> Timeline:
        """Return the timeline of an instance, or of its first phases as if no other came."""
        growth = instance.growth or Growth()
        months = [0, *(phase.month for phase in growth.phases)][:phases]
        return cls(instance, book, tuple(month / MONTHS for month in months))

    @property
    def growth(self) -> Growth:
        """What the instance says of growth."""
        return self.instance.growth or Growth()

    @property
    def phases(self) -> int:
        """Number of phases."""
        return len(self.starts)

    @property
    def times(self) -> tuple[float, ...]:
        """Starts of the phases and the end of the life."""
        return (*self.starts, self.book.rules.years)

    def decline(self, component: str) -> float:
        """Return the share by which a component's price falls in a year."""
        given, rate = self.growth.price_decline_per_year, self.book.catalog.rate
        if component == "servers":
            return rate(DECLINE_SERVERS).value if given.servers is None else given.servers
        if component in NETWORK_COMPONENTS:
            return rate(DECLINE_NETWORK).value if given.network is None else given.network
        return given.other

    def price_usd(self, part: str, component: str, phase: int) -> float:
        """Return the price of a unit in a phase, not discounted."""
        price = self.book.price(part)
        if price is None:
            raise KeyError(part)
        left: float = (1 - self.decline(component)) ** self.starts[phase]
        return price.usd * self.book.factor(component) * left

    def holds(self, component: str) -> list[Hold]:
        """Return when units of a component may be bought and given up."""
        last, resale = self.phases, self.growth.resale
        early = component == "servers" and resale is not None and resale.early
        return [
            (bought, sold)
            for bought in range(last)
            for sold in (range(bought + 1, last + 1) if early else (last,))
        ]

    def worth_share(self, component: str, bought: int, sold: int) -> float:
        """Return what share of its price a unit brings when it is given up."""
        if component != "servers":
            return 0.0
        if self.growth.resale is None:
            return self.book.rules.resale_share
        return self.growth.resale.share((self.times[sold] - self.times[bought]) * MONTHS)

    @cached_property
    def _held(self) -> dict[tuple[str, str, Hold], UnitCost]:
        return {}

    def held(self, part: str, component: str, hold: Hold) -> UnitCost:
        """Return the value of owning one unit from the first phase of a hold up to its last."""
        key = (part, component, hold)
        if key not in self._held:
            bought, sold = hold
            self._held[key] = held_part(
                self.book.rules,
                component=component,
                price_usd=self.price_usd(part, component, bought),
                bought=self.times[bought],
                given_up=self.times[sold],
                worth_share=self.worth_share(component, bought, sold),
            )
        return self._held[key]

    @cached_property
    def _running(self) -> dict[tuple[str, str, int], UnitCost]:
        return {}

    def running(self, part: str, component: str, phase: int) -> UnitCost:
        """Return energy, software and space of one unit while a phase lasts."""
        key = (part, component, phase)
        if key not in self._running:
            watts, server = self.book.watts(part), self.book.catalog.servers.get(part)
            self._running[key] = running_part(
                self.book.rules,
                average_w=watts.average,
                max_w=watts.maximum,
                gpus=server.gpus if server else 0,
                start=self.times[phase],
                end=self.times[phase + 1],
            )
        return self._running[key]

    def least_held(self, part: str, component: str, phase: int) -> UnitCost:
        """Return the cheapest way to hold a unit while a phase lasts."""
        holds = [h for h in self.holds(component) if h[0] <= phase < h[1]]
        return min((self.held(part, component, h) for h in holds), key=lambda unit: unit.total)


@dataclass(frozen=True)
class PhaseBook(PriceBook):
    """Prices of one phase: the cheapest way to hold a unit in it, and to run it while it lasts."""

    timeline: Timeline | None = None
    phase: int = 0

    def _value(self, part: str, component: str) -> UnitCost:
        assert self.timeline is not None
        held = self.timeline.least_held(part, component, self.phase)
        return held + self.timeline.running(part, component, self.phase)
