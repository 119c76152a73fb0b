"""A plausible plan of any size, with consistent sums, to report on; prices are made up."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from planner.domain.frontier import Frontier, FrontierPoint
from planner.domain.instance import Instance
from planner.domain.sensitivity import Factor, Flip, PriceLevel, QuoteNeeded, Sensitivity
from planner.domain.solution import (
    Alternative,
    Assumption,
    Binding,
    BomLine,
    Cable,
    CableCounts,
    CollectiveUse,
    Cost,
    CostLine,
    DesignPart,
    Device,
    Fabric,
    PlatformPart,
    RackUse,
    Run,
    Scan,
    Solution,
    Tier,
    WorkloadResult,
)
from planner.domain.strategy import Strategy

HOSTILE = "=cmd|'/c calc'!A1 <script>alert(1)</script> \"q\" | `x` ñandú \u202e\u0627\u0644\u0639 \x1b[31m"
GPUS = 8
SERVER_W, SWITCH_W = 10200.0, 1500.0
UNIT_PRICES = {
    "hgx-h200-8": (320_000.0, 298_000.0, 420_000.0, "own interpolation", "servers", "server",
                   "HGX H200 8-GPU server"),
    "cx7-400-ndr-1p": (1_599.0, 1_499.0, 2_188.0, "street price", "nics", "nic",
                       "ConnectX-7 400G single port"),
    "qm9700": (36_000.0, 32_000.0, 50_000.0, "street price", "switches", "switch",
               "QM9700 NDR, 64 x 400G"),
    "osfp-2x400-sr8": (1_129.5, None, None, "list price", "transceivers", "transceiver",
                       "2 x 400G SR8 twin-port OSFP"),
    "mpo-fibre-10m": (61.25, None, None, "street price", "cables", "fibre",
                      "MPO-12 fibre, multimode, 10 m"),
    "dac-400-2m": (149.0, 99.0, 260.0, "own interpolation", "cables", "cable",
                   "400G passive copper, 2 m"),
    "sn2201": (5_200.0, None, None, "analyst estimate", "out_of_band", "switch",
               "SN2201 1G management switch"),
    "rack-48u-800": (3_000.0, 2_000.0, 4_500.0, "own interpolation", "racks", "rack",
                     "cabinet 48U 800 x 1200"),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Size:
    """What follows from the number of servers."""

    nodes: int
    per_rack: int = 4

    @property
    def per_unit(self) -> int:
        return min(self.nodes, 32)

    @property
    def units(self) -> int:
        return -(-self.nodes // self.per_unit)

    @property
    def leafs(self) -> int:
        return 1 if self.nodes <= 4 else self.units * GPUS

    @property
    def spines(self) -> int:
        return 0 if self.nodes <= 4 else max(1, self.leafs * self.per_unit // 64)

    @property
    def topology(self) -> str:
        return "single" if self.nodes <= 4 else "rail_optimised"

    @property
    def server_racks(self) -> int:
        return -(-self.nodes // self.per_rack)

    @property
    def network_racks(self) -> int:
        return -(-(self.leafs + self.spines + 1) // 18)


def instance(title: str = "Pre-training and nightly fine-tuning", **changes: object) -> Instance:
    """Return the instance of the sample."""
    data: dict[str, object] = {
        "name": "sample",
        "title": title,
        "workloads": [
            {"name": "pretrain", "network": "llama-3-70b", "global_batch": 1024,
             "sequence_length": 8192, "tokens": 2e11, "deadline_days": 90, "repeat_days": 365},
            {"name": "finetune", "network": "llama-3-8b", "global_batch": 256,
             "sequence_length": 4096, "tokens": 2e9, "deadline_days": 0.4, "repeat_days": 1},
        ],
        "site": {"racks": 48, "rack_kw": 44, "rack_weight_kg": 1500},
        "budget": {"capex_usd": 60e6},
        "finance": {"years": 5},
    }  # fmt: skip
    return Instance.model_validate(data | changes)


def racks_and_devices(size: Size) -> tuple[list[RackUse], list[Device]]:
    """Return the racks in use and what stands in them."""
    devices: list[Device] = []
    names = [f"r{k + 1:02d}" for k in range(size.server_racks + size.network_racks)]
    for k in range(size.nodes):
        rack = names[size.network_racks + k // size.per_rack]
        devices.append(Device(
            id=f"node-{k + 1:03d}", kind="node", part="hgx-h200-8", rack=rack,
            unit=1 + 8 * (k % size.per_rack), height_units=8, max_w=SERVER_W, weight_kg=130.0,
            group=k // size.per_unit, rail=-1))  # fmt: skip
    switches = [("leaf", k) for k in range(size.leafs)] + [("spine", k) for k in range(size.spines)]
    for place, (kind, k) in enumerate([*switches, ("oob", 0)]):
        devices.append(Device(
            id=f"{kind}-{k + 1:02d}", kind=kind, part="sn2201" if kind == "oob" else "qm9700",
            rack=names[place // 18], unit=1 + 2 * (place % 18), height_units=1,
            max_w=150.0 if kind == "oob" else SWITCH_W, weight_kg=15.0,
            group=k // GPUS if kind == "leaf" else -1,
            rail=k % GPUS if kind == "leaf" and size.leafs > 1 else -1))  # fmt: skip
    racks = []
    for k, name in enumerate(names):
        inside = [d for d in devices if d.rack == name]
        racks.append(RackUse(
            id=name, row=k // 12, column=k % 12, x_m=0.8 * (k % 12), y_m=3.0 * (k // 12),
            units=48, used_units=sum(d.height_units for d in inside), limit_w=44_000.0,
            max_w=sum(d.max_w for d in inside), limit_kg=1500.0,
            weight_kg=sum(d.weight_kg for d in inside) + 120.0))  # fmt: skip
    return racks, devices


def cables(size: Size, devices: list[Device]) -> list[Cable]:
    """Return every link: each server to each rail's leaf, each leaf to each spine."""
    leafs = [d for d in devices if d.kind == "leaf"]
    spines = [d for d in devices if d.kind == "spine"]
    found: list[Cable] = []

    def add(tier: str, a: Device, b: Device, needed: float) -> None:
        k = len(found)
        short = needed <= 2
        found.append(Cable(
            id=f"cable-{k + 1:05d}", tier=tier, a=a.id, a_port=f"p{k % 64 + 1}", b=b.id,
            b_port=f"p{k % 64 + 1}", needed_m=needed, length_m=2.0 if short else 10.0,
            part="dac-400-2m" if short else "mpo-fibre-10m", assembly=f"asm-{k + 1:05d}",
            a_module="" if short else "osfp-2x400-sr8", b_module="" if short else "osfp-2x400-sr8",
        ))  # fmt: skip

    for node in (d for d in devices if d.kind == "node"):
        for rail in range(GPUS):
            leaf = leafs[0] if len(leafs) == 1 else leafs[node.group * GPUS + rail]
            add("node_leaf", node, leaf, 6.5)
    for leaf in leafs:
        for spine in spines:
            for _ in range(size.per_unit // size.spines if size.spines else 0):
                add("leaf_spine", leaf, spine, 1.5 if leaf.rack == spine.rack else 7.25)
    return found


def bill(size: Size, links: list[Cable]) -> list[BomLine]:
    """Return the bill of materials of the counts."""
    counts = {
        "hgx-h200-8": size.nodes,
        "cx7-400-ndr-1p": size.nodes * GPUS,
        "qm9700": size.leafs + size.spines,
        "osfp-2x400-sr8": sum(bool(c.a_module) + bool(c.b_module) for c in links),
        "mpo-fibre-10m": sum(c.part == "mpo-fibre-10m" for c in links),
        "dac-400-2m": sum(c.part == "dac-400-2m" for c in links),
        "sn2201": 1,
        "rack-48u-800": size.server_racks + size.network_racks,
    }
    lines = []
    for part, quantity in counts.items():
        price, low, high, kind, component, what, text = UNIT_PRICES[part]
        if quantity:
            lines.append(BomLine(
                part=part, kind=what, description=text, component=component, quantity=quantity,
                unit_price_usd=price, total_usd=round(quantity * price, 2), low_usd=low,
                high_usd=high, price_kind=kind, price_date="2026-09",
                price_source="made up for tests"))  # fmt: skip
    return lines


def cost(lines: list[BomLine]) -> Cost:
    """Return the cost of a bill of materials."""
    shares = {"servers": (0.11, 0.2), "switches": (0.02, 0.25), "out_of_band": (0.01, 0.0)}
    found = []
    for component in dict.fromkeys(line.component for line in lines):
        capex = round(sum(line.total_usd for line in lines if line.component == component), 2)
        energy, support = (round(capex * s, 2) for s in shares.get(component, (0.0, 0.0)))
        other = round(capex * 0.015, 2)
        found.append(CostLine(
            component=component, capex_usd=capex, energy_usd=energy, support_usd=support,
            other_usd=other, total_usd=round(capex + energy + support + other, 2)))  # fmt: skip
    sums = {key: round(sum(getattr(line, key) for line in found), 2)
            for key in ("capex_usd", "energy_usd", "support_usd", "other_usd", "total_usd")}  # fmt: skip
    return Cost(components=found, not_priced=["freight", "installation"], years=5, **sums)


def workload_results(size: Size, plan: Instance) -> list[WorkloadResult]:
    """Return one result for each workload of the instance."""
    found = []
    strategies = (
        Strategy(tp=8, pp=2, dp=max(size.nodes // 2, 1), sharding="zero1", schedule="1f1b",
                 sequence_parallel=True, recompute="selective"),
        Strategy(tp=2, dp=size.nodes * 4, micro_batch=2),
    )  # fmt: skip
    shares = {"compute": 0.742, "bubble": 0.081, "tp": 0.097, "pp": 0.0113, "dp_grad": 0.0687}
    for demand, strategy in zip(plan.workloads, strategies, strict=False):
        limit = demand.target_s / 1.1
        step = limit * 0.953
        breakdown = {part: step * share for part, share in shares.items()}
        found.append(WorkloadResult(
            name=demand.name, network=demand.network, parameters=70_553_706_496,
            step_time_s=sum(breakdown.values()), target_s=demand.target_s, margin=0.1,
            limit_s=limit, nodes_used=size.nodes, gpus_used=size.nodes * GPUS, strategy=strategy,
            strategy_label=strategy.label(), breakdown=breakdown,
            collectives=[
                CollectiveUse(name="tp", collective="all_gather", algorithm="ring",
                              protocol="Simple", size_bytes=134217728.0, count=640.0, ranks=8,
                              level="domain", time_s=0.00041, total_s=0.2624, exposed_s=0.2624),
                CollectiveUse(name="dp_grad", collective="reduce_scatter", algorithm="ring",
                              protocol="Simple", size_bytes=8.8e9, count=1.0, ranks=size.nodes,
                              level="spine", time_s=0.21, total_s=0.21, exposed_s=0.07)],
            memory_gib={"weights": 16.4, "gradients": 16.4, "optimizer": 24.6,
                        "activations": 38.25, "context": 3.1, "total": 98.75, "limit": 131.2},
            mfu=0.412, hfu=0.447, tokens_per_s_per_gpu=912.4,
            busy_fraction=demand.busy_fraction(step),
            run_days=demand.deadline_days * step / demand.target_s))  # fmt: skip
    return found


def alternatives(objective: float) -> list[Alternative]:
    """Return what was also asked."""

    def one(name: str, question: str, ratio: float | None, reason: str, **forced: object):
        return Alternative(
            name=name, question=question, forced=forced,
            status="infeasible" if ratio is None else "optimal",
            objective_usd=None if ratio is None else round(objective * ratio, 2),
            delta_usd=None if ratio is None else round(objective * ratio - objective, 2),
            summary="" if ratio is None else "9 x HGX H200 8-GPU server, leaf-spine",
            reason=reason, step_times_s={} if ratio is None else {"pretrain": 37.5})  # fmt: skip

    return [
        Alternative(name="InfiniBand", question="InfiniBand or RoCE?",
                    forced={"family": "infiniband"}, status="chosen", objective_usd=objective,
                    delta_usd=0.0, summary="as chosen"),
        one("RoCE", "InfiniBand or RoCE?", 1.0312,
            "congestion leaves 95 % of the line rate, which takes one more server",
            family="roce"),
        one("PCIe servers", "NVSwitch or PCIe?", None,
            "no strategy holds the step time: tensor parallel over PCIe needs 61.2 s of 39.3 s",
            scale_up="PCIe"),
        one("2:1 oversubscribed", "1:1 or oversubscribed?", 1.0004,
            "saves 4 switches, but gradient reduction then needs one more server",
            oversubscription=2.0),
        one("more, smaller servers", "Few large or many small?", 1.21, "", nodes=24),
    ]  # fmt: skip


def feasible(nodes: int = 8, plan: Instance | None = None) -> Solution:
    """Return a proved plan of so many servers."""
    size, plan = Size(nodes=nodes), plan if plan is not None else instance()
    racks, devices = racks_and_devices(size)
    links = cables(size, devices)
    lines = bill(size, links)
    money = cost(lines)
    tiers = [Tier(tier="leaf", switch="qm9700", count=size.leafs)]
    tiers += [Tier(tier="spine", switch="qm9700", count=size.spines)] if size.spines else []
    fabric = Fabric(
        family="infiniband", topology=size.topology, oversubscription=1.0, link_gbps=400.0,
        tiers=tiers,
        cables=CableCounts(node_leaf=sum(c.tier == "node_leaf" for c in links),
                           leaf_spine=sum(c.tier == "leaf_spine" for c in links)),
        transceivers=sum(bool(c.a_module) + bool(c.b_module) for c in links), units=size.units,
        servers_per_unit=size.per_unit, links_per_server=GPUS,
        links_per_leaf_spine=size.per_unit // size.spines if size.spines else 0)  # fmt: skip
    platform = PlatformPart(
        server="hgx-h200-8", model="HGX H200 8-GPU server", accelerator="h200-sxm",
        accelerator_model="H200 SXM", gpus=GPUS, scale_up="NVSwitch", domain_gpus=GPUS,
        scale_up_gbytes_per_s=450.0, nic="cx7-400-ndr-1p", nics=GPUS, link_gbps=400.0)  # fmt: skip
    design = DesignPart(
        platform=platform, nodes=nodes, gpus=nodes * GPUS, racks=len(racks), fabric=fabric,
        max_power_kw=sum(d.max_w for d in devices) / 1000,
        average_power_kw=sum(d.max_w for d in devices) * 0.72 / 1000)  # fmt: skip
    return Solution(
        instance=plan, status="optimal", objective_usd=money.total_usd,
        bound_usd=money.total_usd, gap=0.0, placement_gap=0.0, cost=money, design=design,
        workloads=workload_results(size, plan),
        binding=[
            Binding(limit="power of rack r02", constraint="rack-power", used=40.8,
                    available=44.0, unit="kW", binding=True,
                    note="a fifth server would need 51 kW"),
            Binding(limit="step time of pretrain", constraint="step-time",
                    used=workload_results(size, plan)[0].step_time_s,
                    available=workload_results(size, plan)[0].limit_s, unit="s", binding=True),
            Binding(limit="purchase budget", constraint="budget-capex", used=money.capex_usd,
                    available=60e6, unit="USD", binding=False),
        ],
        alternatives=alternatives(money.total_usd), racks=racks, devices=devices, cables=links,
        bill_of_materials=lines,
        assumptions=[
            Assumption(what="discount rate", value="8 % a year", kind="estimate", source="own"),
            Assumption(what="availability of pretrain", value="0.9", kind="default",
                       source="the schema's default"),
            Assumption(what="memory bandwidth of H200 SXM", value="4.8 TB/s", kind="sourced",
                       source="NVIDIA H200 data sheet, https://www.nvidia.com"),
        ],
        reasons=[], scan=Scan(columns=4812, outcomes={"too slow": 3911, "too dear": 897,
                                                      "solved exactly": 4}),
        run=Run(planner_version="0.1.0", run_id="3f9c2a7be41d", solver="HiGHS",
                solver_version="1.16.0", seed=0, threads=2, wall_s=4.21,
                started="2026-12-02T09:12:58Z"))  # fmt: skip


def infeasible() -> Solution:
    """Return an answer without a plan, with two limits that cannot be met."""
    base = feasible(4)
    return base.model_copy(update={
        "status": "infeasible", "objective_usd": None, "bound_usd": None, "gap": None,
        "placement_gap": None, "cost": None, "design": None, "workloads": [],
        "binding": [
            Binding(limit="purchase budget", constraint="budget-capex", used=2_710_000.0,
                    available=2_000_000.0, unit="USD", binding=True,
                    note="the cheapest design that holds the step time"),
            Binding(limit="power of the site", constraint="site-power", used=41.5,
                    available=40.0, unit="kW", binding=True),
        ],
        "alternatives": [], "racks": [], "devices": [], "cables": [], "bill_of_materials": [],
        "reasons": ["No design fits the budget and holds the step time of pretrain.",
                    "Raise the budget to 2,710,000 USD, or the deadline to 131 days."],
    })  # fmt: skip


def hostile() -> Solution:
    """Return a plan whose every free text is an attack on what shows it."""
    plan = instance(title=HOSTILE, note=HOSTILE)
    base = feasible(8, plan)
    return base.model_copy(update={
        "bill_of_materials": [line.model_copy(update={"description": HOSTILE,
                                                      "price_source": HOSTILE})
                              for line in base.bill_of_materials],
        "alternatives": [a.model_copy(update={"name": HOSTILE, "question": HOSTILE,
                                              "reason": HOSTILE, "summary": HOSTILE})
                         for a in base.alternatives],
        "binding": [b.model_copy(update={"limit": HOSTILE, "note": HOSTILE})
                    for b in base.binding],
        "assumptions": [a.model_copy(update={"what": HOSTILE, "source": HOSTILE,
                                             "value": HOSTILE}) for a in base.assumptions],
        "devices": [d.model_copy(update={"id": f"{HOSTILE}-{d.id}"}) for d in base.devices],
        "design": base.design.model_copy(update={
            "platform": base.design.platform.model_copy(update={"model": HOSTILE})}),
    })  # fmt: skip


def euro(nodes: int = 8) -> Solution:
    """Return a plan that is reported in euro, with a start date and one workload."""
    base = instance(finance={"years": 4.5, "report_currency": "EUR", "usd_per_unit": 1.15,
                             "rate_date": datetime.date(2026, 11, 30),
                             "in_service": datetime.date(2027, 3, 1)})  # fmt: skip
    return feasible(nodes, base.model_copy(update={"workloads": base.workloads[:1]}))


def studied(nodes: int = 8) -> Solution:
    """Return the plan with a frontier and a sensitivity study."""
    plan = feasible(nodes)
    name = plan.workloads[0].name
    summary = "{} x HGX H200 8-GPU server, infiniband 400G, leaf spine 1:1"
    points = [
        FrontierPoint(
            workload=name, limit_s=step * 1.05, status="optimal" if k else "feasible",
            step_time_s=step, objective_usd=usd, bound_usd=usd if k else usd * 0.99,
            gap=0.0 if k else 0.01, summary=summary.format(4 + 2 * k), chosen=k == 2,
        )
        for k, (step, usd) in enumerate(
            [(480.5, 2_051_000.25), (330.25, 3_070_111.5), (254.3, 4_087_078.52), (201.5, 5.2e6)]
        )
    ]  # fmt: skip
    points.append(FrontierPoint(workload=name, limit_s=90.0, status="infeasible"))
    factors = [
        Factor(name="switch_price", unit="x", base=1, low=0.5, high=2, holds_from=0.5,
               holds_to=1.3125, proved=True,
               above=Flip(at=1.3125, beyond=1.32, proved=True, summary=summary.format(9))),
        Factor(name="server_price", unit="x", base=1, low=0.5, high=2, holds_from=0.5, holds_to=2,
               proved=True),
        Factor(name="electricity", unit="USD/kWh", base=0.085, low=0.04, high=0.25,
               holds_from=0.04, holds_to=0.2, proved=False,
               above=Flip(at=0.2, beyond=0.21, proved=False, summary=summary.format(7))),
        Factor(name="step_time", unit="x", base=1, low=0.8, high=1.3, holds_from=0.92,
               holds_to=1.04, proved=True,
               below=Flip(at=0.92, beyond=0.91, proved=True, summary=summary.format(6)),
               above=Flip(at=1.04, beyond=1.05, proved=True, summary="")),
    ]  # fmt: skip
    prices = [
        PriceLevel(level=level, best_usd=best, bound_usd=best, best=summary.format(8),
                   decision_usd=best + regret, decision_regret_usd=regret,
                   runner_up_usd=best + 9e4, runner_up_regret_usd=9e4, flips=regret > 0)
        for level, best, regret in (("low", 3_100_000.5, 12_345.25), ("base", 4_087_078.52, 0.0),
                                    ("high", 5_900_100.75, 0.0))
    ]  # fmt: skip
    quote = QuoteNeeded(
        part="qm9700", description="QM9700 NDR, 64 x 400G", component="switches", price_usd=36000,
        price_kind="street price", flips_at_usd=47_250, low_usd=32000, high_usd=50000,
        instead=summary.format(9), saving_usd=4321.5,
    )  # fmt: skip
    study = Sensitivity(
        factors=factors, prices=prices, runner_up=summary.format(9), runner_up_delta_usd=127_517,
        quotes_needed=[quote], ranges_known=["hgx-h200-8", "qm9700"],
        ranges_unknown=["osfp-2x400-sr8"], complete=True,
    )  # fmt: skip
    frontier = Frontier(workload=name, points=points, complete=True, tick=0.001, slowest_s=500)
    return plan.model_copy(update={"frontier": frontier, "sensitivity": study})
