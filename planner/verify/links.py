"""What a link asks of its parts: protocol, rate, cages; the same for every check."""

from __future__ import annotations

from typing import NamedTuple

from planner.domain.fabric_parts import CableAssembly, LinkProtocol, Switch, Transceiver
from planner.domain.hardware import NicOption
from planner.domain.solution import Cable
from planner.verify.record import Record


class Cage(NamedTuple):
    """The cages of one device that take the plugs of its links."""

    connector: str
    cages: int
    ports: int
    """Links of one rate that the cages give together."""
    links: int
    """Links of that rate in one cage."""


def protocol(record: Record, tier: str) -> LinkProtocol:
    """Return what the links of a tier carry."""
    design = record.solution.design
    if tier != "oob" and design is not None and design.fabric.family == "infiniband":
        return "infiniband"
    return "ethernet"


def link_gbps(record: Record, cable: Cable) -> float:
    """Return the rate of a link: the fabric's, out of band that of the cable."""
    design = record.solution.design
    if cable.tier != "oob" and design is not None:
        return design.fabric.link_gbps
    part = record.catalog.cables.get(cable.part)
    return part.link_gbps if part else 0.0


def nic_option(record: Record) -> NicOption | None:
    """Return the NIC option of the design's servers, None if the catalogue has none such."""
    design = record.solution.design
    if design is None:
        return None
    platform = design.platform
    for option in record.catalog.server_nics.values():
        if (
            option.server == platform.server
            and option.nic == platform.nic
            and option.links == platform.nics
            and option.link_gbps == platform.link_gbps
        ):
            return option
    return None


def cage_of(record: Record, device: str, gbps: float, option: NicOption | None) -> Cage | None:
    """Return the cages of a device at a rate, None where its model is unknown."""
    found = record.devices.get(device)
    if found is None:
        return None
    if found.kind == "node":
        if option is None:
            return None
        return Cage(option.connector, option.cages, option.links, option.links_per_cage)
    switch: Switch | None = record.catalog.switches.get(found.part)
    if switch is None:
        return None
    links = switch.links_per_cage(gbps)
    return Cage(switch.connector, switch.cages, switch.ports_at(gbps), links)


def carried(part: CableAssembly | Transceiver, gbps: float) -> int:
    """Return the links of a rate that one cable end or module carries."""
    return max((mode.links for mode in part.modes if mode.link_gbps == gbps), default=0)


def fits(record: Record, cage: str, plug: str) -> bool:
    """Tell whether a plug fits a cage."""
    connector = record.catalog.connectors.get(cage)
    return connector is not None and plug in connector.accepts
