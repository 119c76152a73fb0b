"""The output of `iblinkinfo`: every port of the switches, linked or down."""

from __future__ import annotations

import re
from collections import Counter

from planner.importers.fabric_builder import FabricBuilder
from planner.importers.imported import Given, Imported, Notes
from planner.importers.infiniband_names import (
    cable_ports,
    host_of,
    is_aggregation,
    signalled_rate,
    system_of,
)
from planner.importers.source import Source

KIND = "iblinkinfo"
_HEAD = re.compile(r"^(CA|Switch|Router):\s*(?:(0x[0-9a-fA-F]{1,20})\s+)?(.{0,200}?):?\s*$")
_ROW = re.compile(r"^\s*(?:0x[0-9a-fA-F]{1,20}\s+)?(?:\"[^\"]*\"\s+)?\d{1,6}\s+(\d{1,5})\[[^\]]{0,6}\]"
                  r"\s*==\(([^)]{0,80})\)==>(.*)$")  # fmt: skip
_FAR = re.compile(
    r"^\s*(?:0x[0-9a-fA-F]{1,20}\s+)?\d{1,6}\s+(\d{1,5})\[[^\]]{0,6}\]\s*\"([^\"]*)\""
)
_SPEED = re.compile(r"(\d{1,2})X\s+(\d{1,4}(?:\.\d{1,6})?)\s*Gbps")


def read_iblinkinfo(source: Source, given: Given) -> Imported:
    """Return the fabric that the links describe.

    Raises
    ------
    InputError
        If the text is no output of iblinkinfo.
    """
    del given
    notes = Notes(warnings=list(source.notes))
    builder = FabricBuilder(source, family="infiniband")
    kind, name = "", ""
    ports: Counter[str] = Counter()
    elided = False
    for line in source.lines():
        head = _HEAD.match(line)
        row = _ROW.match(line)
        if head and not row:
            kind, name = head[1], head[3].strip().strip('"') or head[2] or "unnamed"
            _device(builder, kind, name)
        elif row and name:
            if kind == "Switch":
                ports[name] = max(ports[name], int(row[1]))
            _row(builder, kind, name, row, notes)
        elif line.strip() == "...":
            elided = True
    if not builder.switches and not builder.links:
        raise source.refuse("has no link of iblinkinfo", "give the text that iblinkinfo prints")
    if elided:
        notes.warn("lines are left out (...): links may be missing, free ports are too many")
    for switch, count in ports.items():
        builder.switch(switch, ports=cable_ports(count))
    return builder.imported(KIND, notes)


def _device(builder: FabricBuilder, kind: str, name: str) -> None:
    if kind == "Switch":
        system, model = system_of(name)
        builder.switch(name, model=model, system=system)
    elif not is_aggregation(name):
        builder.host(host_of(name, name))


def _row(builder: FabricBuilder, kind: str, name: str, row: re.Match[str], notes: Notes) -> None:
    far = _FAR.match(row[3])
    if far is None or "Down" in row[2] or is_aggregation(far[2]) or is_aggregation(name):
        return
    speed = _SPEED.search(row[2])
    rate = signalled_rate(int(speed[1]), float(speed[2])) if speed else None
    other_is_switch = far[2] in builder.switches or ";" in far[2]
    if other_is_switch:
        _device(builder, "Switch", far[2])
    ends = []
    for device, port, switch in (
        (name, row[1], kind == "Switch"),
        (far[2], far[1], other_is_switch),
    ):
        if switch:
            ends.append((device, port))
        else:
            host = host_of(device, device)
            builder.host(host)
            ends.append((host, f"{' '.join(device.split()[1:])} {port}".strip()))
    (a, a_port), (b, b_port) = ends
    builder.link(a, b, a_port=a_port, b_port=b_port, gbps=rate, notes=notes)
