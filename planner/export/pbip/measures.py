"""Measures of the model: DAX over the names that people read."""

from __future__ import annotations

from planner.export.pbip.model import Measure

MONEY = "#,##0.00"
WHOLE = "#,##0"
SECONDS = "#,##0.000"
SHARE = "0.0%"


def dax_table(name: str) -> str:
    """Return a table's name as DAX quotes it."""
    return "'" + name.replace("'", "''") + "'"


def dax_column(table: str, column: str) -> str:
    """Return a column as DAX quotes it."""
    return f"{dax_table(table)}[{column.replace(']', ']]')}]"


def dax_text(text: str) -> str:
    """Return a text as a DAX literal."""
    return '"' + text.replace('"', '""') + '"'


def _category(name: str) -> str:
    column = dax_column("Cost category", "Category")
    return f"CALCULATE([Present value (USD)], {column} = {dax_text(name)})"


def _resource(name: str) -> str:
    used, limit = dax_column("Rack load", "Used"), dax_column("Rack load", "Available")
    chosen = f"{dax_column('Rack load', 'Resource')} = {dax_text(name)}"
    return f"DIVIDE(CALCULATE(SUM({used}), {chosen}), CALCULATE(SUM({limit}), {chosen}))"


_BILL = "'Bill of materials'"
_QUOTED = " || ".join(f'{_BILL}[Price kind] = "{kind}"' for kind in
                      ("quote", "list price", "street price"))  # fmt: skip
_ASSEMBLIES = "SUMMARIZE('Cables', 'Cables'[Run key], 'Cables'[Assembly], 'Cables'[Length (m)])"

MEASURES = (
    Measure(table="Cost", name="Present value (USD)", expression="SUM('Cost'[Amount (USD)])",
            format=MONEY, description="Purchase and what follows over the years, discounted"),
    Measure(table="Cost", name="Purchase (USD)", expression=_category("capex"), format=MONEY,
            description="Present value of category capex"),
    Measure(table="Cost", name="Energy (USD)", expression=_category("energy"), format=MONEY,
            description="Present value of the energy"),
    Measure(table="Cost", name="Support (USD)", expression=_category("support"), format=MONEY,
            description="Present value of the support"),
    Measure(table="Cost", name="Other (USD)", expression=_category("other"), format=MONEY,
            description="Present value of spares, freight, software and space, less resale"),
    Measure(table="Cost", name="Present value in report currency",
            expression="SUMX('Run', DIVIDE([Present value (USD)], "
            "'Run'[USD per unit of report currency]))",
            format=MONEY, description="Each run at its own dated rate"),
    Measure(table="Cost", name="Present value per GPU (USD)",
            expression="DIVIDE([Present value (USD)], [GPUs bought])", format=MONEY,
            description="Present value over the GPUs bought"),
    Measure(table="Bill of materials", name="Order total (USD)",
            expression=f"SUM({_BILL}[Total (USD)])", format=MONEY,
            description="Sum of the order list"),
    Measure(table="Bill of materials", name="Order total at low prices (USD)",
            expression=f"SUMX({_BILL}, {_BILL}[Quantity] * "
            f"COALESCE({_BILL}[Low (USD)], {_BILL}[Unit price (USD)]))", format=MONEY,
            description="Every line at its lowest published price"),
    Measure(table="Bill of materials", name="Order total at high prices (USD)",
            expression=f"SUMX({_BILL}, {_BILL}[Quantity] * "
            f"COALESCE({_BILL}[High (USD)], {_BILL}[Unit price (USD)]))", format=MONEY,
            description="Every line at its highest published price"),
    Measure(table="Bill of materials", name="Share at estimated prices",
            expression=f"1 - DIVIDE(SUMX(FILTER({_BILL}, {_QUOTED}), {_BILL}[Total (USD)]), "
            "[Order total (USD)])", format=SHARE,
            description="Share of the order without a quote, list or street price"),
    Measure(table="Run", name="GPUs bought", expression="SUM('Run'[GPUs])", format=WHOLE,
            description="GPUs over the chosen runs"),
    Measure(table="Run", name="Runs", expression="COUNTROWS('Run')", format=WHOLE,
            description="Runs in the model"),
    Measure(table="Run", name="Runs by first day of service",
            expression="CALCULATE([Runs], USERELATIONSHIP('Run'[In service], 'Date'[Date]))",
            format=WHOLE, description="Counts runs by the day of service, not of the computation"),
    Measure(table="Step time", name="Total step time (s)",
            expression="SUM('Step time'[Seconds])", format=SECONDS,
            description="Time of one optimizer step; choose one workload"),
    Measure(table="Workload", name="Least spare to limit",
            expression="MINX('Workload', 1 - DIVIDE('Workload'[Step time (s)], "
            "'Workload'[Limit (s)]))", format=SHARE,
            description="Of the workload that is nearest to its limit"),
    Measure(table="Traffic", name="Communication (s)", expression="SUM('Traffic'[Total (s)])",
            format=SECONDS, description="Communication of a step, hidden or not"),
    Measure(table="Traffic", name="Exposed communication (s)",
            expression="SUM('Traffic'[Exposed (s)])", format=SECONDS,
            description="Communication of a step that compute does not hide"),
    Measure(table="Rack load", name="Rack power used", expression=_resource("power"),
            format=SHARE, description="Power at most over usable power"),
    Measure(table="Rack load", name="Rack height used", expression=_resource("height"),
            format=SHARE, description="Rack units in use"),
    Measure(table="Rack load", name="Rack weight used", expression=_resource("weight"),
            format=SHARE, description="Weight over the load that a rack carries"),
    Measure(table="Cables", name="Links", expression="COUNTROWS('Cables')", format=WHOLE,
            description="Links, each counted once"),
    Measure(table="Cables", name="Cable length (m)",
            expression=f"SUMX({_ASSEMBLIES}, 'Cables'[Length (m)])",
            format=WHOLE, description="Length to buy; links of one twin-port cable count once"),
    Measure(table="Alternatives", name="Dearer than the answer (USD)",
            expression="SUM('Alternatives'[Delta (USD)])", format=MONEY,
            description="Present value less that of the answer"),
    Measure(table="Frontier", name="Frontier present value (USD)",
            expression="MIN('Frontier'[Objective (USD)])", format=MONEY,
            description="Least present value of the chosen points"),
    Measure(table="Frontier", name="Frontier step time (s)",
            expression="MIN('Frontier'[Step time (s)])", format=SECONDS,
            description="Least step time of the chosen points"),
)  # fmt: skip
