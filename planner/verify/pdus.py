"""Power distribution of the racks: enough units, on two feeds, all of them bought."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from planner.domain.solution import BomLine, RackUse
from planner.verify.record import Record
from planner.verify.violation import Violation, violation


def check_pdus(record: Record) -> Iterator[Violation]:
    """Yield a violation unless every new rack has its PDUs, and these are bought."""
    yield from _delivered(record)
    pdus = record.catalog.pdus
    lines = [line for line in record.solution.bill_of_materials if line.part in pdus]
    racks = new_racks(record)
    if racks and not any(rack.pdus for rack in racks):
        if len({line.part for line in lines}) == 1:
            needed = sum(pdus_of(record, rack, lines[0].part) for rack in racks)
            yield from _bought(lines, {lines[0].part: needed})
        else:
            yield violation(
                "bill-pdus", "$.bill_of_materials", "one model of PDU",
                ", ".join(sorted(line.part for line in lines)) or "none",
                "power for the racks in use",
            )  # fmt: skip
        return
    yield from _bought(lines, Counter(pdu.part for rack in racks for pdu in rack.pdus))
    for rack in record.solution.racks:
        yield from _feeds(record, rack)


def new_racks(record: Record) -> list[RackUse]:
    """Return the racks with devices that neither stood there before nor came as one server."""
    return [
        rack
        for name in sorted(record.inside)
        if (rack := record.racks.get(name))
        and not _stood_before(record, rack)
        and not _came_whole(record, rack)
    ]


def _delivered(record: Record) -> Iterator[Violation]:
    for rack in record.solution.racks:
        whole = _came_whole(record, rack)
        if rack.delivered_whole != whole:
            yield violation(
                "rack-delivered", f"{rack.id}.delivered_whole", whole, rack.delivered_whole,
                "whether its server is delivered as a rack",
            )  # fmt: skip


def _came_whole(record: Record, rack: RackUse) -> bool:
    servers = (record.catalog.servers.get(d.part) for d in record.inside.get(rack.id, []))
    return any(server is not None and server.takes_whole_rack for server in servers)


def _stood_before(record: Record, rack: RackUse) -> bool:
    place = record.floor().limits(rack.row, rack.column)
    return bool(place.taken_units or place.taken_kw or place.taken_kg)


def pdus_of(record: Record, rack: RackUse, part: str) -> int:
    """Return the PDUs that a rack needs: its power with one PDU lost, or with one feed lost."""
    kw = record.floor().limits(rack.row, rack.column).kw
    enough = math.ceil(kw / record.catalog.pdus[part].power_kw)
    return enough * 2 if record.solution.instance.site.pdu_redundancy == "2n" else enough + 1


def _bought(lines: list[BomLine], needed: Mapping[str, int]) -> Iterator[Violation]:
    bought: Counter[str] = Counter()
    for line in lines:
        bought[line.part] += line.quantity
    for part in sorted({*needed, *bought}):
        if bought[part] != needed.get(part, 0):
            yield violation(
                "bill-pdus", "$.bill_of_materials", needed.get(part, 0), bought[part],
                f"{part}: PDUs for the racks in use",
            )  # fmt: skip


def _feeds(record: Record, rack: RackUse) -> Iterator[Violation]:
    """Yield a violation unless a rack's PDUs carry it with one of them, or one feed, lost."""
    parts = {pdu.part for pdu in rack.pdus}
    if _came_whole(record, rack) or _stood_before(record, rack):
        needed = 0
    elif len(parts) == 1 and parts <= set(record.catalog.pdus):
        needed = pdus_of(record, rack, *parts)
    else:
        needed = max(1, len(rack.pdus))
    if len(rack.pdus) != needed or len(parts) > 1:
        yield violation(
            "rack-pdus", f"{rack.id}.pdus", f"{needed} of one model",
            f"{len(rack.pdus)} of {', '.join(sorted(parts)) or 'none'}",
            "does not keep the rack's power when one is lost",
        )  # fmt: skip
    feeds = Counter(pdu.feed for pdu in rack.pdus)
    if abs(feeds["A"] - feeds["B"]) > len(rack.pdus) % 2:
        yield violation(
            "rack-feeds", f"{rack.id}.pdus", "as many on feed A as on B",
            f"{feeds['A']} on A, {feeds['B']} on B", "one feed carries more than its half",
        )  # fmt: skip
