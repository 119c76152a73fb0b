"""The same purchase under other prices or a faster or slower model: markets that share the physics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from planner.domain.catalog import Catalog
from planner.domain.instance import Instance
from planner.domain.price import Price, PriceLevel
from planner.program.columns import Column
from planner.program.market import Market, open_market
from planner.program.scan import PlacedCost, ScanResult, scan

PRICED_TABLES = (
    "servers", "nics", "switches", "cables", "transceivers", "fibres", "racks", "pdus",
)  # fmt: skip
BOXES = frozenset({"servers", "nics", "switches"})
"""Tables whose prices do not enter how racks are filled and cables are laid."""
Change = Callable[[Price], Price]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One solve under changed figures."""

    at: float
    market: Market
    result: ScanResult
    decision_cents: int | None
    """Present value of the decision there; None where it breaks a limit."""

    @property
    def best_cents(self) -> int | None:
        """Present value of the best design there; None where there is none."""
        return self.result.best.placed.cost_cents if self.result.best else None

    @property
    def holds(self) -> bool:
        """Whether no design was found to be better than the decision."""
        if self.decision_cents is None:
            return False
        return self.best_cents is None or self.decision_cents <= self.best_cents

    @property
    def proved(self) -> bool:
        """Whether `holds` is proved: the bound is the decision's cost, or something beats it."""
        if not self.holds:
            return self.best_cents is not None or self.result.proved
        bound = self.result.bound_cents
        return bound is not None and (self.decision_cents or 0) <= bound


def with_prices(market: Market, tables: Mapping[str, Change], only: str = "") -> Market:
    """Return the market with the prices of some tables changed; physics are shared.

    Parameters
    ----------
    market
        The instance as it stands.
    tables
        By catalogue table: what a price becomes.
    only
        Catalogue id of the one part to change; every part if empty.
    """

    def change(catalog: Catalog, instance: Instance) -> Catalog:
        del instance
        changed: dict[str, Any] = {}
        for name, price_of in tables.items():
            rows = {
                row_id: _repriced(row, price_of) if only in ("", row_id) else row
                for row_id, row in getattr(catalog, name).items()
            }
            changed[name] = MappingProxyType(rows)
        return replace(catalog, **changed)

    return _opened(market, market.instance, change, laid_alike=set(tables) <= BOXES)


def at_prices(market: Market, usd: Mapping[str, float]) -> Market:
    """Return the market with some parts, by catalogue id, at other prices."""

    def change(catalog: Catalog, instance: Instance) -> Catalog:
        del instance
        changed: dict[str, Any] = {}
        for part, price_usd in usd.items():
            table = market.book.table_of(part)
            rows = changed.setdefault(table, dict(getattr(catalog, table)))
            rows[part] = _repriced(rows[part], partial(at_price, usd=price_usd))
        return replace(catalog, **{name: MappingProxyType(rows) for name, rows in changed.items()})

    tables = {market.book.table_of(part) for part in usd}
    return _opened(market, market.instance, change, laid_alike=tables <= BOXES)


def at_price(price: Price, usd: float) -> Price:
    """Return a price at another figure, without a range."""
    return price.model_copy(update={"usd": usd, "low_usd": None, "high_usd": None})


def at_level(market: Market, level: PriceLevel) -> Market:
    """Return the market with every price at one end of its published range."""

    def price_of(price: Price) -> Price:
        return at_price(price, price.at(level))

    return with_prices(market, dict.fromkeys(PRICED_TABLES, price_of))


def with_electricity(market: Market, usd_per_kwh: float) -> Market:
    """Return the market at another price of electricity."""
    site = market.instance.site.model_copy(update={"electricity_usd_per_kwh": usd_per_kwh})
    return _opened(
        market, market.instance.model_copy(update={"site": site}), None, laid_alike=False
    )


def with_step_factor(market: Market, factor: float, least: float) -> Market:
    """Return the market with every step time multiplied by a factor.

    Limits are divided instead, and steps take longer of the hours: the same condition. `least` is the smallest factor that
    will be asked, so that bounds on step times are computed once for all.
    """
    oracle = market.oracle
    ceilings = tuple(limit / least for limit in oracle.limits)
    limits = tuple(limit / factor for limit in oracle.limits)
    if least == 1.0:
        ceilings = oracle.ceilings or oracle.limits
    eased = oracle.limited(limits, slower=oracle.slower * factor, ceilings=ceilings)
    changed = market.variant(market.instance)
    return replace(changed, oracle=eased, evaluated={}, _limited={}, _choices={})


def probe(market: Market, at: float, decision: Column, *, deadline_s: float | None = None) -> Probe:
    """Solve a changed market, and cost the decision in it."""
    result = scan(market, deadline_s=deadline_s, skip_slow=True)
    placed = cost_of(market, decision)
    return Probe(
        at=at,
        market=market,
        result=result,
        decision_cents=None if placed is None else placed.cost_cents,
    )


def cost_of(market: Market, wanted: Column) -> PlacedCost | None:
    """Return a design's cost in another market; None where it breaks a limit there."""
    column = same_column(market, wanted)
    if column is None or market.server_limit(column.option, column.nodes):
        return None
    if market.column_limit(column) or market.steps(column).failed:
        return None
    placed = market.place(column)
    if not isinstance(placed, PlacedCost) or market.settle(column, placed).failed:
        return None
    return placed


def same_column(market: Market, wanted: Column) -> Column | None:
    """Return a column as another market prices it."""
    for option in market.options:
        if option.key == wanted.option.key:
            column = market.column(option, wanted.nodes, wanted.plan.choice)
            return column if isinstance(column, Column) else None
    return None


def _opened(
    market: Market,
    instance: Instance,
    change: Callable[[Catalog, Instance], Catalog] | None,
    *,
    laid_alike: bool,
) -> Market:
    networks = {
        workload.network: network
        for workload, network in zip(market.instance.workloads, market.oracle.networks, strict=True)
    }
    opened = open_market(instance, market.file, market.calibration, change, networks)
    return market.repriced(opened, laid_alike=laid_alike)


def _repriced(row: Any, price_of: Change) -> Any:
    return row if row.price is None else row.model_copy(update={"price": price_of(row.price)})
