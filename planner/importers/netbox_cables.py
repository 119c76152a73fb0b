"""NetBox's list of cables (CSV, as its import takes and its export gives it)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase

from planner.domain.errors import Fault, InputError
from planner.importers.csv_source import read_rows
from planner.importers.fabric_builder import FabricBuilder
from planner.importers.imported import Given, Imported, Notes
from planner.importers.source import Source

KIND = "netbox-cables"
_NEEDED = ("side_a_device", "side_a_name", "side_b_device", "side_b_name")
_SWITCH = re.compile(r"(?i)(^|[^a-z])(sw|switch|leaf|spine|core|tor|agg|rtr|router|fw|dist)\d*")
_MANY = 3
"""Cables from which on a device of no telling name counts as a switch."""


def read_netbox_cables(source: Source, given: Given) -> Imported:
    """Return the fabric that a cable list describes.

    The list does not say what a device is: names such as sw01 or leaf-3 and devices with three or
    more cables count as switches; ``--set switches=PATTERN,...`` decides it.

    Raises
    ------
    InputError
        If the columns of both ends are missing, or a row is broken.
    """
    notes = Notes(warnings=list(source.notes))
    rows = read_rows(source)
    _, header = next(rows, (1, []))
    columns = {name.lower().replace(" ", "_"): place for place, name in enumerate(header)}
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise source.refuse(f"lacks the columns {', '.join(missing)}", "export cables from NetBox",
                            "line 1")  # fmt: skip
    cables = _cables(rows, columns, source, notes)
    builder = FabricBuilder(source, family="ethernet")
    degree = Counter(end for a, _, b, _ in cables for end in (a, b))
    patterns = [part.strip() for part in (given.text("switches") or "").split(",") if part.strip()]
    for name, count in degree.items():
        if patterns:
            switch = any(fnmatchcase(name, pattern) for pattern in patterns[:50])
        else:
            switch = count >= _MANY or _SWITCH.search(name[:200]) is not None
        if switch:
            builder.switch(name)
        else:
            builder.host(name)
    if not patterns:
        notes.warn(
            f"NetBox's cables do not say what a device is: {len(builder.switches)} count as "
            "switches by name or by three cables; --set switches=PATTERN,... decides it"
        )
    for a, a_port, b, b_port in cables:
        builder.link(a, b, a_port=a_port, b_port=b_port, notes=notes)
    return builder.imported(KIND, notes)


def _cables(
    rows: Iterator[tuple[int, list[str]]], columns: dict[str, int], source: Source, notes: Notes
) -> list[tuple[str, str, str, str]]:
    cables: list[tuple[str, str, str, str]] = []
    faults: list[Fault] = []
    others: Counter[str] = Counter()
    for line, cells in rows:
        values = {
            name: cells[place] if place < len(cells) else "" for name, place in columns.items()
        }
        kinds = (values.get("side_a_type", ""), values.get("side_b_type", ""))
        foreign = [kind for kind in kinds if kind and not kind.endswith("interface")]
        if foreign:
            others[foreign[0].removeprefix("dcim.")[:30]] += 1
            continue
        ends = tuple(values[name] for name in _NEEDED)
        if not (ends[0] and ends[2]):
            faults.append(Fault(f"line {line}", "a cable lacks the device of an end"))
            if len(faults) > 20:
                break
            continue
        cables.append((ends[0], ends[1], ends[2], ends[3]))
    if faults:
        raise InputError(source.name, faults)
    for kind, count in others.items():
        notes.warn(f"{count} cables to {kind} are left out")
    if not cables:
        raise source.refuse("holds no cable between interfaces")
    return cables
