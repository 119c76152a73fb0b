"""Facts of the star schema: what was bought, what it costs, how fast it is, where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.dimensions import CATEGORIES, RUN_OF
from planner.export.keys import cost_key, links, run_key, within_run
from planner.export.table import Column, Row, Table

PART_OF = Column("part_key", "key", "Catalogue id of the product", refers_to="dim_part")
RACK_OF = Column("rack_key", "key", "Run and rack", refers_to="dim_rack")
WORKLOAD_OF = Column("workload_key", "key", "Run and workload", refers_to="dim_workload")
COST_OF = Column(
    "cost_category_key", "key", "Component and category", refers_to="dim_cost_category"
)


def _difference(a: float, b: float) -> float:
    """Return a - b without the digits that only binary rounding adds."""
    return round(a - b, 9)


def _bom(solution: Solution) -> Iterable[Row]:
    for number, line in enumerate(solution.bill_of_materials, 1):
        yield (
            run_key(solution), number, line.part, cost_key(line.component, "capex"),
            line.quantity, line.unit_price_usd, line.total_usd, line.low_usd, line.high_usd,
            line.price_kind, line.price_date, line.price_source, line.owned,
        )  # fmt: skip


FACT_BOM_LINE = Table(
    "fact_bom_line",
    "one line of the bill of materials",
    (
        RUN_OF,
        Column("line", "integer", "Number of the line"),
        PART_OF,
        COST_OF,
        Column("quantity", "integer", "Units bought", "units"),
        Column("unit_price_usd", "money", "Price of one unit", "USD"),
        Column("total_usd", "money", "Quantity times unit price", "USD"),
        Column("low_usd", "money", "Lowest published price of one unit", "USD"),
        Column("high_usd", "money", "Highest published price of one unit", "USD"),
        Column("price_kind", "text", "list, street, quote, analyst estimate, own interpolation"),
        Column("price_date", "text", "Year, month or day of the price, ISO 8601"),
        Column("price_source", "text", "Where the price comes from"),
        Column("owned", "boolean", "Whether these units are owned already: nothing to buy"),
    ),
    _bom,
    ("run_key", "line"),
)


def _cost(solution: Solution) -> Iterable[Row]:
    for line in solution.cost.components if solution.cost else []:
        for category, _, _ in CATEGORIES:
            amount = getattr(line, f"{category}_usd")
            yield run_key(solution), cost_key(line.component, category), amount


FACT_COST = Table(
    "fact_cost",
    "present value of one component and category",
    (RUN_OF, COST_OF, Column("amount_usd", "money", "Present value", "USD")),
    _cost,
    ("run_key", "cost_category_key"),
)


def _step_time(solution: Solution) -> Iterable[Row]:
    for result in solution.workloads:
        for order, (part, seconds) in enumerate(result.breakdown.items(), 1):
            yield (
                run_key(solution), within_run(solution, result.name), part, order, seconds,
                seconds / result.step_time_s if result.step_time_s else None,
            )  # fmt: skip


FACT_STEP_TIME = Table(
    "fact_step_time",
    "one part of a workload's step; the parts add up to the step",
    (
        RUN_OF,
        WORKLOAD_OF,
        Column("part", "text", "Part of the step"),
        Column("part_order", "integer", "Place of the part in the step"),
        Column("seconds", "decimal", "Time of the part", "s"),
        Column("share", "decimal", "Share of the step", "1"),
    ),
    _step_time,
    ("run_key", "workload_key", "part"),
)


def _traffic(solution: Solution) -> Iterable[Row]:
    for result in solution.workloads:
        for number, use in enumerate(result.collectives, 1):
            yield (
                run_key(solution), within_run(solution, result.name), number, use.name,
                use.collective, use.algorithm, use.protocol, use.level, use.size_bytes, use.count,
                use.ranks, use.time_s, use.total_s, use.exposed_s,
            )  # fmt: skip


FACT_TRAFFIC = Table(
    "fact_traffic",
    "one communication of a workload's step",
    (
        RUN_OF,
        WORKLOAD_OF,
        Column("number", "integer", "Number of the communication"),
        Column("purpose", "text", "What is sent for: tp, pp, dp_grad, ..."),
        Column("collective_key", "key", "Kind of the collective", refers_to="dim_collective"),
        Column("algorithm", "text", "Algorithm of the collective"),
        Column("protocol", "text", "Protocol of the collective"),
        Column("level_key", "key", "Widest level it crosses", refers_to="dim_level"),
        Column("size_bytes", "decimal", "Size of one call", "bytes"),
        Column("calls", "decimal", "Calls in a step on the slowest stage", "calls"),
        Column("ranks", "integer", "GPUs of one group", "GPUs"),
        Column("time_s", "decimal", "Time of one call", "s"),
        Column("total_s", "decimal", "Time of all calls of a step", "s"),
        Column("exposed_s", "decimal", "Time that compute does not hide", "s"),
    ),
    _traffic,
    ("run_key", "workload_key", "number"),
)


def _cables(solution: Solution) -> Iterable[Row]:
    for cable in links(solution):
        yield (
            run_key(solution), cable.id, cable.tier, cable.a, cable.a_port, cable.b, cable.b_port,
            cable.part, cable.assembly, cable.needed_m, cable.length_m, cable.a_module or None,
            cable.b_module or None,
        )  # fmt: skip


FACT_CABLE = Table(
    "fact_cable",
    "one link",
    (
        RUN_OF,
        Column("cable", "text", "Name of the link"),
        Column(
            "tier",
            "text",
            "node_leaf, leaf_leaf, leaf_spine, spine_core, oob, or fabric_manager, storage_network, "
            "in_band_network",
        ),
        Column("a_device", "text", "Device at end a"),
        Column("a_port", "text", "Port at end a"),
        Column("b_device", "text", "Device at end b"),
        Column("b_port", "text", "Port at end b"),
        PART_OF,
        Column("assembly", "text", "Physical cable; links of a twin-port assembly share it"),
        Column("needed_m", "decimal", "Length of the route", "m"),
        Column("length_m", "decimal", "Stocked length that is bought", "m"),
        Column("a_module", "text", "Transceiver at end a, empty for a fixed-end cable"),
        Column("b_module", "text", "Transceiver at end b, empty for a fixed-end cable"),
    ),
    _cables,
    ("run_key", "cable"),
)


def _rack_load(solution: Solution) -> Iterable[Row]:
    for rack in solution.racks:
        loads = (
            ("height", "U", rack.used_units, rack.units),
            ("power", "W", rack.max_w, rack.limit_w),
            ("weight", "kg", rack.weight_kg, rack.limit_kg),
        )
        for resource, unit, used, limit in loads:
            key = within_run(solution, rack.id)
            yield run_key(solution), key, resource, unit, used, limit, _difference(limit, used)


FACT_RACK_LOAD = Table(
    "fact_rack_load",
    "one resource of one rack",
    (
        RUN_OF,
        RACK_OF,
        Column("resource", "text", "height, power or weight"),
        Column("unit", "text", "Unit of the three figures"),
        Column("used", "decimal", "Used", "in column unit"),
        Column("available", "decimal", "Limit", "in column unit"),
        Column("spare", "decimal", "Limit less use", "in column unit"),
    ),
    _rack_load,
    ("run_key", "rack_key", "resource"),
)


def _placement(solution: Solution) -> Iterable[Row]:
    for device in solution.devices:
        yield (
            run_key(solution), device.id, device.kind, device.part,
            within_run(solution, device.rack), device.unit, device.height_units, device.max_w,
            device.weight_kg, device.group if device.group >= 0 else None,
            device.rail if device.rail >= 0 else None,
        )  # fmt: skip


FACT_PLACEMENT = Table(
    "fact_placement",
    "one device",
    (
        RUN_OF,
        Column("device", "text", "Name of the device"),
        Column("device_kind", "text", "node, leaf, spine, core, oob, storage, or of services"),
        PART_OF,
        RACK_OF,
        Column("unit", "integer", "Lowest rack unit it fills, from 1 at the floor", "U"),
        Column("height_units", "decimal", "Rack units it fills", "U"),
        Column("max_w", "decimal", "Power at most", "W"),
        Column("weight_kg", "decimal", "Weight", "kg"),
        Column("leaf_group", "integer", "Group of servers that share leafs"),
        Column("rail", "integer", "Rail that a leaf serves"),
    ),
    _placement,
    ("run_key", "device"),
)


def _alternatives(solution: Solution) -> Iterable[Row]:
    for number, item in enumerate(solution.alternatives, 1):
        yield (
            run_key(solution), number, item.name, item.question,
            json.dumps(item.forced, sort_keys=True, ensure_ascii=False), item.status,
            item.objective_usd, item.delta_usd, item.summary, item.reason,
        )  # fmt: skip


FACT_ALTERNATIVE = Table(
    "fact_alternative",
    "the best design under one forced choice",
    (
        RUN_OF,
        Column("number", "integer", "Number of the alternative"),
        Column("name", "text", "Name of the alternative"),
        Column("question", "text", "Question that it answers"),
        Column("forced", "text", "What was forced, JSON"),
        Column("status", "text", "optimal, feasible, infeasible, stopped or chosen"),
        Column("objective_usd", "money", "Present value", "USD"),
        Column("delta_usd", "money", "Present value less that of the answer", "USD"),
        Column("summary", "text", "The design in words"),
        Column("reason", "text", "Why it lost"),
    ),
    _alternatives,
    ("run_key", "number"),
)


def _alternative_steps(solution: Solution) -> Iterable[Row]:
    known = {workload.name for workload in solution.instance.workloads}
    for number, item in enumerate(solution.alternatives, 1):
        for name, seconds in item.step_times_s.items():
            if name in known:
                yield run_key(solution), number, within_run(solution, name), seconds


FACT_ALTERNATIVE_STEP = Table(
    "fact_alternative_step",
    "step time of one workload on one alternative",
    (
        RUN_OF,
        Column("number", "integer", "Number of the alternative"),
        WORKLOAD_OF,
        Column("step_time_s", "decimal", "Time of one optimizer step", "s"),
    ),
    _alternative_steps,
    ("run_key", "number", "workload_key"),
)


def _checks(solution: Solution) -> Iterable[Row]:
    for number, item in enumerate(solution.binding, 1):
        yield (
            run_key(solution), number, item.constraint, item.limit, item.unit, item.used,
            item.available, _difference(item.available, item.used), item.binding, item.note,
        )  # fmt: skip


FACT_CHECK = Table(
    "fact_check",
    "one limit and its use",
    (
        RUN_OF,
        Column("number", "integer", "Number of the limit"),
        Column("constraint", "text", "Id of the constraint in the formulation"),
        Column("limit", "text", "The limit in words"),
        Column("unit", "text", "Unit of the three figures"),
        Column("used", "decimal", "Used, or needed at least where infeasible", "in column unit"),
        Column("available", "decimal", "Available", "in column unit"),
        Column("slack", "decimal", "Available less used", "in column unit"),
        Column("binding", "boolean", "Whether the limit binds"),
        Column("note", "text", "Note"),
    ),
    _checks,
    ("run_key", "number"),
)

FACTS = (
    FACT_BOM_LINE, FACT_COST, FACT_STEP_TIME, FACT_TRAFFIC, FACT_CABLE, FACT_RACK_LOAD,
    FACT_PLACEMENT, FACT_ALTERNATIVE, FACT_ALTERNATIVE_STEP, FACT_CHECK,
)  # fmt: skip
