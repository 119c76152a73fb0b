"""Instances without a design: what each asks for, and the conflict that it holds."""

from __future__ import annotations

from typing import Any, NamedTuple

from planner.domain.catalog import load_catalog

JOB = {
    "name": "gpt2-xl", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 512,
    "step_time_s": 6.0,
}  # fmt: skip
LONG = {"global_batch": 64, "sequence_length": 4096, "step_time_s": 500}
STEP = "workloads[0].step_time_s"
H100 = {"server": "hgx-h100-8", "family": "infiniband", "switch": "qm9700", "topology": "single"}


class Case(NamedTuple):
    """An instance, and the limits that contradict each other in it."""

    document: dict[str, Any]
    conflict: set[str]
    slow: bool = True
    """Whether it takes more than about three seconds."""


def document(job: dict | None = None, site: dict | None = None, **more: Any) -> dict[str, Any]:
    """Return an instance: GPT-2 XL in two racks of 12 kW unless told otherwise."""
    work = {key: value for key, value in (JOB | (job or {})).items() if value is not None}
    return {
        "name": "case", "workloads": [work], "site": {"racks": 2, "rack_kw": 12} | (site or {})
    } | more  # fmt: skip


def no_optics() -> dict[str, Any]:
    """Return racks whose trays are far above the switches, and only short cables on sale."""
    catalog = load_catalog()
    short = [row.id for row in catalog.cables.values() if row.length_m > 3 and "1g" not in row.id]
    return document(
        {"step_time_s": 2.0},
        {"racks": 4, "rack_kw": 11, "rise_m": 4},
        fix=H100,
        forbid={"product": [*catalog.transceivers, *short]},
    )


def two_jobs() -> dict[str, Any]:
    """Return two jobs that each hold the cluster most of the day."""
    found = document({"hours_per_day": 14})
    found["workloads"].append(found["workloads"][0] | {"name": "second"})
    return found


DEADLINE = {"step_time_s": None, "tokens": 1e10, "deadline_days": 1.2, "availability": 0.8}
PILLARS = {"places": [{"row": 1, "columns": [1, 2, 3], "blocked": True}]}
CASES = {
    "budget": Case(document(budget={"capex_usd": 60_000}), {"budget.capex_usd", STEP}),
    "step time": Case(document({"step_time_s": 0.02}), {STEP}),
    "rack power": Case(
        document(site={"rack_kw": 6}, fix={"server": "hgx-h100-8"}),
        {"fix.server", "site.rack_kw"},
    ),
    "room power": Case(document(site={"power_kw": 2}), {"site.power_kw", STEP}),
    "reach": Case(no_optics(), {f"fix.{key}" for key in ("server", "switch", "topology")}
        | {"forbid.product", "site.routes", "site.rack_kw"}),
    "memory": Case(
        document(
            LONG | {"network": "llama3-70b"}, {"racks": 1, "rack_kw": 11},
            fix={"server": "hgx-h100-8"},
        ),
        {"site.racks", "site.rack_kw"},
        slow=False,
    ),
    "memory of a strategy": Case(
        document(
            LONG | {"network": "llama3-8b", "fix": {"tp": 1, "pp": 1, "sharding": "ddp"}},
            fix={"accelerator": "rtx-4090"},
        ),
        {f"workloads[0].fix.{key}" for key in ("tp", "pp", "sharding")} | {"site.rack_kw"},
    ),
    "ports": Case(
        document({"step_time_s": 0.12, "margin": 0}, {"racks": 80, "rack_kw": 44}, fix=H100),
        {"fix.server", "fix.topology", STEP},
    ),
    "floor": Case(
        document(site={"racks": 4, "rack_kw": 2.2, "floor": PILLARS}),
        {"site.racks", "site.rack_kw", "site.floor.places", STEP},
    ),
    "GPUs": Case(
        document(budget={"gpus": 4}, fix={"accelerator": "rtx-6000-ada"}),
        {"budget.gpus", STEP},
        slow=False,
    ),
    "cooling": Case(
        document(site={"rack_kw": 140}, fix={"server": "gb200-nvl72"}),
        {"fix.server", "site.cooling"},
        slow=False,
    ),
    "weight": Case(document(site={"rack_weight_kg": 5}), {"site.rack_weight_kg"}),
    "hours": Case(two_jobs(), {"workloads[0].hours_per_day", "workloads[1].hours_per_day"}),
    "mixed": Case(
        document(DEADLINE, {"racks": 1, "rack_kw": 4}, budget={"capex_usd": 60_000}),
        {"budget.capex_usd", "workloads[0].deadline_days"},
    ),
}  # fmt: skip
SHORT = Case(
    document(
        {"step_time_s": 0.35, "margin": 0}, {"racks": 3, "rack_kw": 12},
        budget={"capex_usd": 200_000}, fix=H100 | {"topology": ["single", "direct"]},
    ),
    {"budget.capex_usd", STEP},
    slow=False,
)  # fmt: skip
"""Too little money for one server, and too little room for enough of them."""
