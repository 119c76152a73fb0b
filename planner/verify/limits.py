"""Budgets, and the rows that say how much of each limit is used."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from planner.domain.solution import Binding
from planner.domain.units import cents
from planner.verify.bill import STORAGE
from planner.verify.power import floor_kw, site_watts
from planner.verify.record import Record
from planner.verify.violation import Violation, violation
from planner.verify.workloads import hours_kept

WATTS_PER_KW = 1000.0
TOLERANCE = 1e-6
UNITS = {
    "step_time": "s", "memory": "GiB", "hours": "share", "capex": "USD", "gpus": "GPUs",
    "power": "kW", "racks": "racks", "rack_power": "kW", "rack_units": "U",
}  # fmt: skip
"""Unit of each limit, by constraint id."""


class Use(NamedTuple):
    """How much of a limit is used, counted from the documents."""

    used: float
    available: float


def check_limits(record: Record) -> Iterator[Violation]:
    """Yield budgets that are exceeded and rows that the recount contradicts."""
    if record.solution.design is None:
        return
    yield from _budget(record)
    for i, row in enumerate(record.solution.binding):
        yield from _row(record, row, f"$.binding[{i}]")


def _capex_usd(record: Record) -> float:
    lines = record.solution.bill_of_materials
    bought = sum(line.quantity * cents(line.unit_price_usd) for line in lines)
    storage = record.solution.instance.storage
    if storage is not None and not any(line.component == STORAGE for line in lines):
        bought += cents(storage.price_usd or 0.0)
    return bought / 100


def gpus_bought(record: Record) -> int:
    """Return the GPUs of all servers that stand in the racks."""
    servers = (record.catalog.servers.get(node.part) for node in record.of_kind("node"))
    return sum(server.gpus for server in servers if server)


def _budget(record: Record) -> Iterator[Violation]:
    budget = record.solution.instance.budget
    watts = site_watts(record)
    rows = (
        ("budget-capex", budget.capex_usd, _capex_usd(record), "purchase price"),
        ("budget-power", budget.power_kw, watts / WATTS_PER_KW, "IT power at maximum"),
        ("budget-gpus", budget.gpus, gpus_bought(record), "GPUs"),
    )
    for check, limit, used, what in rows:
        if limit is not None and used > limit * (1 + 1e-9):
            yield violation(check, "$.instance.budget", f"at most {limit:g}", used, what)


def _row(record: Record, row: Binding, where: str) -> Iterator[Violation]:
    if row.used > row.available + TOLERANCE * max(1.0, abs(row.available)):
        yield violation(
            "binding-within", where, f"at most {row.available:g}", row.used,
            f"{row.limit}: more is used than there is",
        )  # fmt: skip
    unit = UNITS.get(row.constraint)
    if row.unit != unit:
        yield violation(
            "binding-known", where, unit or ", ".join(UNITS), f"{row.constraint} in {row.unit}",
            f"{row.limit}: no such limit, or in another unit",
        )  # fmt: skip
    counted = recount(record, row)
    if counted is None:
        return
    for name, expected, found in (
        ("used", counted.used, row.used),
        ("available", counted.available, row.available),
    ):
        if abs(expected - found) > TOLERANCE * max(1.0, abs(expected)):
            yield violation(
                "binding-recount", f"{where}.{name}", expected, found,
                f"{row.limit}: the documents give another figure",
            )  # fmt: skip


def recount(record: Record, row: Binding) -> Use | None:
    """Return a limit's use from the documents, None for a limit that they do not show."""
    if row.constraint in ("step_time", "memory"):
        return _job(record, row)
    if row.constraint == "power":
        return _power(record)
    return _other_uses(record).get(row.constraint)


def _other_uses(record: Record) -> dict[str, Use]:
    """Return the uses of money, GPUs, hours and racks by constraint id."""
    solution = record.solution
    site, budget = solution.instance.site, solution.instance.budget
    uses = {
        "hours": Use(hours_kept(record), 1.0),
        "racks": Use(float(len(record.inside)), float(site.racks - len(record.floor().blocked))),
        "rack_power": _fullest(record, "max_w"),
        "rack_units": _fullest(record, "height_units"),
    }
    if budget.capex_usd is not None:
        uses["capex"] = Use(_capex_usd(record), budget.capex_usd)
    if budget.gpus is not None:
        uses["gpus"] = Use(float(gpus_bought(record)), float(budget.gpus))
    return uses


def _power(record: Record) -> Use:
    """Return the power of the site, kW."""
    site, budget = record.solution.instance.site, record.solution.instance.budget
    kw = [floor_kw(record), site.power_kw, budget.power_kw]
    least_kw = min(value for value in kw if value is not None)
    return Use(site_watts(record) / WATTS_PER_KW, least_kw)


def _fullest(record: Record, field: str) -> Use:
    """Return watts (as kW) or units of the fullest rack, with what was there before."""
    found = []
    for name, inside in record.inside.items():
        rack = record.racks.get(name)
        if rack is None:
            continue
        place = record.floor().limits(rack.row, rack.column)
        used = math.fsum(getattr(d, field) for d in inside)
        if field == "max_w":
            found.append(Use(used / WATTS_PER_KW + place.taken_kw, place.kw))
        else:
            units = float(rack.units if place.units is None else place.units)
            found.append(Use(used + place.taken_units, units))
    return max(found, key=lambda use: (use.used / use.available, use.available), default=Use(0, 0))


def _job(record: Record, row: Binding) -> Use | None:
    """Return the step time or memory of the job that a row names."""
    for workload in record.solution.workloads:
        if row.limit.endswith(f" of {workload.name}"):
            if row.constraint == "step_time":
                return Use(workload.step_time_s, workload.limit_s)
            memory = workload.memory_gib
            return Use(memory.get("total", 0.0), memory.get("limit", 0.0))
    return None
