"""A price with its kind, date, source and range; never a bare number."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

PriceKind = Literal["list price", "street price", "analyst estimate", "own interpolation", "quote"]
"""What a price is: a vendor's list, an open shop, a third party's estimate, ours, or an offer."""

PriceLevel = Literal["low", "base", "high"]

Usd = Annotated[float, Field(ge=0, le=1e10)]
Date = Annotated[
    str, StringConstraints(pattern=r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$")
]
"""A year, a month or a day: 2026, 2026-09 or 2026-09-22."""


class Price(BaseModel):
    """Price of one unit in US dollars, without VAT.

    Raises
    ------
    ValidationError
        If the low or the high price is on the wrong side of the base price.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    usd: Usd
    """The price used by default."""
    low_usd: Usd | None = None
    high_usd: Usd | None = None
    kind: PriceKind
    market: Literal["new", "used"] = "new"
    date: Date
    source: Annotated[str, StringConstraints(min_length=3, max_length=1000)]

    @model_validator(mode="after")
    def _range_holds_the_price(self) -> Price:
        if self.low_usd is not None and self.low_usd > self.usd:
            raise ValueError("the low price is above the price; low <= price <= high")
        if self.high_usd is not None and self.high_usd < self.usd:
            raise ValueError("the high price is below the price; low <= price <= high")
        return self

    def at(self, level: PriceLevel) -> float:
        """Return the price in US dollars at one end of its range; the base where no end is known."""
        end = {"low": self.low_usd, "base": self.usd, "high": self.high_usd}[level]
        return self.usd if end is None else end

    def scaled(self, factor: float) -> Price:
        """Return the price and its range multiplied by a factor; kind, date and source stay."""
        low = None if self.low_usd is None else self.low_usd * factor
        high = None if self.high_usd is None else self.high_usd * factor
        return self.model_copy(update={"usd": self.usd * factor, "low_usd": low, "high_usd": high})

    @property
    def is_estimate(self) -> bool:
        """True where nobody offers the product at this price."""
        return self.kind in {"analyst estimate", "own interpolation"}
