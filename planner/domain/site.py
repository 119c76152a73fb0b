"""Where the cluster stands: racks, power, floor; and what money costs there."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.text import Name

Money = Annotated[float, Field(ge=0, le=1e13, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class Site(BaseModel):
    """A room of identical racks in rows; cables run over trays above the racks.

    A rack's place is (row, column); its distance to another is Manhattan over the trays plus
    rise and drop plus slack, 0 rise between devices of one rack.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    racks: Annotated[int, Field(ge=1, le=20_000)]
    rack_kw: Annotated[float, Field(gt=0, le=1000)]
    """Usable IT power of one rack at the devices' maximum, kW, after redundancy."""
    rack: Name = "rack-48u-800"
    """Catalogue id of the rack model (units, width)."""
    rack_weight_kg: Annotated[float, Field(gt=0, le=10_000)] = 1500.0
    """Load that one rack and the floor under it carry; an estimate unless given."""
    cooling: Literal["air", "liquid"] = "air"
    """liquid racks also take air-cooled devices."""
    racks_per_row: Annotated[int, Field(ge=1, le=200)] = 12
    row_pitch_m: Annotated[float, Field(gt=0, le=50)] = 3.0
    """Distance between the tray lines of two neighbouring rows, metres; an estimate."""
    rise_m: Annotated[float, Field(ge=0, le=20)] = 2.0
    """From a device up to the tray, metres, once at each end; an estimate."""
    slack_m: Annotated[float, Field(ge=0, le=20)] = 1.0
    """Added once to every cable between racks, metres; an estimate."""
    inside_rack_m: Annotated[float, Field(gt=0, le=10)] = 3.0
    """Length of a cable between two devices of one rack, metres; an estimate."""
    power_kw: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """IT power of the whole site at the devices' maximum; racks x rack_kw if absent."""
    electricity_usd_per_kwh: Annotated[float, Field(ge=0, le=10)] | None = None
    """The catalogue's default rate if absent."""
    pue: Annotated[float, Field(ge=1, le=5)] | None = None
    """Power usage effectiveness; the catalogue's default if absent."""
    space_usd_per_kw_month: Money | None = None
    """Colocation or room charge per kW of rack power in use; not priced if absent."""


class Finance(BaseModel):
    """How money over time is counted; present value in US dollars."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    years: Annotated[float, Field(gt=0, le=30)] = 5.0
    discount_rate: Annotated[float, Field(ge=0, le=1)] = 0.08
    """Yearly; 0.08 is an estimate."""
    in_service: datetime.date | None = None
    resale_share: Share = 0.0
    """Share of the purchase price of servers recovered at the end; 0 unless given."""
    installation_share: Share | None = None
    """Of the purchase price; not priced if absent."""
    freight_share: Share | None = None
    """Of the purchase price; not priced if absent."""
    software_usd_per_gpu_year: Money | None = None
    """Not priced if absent."""
    report_currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    usd_per_unit: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    """US dollars for one unit of the report currency; converts once, in the report."""
    rate_date: datetime.date | None = None

    @model_validator(mode="after")
    def _currency_has_a_rate(self) -> Self:
        if self.report_currency != "USD" and "usd_per_unit" not in self.model_fields_set:
            raise ValueError(
                f"report_currency {self.report_currency} has no rate; "
                "give usd_per_unit, US dollars for one unit of it"
            )
        return self


class Budget(BaseModel):
    """Upper limits; absent means no limit."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    capex_usd: Money | None = None
    """Purchase price of everything bought, without the running costs."""
    power_kw: Annotated[float, Field(gt=0, le=1e6)] | None = None
    """IT power at the devices' maximum."""
    gpus: Annotated[int, Field(ge=1, le=10_000_000)] | None = None


class Storage(BaseModel):
    """Shared storage, bought beside the cluster."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    capacity_tb: Annotated[float, Field(gt=0, le=1e9)]
    gbytes_per_s: Annotated[float, Field(gt=0, le=1e6)] | None = None
    price_usd: Money | None = None
    """A quote; not priced if absent."""
    power_kw: Annotated[float, Field(ge=0, le=1e5)] = 0.0
