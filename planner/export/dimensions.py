"""Dimensions that an answer fills: run, part, rack, workload, cost category."""

from __future__ import annotations

from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.keys import cost_key, links, run_key, scenario_key, started, within_run
from planner.export.table import Column, Row, Table

KIND_OF_DEVICE = {
    "node": "server", "storage": "storage", "fabric_manager": "appliance", "appliance": "appliance",
}  # fmt: skip
"""Kind of part by kind of device; all others are switches."""
RUN = Column("run_key", "key", "Run: hash of instance, catalogue, version and options")
RUN_OF = Column("run_key", "key", "Run that the row belongs to", refers_to="dim_run")
CATEGORIES = (
    ("capex", "Purchase", False),
    ("energy", "Energy", True),
    ("support", "Support", True),
    ("other", "Spares, freight, installation, software and space, less resale", True),
)


def _run(solution: Solution) -> Iterable[Row]:
    run, plan, design = solution.run, solution.instance, solution.design
    finance = plan.finance
    fabric = design.fabric if design else None
    moment = started(solution)
    yield (
        run_key(solution), scenario_key(solution), plan.name, plan.title, solution.status, solution.objective_usd,
        solution.bound_usd, solution.gap, solution.placement_gap, finance.years,
        finance.discount_rate, finance.report_currency, finance.usd_per_unit,
        finance.in_service.isoformat() if finance.in_service else None,
        design.platform.server if design else None, design.nodes if design else None,
        design.gpus if design else None, design.racks if design else None,
        design.max_power_kw if design else None, design.average_power_kw if design else None,
        fabric.family if fabric else None, fabric.topology if fabric else None,
        fabric.oversubscription if fabric else None, fabric.transceivers if fabric else None,
        solution.scan.columns, run.planner_version, run.solver, run.solver_version, run.seed,
        run.threads, run.wall_s, f"{moment.isoformat(timespec='seconds')}Z" if moment else None,
        moment.date().isoformat() if moment else None,
    )  # fmt: skip


DIM_RUN = Table(
    "dim_run",
    "one run",
    (
        RUN,
        Column("scenario_key", "key", "Question that the run answers", refers_to="dim_scenario"),
        Column("instance_name", "text", "Name of the instance"),
        Column("title", "text", "Title of the instance"),
        Column("status", "text", "optimal, feasible, infeasible or stopped"),
        Column("objective_usd", "money", "Present value of the answer", "USD"),
        Column("bound_usd", "money", "Proved lower bound of the present value", "USD"),
        Column("gap", "decimal", "Objective less bound, over objective", "1"),
        Column("placement_gap", "decimal", "Gap of the cost that placement decides", "1"),
        Column("years", "decimal", "Horizon of the present value", "years"),
        Column("discount_rate", "decimal", "Discount a year", "1"),
        Column("report_currency", "text", "Currency that the reports show, ISO 4217"),
        Column("usd_per_unit", "decimal", "US dollars for one unit of that currency", "USD"),
        Column(
            "in_service", "date", "First day of service", refers_to="dim_date", refers_as="date_key"
        ),
        Column("server", "text", "Catalogue id of the server"),
        Column("nodes", "integer", "Servers bought", "servers"),
        Column("gpus", "integer", "GPUs bought", "GPUs"),
        Column("racks", "integer", "Racks in use", "racks"),
        Column("max_power_kw", "decimal", "IT power at the devices' maximum", "kW"),
        Column("average_power_kw", "decimal", "IT power on average", "kW"),
        Column("family", "text", "Family of the scale-out fabric"),
        Column("topology", "text", "Topology of the scale-out fabric"),
        Column("oversubscription", "decimal", "Down over up bandwidth of a leaf", "1"),
        Column("transceivers", "integer", "Transceivers bought", "modules"),
        Column("columns_weighed", "integer", "Designs of the declared grid", "designs"),
        Column("planner_version", "text", "Version of planner"),
        Column("solver", "text", "Solver"),
        Column("solver_version", "text", "Version of the solver"),
        Column("seed", "integer", "Random seed"),
        Column("threads", "integer", "Threads", "threads"),
        Column("wall_s", "decimal", "Wall time of the run", "s"),
        Column("started", "datetime", "Start of the run, UTC"),
        Column(
            "started_on",
            "date",
            "Day of the start, UTC",
            refers_to="dim_date",
            refers_as="date_key",
        ),
    ),
    _run,
    ("run_key",),
)


def _parts(solution: Solution) -> Iterable[Row]:
    found: dict[str, tuple[str, str]] = {}
    for line in solution.bill_of_materials:
        found.setdefault(line.part, (line.kind, line.description))
    for device in solution.devices:
        kind = KIND_OF_DEVICE.get(device.kind, "switch")
        found.setdefault(device.part, (kind, ""))
    for cable in links(solution):
        found.setdefault(cable.part, ("cable", ""))
        for module in (cable.a_module, cable.b_module):
            if module:
                found.setdefault(module, ("transceiver", ""))
    for part, (kind, description) in sorted(found.items()):
        yield part, kind, description


DIM_PART = Table(
    "dim_part",
    "one product",
    (
        Column("part_key", "key", "Catalogue id of the product"),
        Column("part_kind", "text", "server, nic, switch, transceiver, cable, rack, ..."),
        Column("description", "text", "Product in words"),
    ),
    _parts,
    ("part_key",),
)


def _racks(solution: Solution) -> Iterable[Row]:
    for rack in solution.racks:
        yield (
            within_run(solution, rack.id), run_key(solution), rack.id, rack.row, rack.column,
            rack.x_m, rack.y_m, rack.units, rack.limit_w, rack.limit_kg,
        )  # fmt: skip


DIM_RACK = Table(
    "dim_rack",
    "one rack of one run",
    (
        Column("rack_key", "key", "Run and rack"),
        RUN_OF,
        Column("rack", "text", "Name of the rack"),
        Column("row", "integer", "Row of the room, from 0"),
        Column("column", "integer", "Place in the row, from 0"),
        Column("x_m", "decimal", "Place along the row", "m"),
        Column("y_m", "decimal", "Place across the rows", "m"),
        Column("units", "decimal", "Height of the rack", "U"),
        Column("limit_w", "decimal", "Usable power", "W"),
        Column("limit_kg", "decimal", "Load it carries", "kg"),
    ),
    _racks,
    ("rack_key",),
)


def _workloads(solution: Solution) -> Iterable[Row]:
    results = {result.name: result for result in solution.workloads}
    for demand in solution.instance.workloads:
        found = results.get(demand.name)
        yield (
            within_run(solution, demand.name), run_key(solution), demand.name, demand.network,
            found.parameters if found else None, demand.global_batch, demand.sequence_length,
            demand.precision, demand.deadline_days, demand.repeat_days, demand.availability,
            found.strategy_label if found else None, found.gpus_used if found else None,
            found.step_time_s if found else None, found.limit_s if found else None,
            demand.target_s, found.margin if found else None, found.mfu if found else None,
            found.hfu if found else None, found.tokens_per_s_per_gpu if found else None,
            found.busy_fraction if found else None, found.run_days if found else None,
        )  # fmt: skip


DIM_WORKLOAD = Table(
    "dim_workload",
    "one workload of one run",
    (
        Column("workload_key", "key", "Run and workload"),
        RUN_OF,
        Column("workload", "text", "Name of the workload"),
        Column("network", "text", "Neural network that is trained"),
        Column("parameters", "integer", "Parameters of the network", "parameters"),
        Column("global_batch", "integer", "Sequences a step over the whole cluster", "sequences"),
        Column("sequence_length", "integer", "Tokens of a sequence", "tokens"),
        Column("precision", "text", "Number format of the matrix products"),
        Column("deadline_days", "decimal", "Days within which a run must end", "days"),
        Column("repeat_days", "decimal", "Days from one run to the next", "days"),
        Column("availability", "decimal", "Share of wall time spent on useful steps", "1"),
        Column("strategy", "text", "Degrees and options of the training job"),
        Column("gpus_used", "integer", "GPUs that take part", "GPUs"),
        Column("step_time_s", "decimal", "Time of one optimizer step", "s"),
        Column("limit_s", "decimal", "Step time that the program enforces", "s"),
        Column("target_s", "decimal", "Step time that the instance demands", "s"),
        Column("margin", "decimal", "Safety between limit and target", "1"),
        Column("mfu", "decimal", "Model FLOPs over peak FLOPs", "1"),
        Column("hfu", "decimal", "Executed FLOPs, recompute included, over peak FLOPs", "1"),
        Column("tokens_per_s_per_gpu", "decimal", "Tokens a second on one GPU", "tokens/s"),
        Column("busy_fraction", "decimal", "Share of all hours that it holds the cluster", "1"),
        Column("run_days", "decimal", "Days of one run", "days"),
    ),
    _workloads,
    ("workload_key",),
)


def _categories(solution: Solution) -> Iterable[Row]:
    components = list(solution.cost.components) if solution.cost else []
    names = dict.fromkeys(
        [line.component for line in components]
        + [line.component for line in solution.bill_of_materials]
    )
    for component in names:
        for category, description, running in CATEGORIES:
            yield cost_key(component, category), component, category, description, running


DIM_COST_CATEGORY = Table(
    "dim_cost_category",
    "one kind of cost of one component",
    (
        Column("cost_category_key", "key", "Component and category"),
        Column("component", "text", "Part of the cluster that causes the cost"),
        Column("category", "text", "capex, energy, support or other"),
        Column("description", "text", "The category in words"),
        Column("over_time", "boolean", "Whether it is paid over the years"),
    ),
    _categories,
    ("cost_category_key",),
)
