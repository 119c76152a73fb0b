"""The two lists that people work from: what to order, and what to plug where."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.csv_file import csv_text
from planner.export.keys import links
from planner.export.table import Column, Row

BILL_COLUMNS = (
    Column("line", "integer", "Number of the line"),
    Column("part", "key", "Catalogue id"),
    Column("kind", "text", "Kind of the product"),
    Column("description", "text", "Product in words"),
    Column("component", "text", "Cost component"),
    Column("quantity", "integer", "Units"),
    Column("unit_price_usd", "money", "Price of one unit", "USD"),
    Column("total_usd", "money", "Quantity times unit price", "USD"),
    Column("low_usd", "money", "Lowest published price of one unit", "USD"),
    Column("high_usd", "money", "Highest published price of one unit", "USD"),
    Column("price_kind", "text", "Kind of the price"),
    Column("price_date", "text", "Date of the price"),
    Column("price_source", "text", "Source of the price"),
)
_END = ("rack", "unit", "device", "port", "module")
CABLE_COLUMNS = (
    Column("cable", "key", "Name of the link"),
    Column("assembly", "key", "Physical cable"),
    Column("tier", "text", "Tier"),
    *(Column(f"{end}_{what}", "integer" if what == "unit" else "key", f"End {end}: {what}")
      for end in "ab" for what in _END),
    Column("part", "key", "Catalogue id"),
    Column("needed_m", "decimal", "Length of the route", "m"),
    Column("length_m", "decimal", "Length to buy", "m"),
)  # fmt: skip


def _bill(solution: Solution) -> Iterable[Row]:
    for number, line in enumerate(solution.bill_of_materials, 1):
        yield (
            number, line.part, line.kind, line.description, line.component, line.quantity,
            line.unit_price_usd, line.total_usd, line.low_usd, line.high_usd, line.price_kind,
            line.price_date, line.price_source,
        )  # fmt: skip


def cable_rows(solution: Solution) -> Iterable[Row]:
    """Yield one row a link, in the order of `CABLE_COLUMNS`."""
    places = {device.id: (device.rack, device.unit) for device in solution.devices}
    for cable in links(solution):
        a_rack, a_unit = places.get(cable.a, (None, None))
        b_rack, b_unit = places.get(cable.b, (None, None))
        yield (
            cable.id, cable.assembly, cable.tier, a_rack, a_unit, cable.a, cable.a_port,
            cable.a_module, b_rack, b_unit, cable.b, cable.b_port, cable.b_module, cable.part,
            cable.needed_m, cable.length_m,
        )  # fmt: skip


def bill_of_materials_csv(solution: Solution) -> str:
    """Return the order list as CSV text."""
    return csv_text(BILL_COLUMNS, _bill(solution))


def cable_schedule_csv(solution: Solution) -> str:
    """Return one line a link, both ends with rack, rack unit, device and port, as CSV text."""
    return csv_text(CABLE_COLUMNS, cable_rows(solution))
