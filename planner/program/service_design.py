"""The services of one column, complete: counts, parts, money, watts, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import Device, RackUse
from planner.physics.costs import UnitCost
from planner.physics.service_network import ServicePlan
from planner.program.service_links import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceDesign:
    """Services of a platform, a number of servers and a fabric; placement decides routes alone."""

    networks: dict[str, ServicePlan]
    managers: int
    """Fabric managers; 0 on a fabric that needs none."""
    leaf_module: str
    """Module of the leafs whose free halves take the fabric manager's links; empty if none do."""
    leaf_links: int
    """Links of one cage of the fabric's leafs."""
    kinds: tuple[Kind, ...]
    """Whom links join; how they are built follows from where everything stands."""
    quantities: tuple[tuple[str, str, int], ...]
    """(part, component, units) of all but racks, cables and modules."""
    cost: UnitCost
    """Devices, racks and their PDUs, and `least_links`."""
    least_links: UnitCost
    """Bound on cables, fibres and modules over all placements; on their purchase price too."""
    max_w: float
    out_of_band_ports: int
    racks: tuple[RackUse, ...]
    devices: tuple[Device, ...]
