"""What carries and feeds the boxes, and the rates of running them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planner.domain.hardware import CatalogRow, Confidence, Count, HardwareRow, Positive, Text
from planner.domain.price import Date, PriceKind

RateKind = Literal[
    "pue", "electricity", "colocation", "support", "software", "spares", "life", "utilisation",
    "length", "latency", "reliability", "cooling", "facility", "rack_power", "aux_power",
    "module_power", "host", "exchange", "reference", "decline",
]  # fmt: skip


class Rack(HardwareRow):
    """An empty cabinet."""

    model: Text
    rack_units: Count
    width_mm: Positive
    depth_mm: Positive
    max_weight_kg: Positive
    busbar: bool = False


class Pdu(HardwareRow):
    """A rack power distribution unit; `power_kw` is its rated load."""

    model: Text
    power_kw: Positive
    voltage_v: Positive
    current_a: Positive
    phases: Annotated[int, Field(ge=1, le=3)]


class Rate(CatalogRow):
    """A rate, share or constant of running a cluster, in the unit of its row."""

    kind: RateKind
    item: Text
    region: str = ""
    value: float
    unit: Text
    """``1`` for a ratio or a share."""
    low: float | None = None
    high: float | None = None
    date: Date | None = None
    confidence: Confidence | PriceKind
