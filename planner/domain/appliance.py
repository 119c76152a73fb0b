"""Machines beside the servers: fabric managers, storage appliances, management servers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planner.domain.hardware import Count, HardwareRow, Positive, Text
from planner.domain.text import Name

Role = Literal["fabric_manager", "storage", "management"]


class Appliance(HardwareRow):
    """A machine of its own with ports on one network, and controllers out of band."""

    vendor: Text
    model: Text
    role: Role
    connector: Name
    """Cage of each of its links."""
    rack_units: Count
    max_power_w: Positive
    typical_power_w: Positive | None = None
    weight_kg: Positive
    out_of_band_ports: Annotated[int, Field(ge=0, le=200)]
    cooling: Literal["air", "liquid"] = "air"
