"""Racks with the same contents, so that one elevation stands for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import Device, RackUse


@dataclass(frozen=True, slots=True, kw_only=True)
class RackGroup:
    """Racks that hold the same boxes at the same height."""

    racks: list[RackUse]
    devices: list[Device]
    """Of the first rack, lowest first."""

    @property
    def kinds(self) -> set[str]:
        """Kinds of device inside."""
        return {device.kind for device in self.devices}

    @property
    def role(self) -> str:
        """What the racks are for: servers, network, mixed, storage, services or empty."""
        return rack_role(self.devices)


SERVICE_KINDS = {"storage_switch", "in_band_switch", "fabric_manager", "appliance"}


def rack_role(devices: list[Device]) -> str:
    """Return what a rack is for by what stands in it."""
    kinds = {device.kind for device in devices}
    if not kinds:
        return "empty"
    if "node" in kinds:
        return "mixed" if kinds & {"leaf", "spine", "core"} else "servers"
    if kinds & SERVICE_KINDS:
        return "services"
    return "storage" if kinds == {"storage"} else "network"


def devices_by_rack(devices: list[Device]) -> dict[str, list[Device]]:
    """Return each rack's devices, lowest first."""
    inside: dict[str, list[Device]] = {}
    for device in sorted(devices, key=lambda d: d.unit):
        inside.setdefault(device.rack, []).append(device)
    return inside


def rack_groups(racks: list[RackUse], devices: list[Device]) -> list[RackGroup]:
    """Return the groups in the order of their first rack."""
    inside = devices_by_rack(devices)
    members: dict[tuple[object, ...], list[RackUse]] = {}
    for rack in racks:
        boxes = inside.get(rack.id, [])
        key = (
            rack.units,
            rack.limit_w,
            rack.taken_units,
            rack.taken_w,
            rack.taken_kg,
            *((d.kind, d.part, d.unit, d.height_units, d.max_w) for d in boxes),
        )
        members.setdefault(key, []).append(rack)
    return [
        RackGroup(racks=group, devices=inside.get(group[0].id, [])) for group in members.values()
    ]


def span(names: list[str], most: int = 3) -> str:
    """Return names in a row, a long row shortened to its first and last."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{names[0]} … {names[-1]}"
