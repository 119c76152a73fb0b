"""Three small complete answers, made by hand from catalogue parts, without the program."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

from planner.domain.catalog import Catalog
from planner.domain.compute_constants import shipped_constants
from planner.domain.network import load_network
from planner.domain.strategy import Strategy
from planner.physics.costs import MoneyRules, unit_cost
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.steptime import StepDetail, explain
from planner.physics.wiring import Wiring

H100 = "hgx-h100-8+8x400-cx7-400-1p"
A100 = "a100-pcie80-8+2x200-cx6-vpi-200"
LINKS = 8
OOB = "sn2201"
STORAGE = {"capacity_tb": 500.0, "price_usd": 250_000.0, "power_kw": 4.0}


class Builder:
    """Devices, links, bill and money of one fabric; every number follows from the devices."""

    def __init__(
        self, catalog: Catalog, option: str, family: str, topology: str, racks: int
    ) -> None:
        self.catalog = catalog
        self.option = catalog.server_nics[option]
        self.server = catalog.servers[self.option.server]
        self.accelerator = catalog.accelerators[self.server.accelerator]
        self.quotes: dict[str, dict[str, Any]] = {}
        self.factor = 1.0
        self.storage: dict[str, Any] | None = None
        self.units, self.servers_per_unit, self.links_per_leaf_spine = 1, 16, 0
        self.family = family
        self.topology = topology
        self.site = {
            "racks": 6, "rack_kw": 45.0, "racks_per_row": 3, "row_pitch_m": 3.0, "inside_rack_m": 2.0,
            "electricity_usd_per_kwh": 0.09,
        }  # fmt: skip
        self.racks = [divmod(i, 3) for i in range(racks)]
        self.devices: list[dict[str, Any]] = []
        self.cables: list[dict[str, Any]] = []
        self.next_unit = dict.fromkeys(range(racks), 1)
        self.ports: Counter[str] = Counter()
        self.modules: Counter[tuple[str, str]] = Counter()

    def device(self, kind: str, part: str, rack: int, group: int = -1, rail: int = -1) -> str:
        row = self.catalog.servers.get(part) or self.catalog.switches[part]
        number = sum(d["kind"] == kind for d in self.devices)
        self.devices.append({
            "id": f"{kind}-{number:03d}", "kind": kind, "part": part, "rack": f"r{rack}",
            "unit": self.next_unit[rack], "height_units": row.rack_units,
            "max_w": row.max_power_w, "weight_kg": row.weight_kg, "group": group, "rail": rail,
        })  # fmt: skip
        self.next_unit[rack] += row.rack_units
        return self.devices[-1]["id"]

    def port(self, device: str, links: int = 1) -> str:
        """The next port, cage by cage of so many links."""
        cage, link = divmod(self.ports[device], links)
        self.ports[device] += 1
        return f"{cage + 1}/{link + 1}" if links > 1 else f"{cage + 1}"

    def route_m(self, a: str, b: str) -> float:
        racks = [next(d["rack"] for d in self.devices if d["id"] == end) for end in (a, b)]
        if racks[0] == racks[1]:
            return 2.0
        (row_a, column_a), (row_b, column_b) = (self.racks[int(r[1:])] for r in racks)
        return round(2 * 2.0 + abs(column_a - column_b) * 0.8 + abs(row_a - row_b) * 3.0 + 1.0, 6)

    def link(
        self, tier: str, a: str, b: str, part: str, a_port: str, b_port: str,
        assembly: str = "", modules: tuple[str, str] = ("", ""),
    ) -> None:  # fmt: skip
        row = self.catalog.cables.get(part) or self.catalog.fibres[part]
        name = f"{tier}-{len(self.cables):04d}"
        self.cables.append({
            "id": name, "tier": tier, "a": a, "a_port": a_port, "b": b, "b_port": b_port,
            "needed_m": self.route_m(a, b), "length_m": row.length_m, "part": part,
            "assembly": assembly or name, "a_module": modules[0], "b_module": modules[1],
        })  # fmt: skip
        for device, module in zip((a, b), modules, strict=True):
            if module:
                self.modules[device, module] += 1

    def management(self, rack: int) -> None:
        others = [d["id"] for d in self.devices]
        switch = self.device("oob", OOB, rack)
        for other in others:
            near = self.route_m(other, switch) <= 2.0
            part = "cat6a-1g-2m" if near else "cat6a-1g-10m"
            self.link("oob", other, switch, part, "bmc", self.port(switch))

    def module_lines(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for (_, module), links in self.modules.items():
            found[module] += math.ceil(
                links / self.catalog.transceivers[module].links_at(self.option.link_gbps)
            )
        return found

    def quantities(self) -> dict[tuple[str, str, str], int]:
        found: Counter[tuple[str, str, str]] = Counter()
        names = {"node": ("server", "servers"), "oob": ("switch", "out_of_band")}
        for device in self.devices:
            kind, component = names.get(device["kind"], ("switch", "switches"))
            found[device["part"], kind, component] += 1
        for module, count in self.module_lines().items():
            found[module, "transceiver", "transceivers"] += count
        for tier, part, _ in {(c["tier"], c["part"], c["assembly"]) for c in self.cables}:
            kind = "cable" if part in self.catalog.cables else "fibre"
            found[part, kind, "out_of_band" if tier == "oob" else "cables"] += 1
        nodes = sum(d["kind"] == "node" for d in self.devices)
        if not self.option.included:
            found[self.option.nic, "nic", "nics"] += nodes * self.option.count
        racks = len({d["rack"] for d in self.devices})
        found["rack-48u-800", "rack", "racks"] += racks
        found["pdu-ap8886", "pdu", "racks"] += racks * 4  # 45 kW need three of 22 kW, and one more
        return dict(found)

    def rules(self) -> MoneyRules:
        rate = {row_id: row.value for row_id, row in self.catalog.rates.items()}
        network, spares = rate["mnt-network"], rate["mnt-spares"]
        return MoneyRules(
            years=4.5, discount_rate=0.08, electricity_usd_per_kwh=0.09, pue=rate["pue-own-colo"],
            support_share_per_year={
                "servers": rate["mnt-server"], "switches": network, "out_of_band": network,
            },
            spares_share={"transceivers": spares, "cables": spares},
            freight_share=0.02, resale_share=0.1,
            software_usd_per_gpu_year=100.0, space_usd_per_kw_month=120.0,
        )  # fmt: skip

    def watts(self, part: str) -> tuple[float, float]:
        catalog = self.catalog
        if part in catalog.servers:
            return catalog.average_power_w(part), catalog.servers[part].max_power_w
        if part in catalog.switches:
            switch = catalog.switches[part]
            return switch.typical_power_w, switch.max_power_w
        if part in catalog.transceivers:
            return catalog.transceivers[part].power_w, 0.0
        if part in catalog.cables:
            return catalog.cables[part].power_w_per_end * (1 + catalog.cables[part].ends_b), 0.0
        return 0.0, 0.0

    def price(self, part: str, component: str) -> tuple[Any, ...]:
        factor = self.factor if component in ("nics", "switches", "transceivers", "cables") else 1.0
        if part in self.quotes:
            quote = self.quotes[part]
            return quote["usd"] * factor, None, None, "quote", quote["date"], quote["source"]
        catalog = self.catalog
        tables = (
            catalog.servers, catalog.nics, catalog.switches, catalog.transceivers, catalog.cables,
            catalog.fibres, catalog.racks, catalog.pdus,
        )  # fmt: skip
        price = next(table[part] for table in tables if part in table).price
        ends = [None if p is None else p * factor for p in (price.low_usd, price.high_usd)]
        return price.usd * factor, *ends, price.kind, price.date, price.source

    def money(self) -> tuple[list[dict[str, Any]], dict[str, Any], float]:
        bill, sums, average = [], defaultdict(Counter), 0.0
        for (part, kind, component), count in sorted(self.quantities().items()):
            usd, low, high, *origin = self.price(part, component)
            watts, most = self.watts(part)
            average += watts * count
            unit = unit_cost(
                self.rules(), component=component, price_usd=usd, average_w=watts,
                max_w=most, gpus=8 if kind == "server" else 0,
            )  # fmt: skip
            for line in ("capex", "energy", "support", "other", "total"):
                sums[component][f"{line}_usd"] += getattr(unit, line) * count
            bill.append({
                "part": part, "kind": kind, "description": part, "component": component,
                "quantity": count, "unit_price_usd": unit.capex / 100,
                "total_usd": unit.capex * count / 100, "low_usd": low, "high_usd": high,
                "price_kind": origin[0], "price_date": origin[1], "price_source": origin[2],
            })  # fmt: skip
        if self.storage:
            watts = self.storage["power_kw"] * 1000
            average += watts
            unit = unit_cost(
                self.rules(), component="storage", price_usd=self.storage["price_usd"],
                average_w=watts, max_w=watts,
            )  # fmt: skip
            for line in ("capex", "energy", "support", "other", "total"):
                sums["storage"][f"{line}_usd"] = getattr(unit, line)
        total: Counter[str] = Counter()
        for line in sums.values():
            total.update(line)
        cost = {
            **{name: value / 100 for name, value in total.items()},
            "components": [
                {"component": component, **{name: value / 100 for name, value in line.items()}}
                for component, line in sorted(sums.items())
            ],
            "not_priced": ["installation"],
            "years": 4.5,
        }
        return bill, cost, average / 1000

    def rack_rows(self) -> list[dict[str, Any]]:
        rows = []
        for i, (row, column) in enumerate(self.racks):
            inside = [d for d in self.devices if d["rack"] == f"r{i}"]
            rows.append({
                "id": f"r{i}", "row": row, "column": column, "x_m": column * 0.8, "y_m": row * 3.0,
                "units": 48, "used_units": sum(d["height_units"] for d in inside),
                "limit_w": 45_000.0, "max_w": sum(d["max_w"] for d in inside),
                "limit_kg": 1500.0, "weight_kg": sum(d["weight_kg"] for d in inside),
            })  # fmt: skip
        return rows

    def fabric(self) -> dict[str, Any]:
        def of(kind: str) -> list[dict[str, Any]]:
            return [d for d in self.devices if d["kind"] == kind]

        tiers = Counter(c["tier"] for c in self.cables)
        return {
            "family": self.family, "topology": self.topology, "oversubscription": 1.0,
            "link_gbps": self.option.link_gbps,
            "tiers": [
                {"tier": kind, "switch": of(kind)[0]["part"], "count": len(of(kind))}
                for kind in ("leaf", "spine")
                if of(kind)
            ],
            "cables": {"node_leaf": tiers["node_leaf"], "leaf_spine": tiers["leaf_spine"]},
            "transceivers": sum(self.module_lines().values()),
            "units": self.units, "servers_per_unit": self.servers_per_unit,
            "links_per_server": self.option.links,
            "links_per_leaf_spine": self.links_per_leaf_spine,
        }  # fmt: skip

    def step(self, strategy: Strategy, nodes: int) -> StepDetail:
        card, server, fabric = self.accelerator, self.server, self.fabric()
        leaf = self.catalog.switches[fabric["tiers"][0]["switch"]]
        infiniband = self.family == "infiniband"
        wiring = Wiring(
            accelerator=card.id, architecture=card.architecture, scale_up=server.scale_up,
            scale_up_gbytes_per_s=server.scale_up_gbytes_per_s, domain_gpus=server.domain_gpus,
            host_gpus=server.host_gpus, pcie_gen=card.pcie_gen, nics_per_host=self.option.links,
            nic_gbps=self.catalog.nic_link_gbps(self.option), network=self.family,
            network_efficiency=1.0 if infiniband else 0.95, tiers=len(fabric["tiers"]),
            switch_latency_s=leaf.latency_ns * 1e-9 + (20e-9 if infiniband else 120e-9),
            cable_m=max(c["needed_m"] for c in self.cables if c["tier"] != "oob"),
            hosts_per_leaf=self.servers_per_unit,
        )  # fmt: skip
        machine = Machine(
            accelerator=card.id, architecture=card.architecture,
            memory_bytes=card.memory_gib * 1024**3,
            memory_bytes_per_s=card.memory_gbytes_per_s * 1e9,
            peak_flops={"half": card.bf16_tflops * 1e12, "tf32": card.tf32_tflops * 1e12,
                        "fp32": card.fp32_tflops * 1e12},
        )  # fmt: skip
        job = Job(network=load_network("llama3-8b"), sequence_length=2048, global_batch=768)
        return explain(job, machine, wiring, nodes, strategy, constants=shipped_constants())

    def workload(self) -> tuple[dict[str, Any], dict[str, Any]]:
        gpus = 8 * sum(d["kind"] == "node" for d in self.devices)
        strategy = Strategy(
            tp=2, pp=2, dp=gpus // 4, micro_batch=2, sharding="zero1", recompute="selective",
            sequence_parallel=True, schedule="1f1b",
        )  # fmt: skip
        demand = {
            "name": "tune", "network": "llama3-8b", "global_batch": 768, "sequence_length": 2048,
            "tokens": 768 * 2048 * 20_000.0, "deadline_days": 10, "repeat_days": 30,
            "availability": 0.9, "margin": 0.1,
        }  # fmt: skip
        detail = self.step(strategy, gpus // 8)
        step, target = detail.step_time_s, 10 * 86400 * 0.9 / 20_000
        memory = {name: value / 1024**3 for name, value in detail.memory_bytes.items()}
        memory.pop("total", None)
        result = {
            "name": "tune", "network": "llama3-8b", "parameters": 8_030_261_248,
            "step_time_s": step, "target_s": target, "margin": 0.1, "limit_s": target / 1.1,
            "nodes_used": gpus // 8, "gpus_used": gpus, "strategy": strategy.model_dump(),
            "strategy_label": strategy.label(), "breakdown": detail.parts_s,
            "collectives": [
                {"name": c.name, "collective": c.collective, "algorithm": c.algorithm,
                 "protocol": c.protocol, "size_bytes": c.size_bytes, "count": c.calls,
                 "ranks": c.ranks, "level": c.level, "time_s": c.time_s, "total_s": c.total_s,
                 "exposed_s": c.exposed_s}
                for c in detail.collectives
            ],
            "memory_gib": {
                **memory, "total": sum(memory.values()), "limit": self.accelerator.memory_gib,
            },
            "mfu": detail.mfu, "hfu": detail.hfu,
            "tokens_per_s_per_gpu": 768 * 2048 / (step * gpus),
            "busy_fraction": 20_000 * step / (30 * 86400 * 0.9),
            "run_days": 20_000 * step / (86400 * 0.9),
        }  # fmt: skip
        return demand, result

    def document(self) -> dict[str, Any]:
        bill, cost, average_kw = self.money()
        demand, result = self.workload()
        nodes = sum(d["kind"] == "node" for d in self.devices)
        total, capex = cost["total_usd"], cost["capex_usd"]
        server, option = self.server, self.option
        instance = {
            "name": "small", "workloads": [demand],
            "site": {**self.site, "space_usd_per_kw_month": 120.0},
            "budget": {"capex_usd": 9e6, "power_kw": 200.0, "gpus": 128},
            "finance": {
                "years": 4.5, "resale_share": 0.1, "freight_share": 0.02,
                "software_usd_per_gpu_year": 100.0,
            },
            "quotes": self.quotes, "network_price_factor": self.factor, "storage": self.storage,
        }  # fmt: skip
        design = {
            "platform": {
                "server": server.id, "model": server.model, "accelerator": self.accelerator.id,
                "accelerator_model": self.accelerator.model, "gpus": server.gpus,
                "scale_up": server.scale_up, "domain_gpus": server.domain_gpus,
                "scale_up_gbytes_per_s": server.scale_up_gbytes_per_s, "nic": option.nic,
                "nics": option.links, "link_gbps": option.link_gbps,
            },
            "nodes": nodes, "gpus": 8 * nodes, "racks": len({d["rack"] for d in self.devices}),
            "fabric": self.fabric(), "average_power_kw": average_kw,
            "max_power_kw": sum(d["max_w"] for d in self.devices) / 1000
            + (self.storage["power_kw"] if self.storage else 0.0),
        }  # fmt: skip
        return {
            "schema_version": 1, "instance": instance, "status": "optimal",
            "objective_usd": total, "bound_usd": total, "gap": 0.0, "placement_gap": 0.0,
            "cost": cost, "design": design, "workloads": [result],
            "binding": [
                {"limit": "purchase budget", "constraint": "capex", "used": capex,
                 "available": 9e6, "unit": "USD", "binding": False},
                {"limit": "step time of tune", "constraint": "step_time", "used": result["step_time_s"],
                 "available": result["limit_s"], "unit": "s", "binding": False},
            ],
            "alternatives": [
                {"name": "this fabric", "question": "Which fabric?", "forced": {},
                 "status": "chosen", "objective_usd": total, "delta_usd": 0.0},
                {"name": "more servers", "question": "More servers?", "forced": {"nodes": 9},
                 "status": "optimal", "objective_usd": total + 1000.0, "delta_usd": 1000.0,
                 "step_times_s": {"tune": 3.0}},
                {"name": "TCP", "question": "Plain Ethernet?", "forced": {"family": "ethernet"},
                 "status": "infeasible", "reason": "too slow"},
            ],
            "racks": self.rack_rows(), "devices": self.devices, "cables": self.cables,
            "bill_of_materials": bill, "assumptions": [], "reasons": [],
            "scan": {"columns": 10, "outcomes": {"chosen": 1, "dearer": 9}},
            "run": {"planner_version": "0", "run_id": "x", "solver": "none",
                    "solver_version": "0", "seed": 0, "threads": 1, "wall_s": 1.0,
                    "started": "2026-01-01T00:00:00Z"},
        }  # fmt: skip


def rail_optimised(catalog: Catalog) -> dict[str, Any]:
    """Eight servers in two racks on eight rails of QM9700 and four spines between them.

    Servers join by optics (twin-port modules at the leafs), leafs and spines by twin-port copper.
    """
    build = Builder(catalog, H100, "infiniband", "rail_optimised", 3)
    build.servers_per_unit, build.links_per_leaf_spine = 32, 8
    nodes = [build.device("node", build.server.id, 0 if i < 4 else 2, group=0) for i in range(8)]
    leafs = [build.device("leaf", "qm9700", 1, group=0, rail=rail) for rail in range(8)]
    spines = [build.device("spine", "qm9700", 1) for _ in range(4)]
    modules = ("osfp-400g-sr4-ib", "osfp-800g-2xsr4")
    for node in nodes:
        for rail, leaf in enumerate(leafs):
            build.link(
                "node_leaf", node, leaf, "fib-om4-mpo12apc-10m", f"nic{rail + 1}",
                build.port(leaf, 2), modules=modules,
            )  # fmt: skip
    for leaf in leafs:
        for spine in spines:
            for k in range(8):
                build.link(
                    "leaf_spine", leaf, spine, "dac-800g-osfp-2m", build.port(leaf, 2),
                    build.port(spine, 2), assembly=f"{leaf}-{spine}-{k // 2}",
                )  # fmt: skip
    build.management(1)
    return build.document()


def grouped(document: dict[str, Any]) -> dict[str, Any]:
    """Return the rail-optimised answer with its fabric in groups: servers by rack, all switches."""

    def group(name: str, *ends: str, **figures: Any) -> dict[str, Any]:
        a_first, a_last, b_first, b_last = ends
        first = next(c for c in document["cables"] if c["a"] == a_first and c["b"] == b_first)
        kept = ("tier", "needed_m", "length_m", "part", "a_module", "b_module")
        return {
            "id": name, "a_first": a_first, "a_last": a_last, "b_first": b_first, "b_last": b_last,
            **{key: first[key] for key in kept}, **figures,
        }  # fmt: skip

    rails, spines = ("leaf-000", "leaf-007"), ("spine-000", "spine-003")
    optical = {"links_each": 1, "links": 32, "assembly_links": 1, "a_cage_links": 1}
    copper = {"links_each": 8, "links": 256, "assembly_links": 2, "a_cage_links": 2}
    groups = [
        group("g1", "node-000", "node-003", *rails, **optical, b_cage_links=2),
        group("g2", "node-004", "node-007", *rails, **optical, b_cage_links=2),
        group("g3", *rails, *spines, **copper, b_cage_links=2),
    ]
    left = [c for c in document["cables"] if c["tier"] == "oob"]
    return {**document, "cables": left, "cable_groups": groups}


def single_switch(catalog: Catalog) -> dict[str, Any]:
    """Four servers and one SN5600 in one rack, each cable one plug there and two at servers."""
    build = Builder(catalog, H100, "roce", "single", 1)
    nodes = [build.device("node", build.server.id, 0, group=0) for _ in range(4)]
    leaf = build.device("leaf", "sn5600", 0, group=0)
    for k, node in enumerate(nodes):
        for nic in range(LINKS):
            build.link(
                "node_leaf", node, leaf, "dac-800g-2x400-2m", f"nic{nic + 1}",
                f"{k // 2 * LINKS + nic + 1}/{k % 2 + 1}", assembly=f"split-{k // 2}-{nic}",
            )  # fmt: skip
    build.management(0)
    return build.document()


def leaf_spine(catalog: Catalog) -> dict[str, Any]:
    """Twelve quoted servers with bought NICs in two units of one leaf, one spine, and storage."""
    build = Builder(catalog, A100, "roce", "leaf_spine", 3)
    build.quotes = {"a100-pcie80-8": {"usd": 118_000.0, "date": "2026-08", "source": "vendor A"}}
    build.factor, build.storage = 1.15, STORAGE
    build.units, build.servers_per_unit, build.links_per_leaf_spine = 2, 8, 16
    leafs = [build.device("leaf", "sn3700", unit, group=unit) for unit in range(2)]
    spine = build.device("spine", "sn3700", 1)
    for k in range(12):
        node = build.device("node", build.server.id, k // 8, group=k // 8)
        for nic in range(build.option.links):
            build.link(
                "node_leaf", node, leafs[k // 8], "dac-200g-2m", f"nic{nic + 1}",
                build.port(leafs[k // 8]),
            )  # fmt: skip
    for leaf, part in zip(leafs, ("aoc-200g-10m", "dac-200g-2m"), strict=True):
        for _ in range(16):
            build.link("leaf_spine", leaf, spine, part, build.port(leaf), build.port(spine))
    build.management(2)
    return build.document()
