"""Where the cluster stands: racks, power, floor; and what money costs there."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.floor import MOST_PLACES, Floor, Places, RackKind
from planner.domain.text import Name

Money = Annotated[float, Field(ge=0, le=1e13, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class Site(BaseModel):
    """A room of racks in rows; cables run over trays above the racks.

    A rack's place is (row, column); its distance to another is Manhattan over the trays plus
    rise and drop plus slack, 0 rise between devices of one rack. The racks are alike unless
    `floor` says otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    racks: Annotated[int, Field(ge=1, le=20_000)]
    """Places for racks, blocked and partly used ones included."""
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
    pdu_redundancy: Literal["n+1", "2n"] = "n+1"
    """n+1: a rack keeps its power with one PDU lost; 2n: with one of its two feeds A and B."""
    floor: Floor = Floor()
    """Aisles, trays, and the places that are not like the others."""

    @property
    def plain(self) -> bool:
        """Whether all racks are alike, on a plain grid."""
        return self.floor == Floor()

    @property
    def rows(self) -> int:
        """Rows of the room, the last perhaps shorter."""
        return -(-self.racks // self.racks_per_row)

    def special_places(self) -> dict[tuple[int, int], Places]:
        """Return what `floor` says of single places, by row and column from 0."""
        return {
            (entry.row - 1, column - 1): entry
            for entry in self.floor.places
            for column in entry.columns
        }

    def kind_of(self, place: Places | None) -> RackKind:
        """Return the rack of a place with every figure filled in."""
        kind = self.floor.kinds[place.kind] if place and place.kind else RackKind()
        return RackKind(
            rack=kind.rack or self.rack,
            rack_kw=kind.rack_kw or self.rack_kw,
            rack_weight_kg=kind.rack_weight_kg or self.rack_weight_kg,
            cooling=kind.cooling or self.cooling,
        )

    @property
    def usable_racks(self) -> int:
        """Places that are not blocked."""
        blocked = sum(len(p.columns) for p in self.floor.places if p.blocked)
        return self.racks - blocked

    @property
    def free_kw(self) -> float:
        """Power of all racks at the devices' maximum, less what stands there already."""
        kw = (self.racks - sum(len(p.columns) for p in self.floor.places)) * self.rack_kw
        for place in self.floor.places:
            if not place.blocked:
                each = (self.kind_of(place).rack_kw or 0.0) - place.used_kw
                kw += len(place.columns) * each
        return kw

    @model_validator(mode="after")
    def _floor_fits(self) -> Self:
        floor = self.floor
        if floor.aisles and len(floor.aisles) != self.rows - 1:
            raise ValueError(
                f"{self.racks} racks at {self.racks_per_row} a row are {self.rows} rows; "
                f"give {self.rows - 1} aisles, one between each row and the next"
            )
        for row, column in self.special_places():
            if column >= self.racks_per_row or row * self.racks_per_row + column >= self.racks:
                raise ValueError(
                    f"row {row + 1}, column {column + 1} is outside the room; it has "
                    f"{self.racks} places at {self.racks_per_row} a row"
                )
        if self.usable_racks < 1:
            raise ValueError("every place is blocked; leave one free")
        if (floor.places or floor.cross_trays_m) and self.racks > MOST_PLACES:
            raise ValueError(
                f"places and cross_trays_m are for rooms of up to {MOST_PLACES} places; "
                "plan a larger site hall by hall"
            )
        for place in floor.places:
            if place.used_kw > (self.kind_of(place).rack_kw or 0.0):
                raise ValueError(
                    f"row {place.row}, column {place.columns[0]} uses {place.used_kw:g} kW, more "
                    "than its rack has; correct used_kw or give the rack's kind"
                )
        return self


class Finance(BaseModel):
    """How money over time is counted; present value in US dollars."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    years: Annotated[float, Field(ge=0.25, le=30)] = 5.0
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
