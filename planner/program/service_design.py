"""The services of one column, complete: counts, parts, money, watts, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import Device, RackUse
from planner.physics.costs import UnitCost
from planner.physics.service_network import ServicePlan
from planner.program.service_links import Built


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLot:
    """Links of one kind as they are built."""

    network: str
    """storage_network, in_band_network or fabric_manager; also the component of their cost."""
    ends: str
    """server, appliance, uplink or manager."""
    appliance: str = ""
    built: Built


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceDesign:
    """Services of a platform, a number of servers and a fabric; nothing of it is left open."""

    networks: dict[str, ServicePlan]
    managers: int
    """Fabric managers; 0 on a fabric that needs none."""
    leaf_module: str
    """Module of the leafs whose free halves take the fabric manager's links; empty if none do."""
    lots: tuple[ServiceLot, ...]
    quantities: tuple[tuple[str, str, int], ...]
    """(part, component, units) of all but racks."""
    cost: UnitCost
    """Racks and their PDUs included."""
    max_w: float
    out_of_band_ports: int
    needed_m: float
    """Length that every cable reaches."""
    racks: tuple[RackUse, ...]
    devices: tuple[Device, ...]
