"""Every link's parts: protocol, rate, plugs, reach and length along its route."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.fabric_parts import CableAssembly, Fibre, Transceiver
from planner.domain.hardware import NicOption
from planner.domain.solution import Cable, RackUse
from planner.verify.links import cage_for, carried, fits, link_gbps, nic_option, protocol
from planner.verify.record import Record
from planner.verify.violation import Violation, violation

METRE_TOLERANCE = 1e-6


def check_cables(record: Record) -> Iterator[Violation]:
    """Yield links whose parts do not fit their ends, their rate or their route."""
    option = nic_option(record)
    for i, cable in enumerate(record.links):
        where = f"$.cables[{i}]"
        yield from _length(record, cable, where)
        fixed = record.catalog.cables.get(cable.part)
        fibre = record.catalog.fibres.get(cable.part)
        if fixed is not None:
            yield from _fixed(record, cable, fixed, option, where)
        elif fibre is not None:
            yield from _optical(record, cable, fibre, option, where)


def _length(record: Record, cable: Cable, where: str) -> Iterator[Violation]:
    needed = route_m(record, cable)
    if needed is not None and abs(cable.needed_m - needed) > METRE_TOLERANCE:
        yield violation(
            "cable-route", f"{where}.needed_m", needed, cable.needed_m,
            f"{cable.id}: length of the route between the racks",
        )  # fmt: skip
    part = record.catalog.cables.get(cable.part) or record.catalog.fibres.get(cable.part)
    if part is not None and abs(part.length_m - cable.length_m) > METRE_TOLERANCE:
        yield violation(
            "cable-stock", f"{where}.length_m", part.length_m, cable.length_m,
            f"{cable.id}: {part.id} is not sold in this length",
        )  # fmt: skip
    if cable.length_m < (cable.needed_m if needed is None else needed) - METRE_TOLERANCE:
        yield violation(
            "cable-short", f"{where}.length_m", f"at least {needed or cable.needed_m:g}",
            cable.length_m, f"{cable.id} is shorter than its route",
        )  # fmt: skip


def route_m(record: Record, cable: Cable) -> float | None:
    """Return the length of a link's route from the places of its racks, None without both ends."""
    ends = [record.devices.get(cable.a), record.devices.get(cable.b)]
    racks: list[RackUse] = []
    for device in ends:
        rack = record.racks.get(device.rack) if device else None
        if rack is None:
            return None
        racks.append(rack)
    return record.floor().way_m(*racks)


def _fixed(
    record: Record, cable: Cable, part: CableAssembly, option: NicOption | None, where: str
) -> Iterator[Violation]:
    if cable.a_module or cable.b_module:
        yield violation(
            "cable-modules", where, "no module", f"{cable.a_module} {cable.b_module}".strip(),
            f"{cable.id}: a cable with fixed ends takes no transceiver",
        )  # fmt: skip
    speaks = protocol(record, cable.tier)
    if speaks not in part.families:
        yield violation(
            "cable-family", where, speaks, ", ".join(part.families),
            f"{cable.id}: {part.id} does not carry this protocol",
        )  # fmt: skip
    gbps = link_gbps(record, cable)
    if carried(part, gbps) == 0:
        yield violation(
            "cable-rate", where, f"{gbps:g} Gb/s", _rates(part),
            f"{cable.id}: {part.id} does not run at the rate of the link",
        )  # fmt: skip
    cages = [_cage(record, end, cable, option) for end in (cable.a, cable.b)]
    if None in cages:
        return
    a, b = (cage or "" for cage in cages)
    plugs = (part.connector_a, part.connector_b)
    if not any(fits(record, a, p) and fits(record, b, q) for p, q in (plugs, plugs[::-1])):
        yield violation(
            "cable-connector", where, f"{a} to {b}", " to ".join(plugs),
            f"{cable.id}: the plugs of {part.id} do not fit the cages",
        )  # fmt: skip


def _cage(record: Record, device: str, cable: Cable, option: NicOption | None) -> str | None:
    """Return the connector of a link's end; management ports of servers and switches are RJ45."""
    found = record.devices.get(device)
    if found is None:
        return None
    if cable.tier == "oob" and found.kind != "oob":
        return "RJ45"
    cage = cage_for(record, device, cable, option)
    return cage.connector if cage else None


def _rates(part: CableAssembly | Transceiver) -> str:
    return ", ".join(f"{mode.links}x{mode.link_gbps:g}" for mode in part.modes)


def _optical(
    record: Record, cable: Cable, fibre: Fibre, option: NicOption | None, where: str
) -> Iterator[Violation]:
    modules = []
    for device, name in ((cable.a, cable.a_module), (cable.b, cable.b_module)):
        module = record.catalog.transceivers.get(name)
        if module is None:
            if not name:
                yield violation(
                    "cable-modules", where, "a transceiver at both ends", "none",
                    f"{cable.id}: a fibre needs a module at {device}",
                )  # fmt: skip
            continue
        modules.append(module)
        yield from _module(record, cable, device, module, option, where)
    if len(modules) == 2:
        yield from _pair(cable, fibre, modules[0], modules[1], where)


def _module(
    record: Record,
    cable: Cable,
    device: str,
    module: Transceiver,
    option: NicOption | None,
    where: str,
) -> Iterator[Violation]:
    gbps = link_gbps(record, cable)
    speaks = protocol(record, cable.tier)
    if speaks not in module.families:
        yield violation(
            "module-family", where, speaks, ", ".join(module.families),
            f"{cable.id}: {module.id} does not carry this protocol",
        )  # fmt: skip
    links = carried(module, gbps)
    if links == 0:
        yield violation(
            "module-rate", where, f"{gbps:g} Gb/s", _rates(module),
            f"{cable.id}: {module.id} does not run at the rate of the link",
        )  # fmt: skip
    if 0 < links < module.jumpers:
        yield violation(
            "module-jumpers", where, f"{module.jumpers} links or more", links,
            f"{cable.id}: {module.id} would need several jumpers for one link",
        )  # fmt: skip
    cage = cage_for(record, device, cable, option)
    if cage is not None and not fits(record, cage.connector, module.connector):
        yield violation(
            "module-connector", where, cage.connector, module.connector,
            f"{cable.id}: {module.id} does not fit the cages of {device}",
        )  # fmt: skip


def _pair(
    cable: Cable, fibre: Fibre, a: Transceiver, b: Transceiver, where: str
) -> Iterator[Violation]:
    if a.optics != b.optics:
        yield violation(
            "module-optics", where, a.optics, b.optics, f"{cable.id}: the modules do not match"
        )
    if {a.fibre_type, b.fibre_type} != {fibre.fibre_type}:
        yield violation(
            "fibre-type", where, f"{a.fibre_type} and {b.fibre_type}", fibre.fibre_type,
            f"{cable.id}: {fibre.id} is not the glass of its modules",
        )  # fmt: skip
    plugs, cages = (fibre.connector_a, fibre.connector_b), (a.fibre_connector, b.fibre_connector)
    if cages not in (plugs, plugs[::-1]):
        yield violation(
            "fibre-connector", where, " to ".join(cages), " to ".join(plugs),
            f"{cable.id}: the plugs of {fibre.id} do not fit its modules",
        )  # fmt: skip
    if cable.length_m > min(a.reach_m, b.reach_m) + METRE_TOLERANCE:
        yield violation(
            "cable-reach", where, f"at most {min(a.reach_m, b.reach_m):g}", cable.length_m,
            f"{cable.id} is longer than its modules reach",
        )  # fmt: skip
