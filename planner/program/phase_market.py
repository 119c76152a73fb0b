"""The columns of one phase, each with a bound on the whole plan that runs it.

A plan that runs a column in one phase still needs servers in every other: at least the fewest of
some model with which a free network could meet the targets then. What these cost beyond the
column's own servers is added to everything the scan compares, so that a phase is searched in the
order of what whole plans cost at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from planner.physics.refusal import Refusal
from planner.program.columns import Column
from planner.program.market import Market
from planner.program.phase_prices import Timeline
from planner.program.platforms import PlatformOption
from planner.program.scan import PlacedCost

Servers = tuple[str, int]
"""Model of the servers of one phase, and their number."""


@dataclass
class ServerPlans:
    """The least that servers alone cost over all phases."""

    timeline: Timeline
    fewest: list[dict[str, int]]
    """By phase: the fewest servers of each model that could meet its targets."""
    _beyond: dict[tuple[int, Servers], int] = field(default_factory=dict)

    def beyond_cents(self, phase: int, server: str, nodes: int) -> int:
        """Return what the servers of all phases cost at least beyond those of this one, cents."""
        key = (phase, (server, nodes))
        if key not in self._beyond:
            options = [list(found.items()) for found in self.fewest]
            options[phase] = [(server, nodes)]
            least = min((self.least_cents(plan) for plan in product(*options)), default=0)
            own = self.timeline.least_held(server, "servers", phase).total
            own += self.timeline.running(server, "servers", phase).total
            self._beyond[key] = max(0, least - own * nodes)
        return self._beyond[key]

    def least_cents(self, plan: Sequence[Servers]) -> int:
        """Return a bound on what the servers of a plan cost: of each model, the dearest phase's."""
        total, held = 0, dict.fromkeys((server for server, _ in plan), 0)
        for phase, (server, nodes) in enumerate(plan):
            total += self.timeline.running(server, "servers", phase).total * nodes
            least = self.timeline.least_held(server, "servers", phase).total * nodes
            held[server] = max(held[server], least)
        return total + sum(held.values())


def fewest_servers(market: Market) -> dict[str, int]:
    """Return the fewest servers of each model that could meet a phase's targets."""
    found: dict[str, int] = {}
    for option in market.options:
        for nodes in market.node_range(option):
            if nodes >= found.get(option.server.id, nodes + 1):
                break
            if not market.free_steps(option, nodes).failed:
                found[option.server.id] = nodes
                break
    return found


@dataclass
class PhaseMarket(Market):
    """The market of one phase; costs are bounds on whole plans where `plans` is given."""

    phase: int = 0
    plans: ServerPlans | None = None

    def beyond_cents(self, option: PlatformOption, nodes: int) -> int:
        """Return what a plan pays at least beyond a column of this phase, cents."""
        if self.plans is None:
            return 0
        return self.plans.beyond_cents(self.phase, option.server.id, nodes)

    def least_cents(self, option: PlatformOption, nodes: int) -> int:
        """Return a bound on the cost of any column, and of a plan that runs it."""
        return super().least_cents(option, nodes) + self.beyond_cents(option, nodes)

    def column_cheap_bound_cents(self, column: Column) -> int:
        """Return a bound that needs no look at cables."""
        beyond = self.beyond_cents(column.option, column.nodes)
        return super().column_cheap_bound_cents(column) + beyond

    def column_bound_cents(self, column: Column) -> int | Refusal:
        """Return a bound over all placements, or why the column cannot stand."""
        bound = super().column_bound_cents(column)
        if isinstance(bound, Refusal):
            return bound
        return bound + self.beyond_cents(column.option, column.nodes)

    def place(self, column: Column) -> PlacedCost | Refusal:
        """Return the column placed, with what a plan that runs it costs at least."""
        placed = super().place(column)
        if isinstance(placed, Refusal):
            return placed
        beyond = self.beyond_cents(column.option, column.nodes)
        return placed._replace(
            cost_cents=placed.cost_cents + beyond, bound_cents=placed.bound_cents + beyond
        )
