"""LLDP neighbours of one host, as `lldpctl -f keyvalue` prints them."""

from __future__ import annotations

import re

from planner.importers.fabric_builder import FabricBuilder
from planner.importers.imported import Given, Imported, Notes
from planner.importers.source import Source

KIND = "lldp"
_LINE = re.compile(r"^lldp\.([^.=\s]{1,60})\.([a-zA-Z0-9.-]{1,80})=(.{0,400})$")
_RATE = re.compile(r"(?i)(\d{1,4})(?:G|GbE|GBase)")
_NAMES = (
    (re.compile(r"(?i)^(Gi|GigabitEthernet)\d"), 1.0),
    (re.compile(r"(?i)^(Te|TenGig\w{0,20}|xe-)\d"), 10.0),
    (re.compile(r"(?i)^(Twe|TwentyFiveGig\w{0,20})\d"), 25.0),
    (re.compile(r"(?i)^(Hu|HundredGig\w{0,20})\d"), 100.0),
    (re.compile(r"(?i)^(Fo|FortyGig\w{0,20})\d"), 40.0),
)
"""Rates that switch vendors write into the names of ports."""


def read_lldp(source: Source, given: Given) -> Imported:
    """Return the host with the switch ports that it is plugged into.

    ``--set host=`` names the host, which LLDP does not say.

    Raises
    ------
    InputError
        If the text is no key-value output of lldpctl.
    """
    notes = Notes(warnings=list(source.notes))
    host = given.text("host")
    if not host:
        host = source.stem
        notes.warn(f"LLDP does not name the host itself; taken as {host!r} (--set host=...)")
    ports: dict[str, dict[str, str]] = {}
    for line in source.lines():
        found = _LINE.match(line.strip())
        if found and len(ports) < 10_000:
            ports.setdefault(found[1], {})[found[2]] = found[3].strip()
    if not ports:
        right = "give the output of 'lldpctl -f keyvalue'"
        raise source.refuse("has no LLDP neighbour", right)
    builder = FabricBuilder(source, family="ethernet")
    builder.host(host)
    for interface, facts in ports.items():
        switch = facts.get("chassis.name") or facts.get("chassis.mac")
        if not switch:
            notes.warn(f"{interface} has a neighbour without a name; left out")
            continue
        builder.switch(switch)
        port = facts.get("port.ifname") or facts.get("port.local") or facts.get("port.mac") or ""
        if not port:
            notes.warn(f"{interface}: the switch's port is not named")
        builder.link(
            host, switch, a_port=interface, b_port=port, gbps=_rate(facts, port), notes=notes
        )
    return builder.imported(KIND, notes)


def _rate(facts: dict[str, str], port: str) -> float | None:
    current = facts.get("port.auto-negotiation.current", "")
    found = _RATE.search(current[:80])
    if found and int(found[1]):
        return float(found[1])
    return next((rate for pattern, rate in _NAMES if pattern.match(port)), None)
