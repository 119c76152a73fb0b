"""A solution with the indexes that the checks share; nothing is computed but look-ups."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.domain.solution import Cable, CableGroup, Device, RackUse, Solution
from planner.verify.floor import FloorPlan

if TYPE_CHECKING:
    from planner.domain.catalog import Catalog

RELATIVE = 1e-9
"""Relative tolerance of figures that the document derives from others."""
SCALE_OUT = ("node_leaf", "leaf_leaf", "leaf_spine", "spine_core")
"""Tiers of the scale-out network; the rest is of services and out-of-band."""
SERVICES = ("storage_network", "in_band_network", "fabric_manager")
"""Tiers of services, and the components of the cost of their links."""


MOST_LINKS = 10_000_000
"""Of one group; ten times those of a tier of 100,000 GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """One end of a link as the device sees it."""

    index: int
    """Of the link in `links`."""
    cable: Cable
    port: str
    module: str
    """Catalogue id of the transceiver at this end, empty for a fixed-end cable."""
    other: str
    """Device at the other end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The documents of a solution, indexed."""

    solution: Solution
    catalog: Catalog
    links: list[Cable]
    """Every link, those of groups one by one; empty where a group names no device of the list."""
    devices: dict[str, Device]
    racks: dict[str, RackUse]
    ends: dict[str, list[End]]
    """By device id."""
    inside: dict[str, list[Device]]
    """Devices by rack id, in document order."""

    def floor(self) -> FloorPlan:
        """Return the floor of the instance."""
        return FloorPlan(self.solution.instance.site, self.catalog)

    def kind(self, device: str) -> str:
        """Return the kind of a device, empty if there is none of that id."""
        found = self.devices.get(device)
        return found.kind if found else ""

    def of_kind(self, kind: str) -> list[Device]:
        """Return the devices of a kind, in document order."""
        return [d for d in self.solution.devices if d.kind == kind]


def build_record(solution: Solution, catalog: Catalog) -> Record:
    """Return the indexed documents; of two things with one id the first counts."""
    devices: dict[str, Device] = {}
    for device in solution.devices:
        devices.setdefault(device.id, device)
    racks: dict[str, RackUse] = {}
    for rack in solution.racks:
        racks.setdefault(rack.id, rack)
    ends: dict[str, list[End]] = defaultdict(list)
    links = _links(solution)
    for i, c in enumerate(links):
        ends[c.a].append(End(index=i, cable=c, port=c.a_port, module=c.a_module, other=c.b))
        ends[c.b].append(End(index=i, cable=c, port=c.b_port, module=c.b_module, other=c.a))
    inside: dict[str, list[Device]] = defaultdict(list)
    for device in solution.devices:
        inside[device.rack].append(device)
    return Record(
        solution=solution,
        catalog=catalog,
        links=links,
        devices=devices,
        racks=racks,
        ends=dict(ends),
        inside=dict(inside),
    )


def _links(solution: Solution) -> list[Cable]:
    """Return every link as the document lists it, or none where its groups cannot be read."""
    if any(map(unreadable, solution.cable_groups)):
        return solution.cables
    try:
        return solution.links()
    except LookupError:
        return solution.cables


def unreadable(group: CableGroup) -> bool:
    """Tell whether a group's counts make no list of links, or one that no fabric has."""
    counts = (group.links_each, group.assembly_links, group.a_cage_links, group.b_cage_links)
    return min(counts) < 1 or max(counts) > MOST_LINKS or group.links > MOST_LINKS


def same(left: float, right: float, absolute: float = 1e-9) -> bool:
    """Tell whether two derived figures are equal within rounding."""
    return math.isclose(left, right, rel_tol=RELATIVE, abs_tol=absolute)
