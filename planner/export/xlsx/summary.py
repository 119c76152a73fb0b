"""First sheet: the decision, its cost, each job against its target."""

from __future__ import annotations

from planner.domain.solution import DesignPart, Solution
from planner.export.keys import started
from planner.export.xlsx.book import Sheet
from planner.export.xlsx.field import Field
from planner.export.xlsx.phrases import Phrases

_SUM = "SUM({capex},{energy},{support},{other})"
COST = (
    Field(key="component", width=30),
    Field(key="capex", kind="money", total=True, width=26),
    Field(key="energy", kind="money", total=True),
    Field(key="support", kind="money", total=True),
    Field(key="other", kind="money", total=True),
    Field(key="present_value", kind="money", formula=_SUM, total=True),
)
WORKLOADS = (
    Field(key="workload"),
    Field(key="network"),
    Field(key="gpus", kind="integer"),
    Field(key="step_time", kind="decimal"),
    Field(key="limit_s", kind="decimal"),
    Field(key="target_s", kind="decimal"),
    Field(key="spare", kind="share", formula="1-{step_time}/{limit_s}"),
    Field(key="run_days", kind="decimal"),
    Field(key="deadline", kind="decimal"),
    Field(key="strategy", kind="long", width=60),
)


def write_summary(sheet: Sheet, solution: Solution, w: Phrases, *, bill: bool) -> None:
    """Fill the sheet; `bill` says whether the bill of materials can be pointed at."""
    sheet.widths(30, 26)
    sheet.heading(solution.instance.title or solution.instance.name)
    sheet.pair(w("question"), solution.instance.name)
    sheet.pair(w("status"), w(solution.status))
    if solution.design is not None:
        _design(sheet, solution.design, w)
    for reason in solution.reasons:
        sheet.pair(w("reason"), w.said(reason))
    _money(sheet, solution, w)
    if bill:
        quoted = f"{w('quoted_price')}"
        sheet.pair(w("quoted_lines"), 0, "integer", f"=COUNT(Bill[{quoted}])")
        sums = f'=SUMIFS(Bill[{w("quoted_line")}],Bill[{w("currency")}],"USD")'
        sheet.pair(w("quoted_total"), 0.0, "money", sums)
    for item in solution.cost.not_priced if solution.cost else ():
        sheet.pair(w("not_priced"), w.said(item))
    _run(sheet, solution, w)
    sheet.row += 1
    if solution.cost is not None:
        sheet.table("Cost", COST, [
            (w.said(line.component), line.capex_usd, line.energy_usd, line.support_usd, line.other_usd,
             line.total_usd) for line in solution.cost.components])  # fmt: skip
    if solution.workloads:
        deadlines = {demand.name: demand.deadline_days for demand in solution.instance.workloads}
        sheet.table("Workloads", WORKLOADS, [
            (found.name, found.network, found.gpus_used, found.step_time_s, found.limit_s,
             found.target_s, 1 - found.step_time_s / found.limit_s if found.limit_s else None,
             found.run_days, deadlines.get(found.name), w.said(found.strategy_label))
            for found in solution.workloads])  # fmt: skip


def _design(sheet: Sheet, design: DesignPart, w: Phrases) -> None:
    fabric = design.fabric
    sheet.pair(w("server"), w.said(design.platform.model))
    sheet.pair(w("servers"), design.nodes, "integer")
    sheet.pair(w("gpus"), design.gpus, "integer")
    sheet.pair(w("racks_used"), design.racks, "integer")
    shape = f"{fabric.family} {fabric.link_gbps:g}G, {fabric.topology.replace('_', ' ')}"
    sheet.pair(w("fabric"), w.said(shape))
    sheet.pair(w("oversubscription"), fabric.oversubscription, "decimal")
    sheet.pair(w("max_power"), design.max_power_kw, "decimal")
    sheet.pair(w("average_power"), design.average_power_kw, "decimal")


def _money(sheet: Sheet, solution: Solution, w: Phrases) -> None:
    finance, cost = solution.instance.finance, solution.cost
    if cost is not None:
        sheet.pair(w("capex"), cost.capex_usd, "money", f"=SUM(Cost[{w('capex')}])")
        value = f"=SUM(Cost[{w('present_value')}])"
        sheet.pair(w("present_value"), cost.total_usd, "money", value)
        if finance.report_currency != "USD":
            _converted(sheet, solution, w)
    if solution.bound_usd is not None:
        sheet.pair(w("bound"), solution.bound_usd, "money")
    sheet.pair(w("years"), finance.years, "decimal")
    if finance.in_service is not None:
        sheet.pair(w("in_service"), finance.in_service, "day")


def _converted(sheet: Sheet, solution: Solution, w: Phrases) -> None:
    """Write purchase and present value in the report's currency, at the instance's dated rate."""
    finance, cost = solution.instance.finance, solution.cost
    if cost is None:
        return
    code, rate = finance.report_currency, finance.usd_per_unit
    capex_row, total_row = sheet.row - 1, sheet.row
    sheet.pair(w("rate", code=code), rate, "decimal")
    rate_row = sheet.row
    for label, row, usd in (
        ("purchase_in", capex_row, cost.capex_usd),
        ("present_value_in", total_row, cost.total_usd),
    ):
        formula = f"=ROUND($B${row}/$B${rate_row},2)"
        sheet.pair(w(label, code=code), round(usd / rate, 2), "money", formula)
    if finance.rate_date is not None:
        sheet.pair(w("rate_date"), finance.rate_date, "day")


def _run(sheet: Sheet, solution: Solution, w: Phrases) -> None:
    run, moment = solution.run, started(solution)
    sheet.pair(w("run"), run.run_id)
    if moment is not None:
        sheet.pair(w("started"), moment.date(), "day")
    sheet.pair(w("version"), run.planner_version)
    sheet.pair(w("solver"), f"{w.said(run.solver)} {run.solver_version}")
