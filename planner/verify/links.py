"""What a link asks of its parts: protocol, rate, cages; the same for every check."""

from __future__ import annotations

from typing import NamedTuple

from planner.domain.fabric_parts import CableAssembly, LinkProtocol, Switch, Transceiver
from planner.domain.hardware import NicOption
from planner.domain.services import ServiceNetwork
from planner.domain.solution import Cable
from planner.verify.record import Record

MOST_PORTS = 64
"""Of an appliance: as many as an instance may link; the catalogue does not count them."""


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
    wanted = asked_network(record, tier)
    if wanted is not None:
        switch = record.catalog.switches.get(wanted.switch)
        return switch.family if switch else "ethernet"
    if tier != "oob" and design is not None and design.fabric.family == "infiniband":
        return "infiniband"
    return "ethernet"


def link_gbps(record: Record, cable: Cable) -> float:
    """Return the rate of a link: its network's, the fabric's, out of band that of the cable."""
    design = record.solution.design
    wanted = asked_network(record, cable.tier)
    if wanted is not None:
        return wanted.link_gbps
    if cable.tier != "oob" and design is not None:
        return design.fabric.link_gbps
    part = record.catalog.cables.get(cable.part)
    return part.link_gbps if part else 0.0


def asked_network(record: Record, tier: str) -> ServiceNetwork | None:
    """Return the network of services that a tier is, as the instance asks for it."""
    services = record.solution.instance.services
    return services.networks.get(tier) if services else None


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


def cage_for(record: Record, device: str, cable: Cable, option: NicOption | None) -> Cage | None:
    """Return the cages of a device that take a link of this tier.

    A server has ports of its own beside the fabric's for services, each with one link.
    """
    found, wanted = record.devices.get(device), asked_network(record, cable.tier)
    if found is not None and found.kind == "node" and wanted is not None:
        server = record.catalog.servers.get(found.part)
        ports = server.front_end_links if server else 0
        return Cage(wanted.server_connector, ports, ports, 1)
    if found is not None and found.kind in ("appliance", "fabric_manager"):
        row = record.catalog.appliances.get(found.part)
        return Cage(row.connector, MOST_PORTS, MOST_PORTS, 1) if row else None
    return cage_of(record, device, link_gbps(record, cable), option)


def carried(part: CableAssembly | Transceiver, gbps: float) -> int:
    """Return the links of a rate that one cable end or module carries."""
    return max((mode.links for mode in part.modes if mode.link_gbps == gbps), default=0)


def fits(record: Record, cage: str, plug: str) -> bool:
    """Tell whether a plug fits a cage."""
    connector = record.catalog.connectors.get(cage)
    return connector is not None and plug in connector.accepts
