"""Names that people read in Power BI, from the names of the files."""

from __future__ import annotations

import re
import unicodedata

from planner.export.table import Column, Table

TABLE_NAMES = {
    "fact_bom_line": "Bill of materials",
    "fact_cost": "Cost",
    "fact_step_time": "Step time",
    "fact_traffic": "Traffic",
    "fact_cable": "Cables",
    "fact_rack_load": "Rack load",
    "fact_placement": "Placement",
    "fact_alternative": "Alternatives",
    "fact_alternative_step": "Alternative step times",
    "fact_check": "Limits",
    "fact_goodput": "Goodput",
    "fact_phase": "Phases",
    "fact_holding": "Holdings",
    "fact_pool": "Pools",
    "fact_rent": "Rent",
    "fact_frontier": "Frontier",
    "fact_combination": "Combinations",
    "fact_combination_step": "Combination step times",
    "fact_flip": "Flip points",
    "fact_regret": "Regret",
    "fact_quote_needed": "Quotes needed",
    "dim_run": "Run",
    "dim_scenario": "Scenario",
    "dim_part": "Part",
    "dim_rack": "Rack",
    "dim_workload": "Workload",
    "dim_level": "Level",
    "dim_collective": "Collective",
    "dim_cost_category": "Cost category",
    "dim_date": "Date",
}
"""Table in the model by table in the star schema."""

_COLUMN_NAMES = {
    ("dim_run", "run_key"): "Run",
    ("dim_part", "part_key"): "Part",
    ("dim_date", "date_key"): "Date",
    ("dim_run", "usd_per_unit"): "USD per unit of report currency",
    ("dim_scenario", "electricity_usd_per_kwh"): "Electricity (USD/kWh)",
}
_UNITS = {
    "usd": "USD", "kw": "kW", "w": "W", "m": "m", "s": "s", "kg": "kg", "bytes": "bytes",
    "days": "days",
}  # fmt: skip
_WORDS = {
    "gpu": "GPU", "gpus": "GPUs", "mfu": "MFU", "hfu": "HFU", "pue": "PUE", "usd": "USD",
    "iso": "ISO", "capex": "purchase",
}  # fmt: skip
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
MAX_FILE_NAME = 40


def column_name(table: Table, column: Column) -> str:
    """Return ``Unit price (USD)`` for ``unit_price_usd``."""
    known = _COLUMN_NAMES.get((table.name, column.name))
    if known is not None:
        return known
    words = column.name.split("_")
    unit = _UNITS.get(words[-1], "") if len(words) > 1 else ""
    if unit:
        words = words[:-1]
    shown = " ".join(_WORDS.get(word, word) for word in words)
    shown = shown[0].upper() + shown[1:]
    return f"{shown} ({unit})" if unit else shown


def file_name(text: str) -> str:
    """Return a name that is a legal folder on Windows, macOS and Linux; ``plan`` if none is left."""
    plain = unicodedata.normalize("NFKD", text)
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", letters)[:MAX_FILE_NAME].strip("-. ")
    if not kept or _RESERVED.fullmatch(kept):
        return f"plan-{kept}".rstrip("-")
    return kept
