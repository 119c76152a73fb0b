"""Deliberate corruptions of valid answers: each is caught by the check that it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import planner.verify
from planner.domain.resources import data_root
from planner.domain.solution import Solution
from planner.verify.check import verify
from tests.verify.test_portfolio import PORTFOLIO
from tests.verify.test_services import SERVICE_CHANGES
from tests.verify.test_tiers import PARTED

Document = dict[str, Any]
PDU = {"id": "p", "part": "pdu-ap8886", "feed": "A", "side": "left"}
Change = Callable[[Document], None]


def put(path: str, value: Any) -> Change:
    """Return a change that sets `a.b[0].c`, by value or by a function of the old one."""

    def change(document: Document) -> None:
        *parents, last = path.replace("[", ".").replace("]", "").split(".")
        node: Any = document
        for key in parents:
            node = node[int(key)] if isinstance(node, list) else node[key]
        key = int(last) if isinstance(node, list) else last
        node[key] = value(node[key]) if callable(value) else value

    return change


def drop(path: str) -> Change:
    """Return a change that deletes an item of a list."""

    def change(document: Document) -> None:
        name, index = path.rstrip("]").split("[")
        node = document
        for key in name.split("."):
            node = node[key]
        del node[int(index)]

    return change


def every(tier: str, key: str, value: Any) -> Change:
    """Return a change of one field of all links of a tier."""

    def change(document: Document) -> None:
        for cable in document["cables"]:
            if cable["tier"] == tier:
                cable[key] = value

    return change


def both(*changes: Change) -> Change:
    """Return several changes as one."""

    def change(document: Document) -> None:
        for one in changes:
            one(document)

    return change


def bill(part: str, key: str, value: Any) -> Change:
    """Return a change of the bill's line of a part."""

    def change(document: Document) -> None:
        line = next(b for b in document["bill_of_materials"] if b["part"] == part)
        line[key] = value(line[key]) if callable(value) else value

    return change


def cost(component: str, key: str, value: Any) -> Change:
    """Return a change of a cost component."""

    def change(document: Document) -> None:
        line = next(c for c in document["cost"]["components"] if c["component"] == component)
        line[key] = value(line[key])

    return change


def device(name: str, key: str, value: Any) -> Change:
    """Return a change of one device."""

    def change(document: Document) -> None:
        found = next(d for d in document["devices"] if d["id"] == name)
        found[key] = value(found[key]) if callable(value) else value

    return change


def swap(first: int, second: int, *keys: str) -> Change:
    """Return a change that exchanges fields of two links."""

    def change(document: Document) -> None:
        a, b = document["cables"][first], document["cables"][second]
        for key in keys:
            a[key], b[key] = b[key], a[key]

    return change


def more(amount: float) -> Callable[[float], float]:
    """Return a function that adds."""
    return lambda old: old + amount


OPTICAL, COPPER, MANAGEMENT = 0, 64, 320
"""First link of each tier in the rail-optimised answer: 64 optical, 256 copper, 20 management."""

RAIL: dict[str, tuple[str, Change]] = {
    # the document
    "status without design": ("document-status", put("design", None)),
    "infeasible with an objective": ("document-status", put("status", "infeasible")),
    "stopped without reason": ("document-reasons", put("status", "stopped")),
    "another seal": ("document-seal", put("seal", "0" * 64)),
    "schema version": ("document-version", put("schema_version", 2)),
    "two devices of one id": ("document-ids", device("node-001", "id", "node-000")),
    "two racks of one id": ("document-ids", put("racks[1].id", "r0")),
    "two links of one id": ("document-ids", put("cables[1].id", "node_leaf-0000")),
    "unknown server": ("device-part", device("node-003", "part", "hgx-h100-9")),
    "device in no rack": ("device-rack", device("leaf-002", "rack", "r9")),
    "unknown cable": ("cable-part", put(f"cables[{COPPER}].part", "dac-900g-1m")),
    "unknown module": ("module-part", put("cables[5].a_module", "osfp-401g")),
    "no GPU in use": ("document-range", put("workloads[0].gpus_used", 0)),
    "a fabric that nobody knows": ("document-range", put("design.fabric.family", "token ring")),
    "amount beyond all money": ("document-range", put("objective_usd", 1e308)),
    # objective, bound, gap, alternatives
    "objective a cent off": ("objective-total", put("objective_usd", more(0.01))),
    "bound above objective": ("bound-below-objective", put("bound_usd", more(5.0))),
    "optimal without bound": ("bound-stated", put("bound_usd", None)),
    "optimal without proof": ("optimal-proved", put("bound_usd", more(-100.0))),
    "gap that is not the gap": ("gap-value", put("gap", 0.01)),
    "gap missing": ("gap-value", put("gap", None)),
    "negative placement gap": ("placement-gap", put("placement_gap", -0.1)),
    "cheaper alternative": (
        "alternative-cheaper",
        both(
            put("alternatives[1].objective_usd", more(-2000.0)),
            put("alternatives[1].delta_usd", -1000.0),
        ),
    ),
    "difference of an alternative": ("alternative-delta", put("alternatives[1].delta_usd", 999.0)),
    "choice at another cost": (
        "alternative-chosen",
        both(
            put("alternatives[0].objective_usd", more(7.0)), put("alternatives[0].delta_usd", 7.0)
        ),
    ),
    "choice with other step times": (
        "alternative-chosen",
        put("alternatives[0].step_times_s", {"tune": 3.1}),
    ),
    "infeasible without reason": ("alternative-status", put("alternatives[2].reason", "")),
    "alternative without objective": (
        "alternative-status",
        both(put("alternatives[1].objective_usd", None), put("alternatives[1].delta_usd", None)),
    ),
    "alternative of another job": (
        "alternative-workloads", put("alternatives[1].step_times_s", {"other": 1.0}),
    ),
    "placement more open than the whole": ("placement-gap", put("placement_gap", 0.4)),
    "question of another number": ("alternative-forced", both(
        put("alternatives[1].name", "9 x another"), put("alternatives[1].forced", {"nodes": 10}))),
    "alternative too slow for its job": (
        "alternative-limit", put("alternatives[1].step_times_s", {"tune": 40.0})),
    "alternative below the bound": ("alternative-bound", both(
        put("status", "feasible"), put("alternatives[1].objective_usd", 1e6))),
    "pods without cores": ("shape-absent", put("design.fabric.pods", 2)),
    "uplinks without cores": ("shape-absent", put("design.fabric.uplinks_per_spine", 4)),
    "no plane at all": ("shape-absent", put("design.fabric.planes", 0)),
    "scan loses columns": ("scan-outcomes", put("scan.columns", 11)),
    # headline of the design
    "one server less": ("design-nodes", put("design.nodes", 7)),
    "GPUs": ("design-gpus", put("design.gpus", 72)),
    "racks": ("design-racks", put("design.racks", 2)),
    "average power": ("design-average-power", put("design.average_power_kw", more(1.0))),
    "maximum power": ("design-power", put("design.max_power_kw", more(-0.5))),
    "server model's name": ("platform-facts", put("design.platform.model", "another")),
    "GPUs of a server": ("platform-facts", put("design.platform.gpus", 4)),
    "scale-up rate": ("platform-facts", put("design.platform.scale_up_gbytes_per_s", 900.0)),
    "NICs that do not exist": ("platform-nics", put("design.platform.nics", 10)),
    "server of another model": ("platform-servers", device("node-002", "part", "hgx-h200-8")),
    "fabric faster than NICs": ("fabric-rate", put("design.fabric.link_gbps", 200.0)),
    "fabric family": ("fabric-family", put("design.fabric.family", "roce")),
    # what the instance asks
    "fixed server": ("choice-fixed", put("instance.fix", {"server": "dgx-h100"})),
    "forbidden switch": ("choice-forbidden", put("instance.forbid", {"switch": "qm9700"})),
    "forbidden product": (
        "choice-forbidden", put("instance.forbid", {"product": ["osfp-800g-2xsr4"]}),
    ),
    "forbidden topology": (
        "choice-forbidden", put("instance.forbid", {"topology": "rail_optimised"}),
    ),
    "fixed strategy": ("choice-fixed", put("instance.workloads[0].fix", {"tp": [4, 8]})),
    "forbidden sharding": (
        "choice-forbidden", put("instance.workloads[0].forbid", {"sharding": "zero1"}),
    ),
    "off the grid": ("grid-nodes", put("instance.grid", {"min_nodes": 1, "step": 2})),
    "above the grid": ("grid-nodes", put("instance.grid", {"max_nodes": 6})),
    # fabric counted from links
    "spines": ("tier-count", put("design.fabric.tiers[1].count", 3)),
    "leaf model": ("tier-count", put("design.fabric.tiers[0].switch", "qm9790")),
    "node links": ("cable-count", put("design.fabric.cables.node_leaf", 65)),
    "leaf links": ("cable-count", put("design.fabric.cables.leaf_spine", 255)),
    "topology": ("topology-shape", put("design.fabric.topology", "single")),
    "links of a server": ("server-links", put("design.fabric.links_per_server", 7)),
    "link left out": ("server-links", drop("cables[3]")),
    "units": ("unit-count", put("design.fabric.units", 2)),
    "server wired twice to a leaf": ("unit-reach", put("cables[1].b", "leaf-000")),
    "server of another unit": ("unit-foreign", device("node-004", "group", 1)),
    "servers of a unit": ("unit-servers", put("design.fabric.servers_per_unit", 5)),
    "unit larger than its leafs": ("unit-capacity", put("design.fabric.servers_per_unit", 40)),
    "units of unequal leafs": ("unit-leafs", device("leaf-005", "group", 1)),
    "spine with a rail": ("rail-label", device("spine-000", "rail", 3)),
    "spine in a unit": ("unit-label", device("spine-001", "group", 0)),
    "rails mixed": ("rail-ports", swap(0, 1, "b", "b_port")),
    "rail number": ("rail-numbers", device("leaf-005", "rail", 4)),
    "uneven spread": ("leaf-spine-spread", put(f"cables[{COPPER}].b", "spine-001")),
    "spread stated": ("leaf-spine-spread", put("design.fabric.links_per_leaf_spine", 7)),
    "oversubscription": ("oversubscription", put("design.fabric.oversubscription", 2.0)),
    "oversubscribed beyond the grid": (
        "grid-oversubscription", put("design.fabric.oversubscription", 5.0),
    ),
    "transceivers": ("transceiver-count", put("design.fabric.transceivers", 95)),
    # ends of links
    "link to nothing": ("port-ends", put("cables[7].b", "leaf-008")),
    "link between other tiers": ("port-tier", put("cables[7].b", "spine-000")),
    "two links on one port": ("port-single-link", put("cables[9].b_port", "1/1")),
    "management link left out": ("oob-links", drop(f"cables[{MANAGEMENT + 2}]")),
    # parts of links
    "route": ("cable-route", put("cables[0].needed_m", 4.0)),
    "length not sold": ("cable-stock", put("cables[0].length_m", 12.0)),
    "too short": ("cable-short", both(
        put("cables[0].part", "fib-om4-mpo12apc-5m"), put("cables[0].length_m", 5.0))),
    "too long for its modules": ("cable-reach", both(
        every("node_leaf", "part", "fib-os2-mpo12apc-100m"),
        every("node_leaf", "length_m", 100.0))),
    "cable of another protocol": ("cable-family", every("leaf_spine", "part", "aec-800g-osfp-5m")),
    "cable of another rate": ("cable-rate", every("leaf_spine", "part", "dac-200g-2m")),
    "plugs that do not fit": ("cable-connector", every("leaf_spine", "part", "dac-200g-2m")),
    "module on copper": ("cable-modules", put(f"cables[{COPPER}].a_module", "osfp-800g-2xsr4")),
    "fibre without module": ("cable-modules", put("cables[2].b_module", "")),
    "module of another protocol": ("module-family", put("cables[2].b_module", "osfp-800g-lr8")),
    "module of another rate": ("module-rate", put("cables[2].b_module", "sfp28-25g-sr")),
    "module that does not fit": (
        "module-connector", every("node_leaf", "a_module", "osfp-800g-2xsr4"),
    ),
    "two jumpers for one link": ("module-jumpers", put("design.fabric.link_gbps", 800.0)),
    "modules of two kinds": ("module-optics", put("cables[2].a_module", "osfp-400g-dr4-ib")),
    "other glass": ("fibre-type", put("cables[2].part", "fib-os2-mpo12apc-10m")),
    "plugs of the fibre": ("fibre-connector", put("cables[2].part", "fib-om4-lc-10m")),
    "three links on a twin cable": (
        "assembly-links", put(f"cables[{COPPER + 2}].assembly", "leaf-000-spine-000-0"),
    ),
    "two links on one fibre": ("assembly-links", put("cables[1].assembly", "node_leaf-0000")),
    "cable with three ends": (
        "assembly-ends", put(f"cables[{COPPER + 8}].assembly", "leaf-000-spine-000-0"),
    ),
    "splitter the wrong way round": ("assembly-trunk", both(*(
        put(f"cables[{i}].{key}", value)
        for i in (0, 1)
        for key, value in (("part", "dac-800g-2x400-3m"), ("assembly", "split"),
                           ("a_port", f"nic1/{i + 1}"))))),
    "a cage for each uplink": ("cage-count", lambda document: [
        cable.update(assembly=cable["id"], a_port=f"up{k}/1")
        for k, cable in enumerate(document["cables"]) if cable["tier"] == "leaf_spine"]),
    "three links in a twin cage": ("cage-links", put("cables[16].b_port", "1/3")),
    "two cables in one cage": ("cage-plug", put(f"cables[{COPPER}].assembly", "alone")),
    "links of two lengths on a cable": (
        "assembly-part", put(f"cables[{COPPER}].part", "dac-800g-osfp-3m"),
    ),
    # racks
    "devices overlap": ("rack-overlap", device("node-001", "unit", 8)),
    "below the floor": ("rack-fit", device("node-000", "unit", 0)),
    "above the top": ("rack-fit", device("oob-000", "unit", 49)),
    "used units": ("rack-units", put("racks[0].used_units", 31)),
    "watts of a rack": ("rack-watts", put("racks[1].max_w", more(-10.0))),
    "weight of a rack": ("rack-weight", put("racks[2].weight_kg", more(1.0))),
    "rack that came whole": ("rack-delivered", put("racks[0].delivered_whole", True)),
    "height of a rack": ("rack-limit", put("racks[0].units", 52)),
    "power of a rack": ("rack-limit", put("racks[0].limit_w", 50_000.0)),
    "load of a rack": ("rack-limit", put("racks[0].limit_kg", 2000.0)),
    "too many watts": ("rack-over-watts", both(
        put("instance.site.rack_kw", 40.0), put("racks[0].limit_w", 40_000.0))),
    "too heavy": ("rack-over-weight", both(
        put("instance.site.rack_weight_kg", 500.0), put("racks[0].limit_kg", 500.0))),
    "device moved to a full rack": ("rack-overlap", device("node-007", "rack", "r0")),
    "height of a device": ("device-height", device("leaf-000", "height_units", 2)),
    "weight of a device": ("device-weight", device("leaf-000", "weight_kg", 10.0)),
    "watts of a device": ("device-watts", device("node-005", "max_w", 9000.0)),
    "one place for two racks": ("rack-place", put("racks[2].column", 1)),
    "rack off the grid": ("rack-coordinates", put("racks[2].x_m", 2.4)),
    "rack in another row": ("rack-coordinates", put("racks[1].row", 1)),
    "another cabinet": ("rack-model", put("racks[0].model", "rack-52u-800")),
    "rack on a blocked place": (
        "rack-blocked",
        put("instance.site.floor", {"places": [{"row": 1, "columns": [1], "blocked": True}]}),
    ),
    "rack with a single PDU": ("rack-pdus", put("racks[0].pdus", [PDU])),
    "all PDUs on one feed": ("rack-feeds", put("racks[0].pdus", [PDU, PDU, PDU, PDU])),
    "rack outside the room": ("rack-on-floor", put("racks[2].column", 3)),
    "more racks than the room has": ("site-racks", put("instance.site.racks", 2)),
    "site power": ("site-power", put("instance.site.power_kw", 90.0)),
    # bill and costs
    "one switch too few": ("bill-quantity", bill("qm9700", "quantity", 11)),
    "fibres not bought": ("bill-quantity", bill("fib-om4-mpo12apc-10m", "quantity", 63)),
    "twin cables bought by link": ("bill-quantity", bill("dac-800g-osfp-2m", "quantity", 256)),
    "line left out": ("bill-quantity", drop("bill_of_materials[0]")),
    "line under another component": ("bill-quantity", bill("sn2201", "component", "switches")),
    "nothing manages": ("oob-switches", drop("devices[20]")),
    "PDUs": ("bill-pdus", bill("pdu-ap8886", "quantity", 9)),
    "price of a server": ("bill-price", bill("hgx-h100-8", "unit_price_usd", 271_000.0)),
    "quote not used": ("bill-price", put("instance.quotes", {"qm9700": {"usd": 30_000, "date": "2026-05"}})),
    "network price factor not used": ("bill-price", put("instance.network_price_factor", 1.5)),
    "total of a line": ("bill-total", bill("qm9700", "total_usd", more(0.01))),
    "fraction of a cent": ("bill-unit", bill("qm9700", "unit_price_usd", 36_000.004)),
    "range without the price": ("bill-range", bill("qm9700", "low_usd", 40_000.0)),
    "kind of a price": ("bill-source", bill("hgx-h100-8", "price_kind", "list price")),
    "date of a price": ("bill-source", bill("qm9700", "price_date", "2026-01")),
    "kind of a line": ("bill-kind", bill("qm9700", "kind", "server")),
    "no price known": ("bill-priced", bill("qm9700", "part", "q3200-ra")),
    "out of sale": ("bill-buyable", bill("hgx-h100-8", "part", "dgx-h100")),
    "owned, not so named": ("bill-owned", bill("qm9700", "owned", True)),
    "owned, nothing is": ("owned-quantity", bill("qm9700", "owned", True)),
    "inventory of what is not owned": ("owned-inventory", put(
        "inventory", {"uses": [], "moved_links": 3})),
    "work on links that do not exist": ("owned-rewiring", bill("qm9700", "component", "rewiring")),
    "years": ("cost-years", put("cost.years", 5.0)),
    "sum of purchases": ("cost-sum", put("cost.capex_usd", more(1.0))),
    "energy sum": ("cost-sum", put("cost.energy_usd", more(-1.0))),
    "total of the cost": ("cost-total", put("cost.total_usd", more(0.01))),
    "component's total": ("cost-line-total", cost("servers", "total_usd", more(1.0))),
    "purchase of a component": ("cost-capex", cost("switches", "capex_usd", more(1.0))),
    "energy of a component": ("cost-energy", cost("transceivers", "energy_usd", more(0.01))),
    "support of a component": ("cost-support", cost("servers", "support_usd", more(-0.01))),
    "other costs of a component": ("cost-other", cost("cables", "other_usd", more(0.01))),
    "discount rate": ("cost-energy", put("instance.finance.discount_rate", 0.05)),
    "PUE": ("cost-energy", put("instance.site.pue", 1.2)),
    "electricity": ("cost-energy", put("instance.site.electricity_usd_per_kwh", 0.1)),
    "resale": ("cost-other", put("instance.finance.resale_share", 0.2)),
    "component left out": ("cost-components", drop("cost.components[1]")),
    # limits
    "purchase budget": ("budget-capex", put("instance.budget.capex_usd", 1e6)),
    "power budget": ("budget-power", put("instance.budget.power_kw", 50.0)),
    "GPU budget": ("budget-gpus", put("instance.budget.gpus", 63)),
    "use of a limit": ("binding-recount", put("binding[0].used", more(-10.0))),
    "limit of a limit": ("binding-recount", put("binding[0].available", 8e6)),
    "unit of a limit": ("binding-known", put("binding[1].unit", "ms")),
    "limit that nobody knows": ("binding-known", put("binding[1].constraint", "luck")),
    "limit exceeded": ("binding-within", put("binding[1].used", 50.0)),
    # jobs
    "another job": ("workload-names", put("workloads[0].name", "pretrain")),
    "another network": ("workload-network", put("workloads[0].network", "gpt2-xl")),
    "target": ("step-target", put("workloads[0].target_s", 40.0)),
    "margin": ("step-margin", put("workloads[0].margin", 0.05)),
    "limit without margin": ("step-limit", put("workloads[0].limit_s", 38.88)),
    "too slow": ("step-within-limit", put("workloads[0].step_time_s", 36.0)),
    "breakdown": ("step-breakdown", put("workloads[0].breakdown.compute", more(0.1))),
    "collective's total": ("collective-total", put("workloads[0].collectives[1].count", 64.0)),
    "more exposed than sent": (
        "collective-exposed", put("workloads[0].collectives[0].exposed_s", 0.3),
    ),
    "group larger than the cluster": (
        "collective-ranks", put("workloads[0].collectives[0].ranks", 128),
    ),
    "utilisation": ("flops-utilisation", put("workloads[0].mfu", 0.9)),
    "memory sum": ("memory-total", put("workloads[0].memory_gib.total", 60.0)),
    "memory without limit": (
        "memory-total", put("workloads[0].memory_gib", {"weights": 1.0, "total": 1.0}),
    ),
    "memory over its limit": ("memory-limit", put("workloads[0].memory_gib.total", 81.0)),
    "memory beyond the GPU": ("memory-capacity", put("workloads[0].memory_gib.limit", 90.0)),
    "collective left out": ("steptime-collectives", put("workloads[0].collectives", lambda rows: rows[1:])),
    "another algorithm": (
        "steptime-collectives", put("workloads[0].collectives[0].algorithm", "magic"),
    ),
    "step that the physics does not give": ("steptime-total", put("workloads[0].step_time_s", 3.0)),
    "strategy that is not the one timed": ("steptime-parts", both(
        put("workloads[0].strategy.recompute", "full"))),
    "memory of one part only": ("steptime-memory", put(
        "workloads[0].memory_gib", {"weights": 1.0, "total": 1.0, "limit": 80.0})),
    "operations counted twice": ("steptime-rates", put("workloads[0].hfu", 0.99)),
    "degrees": ("strategy-degrees", put("workloads[0].strategy.tp", 4)),
    "batch": ("strategy-batch", put("workloads[0].strategy.micro_batch", 5)),
    "servers in use": ("strategy-nodes", put("workloads[0].nodes_used", 7)),
    "more servers than bought": ("strategy-bought", both(
        put("workloads[0].nodes_used", 9), put("workloads[0].gpus_used", 72))),
    "experts": ("strategy-experts", put("workloads[0].strategy.ep", 5)),
    "parameters": ("workload-parameters", put("workloads[0].parameters", 8_030_261_247)),
    "shards": ("strategy-shards", put("workloads[0].strategy.shard_group", 4)),
    "chunks": ("strategy-chunks", put("workloads[0].strategy.vpp", 2)),
    "schedule": ("strategy-schedule", put("workloads[0].strategy.schedule", "none")),
    "precision": ("strategy-precision", put("workloads[0].strategy.precision", "fp8")),
    "words for the strategy": ("strategy-label", put("workloads[0].strategy_label", "DDP")),
    "tokens a second": ("tokens-per-second", put("workloads[0].tokens_per_s_per_gpu", more(1.0))),
    "busy hours": ("busy-fraction", put("workloads[0].busy_fraction", 0.01)),
    "days of a run": ("run-days", put("workloads[0].run_days", None)),
    "hours that do not add up": ("busy-sum", put("workloads[0].busy_fraction", 1.2)),
    "hours that add up only without margin": ("busy-sum", put("workloads[0].busy_fraction", 0.95)),
}  # fmt: skip

LLAMA = json.loads((data_root() / "models/networks/llama3-8b.json").read_text(encoding="utf-8"))
GOODPUT = {
    "availability": 0.9, "servers": 1, "spares": 0, "failures_per_1000_server_days": 3.8,
    "repairs_per_1000_server_days": 2.9, "mtbf_h": 100.0, "checkpoint_write_s": 1.0,
    "checkpoint_interval_s": 600.0, "restart_s": 900.0, "repair_s": 345600.0,
    "checkpoint_share": 0.9, "waiting_share": 0.0, "expected_failures": None,
}  # fmt: skip
"""A modelled availability that no rates give."""


def modelled(document: Document) -> None:
    """Let the instance leave the first job's availability to failure rates, and state another."""
    job = document["instance"]["workloads"][0]
    job.pop("availability", None)
    job.pop("step_time_s", None)
    job |= {"tokens": 1e9, "deadline_days": 10.0}
    document["instance"]["goodput"] = {"storage_gbytes_per_s": 10.0}
    document["workloads"][0]["goodput"] = dict(GOODPUT)


SINGLE: dict[str, tuple[str, Change]] = {
    "availability": ("goodput-figures", modelled),
    "availability given": ("goodput-stated", put("workloads[0].goodput", GOODPUT)),
    "unit smaller than its switch": ("shape-unit", put("design.fabric.servers_per_unit", 15)),
    "margin that nobody measured": ("step-margin", both(
        put("instance.workloads[0].margin", None),
        lambda document: document.update(networks={"llama3-8b": LLAMA}),
        put("workloads[0].margin", 0.001))),
    "more links than ports": ("port-count", device("leaf-000", "part", "sn4600")),
    "four links on a splitter": ("assembly-links", both(
        put("cables[1].assembly", "split-0-0"), put("cables[2].assembly", "split-0-0"))),
    "splitters bought by link": ("bill-quantity", bill("dac-800g-2x400-2m", "quantity", 32)),
    "InfiniBand on an Ethernet switch": ("fabric-family", put("design.fabric.family", "infiniband")),
    "rack too low": ("rack-fit", device("leaf-000", "unit", 48)),
    "device in liquid only": ("device-cooling", device("node-000", "part", "gb200-nvl72")),
    "shared rack": ("rack-alone", device("node-000", "part", "gb200-nvl72")),
}  # fmt: skip


GROUPED: dict[str, tuple[str, Change]] = {
    "group of an unknown device": ("group-ends", put("cable_groups[0].b_last", "leaf-099")),
    "group in the wrong order": ("group-links", put("cable_groups[0].b_last", "leaf-000")),
    "links that a group does not have": ("group-links", put("cable_groups[2].links", 128)),
    "group missing": ("server-links", drop("cable_groups[1]")),
    "group twice": ("document-ids", put("cable_groups[1].id", "g1")),
    "group of a short cable": ("cable-stock", put("cable_groups[2].length_m", 1.0)),
    "group of a wrong route": ("cable-route", put("cable_groups[0].needed_m", 3.0)),
    "group with more links": ("leaf-spine-spread", both(
        put("cable_groups[2].links_each", 10), put("cable_groups[2].links", 320))),
    "group of no assembly": ("group-counts", put("cable_groups[0].assembly_links", 0)),
    "group without end": ("group-counts", put("cable_groups[0].links_each", 10**12)),
    "cage of the group": ("group-cages", put("cable_groups[2].a_cage_links", 3)),
    "bare group": ("transceiver-count", put("cable_groups[0].b_module", "")),
}  # fmt: skip


@pytest.mark.parametrize("name", GROUPED)
def test_a_corrupted_answer_in_groups_is_caught(documents, catalog, name):
    """Links that stand in groups are counted one by one like any others."""
    check, change = GROUPED[name]
    _caught(documents["grouped"], catalog, check, change)


@pytest.mark.parametrize("name", RAIL)
def test_a_corrupted_rail_optimised_answer_is_caught(documents, catalog, name):
    """Each corruption is named by its own check."""
    check, change = RAIL[name]
    _caught(documents["rail"], catalog, check, change)


@pytest.mark.parametrize("name", SINGLE)
def test_a_corrupted_single_switch_answer_is_caught(documents, catalog, name):
    """Each corruption of a fabric with splitter cables is named by its own check."""
    check, change = SINGLE[name]
    _caught(documents["single"], catalog, check, change)


def _caught(document, catalog, check, change) -> None:
    change(document)
    found = {v.check: v for v in verify(Solution.model_validate(document), catalog)}
    assert check in found, sorted(found)
    assert found[check].where
    assert found[check].sentence


def test_there_are_a_hundred_corruptions():
    """The list does not shrink below what the project promises."""
    assert len(RAIL) + len(SINGLE) >= 100


def test_every_check_has_a_corruption():
    """No check stands in the code that no corruption triggers."""
    sources = Path(planner.verify.__file__).parent.glob("*.py")
    named = {
        name
        for source in sources
        for name in re.findall(r'violation\(\s*"([a-z-]+)"', source.read_text(encoding="utf-8"))
    }
    tried = {check for check, _ in (*RAIL.values(), *SINGLE.values(), *GROUPED.values())}
    tried |= {check for check, _ in PORTFOLIO.values()}
    tried |= {check for check, _ in SERVICE_CHANGES.values()}
    tried |= {check for _, check, _ in PARTED.values()}
    tried.add("concurrent-apart")  # beside the corrupted portfolios
    for name in ("test_regions.py", "test_region_crossings.py"):  # corrupt regional answers
        regions = Path(__file__).parents[1] / "study" / name
        tried |= set(re.findall(r'"(regions-[a-z-]+)"', regions.read_text(encoding="utf-8")))
    studies = Path(__file__).with_name("test_studies.py")  # corrupts sensitivity and frontier
    tried |= set(re.findall(r'"((?:sensitivity|frontier)-[a-z-]+)"', studies.read_text("utf-8")))
    beside = Path(__file__).with_name("test_combinations.py")  # corrupts combinations
    tried |= set(re.findall(r'"(combination-[a-z-]+)"', beside.read_text("utf-8")))
    growth = Path(__file__).with_name("test_growth.py")  # corrupts answers over phases
    tried |= set(re.findall(r'"(growth-[a-z-]+|spine-reserve)"', growth.read_text("utf-8")))
    assert sorted(named - tried) == []
