"""Present value of one unit of a part: purchase, energy, support, spares and the rest.

Every line is rounded to whole cents once per unit and then multiplied by a quantity, so that a
design's cost is an exact integer. The formulas stand in ``models/formulation/costs.md``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.domain.units import HOURS_PER_YEAR, cents

COMPONENTS = (
    "servers", "nics", "switches", "transceivers", "cables", "out_of_band", "racks", "storage",
    "rewiring", "storage_network", "in_band_network", "fabric_manager", "appliances",
)  # fmt: skip
SERVICE_COMPONENTS = ("storage_network", "in_band_network", "fabric_manager", "appliances")
"""Components beside the cluster; support and spares of their parts are those of such parts there."""
NETWORK_COMPONENTS = ("nics", "switches", "transceivers", "cables")
"""Components of the scale-out network, to which `network_price_factor` applies."""

MONTHS_PER_YEAR = 12
WATTS_PER_KW = 1000.0


def annuity_factor(years: float, discount_rate: float) -> float:
    """Return the present value of one dollar a year, paid at year ends.

    A last partial year of length `f` pays `f` at the end of the horizon:
    sum over k = 1..floor(years) of (1 + r)^-k, plus f (1 + r)^-years.
    """
    whole = math.floor(years)
    rest = years - whole
    total = math.fsum((1 + discount_rate) ** -k for k in range(1, whole + 1))
    return total + (rest * (1 + discount_rate) ** -years if rest > 0 else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyRules:
    """What money over time is counted with; shares are of the purchase price."""

    years: float
    discount_rate: float
    electricity_usd_per_kwh: float
    pue: float
    support_share_per_year: Mapping[str, float] = field(default_factory=dict)
    """By component; a missing component has no support line."""
    spares_share: Mapping[str, float] = field(default_factory=dict)
    """By component: stock of spare parts bought with the cluster, pro rata."""
    installation_share: float = 0.0
    freight_share: float = 0.0
    resale_share: float = 0.0
    """Of servers, recovered at the end of the horizon."""
    software_usd_per_gpu_year: float = 0.0
    space_usd_per_kw_month: float = 0.0

    @property
    def annuity(self) -> float:
        """Present value of one dollar a year."""
        return annuity_factor(self.years, self.discount_rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCost:
    """Present value of one unit, whole cents."""

    capex: int = 0
    """Purchase price."""
    energy: int = 0
    support: int = 0
    other: int = 0
    """Spares, installation, freight, software and space, less resale."""

    @property
    def total(self) -> int:
        """Sum of the lines, cents."""
        return self.capex + self.energy + self.support + self.other

    def times(self, quantity: int) -> UnitCost:
        """Return the cost of `quantity` units."""
        return UnitCost(
            capex=self.capex * quantity,
            energy=self.energy * quantity,
            support=self.support * quantity,
            other=self.other * quantity,
        )

    def __add__(self, more: UnitCost) -> UnitCost:
        """Return the sum line by line."""
        return UnitCost(
            capex=self.capex + more.capex,
            energy=self.energy + more.energy,
            support=self.support + more.support,
            other=self.other + more.other,
        )


def purchase_part(rules: MoneyRules, *, component: str, price_usd: float) -> UnitCost:
    """Return the part of a unit's value that is not paid for one that is owned.

    Purchase price, spares, installation and freight, less resale at the end: what is owned would
    be sold some day whether it is used here or not.
    """
    once = rules.spares_share.get(component, 0.0) + rules.installation_share + rules.freight_share
    resale = rules.resale_share if component == "servers" else 0.0
    end_value = (1 + rules.discount_rate) ** -rules.years
    return UnitCost(
        capex=cents(price_usd),
        other=cents(price_usd * once) - cents(price_usd * resale * end_value),
    )


def unit_cost(
    rules: MoneyRules,
    *,
    component: str,
    price_usd: float,
    average_w: float = 0.0,
    max_w: float = 0.0,
    gpus: int = 0,
) -> UnitCost:
    """Return the present value of one unit of a part.

    Parameters
    ----------
    rules
        Horizon, rates and shares.
    component
        One of COMPONENTS.
    price_usd
        Purchase price of one unit.
    average_w, max_w
        Power in use on average, and the most it can draw (space is charged on that), watts.
    gpus
        GPUs in the unit, for software charged by GPU.
    """
    annuity = rules.annuity
    energy_usd = (
        average_w / WATTS_PER_KW * rules.pue * HOURS_PER_YEAR * rules.electricity_usd_per_kwh
    )
    support_usd = price_usd * rules.support_share_per_year.get(component, 0.0)
    space_usd = max_w / WATTS_PER_KW * rules.space_usd_per_kw_month * MONTHS_PER_YEAR
    bought = purchase_part(rules, component=component, price_usd=price_usd)
    return bought + UnitCost(
        energy=cents(energy_usd * annuity),
        support=cents(support_usd * annuity),
        other=cents(rules.software_usd_per_gpu_year * gpus * annuity) + cents(space_usd * annuity),
    )


def paid_between(start: float, end: float, discount_rate: float) -> float:
    """Return the present value of one dollar a year from one time to another, years from now.

    The difference of two annuities, so that spans that follow each other add up to the whole.
    """
    return annuity_factor(end, discount_rate) - annuity_factor(start, discount_rate)


def held_part(
    rules: MoneyRules,
    *,
    component: str,
    price_usd: float,
    bought: float,
    given_up: float,
    worth_share: float,
) -> UnitCost:
    """Return the value of owning one unit from one time to another, its running left out.

    Price, spares, installation and freight when it is bought; support while it is held; less what
    it brings when it is given up. Bought now and kept to the end it is the unit's whole value but
    energy, software and space (``models/formulation/growth.md``).

    Parameters
    ----------
    rules
        Rates and shares.
    component
        One of COMPONENTS.
    price_usd
        Price of one unit when it is bought.
    bought, given_up
        Years from now.
    worth_share
        Of its price, what it brings when it is given up.
    """
    now, then = (1 + rules.discount_rate) ** -bought, (1 + rules.discount_rate) ** -given_up
    once = rules.spares_share.get(component, 0.0) + rules.installation_share + rules.freight_share
    support = price_usd * rules.support_share_per_year.get(component, 0.0)
    paid = paid_between(bought, given_up, rules.discount_rate)
    return UnitCost(
        capex=cents(price_usd * now),
        support=cents(support * paid),
        other=cents(price_usd * once * now) - cents(price_usd * worth_share * then),
    )


def running_part(
    rules: MoneyRules, *, average_w: float, max_w: float, gpus: int, start: float, end: float
) -> UnitCost:
    """Return energy, software and space of one unit that runs from one time to another."""
    paid = paid_between(start, end, rules.discount_rate)
    energy_usd = (
        average_w / WATTS_PER_KW * rules.pue * HOURS_PER_YEAR * rules.electricity_usd_per_kwh
    )
    space_usd = max_w / WATTS_PER_KW * rules.space_usd_per_kw_month * MONTHS_PER_YEAR
    return UnitCost(
        energy=cents(energy_usd * paid),
        other=cents(rules.software_usd_per_gpu_year * gpus * paid) + cents(space_usd * paid),
    )
