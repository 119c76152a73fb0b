"""Step times computed once more by the same physics: consistency, not an independent check.

The wiring is put together anew from the document: what the fabric's devices and links say, not
what the program passed on. Networks that are a user's own file are not at hand and are skipped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.domain.catalog import Catalog
from planner.domain.errors import InputError
from planner.domain.hardware import Accelerator, NicOption, Server
from planner.domain.network import Network, load_network
from planner.domain.resources import data_root
from planner.domain.solution import WorkloadResult
from planner.domain.units import GIB, GIGA
from planner.domain.workload import Workload
from planner.verify.links import nic_option
from planner.verify.record import SCALE_OUT, Record
from planner.verify.violation import Violation, violation

if TYPE_CHECKING:
    from planner.physics.job import Job
    from planner.physics.machine import Machine
    from planner.physics.steptime import StepDetail
    from planner.physics.wiring import Wiring

TERA = 1e12
CLOSE = 1e-6
"""Relative difference that processors of another kind may make."""
ETHERNET_SHARE = 0.95
"""Share of the line rate that tuned Ethernet keeps under load (NVIDIA Spectrum-X at xAI)."""
FEC_S, FEC_LOW_S = 120e-9, 20e-9
"""Error correction of one hop: RS(544,514) on Ethernet, the low-latency code on InfiniBand."""
UNKNOWN_LATENCY_S = 800e-9
"""A switch without a known latency: the slowest cut-through box of the catalogue."""
PEAKS = {
    "half": ("bf16_tflops", "fp16_tflops"), "fp8": ("fp8_tflops",), "fp4": ("fp4_tflops",),
    "tf32": ("tf32_tflops",), "fp32": ("fp32_tflops",),
}  # fmt: skip


def check_steptime(record: Record) -> Iterator[Violation]:
    """Yield step times, parts, collectives and memory that the physics does not give again."""
    design = record.solution.design
    if design is None:
        return
    server = record.catalog.servers.get(design.platform.server)
    accelerator = record.catalog.accelerators.get(design.platform.accelerator)
    wiring = wiring_of(record)
    if server is None or accelerator is None or wiring is None:
        return
    asked = {w.name: w for w in record.solution.instance.workloads}
    for i, result in enumerate(record.solution.workloads):
        demand = asked.get(result.name)
        if demand is None or "/" in demand.network or "\\" in demand.network:
            continue
        where = f"$.workloads[{i}]"
        machine = machine_of(server, accelerator, demand.precision)
        detail = _detail(record, result, demand, machine, wiring, server)
        if detail is not None:
            yield from _compare(result, detail, where)
            yield from _collectives(result, detail, where)
        stated = design.careless.dealt_step_times_s.get(result.name) if design.careless else None
        if detail is not None and stated is not None:
            dealt = _detail(record, result, demand, machine, replace(wiring, dealt=True), server)
            if dealt is None or not close(dealt.step_time_s, stated):
                yield violation(
                    "careless-dealt", f"$.design.careless.dealt_step_times_s.{result.name}",
                    dealt.step_time_s if dealt else "a step", stated,
                    "the physics gives another step for ranks dealt to servers by turns",
                )  # fmt: skip


def wiring_of(record: Record) -> Wiring | None:
    """Return the wiring of the design as its devices and links show it."""
    design = record.solution.design
    option = nic_option(record)
    if design is None or option is None:
        return None
    catalog, fabric = record.catalog, design.fabric
    server = catalog.servers[option.server]
    alone = server_wiring(catalog, option)
    leafs, spines = record.of_kind("leaf"), record.of_kind("spine")
    if not leafs:
        return alone
    switch = catalog.switches.get(leafs[0].part)
    if switch is None:
        return None
    infiniband = fabric.family == "infiniband"
    share = record.solution.instance.congestion
    latency_s = UNKNOWN_LATENCY_S if switch.latency_ns is None else switch.latency_ns * 1e-9
    links = [cable for cable in record.links if cable.tier in SCALE_OUT]
    cores = len(record.of_kind("core"))
    if cores:
        first = min(leaf.pod for leaf in leafs)
        units = len({leaf.group for leaf in leafs if leaf.pod == first})
        alone = replace(
            alone,
            hosts_per_pod=units * fabric.servers_per_unit * server.hosts,
            pod_uplink_ratio=min(1.0, 1.0 / fabric.spine_oversubscription),
        )
    return replace(
        alone,
        network="tcp" if fabric.family == "ethernet" else fabric.family,
        network_efficiency=1.0 if infiniband else ETHERNET_SHARE if share is None else share,
        tiers=1 + (len(spines) > 0) + (cores > 0),
        joined_pair=any(cable.tier == "leaf_leaf" for cable in links),
        rails_joined=fabric.topology not in ("rail_only", "rack_rails"),
        switch_latency_s=latency_s + (FEC_LOW_S if infiniband else FEC_S),
        cable_m=max((cable.needed_m for cable in links), default=0.0),
        hosts_per_leaf=fabric.servers_per_unit * server.hosts,
        uplink_ratio=min(1.0, 1.0 / fabric.oversubscription),
    )


def server_wiring(catalog: Catalog, option: NicOption) -> Wiring:
    """Return what joins the GPUs of a server that no fabric joins to others."""
    from planner.physics.wiring import Wiring

    server = catalog.servers[option.server]
    accelerator = catalog.accelerators[server.accelerator]
    return Wiring(
        accelerator=accelerator.id,
        architecture=accelerator.architecture,
        scale_up=server.scale_up,
        scale_up_gbytes_per_s=server.scale_up_gbytes_per_s,
        domain_gpus=server.domain_gpus,
        host_gpus=server.host_gpus,
        pcie_gen=accelerator.pcie_gen or server.pcie_gen,
        nics_per_host=option.links // server.hosts,
        nic_gbps=catalog.nic_link_gbps(option),
        network="none",
        tiers=0,
    )


def machine_of(server: Server, accelerator: Accelerator, precision: str) -> Machine:
    """Return the accelerator in its server as the data sheets give it."""
    from planner.physics.machine import Machine

    peaks = {}
    for family, columns in PEAKS.items():
        order = columns[::-1] if precision == "fp16" else columns
        known = [value for name in order if (value := getattr(accelerator, name)) is not None]
        if known:
            peaks[family] = known[0] * TERA
    return Machine(
        accelerator=accelerator.id,
        architecture=accelerator.architecture,
        memory_bytes=accelerator.memory_gib * GIB,
        memory_bytes_per_s=accelerator.memory_gbytes_per_s * GIGA,
        peak_flops=peaks,
        host_memory_bytes=server.dram_gib * GIB / server.gpus,
        host_bytes_per_s=(accelerator.host_gbytes_per_s or 0.0) * GIGA,
    )


def job_of(demand: Workload, networks: Mapping[str, Network]) -> Job | None:
    """Return the workload as physics sees it, None where its network is not at hand."""
    from planner.physics.job import Job

    try:
        network = networks.get(demand.network) or load_network(demand.network, near=data_root())
    except InputError:
        return None
    return Job(
        network=network,
        sequence_length=demand.sequence_length,
        global_batch=demand.global_batch,
        precision=demand.precision,
        optimizer=demand.optimizer,
        flash_attention=demand.flash_attention,
    )


def _detail(
    record: Record,
    result: WorkloadResult,
    demand: Workload,
    machine: Machine,
    wiring: Wiring,
    server: Server,
) -> StepDetail | None:
    from planner.domain.model_constants import model_constants
    from planner.physics.steptime import explain

    job = job_of(demand, record.solution.networks)
    hosts = (result.nodes_used + demand.pipeline_nodes_elsewhere) * server.hosts
    if job is None or result.strategy.gpus > hosts * server.host_gpus:
        return None
    return explain(
        job, machine, wiring, hosts, result.strategy,
        constants=model_constants(record.solution.calibration),
        choice="best" if record.solution.instance.tuner == "best" else "tuner",
    )  # fmt: skip


def close(left: float, right: float) -> bool:
    """Return whether two figures are one but for the processor's rounding."""
    return math.isclose(left, right, rel_tol=CLOSE, abs_tol=1e-9)


def _compare(result: WorkloadResult, detail: StepDetail, where: str) -> Iterator[Violation]:
    figures = [
        ("steptime-total", "step_time_s", detail.step_time_s, result.step_time_s),
        ("steptime-rates", "mfu", detail.mfu, result.mfu),
        ("steptime-rates", "hfu", detail.hfu, result.hfu),
    ]
    for name in sorted(set(detail.parts_s) | set(result.breakdown)):
        counted, stated = detail.parts_s.get(name, 0.0), result.breakdown.get(name, 0.0)
        figures.append(("steptime-parts", f"breakdown.{name}", counted, stated))
    stated_parts = set(result.memory_gib) - {"limit", "total"}
    for name in sorted(set(detail.memory_bytes) - {"total"} | stated_parts):
        counted = detail.memory_bytes.get(name, 0.0) / GIB
        figures.append(
            ("steptime-memory", f"memory_gib.{name}", counted, result.memory_gib.get(name, 0.0))
        )
    for check, field, counted, stated in figures:
        if not close(counted, stated):
            yield violation(
                check, f"{where}.{field}", counted, stated,
                f"{result.name}: the physics gives another figure for this strategy",
            )  # fmt: skip


def _collectives(result: WorkloadResult, detail: StepDetail, where: str) -> Iterator[Violation]:
    if len(detail.collectives) != len(result.collectives):
        yield violation(
            "steptime-collectives", f"{where}.collectives", len(detail.collectives),
            len(result.collectives), f"{result.name}: collectives of a step",
        )  # fmt: skip
        return
    for k, (counted, stated) in enumerate(zip(detail.collectives, result.collectives, strict=True)):
        words = ("name", "collective", "algorithm", "protocol", "ranks", "level")
        sizes = ("size_bytes", "time_s", "total_s", "exposed_s")
        differ = [name for name in words if getattr(counted, name) != getattr(stated, name)]
        differ += [n for n in sizes if not close(getattr(counted, n), getattr(stated, n))]
        if not close(counted.calls, stated.count):
            differ.append("count")
        if differ:
            yield violation(
                "steptime-collectives", f"{where}.collectives[{k}]",
                ", ".join(str(getattr(counted, n, counted.calls)) for n in differ),
                ", ".join(str(getattr(stated, n)) for n in differ),
                f"{result.name}, {stated.name}: {', '.join(differ)}",
            )  # fmt: skip
