"""The bill of materials against what devices, links and racks imply, line by line."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from planner.domain.hardware import HardwareRow
from planner.domain.solution import BomLine
from planner.domain.units import cents
from planner.verify.links import nic_option
from planner.verify.money import SCALE_OUT_COMPONENTS, Money, rounded
from planner.verify.owned import REWIRING, is_rewiring, moved_links
from planner.verify.pdus import check_pdus, new_racks
from planner.verify.plugs import assemblies, module_counts
from planner.verify.record import SERVICES, Record
from planner.verify.services import COMPONENT
from planner.verify.violation import Violation, violation

Quantities = Counter[tuple[str, str]]
"""Units by (catalogue id, cost component)."""

KINDS = {
    "servers": "server", "nics": "nic", "switches": "switch", "transceivers": "transceiver",
    "cables": "cable", "fibres": "fibre", "racks": "rack", "pdus": "pdu",
    "appliances": "appliance",
}  # fmt: skip
"""Kind of line by table of the catalogue."""
STORAGE = "storage"
MANAGED_SWITCHES = ("leaf", "spine", "core", "storage_switch", "in_band_switch")
NOT_PRICED = "not priced"
CENT = 0.01


def implied_quantities(record: Record) -> Quantities:
    """Return how many of each part the documents need, without PDUs and storage."""
    found: Quantities = Counter()
    component = {"node": "servers", "oob": "out_of_band", "storage": STORAGE, **COMPONENT}
    for device in record.solution.devices:
        found[device.part, component.get(device.kind, "switches")] += 1
    option = nic_option(record)
    if option is not None and not option.included:
        found[option.nic, "nics"] += option.count * len(record.of_kind("node"))
    for (component_of, module), count in module_counts(record).items():
        found[module, component_of] += count
    found.update(_management(record))
    for links in assemblies(record).values():
        tier = links[0].tier
        other = tier if tier in SERVICES else "cables"
        found[links[0].part, "out_of_band" if tier == "oob" else other] += 1
    for rack in new_racks(record):
        found[record.floor().limits(rack.row, rack.column).model, "racks"] += 1
    moved = moved_links(record)
    if moved:
        found[REWIRING, REWIRING] += moved
    return found


def _management(record: Record) -> Quantities:
    """Return management cables where the document lists no such link: one a port, by rule."""
    found: Quantities = Counter()
    if any(cable.tier == "oob" for cable in record.links):
        return found
    parts = {
        line.part
        for line in record.solution.bill_of_materials
        if line.component == "out_of_band" and line.part in record.catalog.cables
    }
    for part in sorted(parts)[:1]:
        found[part, "out_of_band"] += management_ports(record)
    return found


def management_ports(record: Record) -> int:
    """Return the ports of the management network: controllers of servers, and every switch."""
    servers = (record.catalog.servers.get(node.part) for node in record.of_kind("node"))
    ports = sum(server.out_of_band_ports for server in servers if server)
    appliances = record.catalog.appliances
    for device in record.solution.devices:
        if device.kind in ("fabric_manager", "appliance") and device.part in appliances:
            ports += appliances[device.part].out_of_band_ports
    return ports + sum(len(record.of_kind(kind)) for kind in MANAGED_SWITCHES)


def check_bill(record: Record) -> Iterator[Violation]:
    """Yield lines with a wrong quantity, price, sum or source, missing and surplus lines."""
    if record.solution.design is None:
        return
    yield from _quantities(record)
    yield from check_pdus(record)
    yield from _management_switches(record)
    money = Money(instance=record.solution.instance, catalog=record.catalog)
    for i, line in enumerate(record.solution.bill_of_materials):
        where = f"$.bill_of_materials[{i}]"
        yield from _amounts(line, where)
        if is_rewiring(line):
            continue
        yield from _price(money, line, where)
        row = catalog_row(record, line.part)
        if row is not None and line.owned:
            yield from _owned(line, row[0], where)
        elif row is not None:
            yield from _source(record, line, row[1], where)
            yield from _range(record, line, row[1], where)
            if KINDS[row[0]] != line.kind:
                yield violation(
                    "bill-kind", where, KINDS[row[0]], line.kind, f"{line.part} is of another kind"
                )


def _owned(line: BomLine, table: str, where: str) -> Iterator[Violation]:
    """Yield what an owned line may not say: another kind, a price, a range."""
    stated = (line.kind, line.price_kind, line.low_usd, line.high_usd)
    expected = (KINDS[table], "owned", None, None)
    if stated != expected:
        yield violation(
            "bill-owned", where, ", ".join(map(str, expected)), ", ".join(map(str, stated)),
            f"{line.part} is owned",
        )  # fmt: skip


def catalog_row(record: Record, part: str) -> tuple[str, HardwareRow] | None:
    """Return the table and row of a part."""
    for table in KINDS:
        rows = getattr(record.catalog, table)
        if part in rows:
            return table, rows[part]
    return None


def _quantities(record: Record) -> Iterator[Violation]:
    needed = implied_quantities(record)
    stated: Quantities = Counter()
    for line in record.solution.bill_of_materials:
        stated[line.part, line.component] += line.quantity
    for part, component in sorted(set(needed) | set(stated)):
        if part in record.catalog.pdus or (component == STORAGE and not needed[part, component]):
            continue
        if needed[part, component] != stated[part, component]:
            yield violation(
                "bill-quantity", f"$.bill_of_materials ({part})", needed[part, component],
                stated[part, component], f"{part} in {component}: what the documents need",
            )  # fmt: skip


def _management_switches(record: Record) -> Iterator[Violation]:
    """Yield a violation unless there are as few management switches as their ports allow."""
    switches = record.of_kind("oob")
    model = record.catalog.switches.get(switches[0].part) if switches else None
    if model is None:
        if management_ports(record):
            yield violation(
                "oob-switches", "$.devices", "at least 1", 0, "nothing manages the servers"
            )
        return
    needed = math.ceil(management_ports(record) / model.ports)
    if len(switches) != needed:
        yield violation(
            "oob-switches", "$.devices", needed, len(switches), "management switches for all ports"
        )


def _amounts(line: BomLine, where: str) -> Iterator[Violation]:
    unit = cents(line.unit_price_usd)
    exact = abs(line.unit_price_usd * 100 - unit) < 1e-3
    if not exact or line.quantity < 1:
        yield violation(
            "bill-unit", where, "whole cents and at least one unit",
            f"{line.quantity} x {line.unit_price_usd}", f"{line.part}: quantity and unit price",
        )  # fmt: skip
    total = line.quantity * unit
    if cents(line.total_usd) != total or abs(line.total_usd * 100 - total) > 1e-2:
        yield violation(
            "bill-total", f"{where}.total_usd", total / 100, line.total_usd,
            f"{line.part}: quantity x unit price",
        )  # fmt: skip


def _price(money: Money, line: BomLine, where: str) -> Iterator[Violation]:
    usd = money.unit_usd(line.part, line.component)
    storage = money.instance.storage
    if line.component == STORAGE and storage is not None:
        usd = storage.price_usd
    if line.owned:
        usd = 0.0
    if usd is None and line.part in money.catalog.appliances:
        if (line.price_kind, line.unit_price_usd) != (NOT_PRICED, 0.0):
            yield violation(
                "bill-priced", where, NOT_PRICED, f"{line.price_kind} {line.unit_price_usd}",
                f"{line.part} has no known price",
            )  # fmt: skip
    elif usd is None:
        yield violation(
            "bill-priced", where, "a price in the catalogue or a quote", line.unit_price_usd,
            f"{line.part} has no known price",
        )  # fmt: skip
    elif not rounded(usd).holds(line.unit_price_usd):
        yield violation(
            "bill-price", f"{where}.unit_price_usd", rounded(usd), line.unit_price_usd,
            f"{line.part}: price of the catalogue or the quote",
        )  # fmt: skip


def _range(record: Record, line: BomLine, row: HardwareRow, where: str) -> Iterator[Violation]:
    """Yield ends of the price's range that are not the catalogue's; a quote has none."""
    quoted = line.part in record.solution.instance.quotes
    price = None if quoted or (row.price and row.price.kind == "quote") else row.price
    factor = 1.0
    if line.component in SCALE_OUT_COMPONENTS:
        factor = record.solution.instance.network_price_factor
    ends = (
        ("low_usd", price.low_usd if price else None, line.low_usd),
        ("high_usd", price.high_usd if price else None, line.high_usd),
    )
    for name, usd, stated in ends:
        expected = None if usd is None else usd * factor
        if expected is None or stated is None:
            holds = expected is None and stated is None
        else:
            holds = abs(expected - stated) <= CENT
        if not holds:
            yield violation(
                "bill-range", f"{where}.{name}", expected, stated,
                f"{line.part}: end of the range of its price",
            )  # fmt: skip


def _source(record: Record, line: BomLine, row: HardwareRow, where: str) -> Iterator[Violation]:
    quote = record.solution.instance.quotes.get(line.part)
    if quote is not None:
        expected = ("quote", quote.date, quote.source)
    elif row.price is not None:
        expected = (row.price.kind, row.price.date, row.price.source)
    else:
        return
    found = (line.price_kind, line.price_date, line.price_source)
    if found != expected:
        yield violation(
            "bill-source", where, ", ".join(expected), ", ".join(found),
            f"{line.part}: kind, date and source of its price",
        )  # fmt: skip
    if quote is None and not row.buyable:
        yield violation(
            "bill-buyable", where, "a product on sale", line.part, f"{line.part} {row.not_buyable}"
        )
