"""Every part's price, power and present value under one instance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from planner.domain.catalog import POWER_SHARE, Catalog
from planner.domain.fabric_parts import Switch
from planner.domain.hardware import HardwareRow
from planner.domain.instance import Instance
from planner.domain.owned import COMPONENT_OF_TABLE, stock_of
from planner.domain.price import Price
from planner.physics.costs import (
    NETWORK_COMPONENTS,
    SERVICE_COMPONENTS,
    MoneyRules,
    UnitCost,
    purchase_part,
    unit_cost,
)

ELECTRICITY = "el-default-us"
PUE = "pue-own-colo"
SUPPORT = {"servers": "mnt-server", "switches": "mnt-network", "out_of_band": "mnt-network"}
SERVICE_SUPPORT = {"appliances": "mnt-server"}
SPARES = {"transceivers": "mnt-spares", "cables": "mnt-spares"}
UNKNOWN_WEIGHT_KG = 25.0
"""Of a switch whose weight no source gives: above every 1U and 2U box of the catalogue."""


class Watts(NamedTuple):
    """Power of one part, watts."""

    average: float
    maximum: float


@dataclass(frozen=True)
class PriceBook:
    """Prices and present values of the parts of a catalogue, for one instance."""

    instance: Instance
    catalog: Catalog

    @cached_property
    def rules(self) -> MoneyRules:
        """Horizon, rates and shares: the instance's, else the catalogue's estimates."""
        site, finance, rate = self.instance.site, self.instance.finance, self.catalog.rate
        electricity = site.electricity_usd_per_kwh
        return MoneyRules(
            years=finance.years,
            discount_rate=finance.discount_rate,
            electricity_usd_per_kwh=rate(ELECTRICITY).value if electricity is None else electricity,
            pue=rate(PUE).value if site.pue is None else site.pue,
            support_share_per_year={c: rate(r).value for c, r in self.support.items()},
            spares_share={c: rate(r).value for c, r in SPARES.items()},
            installation_share=finance.installation_share or 0.0,
            freight_share=finance.freight_share or 0.0,
            resale_share=finance.resale_share,
            software_usd_per_gpu_year=finance.software_usd_per_gpu_year or 0.0,
            space_usd_per_kw_month=site.space_usd_per_kw_month or 0.0,
        )

    @property
    def support(self) -> dict[str, str]:
        """Rate of support by component; of appliances only where services ask for any."""
        return SUPPORT if self.instance.services is None else SUPPORT | SERVICE_SUPPORT

    @cached_property
    def stock(self) -> dict[tuple[str, str], int]:
        """Units owned by (part, component)."""
        return stock_of(self.instance.owned, self.catalog)

    def owns(self, part: str) -> bool:
        """Return whether any unit of a part is owned."""
        return any(known == part for known, _ in self.stock)

    @cached_property
    def _tables(self) -> dict[str, str]:
        return {i: table for table in COMPONENT_OF_TABLE for i in getattr(self.catalog, table)}

    @cached_property
    def _units(self) -> dict[tuple[str, str], UnitCost]:
        return {}

    def table_of(self, part: str) -> str:
        """Return the table that holds a part."""
        return self._tables[part]

    def row(self, part: str) -> HardwareRow:
        """Return a part's row."""
        row: HardwareRow = getattr(self.catalog, self._tables[part])[part]
        return row

    def component(self, part: str) -> str:
        """Return the cost component of a part in the scale-out fabric."""
        return COMPONENT_OF_TABLE[self._tables[part]]

    def factor(self, component: str) -> float:
        """Return what the instance multiplies the component's prices with."""
        return self.instance.network_price_factor if component in NETWORK_COMPONENTS else 1.0

    def price(self, part: str) -> Price | None:
        """Return the price of a part as catalogue or quote give it, without the factor."""
        return self.row(part).price

    def saved(self, part: str, component: str) -> UnitCost:
        """Return what one owned unit spares: purchase and what is paid once, less its resale."""
        price = self.price(part)
        usd = 0.0 if price is None else price.usd * self.factor(component)
        return purchase_part(self.rules, component=component, price_usd=usd)

    def net(self, part: str, component: str, count: int) -> UnitCost:
        """Return the present value of some units; those that are owned cost nothing to buy."""
        whole = self.unit(part, component=component).times(count)
        owned = min(count, self.stock.get((part, component), 0))
        return whole + self.saved(part, component).times(-owned) if owned else whole

    def listed(self, part: str) -> UnitCost:
        """Return the present value of one unit that is bought."""
        return self.unit(part)

    def unit(self, part: str, *, component: str = "") -> UnitCost:
        """Return the present value of one unit; the part must have a price, or be owned.

        An appliance without a price still has its energy and space. `component` is where the unit
        is used, the scale-out fabric unless given.
        """
        component = component or self.component(part)
        key = (part, component)
        if key not in self._units:
            self._units[key] = self._value(part, component)
        return self._units[key]

    def _value(self, part: str, component: str) -> UnitCost:
        price = self.price(part)
        if price is None and not self.owns(part) and part not in self.catalog.appliances:
            raise KeyError(part)
        usd = 0.0 if price is None else price.usd
        watts = self.watts(part)
        server = self.catalog.servers.get(part)
        return unit_cost(
            self.rules,
            component=self.component(part) if component in SERVICE_COMPONENTS else component,
            price_usd=usd * self.factor(component),
            average_w=watts.average,
            max_w=watts.maximum,
            gpus=server.gpus if server else 0,
        )

    def watts(self, part: str) -> Watts:
        """Return average and maximum watts of one unit of a part."""
        table = self._tables[part]
        if table == "servers":
            server = self.catalog.servers[part]
            return Watts(self.catalog.average_power_w(part), server.max_power_w)
        if table == "switches":
            return self._switch_watts(self.catalog.switches[part])
        if table == "appliances":
            row = self.catalog.appliances[part]
            share = self.catalog.rate(POWER_SHARE).value
            return Watts(row.typical_power_w or row.max_power_w * share, row.max_power_w)
        if table == "transceivers":
            return Watts(self.catalog.transceivers[part].power_w, 0.0)
        if table == "cables":
            cable = self.catalog.cables[part]
            return Watts(cable.power_w_per_end * (1 + cable.ends_b), 0.0)
        return Watts(0.0, 0.0)

    def _switch_watts(self, switch: Switch) -> Watts:
        """Typical without modules; maximum with modules, or typical plus the hungriest modules."""
        typical, maximum = switch.typical_power_w, switch.max_power_w
        if maximum is None and typical is not None:
            fitting = [
                t.max_power_w
                for t in self.catalog.transceivers.values()
                if t.connector in self.catalog.connectors[switch.connector].accepts
            ]
            maximum = typical + switch.cages * max(fitting, default=0.0)
        if typical is None and maximum is not None:
            typical = maximum * self.catalog.rate(POWER_SHARE).value
        return Watts(typical or 0.0, maximum or 0.0)

    def switch_unusable(self, switch: Switch) -> str:
        """Why a switch cannot be planned with; empty where it can."""
        if switch.not_buyable and (switch.id, "switches") not in self.stock:
            return switch.not_buyable
        if switch.rack_units is None:
            return "has no known height: add it to your catalogue"
        if self.watts(switch.id).maximum <= 0:
            return "has no known power: add it to your catalogue"
        return ""

    def weight_kg(self, part: str) -> float:
        """Return the weight of a switch or server."""
        weight = getattr(self.row(part), "weight_kg", None)
        return float(weight) if weight else UNKNOWN_WEIGHT_KG
