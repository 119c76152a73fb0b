"""Servers, spines and out-of-band switches for given leaf racks as an integer program.

The same problem as `RackFill`, for designs with so many units that its tables would be too large.
Constraint names begin with the ids of ``models/formulation/placement.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.program.engines import EngineOptions, solve
from planner.program.link_prices import IMPOSSIBLE
from planner.program.placement_counts import Arrangement, Counts

BINARY_WORK = 50_000
"""What one binary counts against the work limit, in table cells of `RackFill`."""
MOST_NODES = 40
"""Nodes of HiGHS after which a filling is left open."""
Leafs = tuple[tuple[int, ...], ...]


@dataclass(slots=True)
class FillModel:
    """The program and its variables by rack."""

    problem: Any
    servers: dict[tuple[int, int], list[Any]]
    """By (unit, rack): one binary for each number of servers from 0."""
    spines: list[Any]
    oob: list[Any]
    used: dict[int, Any]
    """Of racks without leafs."""


class RackFillMip:
    """Fills racks around given leafs by HiGHS."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.exact = True
        """Whether the last `solve` left nothing open."""

    @property
    def work(self) -> int:
        """What one `solve` counts against the work limit of the search."""
        return BINARY_WORK * self.binaries

    @property
    def binaries(self) -> int:
        """Binaries of the program, about."""
        counts = self.counts
        return len(counts.unit_servers) * counts.racks * (counts.most_servers(0) + 1)

    def solve(self, leafs: Leafs, limit: int = IMPOSSIBLE) -> tuple[int, Arrangement] | None:
        """Return the least cost and its arrangement, or None if none is below `limit`.

        After `MOST_NODES` nodes the best that was found, and `exact` is False.
        """
        model = self.model(leafs)
        result = solve(model.problem, EngineOptions(abs_gap=0.4, max_nodes=MOST_NODES))
        self.exact = result.status in {"optimal", "infeasible"}
        if result.status not in {"optimal", "feasible"}:
            return None
        at = self._arrangement(model, result.values, leafs)
        cents = self.counts.cost(at)
        return (cents, at) if cents < min(limit, IMPOSSIBLE) else None

    def model(self, leafs: Leafs) -> FillModel:
        """Return the program for given leaf racks; its objective is in cents."""
        import pulp

        counts = self.counts
        racks = range(counts.racks)
        problem = pulp.LpProblem("rack_fill", pulp.LpMinimize)
        model = FillModel(
            problem=problem,
            servers={},
            spines=[
                problem.add_variable(f"spines_k{k}", 0, counts.spines, cat="Integer") for k in racks
            ],
            oob=[problem.add_variable(f"oob_k{k}", 0, counts.oob, cat="Integer") for k in racks],
            used={
                k: problem.add_variable(f"used_k{k}", cat="Binary")
                for k in racks
                if not any(leafs[k])
            },
        )
        costs: list[Any] = [counts.rack_cents_at[k] * used for k, used in model.used.items()]
        for k in racks:
            costs += self._rack(model, k, leafs)
        problem += pulp.lpSum(costs)
        self._totals(model)
        return model

    def _rack(self, model: FillModel, k: int, leafs: Leafs) -> list[Any]:
        """Add one rack's variables and limits; return its terms of the objective."""
        import pulp

        counts = self.counts
        here = sum(leafs[k])
        most = counts.most_servers(here, at=k)
        terms = [self._spine_cents(k, leafs) * model.spines[k]]
        servers = []
        for unit, size in enumerate(counts.unit_servers):
            prices = self._server_cents(unit, k, leafs, min(size, most))
            if counts.problem.server.whole_rack:
                prices = [x - n * counts.rack_cents_at[k] for n, x in enumerate(prices)]
            choice = [
                model.problem.add_variable(f"servers_u{unit}_k{k}_n{n}", cat="Binary")
                for n in range(len(prices))
            ]
            model.servers[unit, k] = choice
            model.problem += (pulp.lpSum(choice) == 1, f"placement_servers_u{unit}_k{k}")
            servers += [n * variable for n, variable in enumerate(choice) if n]
            terms += [cents * v for cents, v in zip(prices, choice, strict=True) if cents]
        self._limits(model, k, here, most, servers)
        return terms

    def _limits(self, model: FillModel, k: int, here: int, most: int, servers: list[Any]) -> None:
        """Add the limits of one rack; a rack without leafs holds things only if it is used."""
        import pulp

        counts = self.counts
        server, leaf, spine, oob = counts.loads_at(k)
        rack = counts.racks_at(k)
        total = pulp.lpSum(servers)
        open_rack = model.used.get(k, 1)
        problem = model.problem
        problem += (total - most * open_rack <= 0, f"placement_servers_per_rack_k{k}")
        for name, field in (
            ("placement_units", "units"),
            ("placement_power", "milliwatts"),
            ("placement_weight", "grams"),
        ):
            used = getattr(server, field) * total
            used += getattr(spine, field) * model.spines[k] + getattr(oob, field) * model.oob[k]
            room = getattr(rack, field) - here * getattr(leaf, field)
            problem += (used - room * open_rack <= 0, f"{name}_k{k}")

    def _totals(self, model: FillModel) -> None:
        """Every box stands somewhere."""
        import pulp

        counts = self.counts
        for unit, size in enumerate(counts.unit_servers):
            placed = [
                n * variable
                for k in range(counts.racks)
                for n, variable in enumerate(model.servers[unit, k])
                if n
            ]
            model.problem += (pulp.lpSum(placed) == size, f"placement_all_servers_u{unit}")
        switches = (("spines", model.spines, counts.spines), ("oob", model.oob, counts.oob))
        for name, variables, count in switches:
            row = (pulp.lpSum(variables) == count, f"placement_all_switches_{name}")
            model.problem += row

    def _spine_cents(self, k: int, leafs: Leafs) -> int:
        counts = self.counts
        steps = counts.steps[k]
        return sum(
            sum(row) * counts.pair_cents[steps[j]] for j, row in enumerate(leafs) if any(row)
        )

    def _server_cents(self, unit: int, k: int, leafs: Leafs, most: int) -> list[int]:
        counts = self.counts
        steps = counts.steps[k]
        own = [
            (row[unit], counts.server_cents[steps[j]]) for j, row in enumerate(leafs) if row[unit]
        ]
        prices = [sum(n * cents[x] for n, cents in own) for x in range(most + 1)]
        return prices[: next((x for x, c in enumerate(prices) if c >= IMPOSSIBLE), len(prices))]

    def _arrangement(self, model: FillModel, values: dict[str, float], leafs: Leafs) -> Arrangement:
        counts = self.counts
        servers = []
        for k in range(counts.racks):
            row = []
            for unit in range(len(counts.unit_servers)):
                choice = model.servers[unit, k]
                row.append(max(range(len(choice)), key=lambda n: values[choice[n].name]))
            servers.append(tuple(row))
        return Arrangement(
            servers=tuple(servers),
            leafs=leafs,
            spines=tuple(round(values[v.name]) for v in model.spines),
            oob=tuple(round(values[v.name]) for v in model.oob),
        )
