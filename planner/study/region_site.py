"""One site of several: its own instance, its designs, and the step of its part of the job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from planner.domain.errors import UsageError
from planner.domain.instance import Instance
from planner.domain.network import Network
from planner.domain.regions import Region
from planner.domain.site import Budget
from planner.domain.strategy import Strategy
from planner.domain.workload import StrategyChoice
from planner.physics.refusal import Refusal
from planner.program.columns import Column
from planner.program.market import Market, open_market
from planner.program.regions import Part
from planner.program.scan import PlacedCost
from planner.program.steps import StepOracle, UsedStep

Say = Callable[[str], None]
MAX_COLUMNS = 500
"""Of one site; above, the instance must pin more."""


def stage_choice(strategy: Strategy) -> StrategyChoice:
    """Return the pins that leave exactly one strategy."""
    return StrategyChoice.model_validate(strategy.model_dump())


def pinned(workload_choice: StrategyChoice, part: Part) -> StrategyChoice:
    """Return what a workload pins, and what its part of the job pins."""
    if not part.choice:
        return workload_choice
    own = StrategyChoice.model_validate_json(part.choice)
    return workload_choice.model_copy(update=own.model_dump(exclude_none=True))


def with_part(instance: Instance, part: Part) -> Instance:
    """Return an instance whose workload does a part of the job."""
    job = instance.workloads[0]
    changed = job.model_copy(
        update={
            "global_batch": part.batch,
            "pipeline_nodes_elsewhere": part.elsewhere,
            "fix": pinned(job.fix, part),
        }
    )
    return instance.model_copy(update={"workloads": [changed]})


def site_instance(instance: Instance, region: Region) -> Instance:
    """Return a site's own instance: its room, no common limits, the common target."""
    stated = region.model_dump(exclude={"name"}, exclude_none=True)
    job = instance.workloads[0]
    alone = job.model_copy(
        update={"step_time_s": job.target_s, "tokens": None, "samples": None,
                "deadline_days": None, "repeat_days": None}
    )  # fmt: skip
    return instance.model_copy(
        update={
            "name": f"{instance.name}-{region.name}"[:80],
            "regions": None,
            "budget": Budget(),
            "site": instance.site.model_copy(update=stated),
            "workloads": [alone],
        }
    )


@dataclass
class Site:
    """One site with its columns, placed, whatever their step time."""

    region: Region
    market: Market
    columns: list[tuple[Column, PlacedCost]]
    _oracles: dict[Part, StepOracle] = field(default_factory=dict)
    _steps: dict[tuple[int, Part], UsedStep | None] = field(default_factory=dict)

    def step(self, number: int, part: Part) -> UsedStep | None:
        """Return the step of a part of the job on a column, None where it does not fit."""
        key = (number, part)
        if key not in self._steps:
            column, placed = self.columns[number]
            longest = max((x.max_m for x in placed.placement.lengths.values()), default=0.0)
            found = self._oracle(part).fastest(0, column, longest)
            whole = found is None or not part.elsewhere or found.servers == column.nodes
            self._steps[key] = found if whole else None
        return self._steps[key]

    def sizes(self) -> dict[tuple[str, int], list[int]]:
        """Return the columns' numbers by platform and servers."""
        found: dict[tuple[str, int], list[int]] = {}
        for number, (column, _) in enumerate(self.columns):
            found.setdefault((column.option.key, column.nodes), []).append(number)
        return found

    def _oracle(self, part: Part) -> StepOracle:
        if part not in self._oracles:
            market = self.market
            known = {market.instance.workloads[0].network: market.oracle.networks[0]}
            self._oracles[part] = StepOracle.of(
                with_part(market.instance, part), market.catalog, market.file,
                market.calibration, known,
            )  # fmt: skip
        return self._oracles[part]


def open_site(
    instance: Instance,
    region: Region,
    file: Path,
    say: Say,
    networks: Mapping[str, Network] | None = None,
) -> Site:
    """Return a site with every design that its room holds; `networks` are not read again.

    Raises
    ------
    UsageError
        If there are too many.
    """
    market = open_market(site_instance(instance, region), file, networks=networks)
    found: list[tuple[Column, PlacedCost]] = []
    for option in market.options:
        for nodes in market.node_range(option):
            for choice in market.choices(option):
                column = market.column(option, nodes, choice)
                if isinstance(column, Refusal) or market.column_limit(column) is not None:
                    continue
                if len(found) == MAX_COLUMNS:
                    raise UsageError(
                        f"{file}: more than {MAX_COLUMNS} designs of {region.name}; pin more under "
                        "fix (server, family, switch, topology) or set grid.max_nodes and grid.step"
                    )
                placed = market.place(column)
                if not isinstance(placed, Refusal):
                    found.append((column, placed))
        say(f"{instance.name}: {region.name}, {len(found):,} designs")
    return Site(region=region, market=market, columns=found)
