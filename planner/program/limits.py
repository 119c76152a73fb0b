"""The limits of an instance as numbers, with their ids and the sentence of a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from planner.domain.instance import Instance
from planner.domain.units import cents
from planner.physics.costs import UnitCost
from planner.physics.refusal import Refusal
from planner.program.columns import Column
from planner.program.platforms import PlatformOption

WATTS_PER_KW = 1000.0


def milliwatts(watts: float) -> int:
    """Return watts as racks count them, so that what fits exactly is not lost to rounding."""
    return round(watts * 1000.0)


def racks_for(watts: float, rack_kw: float) -> int:
    """Return the racks that so many watts need at least."""
    return -(-milliwatts(watts) // max(1, milliwatts(rack_kw * WATTS_PER_KW)))


@dataclass(frozen=True)
class SiteLimits:
    """Budget and site limits; ids are those of ``models/formulation/selection.md``."""

    instance: Instance

    @cached_property
    def capex_cents(self) -> int | None:
        """Most that may be spent on purchase."""
        limit = self.instance.budget.capex_usd
        return None if limit is None else cents(limit)

    @cached_property
    def power_w(self) -> float:
        """Most watts of the whole site: the least of budget, site and racks."""
        site, budget = self.instance.site, self.instance.budget
        kw = [site.free_kw]
        kw += [k for k in (site.power_kw, budget.power_kw) if k is not None]
        return min(kw) * WATTS_PER_KW

    def of_servers(
        self, option: PlatformOption, nodes: int, capex_cents: int, storage_kw: float
    ) -> Refusal | None:
        """Return a limit that servers and storage alone break, whatever joins them.

        `capex_cents` is the price of both without what is owned.
        """
        gpus, most = nodes * option.server.gpus, self.instance.budget.gpus
        name = option.server.model
        if most is not None and gpus > most:
            return Refusal(limit="gpus", reason=f"{gpus} GPUs exceed the budget of {most}")
        name = f"{nodes} x {name} alone"
        watts = nodes * option.server.max_power_w + storage_kw * WATTS_PER_KW
        refusal = self._capex(capex_cents, name)
        return refusal or self._power(watts, name)

    def of_column(self, column: Column, storage: UnitCost, storage_kw: float) -> Refusal | None:
        """Return a limit that a column breaks before its cables and racks are counted."""
        name = f"{column.nodes} x {column.option.server.model} with its switches"
        watts = column.max_power_w + storage_kw * WATTS_PER_KW
        return self._capex(column.fixed.capex + storage.capex, name) or self._power(watts, name)

    def of_capex(self, capex_cents: int, name: str) -> Refusal | None:
        """Return a refusal when a complete design's purchase price breaks the budget."""
        return self._capex(capex_cents, name)

    def _capex(self, capex: int, name: str) -> Refusal | None:
        if self.capex_cents is None or capex <= self.capex_cents:
            return None
        return Refusal(
            limit="capex",
            reason=f"{name} costs {capex / 100:,.0f} USD to buy; "
            f"the budget is {self.capex_cents / 100:,.0f} USD",
        )

    def _power(self, watts: float, name: str) -> Refusal | None:
        if milliwatts(watts) <= milliwatts(self.power_w):
            return None
        return Refusal(
            limit="power",
            reason=f"{name} draws up to {watts / WATTS_PER_KW:,.1f} kW; "
            f"the site gives {self.power_w / WATTS_PER_KW:,.1f} kW",
        )
