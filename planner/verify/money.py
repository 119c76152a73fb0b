"""Present value of one unit of a part, counted again from ``models/formulation/costs.md``.

Amounts are ranges of whole cents: where a value stands within a billionth of a rounding edge, both
neighbours are accepted, so that the order of multiplication does not decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from planner.domain.catalog import Catalog
from planner.domain.instance import Instance
from planner.domain.units import HOURS_PER_YEAR, cents

EDGE = 1e-9
UTILISATION = "util-power"
ELECTRICITY_DEFAULT = "el-default-us"
PUE_DEFAULT = "pue-own-colo"
SUPPORT_RATES = {
    "servers": "mnt-server",
    "servers_beside": "mnt-server",
    "switches": "mnt-network",
    "out_of_band": "mnt-network",
}
SERVICE_COMPONENTS = ("storage_network", "in_band_network", "fabric_manager", "appliances")
"""Support and spares of their parts are those of such parts in the cluster."""
SPARES_RATES = {"transceivers": "mnt-spares", "cables": "mnt-spares"}
SCALE_OUT_COMPONENTS = ("nics", "switches", "transceivers", "cables")
"""To whose prices `network_price_factor` applies."""


class Span(NamedTuple):
    """A range of whole cents."""

    low: int
    high: int

    def plus(self, other: Span, times: int = 1) -> Span:
        """Return the sum of this and `times` the other."""
        return Span(self.low + other.low * times, self.high + other.high * times)

    def holds(self, usd: float) -> bool:
        """Tell whether an amount in US dollars, to the cent, lies inside."""
        return self.low <= cents(usd) <= self.high and abs(usd * 100 - cents(usd)) < 1e-3

    def __str__(self) -> str:
        """Return the amount in US dollars."""
        low, high = self.low / 100, self.high / 100
        return f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"


def rounded(usd: float) -> Span:
    """Return an amount rounded to whole cents."""
    edge = EDGE * max(1.0, abs(usd))
    return Span(cents(usd - edge), cents(usd + edge))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitValue:
    """Present value of one unit by line."""

    capex: Span
    energy: Span
    support: Span
    other: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """What money over time is counted with, from the instance and the catalogue's rates."""

    instance: Instance
    catalog: Catalog

    @property
    def annuity(self) -> float:
        """Present value of one dollar a year, paid at year ends, the last year in part."""
        years, rate = self.instance.finance.years, self.instance.finance.discount_rate
        whole = int(years)
        paid = [1.0 / (1.0 + rate) ** k for k in range(1, whole + 1)]
        return math.fsum([*paid, (years - whole) / (1.0 + rate) ** years])

    def rate(self, row_id: str) -> float:
        """Return a rate of the catalogue, zero if it has none."""
        row = self.catalog.rates.get(row_id)
        return row.value if row else 0.0

    def unit_usd(self, part: str, component: str) -> float | None:
        """Return the price of one unit: quote, else catalogue, times the network factor."""
        usd = self.list_usd(part)
        if usd is None:
            return None
        if component in SCALE_OUT_COMPONENTS:
            return usd * self.instance.network_price_factor
        return usd

    def list_usd(self, part: str) -> float | None:
        """Return the price of a part as quoted, else as the catalogue gives it."""
        quote = self.instance.quotes.get(part)
        if quote is not None:
            return quote.usd
        catalog = self.catalog
        row = (
            catalog.servers.get(part) or catalog.nics.get(part) or catalog.switches.get(part)
            or catalog.transceivers.get(part) or catalog.cables.get(part)
            or catalog.fibres.get(part) or catalog.racks.get(part) or catalog.pdus.get(part)
            or catalog.appliances.get(part)
        )  # fmt: skip
        return row.price.usd if row is not None and row.price is not None else None

    def average(self, part: str) -> float:
        """Return the average watts of one unit of a part."""
        catalog = self.catalog
        if part in catalog.servers:
            server = catalog.servers[part]
            return server.typical_power_w or server.max_power_w * self.rate(UTILISATION)
        if part in catalog.switches:
            switch = catalog.switches[part]
            return switch.typical_power_w or (switch.max_power_w or 0.0) * self.rate(UTILISATION)
        if part in catalog.appliances:
            box = catalog.appliances[part]
            return box.typical_power_w or box.max_power_w * self.rate(UTILISATION)
        if part in catalog.transceivers:
            return catalog.transceivers[part].power_w
        if part in catalog.cables:
            cable = catalog.cables[part]
            return cable.power_w_per_end * (cable.ends_b + 1)
        return 0.0

    def maximum(self, part: str) -> float:
        """Return the most watts that one box draws; modules and cables count with their box."""
        catalog = self.catalog
        if part in catalog.servers:
            return catalog.servers[part].max_power_w
        if part in catalog.appliances:
            return catalog.appliances[part].max_power_w
        switch = catalog.switches.get(part)
        if switch is None:
            return 0.0
        if switch.max_power_w is not None:
            return switch.max_power_w
        plugs = catalog.connectors[switch.connector].accepts
        hungriest = max(
            (m.max_power_w for m in catalog.transceivers.values() if m.connector in plugs),
            default=0.0,
        )
        return (switch.typical_power_w or 0.0) + switch.cages * hungriest

    def value(self, part: str, component: str, usd: float, *, owned: bool = False) -> UnitValue:
        """Return the present value of one unit that costs `usd`, or would if it were not owned."""
        server = self.catalog.servers.get(part) if component == "servers" else None
        gpus = server.gpus if server else 0
        if component in SERVICE_COMPONENTS:
            component = self._kept_up_as(part)
        watts = self.average(part), self.maximum(part)
        value = self._value(component, usd, *watts, gpus)
        if not owned:
            return value
        running = self._value(component, 0.0, *watts, gpus)
        return replace(running, support=value.support)

    def _kept_up_as(self, part: str) -> str:
        """Return the component whose support and spares a part of services has."""
        catalog = self.catalog
        if part in catalog.switches:
            return "switches"
        if part in catalog.transceivers:
            return "transceivers"
        return "servers_beside" if part in catalog.appliances else "cables"

    def card(self, usd: float, average_w: float, max_w: float) -> UnitValue:
        """Return the present value of a network card that stands in no server."""
        return self._value("nics", usd, average_w, max_w, 0)

    @property
    def storage(self) -> UnitValue:
        """Present value of the storage that the instance asks for; without a quote its power."""
        wanted = self.instance.storage
        if wanted is None:
            return self._value("storage", 0.0, 0.0, 0.0, 0)
        watts = wanted.power_kw * 1000.0
        return self._value("storage", wanted.price_usd or 0.0, watts, watts, 0)

    def _value(
        self, component: str, usd: float, average_w: float, max_w: float, gpus: int
    ) -> UnitValue:
        finance, site = self.instance.finance, self.instance.site
        kwh = site.electricity_usd_per_kwh
        kwh = self.rate(ELECTRICITY_DEFAULT) if kwh is None else kwh
        pue = self.rate(PUE_DEFAULT) if site.pue is None else site.pue
        yearly_kwh = average_w / 1000.0 * HOURS_PER_YEAR * pue
        once = self.rate(SPARES_RATES.get(component, ""))
        once += (finance.installation_share or 0.0) + (finance.freight_share or 0.0)
        software = (finance.software_usd_per_gpu_year or 0.0) * gpus * self.annuity
        space = (site.space_usd_per_kw_month or 0.0) * max_w / 1000.0 * 12
        resale = 0.0
        if component == "servers":
            resale = usd * finance.resale_share / (1 + finance.discount_rate) ** finance.years
        back = rounded(resale)
        other = rounded(usd * once).plus(rounded(software)).plus(rounded(space * self.annuity))
        return UnitValue(
            capex=rounded(usd),
            energy=rounded(yearly_kwh * kwh * self.annuity),
            support=rounded(usd * self.rate(SUPPORT_RATES.get(component, "")) * self.annuity),
            other=Span(other.low - back.high, other.high - back.low),
        )
