"""What can be bought to join servers: switches, cables, transceivers, fibres and their plugs."""

from __future__ import annotations

import re
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from planner.domain.hardware import (
    CatalogRow,
    Count,
    HardwareRow,
    Names,
    NonNegative,
    Positive,
    Text,
    split_list,
)
from planner.domain.text import Name

LinkProtocol = Literal["infiniband", "ethernet"]
"""What a switch, cable or module carries; RoCE and TCP both run on Ethernet."""

Protocols = Annotated[
    tuple[LinkProtocol, ...], BeforeValidator(split_list), Field(min_length=1, max_length=2)
]


class Mode(NamedTuple):
    """Links that one cage end, cable or module carries, and the rate of each in gigabit/s."""

    links: int
    link_gbps: float


def _parse_modes(value: object) -> object:
    parts = split_list(value)
    if not isinstance(parts, tuple) or not all(isinstance(part, str) for part in parts):
        return value
    modes = []
    for part in parts:
        match = re.fullmatch(r"([1-9]\d{0,2})x(\d{1,5}(?:\.\d+)?)", str(part))
        if match is None:
            raise ValueError(
                f"{part!r} is no mode; write links x gigabit/s, for example 2x400;1x800"
            )
        modes.append(Mode(int(match[1]), float(match[2])))
    return tuple(modes)


Modes = Annotated[tuple[Mode, ...], BeforeValidator(_parse_modes), Field(min_length=1)]
"""The first mode is the usual one."""


class Connector(CatalogRow):
    """A cage: its lanes and the plugs that fit it."""

    lanes: Count
    lane_gbps: Positive
    accepts: Names


class Switch(HardwareRow):
    """A switch without its modules; power is typical without modules and maximum with them."""

    vendor: Text
    model: Text
    family: LinkProtocol
    roce: bool = False
    generation: Text
    asic: str = ""
    cages: Count
    cage_gbps: Positive
    connector: Name
    ports: Count
    port_gbps: Positive
    max_ports_breakout: Count | None = None
    breakout_gbps: Positive | None = None
    uplink_ports: Count | None = None
    uplink_gbps: Positive | None = None
    uplink_connector: Name | None = None
    latency_ns: Positive | None = None
    rack_units: Count | None = None
    typical_power_w: Positive | None = None
    max_power_w: Positive | None = None
    power_basis: str = ""
    weight_kg: Positive | None = None
    buffer_mb: Positive | None = None
    cooling: Literal["air", "liquid"] = "air"
    sharp: str = ""
    """Generation of the reduction in the switch (v1 to v4); empty without."""

    def links_per_cage(self, link_gbps: float) -> int:
        """Return the links of `link_gbps` in one cage; 0 above the port rate.

        A cage splits no finer than its breakout rate, and without a known breakout into no more
        than its native ports.
        """
        if link_gbps > self.port_gbps:
            return 0
        if self.max_ports_breakout is None:
            return self.ports // self.cages
        return int(self.cage_gbps // max(link_gbps, self.breakout_gbps or 0.0))

    def ports_at(self, link_gbps: float) -> int:
        """Return the ports of `link_gbps`: cages x links per cage, within the breakout limit."""
        limit = max(self.max_ports_breakout or 0, self.ports)
        return min(self.cages * self.links_per_cage(link_gbps), limit)

    def uplinks_at(self, link_gbps: float) -> int:
        """Return the separate uplink ports that run at `link_gbps`."""
        return (self.uplink_ports or 0) if self.uplink_gbps == link_gbps else 0


class _LinkPart(HardwareRow):
    modes: Modes
    families: Protocols

    def links_at(self, link_gbps: float) -> int:
        """Return the links of `link_gbps` that the part carries; 0 where it cannot."""
        return next((mode.links for mode in self.modes if mode.link_gbps == link_gbps), 0)

    @property
    def links(self) -> int:
        """Links in the usual mode."""
        return self.modes[0].links

    @property
    def link_gbps(self) -> float:
        """Rate of one link in the usual mode."""
        return self.modes[0].link_gbps

    @property
    def gbps(self) -> float:
        """Rate of all links together."""
        return self.links * self.link_gbps


class CableAssembly(_LinkPart):
    """A cable with fixed ends: one a end that carries every link, `ends_b` b ends that share them."""

    kind: Literal["DAC", "ACC", "AEC", "AOC", "LACC"]
    connector_a: Name
    connector_b: Name
    ends_b: Count = 1
    length_m: Positive
    power_w_per_end: NonNegative


class Transceiver(_LinkPart):
    """A module for one cage; two meet where optics and link rate agree."""

    vendor: Text
    model: Text
    connector: Name
    optics: Annotated[str, Field(pattern=r"^(sr|dr|fr4|lr|lr4|cwdm4)-\d+$")]
    """Optical class and lane rate in gigabit/s: modules of the same optics understand each other."""
    fibre_type: Literal["OM3", "OM4", "OS2"]
    fibre_connector: Name
    jumpers: Count = 1
    """Fibre jumpers that the module takes."""
    reach_m: Positive
    power_w: NonNegative
    max_power_w: NonNegative


class Fibre(HardwareRow):
    """A passive fibre jumper; `ends_b` above 1 splits one plug into several."""

    fibre_type: Literal["OM3", "OM4", "OS2"]
    connector_a: Name
    connector_b: Name
    ends_b: Count = 1
    length_m: Positive
