"""Present value and purchase price of catalogue parts, written again from the formulation's page.

Shares no code with the program: prices, quotes, shares and rates are looked up here, each line is
rounded once per unit.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

SUPPORT = {"servers": "mnt-server", "switches": "mnt-network", "out_of_band": "mnt-network"}
SPARES = {"transceivers": "mnt-spares", "cables": "mnt-spares"}
NETWORK = ("nics", "switches", "transceivers", "cables")
COMPONENTS = {
    "servers": "servers", "nics": "nics", "switches": "switches", "transceivers": "transceivers",
    "cables": "cables", "fibres": "cables", "racks": "racks", "pdus": "racks",
}  # fmt: skip


def whole_cents(usd: float) -> int:
    """Return whole cents, halves away from zero."""
    return int(math.copysign(math.floor(abs(usd) * 100 + 0.5), usd))


class Purse:
    """What parts cost under one instance."""

    def __init__(self, instance: Any, catalog: Any) -> None:
        self.instance, self.catalog = instance, catalog
        site, finance = instance.site, instance.finance
        self.years, self.rate = finance.years, finance.discount_rate
        years = int(self.years)
        self.annuity = math.fsum(1 / (1 + self.rate) ** k for k in range(1, years + 1))
        if self.years > years:
            self.annuity += (self.years - years) * (1 + self.rate) ** -self.years
        self.electricity = self._given(site.electricity_usd_per_kwh, "el-default-us")
        self.pue = self._given(site.pue, "pue-own-colo")

        self.known: dict[str, tuple[int, int]] = {}
        self.owned = self._owned()
        cabling = ("transceivers", "cables")
        self.counted = [key for key in sorted(self.owned) if key[1] in cabling]
        self.nothing = (0,) * (2 + len(self.counted))

    def _owned(self) -> dict[tuple[str, str], int]:
        """Return units owned by part and component, counted from the instance."""
        found: dict[tuple[str, str], int] = {}
        owned = self.instance.owned
        if owned is None:
            return found

        def add(part: str, component: str, count: int) -> None:
            found[part, component] = found.get((part, component), 0) + count

        for row in owned.servers:
            add(row.server, "servers", row.count)
            cards = [
                o for o in self.catalog.server_nics.values()
                if o.server == row.server and row.nic in (None, o.nic, o.id)
            ]  # fmt: skip
            cards.sort(key=lambda o: not o.default)
            if not cards[0].included:
                add(cards[0].nic, "nics", row.count * cards[0].count)
        for row in owned.switches:
            add(row.switch, "out_of_band" if row.tier == "oob" else "switches", row.count)
        for part, count in owned.parts.items():
            oob = part in ("sn2201", "cat6a-1g-20m")
            add(part, "out_of_band" if oob else self.find(part)[0], count)
        return found

    def spare(self, part: str, component: str) -> tuple[int, int]:
        """Return the (value, price) that one owned unit spares: bought, less not bought."""
        price = self.usd(part) * (
            self.instance.network_price_factor if component in NETWORK else 1.0
        )
        finance = self.instance.finance
        once = self.catalog.rates[SPARES[component]].value if component in SPARES else 0.0
        once += (finance.installation_share or 0.0) + (finance.freight_share or 0.0)
        value = whole_cents(price) + whole_cents(price * once)
        if component == "servers":
            value -= whole_cents(price * finance.resale_share * (1 + self.rate) ** -self.years)
        return value, whole_cents(price)

    def net(self, part: str, count: int, component: str = "") -> tuple[int, int]:
        """Return (value, price) of units, the owned ones not bought."""
        one = self.unit(part, management=component == "out_of_band")
        component = component or self.find(part)[0]
        free = min(count, self.owned.get((part, component), 0))
        spare = self.spare(part, component) if free else (0, 0)
        return one[0] * count - spare[0] * free, one[1] * count - spare[1] * free

    def racks(self, count: int) -> tuple[int, int]:
        """Return (value, price) of racks in use with their PDUs, the owned ones not bought."""
        rack, pdu, each = self.rack_parts
        a, b = self.net(rack, count), self.net(pdu, count * each)
        return a[0] + b[0], a[1] + b[1]

    def vector(self, part: str) -> tuple[int, ...]:
        """Return value and price of one unit and a one where it counts against the stock."""
        return (*self.cost(part), *(int(part == known) for known, _ in self.counted))

    def spared(self, counts: tuple[int, ...]) -> tuple[int, int]:
        """Return the (value, price) that the stock spares of so many units."""
        value = price = 0
        for (part, component), count in zip(self.counted, counts, strict=True):
            free = min(count, self.owned[part, component])
            one = self.spare(part, component)
            value, price = value + one[0] * free, price + one[1] * free
        return value, price

    def cost(self, part: str) -> tuple[int, int]:
        """Return (present value, purchase price) of one unit, kept."""
        if part not in self.known:
            self.known[part] = self.unit(part)
        return self.known[part]

    @cached_property
    def rack_parts(self) -> tuple[str, str, int]:
        """Return cabinet, PDU and number of PDUs of a rack: N+1 of the cheapest PDU to buy."""
        site = self.instance.site
        sets = []
        for pdu, row in self.catalog.pdus.items():
            if self.can_buy(pdu):
                count = math.ceil(site.rack_kw / row.power_kw) + 1
                sets.append((count * self.unit(pdu)[0], pdu, count))
        _, pdu, count = min(sets)
        return site.rack, pdu, count

    def _given(self, value: float | None, rate: str) -> float:
        return self.catalog.rates[rate].value if value is None else value

    def find(self, part: str) -> tuple[str, Any]:
        """Return component and row of a part."""
        for table, component in COMPONENTS.items():
            rows = getattr(self.catalog, table)
            if part in rows:
                return component, rows[part]
        raise KeyError(part)

    def can_buy(self, part: str) -> bool:
        """Return whether any number of a part can be chosen at its price, and it is not forbidden."""
        _, row = self.find(part)
        banned = self.instance.forbid.product or []
        if part in ([banned] if isinstance(banned, str) else banned):
            return False
        if row.availability == "included":
            return False
        if part in self.instance.quotes:
            return True
        return row.price is not None and row.price.market == "new" and row.availability == "on-sale"

    def can_have(self, part: str, component: str, count: int = 1) -> bool:
        """Return whether so many units of a part are owned or can be bought."""
        owned = self.owned.get((part, component), 0)
        if not owned:
            return self.can_buy(part)
        banned = self.instance.forbid.product or []
        if part in ([banned] if isinstance(banned, str) else banned):
            return False
        return count <= owned or self.can_buy(part)

    def usd(self, part: str) -> float:
        """Return the price of one, quote first."""
        quote, price = self.instance.quotes.get(part), self.find(part)[1].price
        if quote is None and price is None:
            return 0.0
        return float(quote.usd if quote else price.usd)

    def switch_watts(self, row: Any) -> tuple[float, float]:
        """Return average and maximum watts of a switch without the average of its modules."""
        average, most = row.typical_power_w, row.max_power_w
        if most is None:
            accepted = self.catalog.connectors[row.connector].accepts
            modules = [
                t.max_power_w for t in self.catalog.transceivers.values() if t.connector in accepted
            ]
            most = average + row.cages * max(modules, default=0.0)
        if average is None:
            average = most * self.catalog.rates["util-power"].value
        return average, most

    def watts(self, component: str, row: Any) -> tuple[float, float]:
        """Return average watts and the watts that space is charged on."""
        if component == "servers":
            share = self.catalog.rates["util-power"].value
            return row.typical_power_w or row.max_power_w * share, row.max_power_w
        if component == "switches":
            return self.switch_watts(row)
        if component == "transceivers":
            return row.power_w, 0.0
        if component == "cables" and hasattr(row, "power_w_per_end"):
            return row.power_w_per_end * (1 + row.ends_b), 0.0
        return 0.0, 0.0

    def unit(self, part: str, *, management: bool = False) -> tuple[int, int]:
        """Return (present value, purchase price) of one unit, cents."""
        component, row = self.find(part)
        average, most = self.watts(component, row)
        price = self.usd(part)
        if management:
            component = "out_of_band"
        if component in NETWORK:
            price *= self.instance.network_price_factor
        gpus = row.gpus if component == "servers" else 0
        return self._lines(component, price, average, most, gpus)

    def storage(self) -> tuple[int, int]:
        """Return (present value, purchase price) of the storage."""
        wanted = self.instance.storage
        if wanted is None:
            return 0, 0
        watts = wanted.power_kw * 1000
        return self._lines("storage", wanted.price_usd or 0.0, watts, watts, 0)

    def _lines(
        self, component: str, price: float, average: float, most: float, gpus: int
    ) -> tuple[int, int]:
        site, finance, rates = self.instance.site, self.instance.finance, self.catalog.rates
        capex = whole_cents(price)
        energy = average / 1000.0 * self.pue * 8766.0 * self.electricity
        total = capex + whole_cents(energy * self.annuity)
        if component in SUPPORT:
            total += whole_cents(price * rates[SUPPORT[component]].value * self.annuity)
        once = rates[SPARES[component]].value if component in SPARES else 0.0
        once += (finance.installation_share or 0.0) + (finance.freight_share or 0.0)
        total += whole_cents(price * once)
        yearly = (finance.software_usd_per_gpu_year or 0.0) * gpus
        total += whole_cents(yearly * self.annuity)
        space = most / 1000.0 * (site.space_usd_per_kw_month or 0.0) * 12
        total += whole_cents(space * self.annuity)
        if component == "servers":
            end = (1 + self.rate) ** -self.years
            total -= whole_cents(price * finance.resale_share * end)
        return total, capex
