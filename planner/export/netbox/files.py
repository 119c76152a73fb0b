"""A solution as CSV files for NetBox' bulk import, to be imported in the order of their names.

Columns and choices are those of NetBox' import forms (netbox/dcim/forms/bulk_import.py and
choices.py, version 4). Everything is `planned`. Management copper is counted, not routed, so no cable
of it is written.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planner.domain.cable_groups import PREFIX
from planner.domain.catalog import Catalog
from planner.domain.errors import UsageError
from planner.domain.solution import Device, Solution
from planner.export.csv_file import csv_writer, safe_text
from planner.export.keys import links
from planner.export.netbox.choices import ROLES, cable_type, interface_type
from planner.export.text_file import write_text
from planner.export.tier_rates import tier_rate

FULL_DEPTH = ("node", "storage", "fabric_manager", "appliance")
"""Kinds of device that fill the depth of a rack and face its front."""
Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]
"""Columns and rows."""


def write_netbox(solution: Solution, catalog: Catalog, folder: Path) -> list[Path]:
    """Write the files into a folder and return their paths in the order of import.

    Raises
    ------
    UsageError
        If the folder cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made a folder ({error.strerror})") from None
    written = []
    for name, table in netbox_tables(solution, catalog).items():
        path = folder / f"{name}.csv"
        write_text(path, _csv(table))
        written.append(path)
    return written


def netbox_tables(solution: Solution, catalog: Catalog) -> dict[str, Table]:
    """Return the tables by file name; later ones name what earlier ones hold."""
    devices = list(_devices(solution))
    parts = {part: kind for _, kind, part, *_ in devices}
    makers = sorted({maker(catalog, part) for part in parts})
    roles = sorted(set(parts.values()))
    site = solution.instance.name
    return {
        "1_manufacturers": (("name", "slug"), [(name, slug(name)) for name in makers]),
        "2_device_roles": (
            ("name", "slug", "color"), [(ROLES[r][0], slug(ROLES[r][0]), ROLES[r][1]) for r in roles],
        ),
        "3_sites": (("name", "slug", "status"), [(site, slug(site), "planned")]),
        "4_racks": (_RACK, list(_racks(solution, catalog))),
        "5_device_types": (_TYPE, [_type(solution, catalog, part) for part in sorted(parts)]),
        "6_devices": (
            _DEVICE,
            [
                (name, ROLES[kind][0], maker(catalog, part), model(catalog, part), "planned", site,
                 rack, unit, face)
                for name, kind, part, rack, unit, face in devices
            ],
        ),
        "7_interfaces": (_INTERFACE, list(_interfaces(solution))),
        "8_inventory_items": (_MODULE, list(_modules(solution, catalog))),
        "9_cables": (_CABLE, list(_cables(solution, catalog))),
    }  # fmt: skip


_RACK = (
    "site", "name", "status", "width", "u_height", "outer_width", "outer_depth", "outer_unit",
    "max_weight", "weight_unit", "description",
)  # fmt: skip
_TYPE = (
    "manufacturer", "model", "slug", "part_number", "u_height", "is_full_depth", "weight",
    "weight_unit",
)  # fmt: skip
_DEVICE = (
    "name", "role", "manufacturer", "device_type", "status", "site", "rack", "position", "face",
)  # fmt: skip
_INTERFACE = ("device", "name", "type", "enabled", "mgmt_only")
_MODULE = ("device", "name", "manufacturer", "part_id", "component_type", "component_name")
_CABLE = (
    "side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type", "side_b_name",
    "type", "status", "label", "length", "length_unit", "description",
)  # fmt: skip


def slug(text: str) -> str:
    """Return a text as NetBox takes slugs: lower case letters, digits, hyphens, underscores.

    A text with letters that have no Latin base is told apart from others by a hash.
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    plain = bare.encode("ascii", "ignore").decode().lower()
    kept = re.sub(r"[^a-z0-9_]+", "-", plain).strip("-")
    if any(c.isalnum() and not c.isascii() for c in bare):
        kept = f"{kept or 'x'}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    return kept[-100:].strip("-") or "x"


def maker(catalog: Catalog, part: str) -> str:
    """Return the manufacturer of a part: its vendor, or the first word of its model."""
    row = _row(catalog, part)
    vendor, name = getattr(row, "vendor", ""), getattr(row, "model", "")
    return str(vendor or name.partition(" ")[0] or "unknown")


def model(catalog: Catalog, part: str) -> str:
    """Return the model of a part, its id where the catalogue has none."""
    return str(getattr(_row(catalog, part), "model", "") or part)


def _row(catalog: Catalog, part: str) -> object:
    tables = (
        catalog.servers, catalog.switches, catalog.pdus, catalog.transceivers, catalog.appliances,
    )  # fmt: skip
    return next((table[part] for table in tables if part in table), None)


def _devices(solution: Solution) -> Iterator[tuple[str, str, str, str, int | None, str]]:
    """Yield id, kind, part, rack, unit and face: switches face the rear, where the ports meet."""
    for device in solution.devices:
        face = "front" if device.kind in FULL_DEPTH else "rear"
        yield device.id, device.kind, device.part, device.rack, device.unit, face
    for rack in solution.racks:
        for pdu in rack.pdus:
            yield pdu.id, "pdu", pdu.part, rack.id, None, ""


def _racks(solution: Solution, catalog: Catalog) -> Iterator[tuple[Any, ...]]:
    for rack in solution.racks:
        known = catalog.racks.get(rack.model or solution.instance.site.rack)
        taken = f"; {rack.taken_units} U in use before" if rack.partly_used else ""
        yield (
            solution.instance.name, rack.id, "planned", 19, rack.units,
            round(known.width_mm) if known else None, round(known.depth_mm) if known else None,
            "mm" if known else None, int(rack.limit_kg), "kg",
            f"row {rack.row + 1}, column {rack.column + 1}; {rack.limit_w / 1000:g} kW{taken}",
        )  # fmt: skip


def _type(solution: Solution, catalog: Catalog, part: str) -> tuple[Any, ...]:
    device = next((d for d in solution.devices if d.part == part), None)
    units, weight = _size(device)
    return (
        maker(catalog, part), model(catalog, part), slug(f"{maker(catalog, part)}-{part}"), part,
        units, "true" if device and device.kind in FULL_DEPTH else "false",
        weight, "kg" if weight else None,
    )  # fmt: skip


def _size(device: Device | None) -> tuple[float, float | None]:
    if device is None:
        return 0, None
    return device.height_units, round(device.weight_kg, 2) or None


def _ends(solution: Solution) -> dict[tuple[str, str], str]:
    """Return the module at every port in use, in the order of the links."""
    found: dict[tuple[str, str], str] = {}
    for cable in links(solution):
        found[cable.a, cable.a_port] = cable.a_module
        found[cable.b, cable.b_port] = cable.b_module
    return found


def _tiers(solution: Solution) -> dict[tuple[str, str], str]:
    """Return the tier of the link at every port in use, in the order of the links."""
    found: dict[tuple[str, str], str] = {}
    for cable in links(solution):
        found[cable.a, cable.a_port] = found[cable.b, cable.b_port] = cable.tier
    return found


def _interfaces(solution: Solution) -> Iterator[tuple[Any, ...]]:
    types = {tier: interface_type(*tier_rate(solution, tier)) for tier in PREFIX}
    for (device, port), tier in _tiers(solution).items():
        yield device, port, types[tier], "true", "false"


def _modules(solution: Solution, catalog: Catalog) -> Iterator[tuple[Any, ...]]:
    """Yield one transceiver for each cage that holds one, at its first interface."""
    seen: set[tuple[str, str]] = set()
    for (device, port), module in _ends(solution).items():
        cage = port.rpartition("/")[0] or port
        if module and (device, cage) not in seen:
            seen.add((device, cage))
            yield device, f"{cage} module", maker(catalog, module), module, "dcim.interface", port


def _cables(solution: Solution, catalog: Catalog) -> Iterator[tuple[Any, ...]]:
    for cable in links(solution):
        yield (
            cable.a, "dcim.interface", cable.a_port, cable.b, "dcim.interface", cable.b_port,
            cable_type(catalog, cable.part), "planned", cable.id, cable.length_m, "m",
            f"{cable.part}, assembly {cable.assembly}",
        )  # fmt: skip


def _csv(table: Table) -> str:
    columns, rows = table
    file = io.StringIO()
    writer = csv_writer(file)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return file.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:g}"
    return safe_text(str(value))
