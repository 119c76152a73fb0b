"""Plugs in cages: a port named cage/link ("12/1") is one of several links behind one plug.

A port without a slash is a cage of its own. Out-of-band links count at their switch only: the
management ports of servers and switches are no cages.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from planner.domain.solution import Cable
from planner.verify.record import SERVICES, End, Record

Modules = Counter[tuple[str, str]]
"""Transceivers by (component of their cost, catalogue id)."""


def cage_name(port: str) -> str:
    """Return the cage of a port."""
    return port.rpartition("/")[0] or port


def cages_at(record: Record, device: str) -> dict[str, list[End]]:
    """Return the links behind every cage of a device."""
    management = record.kind(device) != "oob"
    found: dict[str, list[End]] = defaultdict(list)
    for end in record.ends.get(device, []):
        if not (management and end.cable.tier == "oob"):
            found[cage_name(end.port)].append(end)
    return found


def module_counts(record: Record) -> Modules:
    """Return the transceivers by component: one for each cage that holds one.

    A cage that links of the fabric use is the fabric's; other links may take what it has free.
    """
    cages: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for device, ends in record.ends.items():
        for end in ends:
            if end.module:
                cages[device, cage_name(end.port), end.module].add(end.cable.tier)
    found: Modules = Counter()
    for (device, _, module), tiers in cages.items():
        services = tiers <= set(SERVICES)
        component = min(tiers) if services else "transceivers"
        found["out_of_band" if record.kind(device) == "oob" else component, module] += 1
    return found


def assemblies(record: Record) -> dict[str, list[Cable]]:
    """Return the links of every physical cable."""
    found: dict[str, list[Cable]] = defaultdict(list)
    for cable in record.links:
        found[cable.assembly].append(cable)
    return found


def plug_sides(links: list[Cable]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Return the plugs of one cable at both ends of its links: links by (device, cage)."""
    return (
        Counter((c.a, cage_name(c.a_port)) for c in links),
        Counter((c.b, cage_name(c.b_port)) for c in links),
    )
