"""Fastest steps by timing every strategy on every number of servers; nothing is cut short."""

from __future__ import annotations

from typing import Any

import numpy as np

from planner.domain.network import load_network
from planner.physics.enumeration import StrategyOptions, enumerate_strategies
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.steptime import step_times
from planner.physics.wiring import Wiring

GIB = 2.0**30
NETWORKS = {"infiniband": "infiniband", "roce": "roce", "ethernet": "tcp"}


class Clock:
    """Times the workloads of one instance."""

    def __init__(self, instance: Any, catalog: Any, constants: Any) -> None:
        self.instance, self.catalog, self.constants = instance, catalog, constants
        self.jobs = [self._job(w) for w in instance.workloads]
        self.known: dict[Any, float] = {}

    def _job(self, w: Any) -> Job:
        return Job(
            network=load_network(w.network), sequence_length=w.sequence_length,
            global_batch=w.global_batch, precision=w.precision, optimizer=w.optimizer,
            flash_attention=w.flash_attention,
        )  # fmt: skip

    def steps(self, option: Any, nodes: int, sizes: Any, choice: Any, metres: float) -> list[float]:
        """Return the fastest step of every workload, infinite where nothing fits."""
        wiring = self._wiring(option, sizes, choice, metres)
        alone = self._alone(option)
        found = []
        for index, workload in enumerate(self.instance.workloads):
            wanted, banned = workload.fix.values(), workload.forbid.values()
            times = [
                self._best(index, option, used, wiring if used > 1 else alone)
                for used in range(1, nodes + 1)
                if used in wanted.get("nodes", (used,)) and used not in banned.get("nodes", ())
            ]
            found.append(min(times, default=np.inf))
        return found

    def hours(self, steps: list[float]) -> float:
        """Return the share of all time that the workloads take together, slower by their margins."""
        total = 0.0
        for w, step in zip(self.instance.workloads, steps, strict=True):
            if w.step_time_s is not None:
                total += (w.hours_per_day or 0.0) / 24
                continue
            size = w.global_batch * (w.sequence_length if w.tokens is not None else 1)
            runs = (w.tokens if w.tokens is not None else w.samples) / size * step
            runs *= 1 + w.margin
            total += runs / ((w.repeat_days or w.deadline_days) * 86400 * w.availability)
        return total

    def target(self, index: int) -> float:
        """Return the longest step that a workload may take."""
        w = self.instance.workloads[index]
        if w.step_time_s is not None:
            return float(w.step_time_s / (1 + w.margin))
        size = w.global_batch * (w.sequence_length if w.tokens is not None else 1)
        count = (w.tokens if w.tokens is not None else w.samples) / size
        return float(w.deadline_days * 86400 * w.availability / count / (1 + w.margin))

    def _alone(self, option: Any) -> Wiring:
        return Wiring(**self._host(option), network="none", tiers=0)

    def _host(self, option: Any) -> dict[str, Any]:
        server = self.catalog.servers[option.server]
        accelerator = self.catalog.accelerators[server.accelerator]
        return {
            "accelerator": server.accelerator,
            "architecture": accelerator.architecture,
            "scale_up": server.scale_up,
            "scale_up_gbytes_per_s": server.scale_up_gbytes_per_s,
            "domain_gpus": server.domain_gpus,
            "host_gpus": server.host_gpus,
            "pcie_gen": accelerator.pcie_gen or server.pcie_gen,
            "nics_per_host": option.links // server.hosts,
            "nic_gbps": self.catalog.nic_link_gbps(option),
        }

    def _wiring(self, option: Any, sizes: Any, choice: Any, metres: float) -> Wiring:
        """Return the wiring; a switch adds its latency and error correction, 20 or 120 ns."""
        if not sizes.leafs:
            return self._alone(option)
        server, switch = self.catalog.servers[option.server], self.catalog.switches[choice.leaf]
        fast = choice.family == "infiniband"
        keeps = 0.95 if self.instance.congestion is None else self.instance.congestion
        return Wiring(
            **self._host(option),
            network=NETWORKS[choice.family],
            network_efficiency=1.0 if fast else keeps,
            tiers=2 if sizes.spines else 1,
            switch_latency_s=(switch.latency_ns or 800.0) * 1e-9 + (20e-9 if fast else 120e-9),
            cable_m=metres,
            hosts_per_leaf=sizes.unit_size * server.hosts,
            uplink_ratio=sizes.uplink_ratio,
            joined_pair=sizes.joint_links > 0,
        )

    def _best(self, index: int, option: Any, used: int, wiring: Wiring) -> float:
        key = (index, option.server, used, wiring)
        if key not in self.known:
            self.known[key] = self._time(index, option, used, wiring)
        return self.known[key]

    def _time(self, index: int, option: Any, used: int, wiring: Wiring) -> float:
        server = self.catalog.servers[option.server]
        workload, job = self.instance.workloads[index], self.jobs[index]
        fix, forbid = workload.fix.values(), dict(workload.forbid.values())
        if "schedule" not in fix:
            forbid["schedule"] = (*forbid.get("schedule", ()), "zero_bubble")
        hosts = used * server.hosts
        options = StrategyOptions(fix=fix, forbid=forbid)
        table = enumerate_strategies(job, hosts, wiring, options)
        if not len(table):
            return float(np.inf)
        times = step_times(
            job, self._machine(server), wiring, hosts, table, constants=self.constants,
            choice="best" if self.instance.tuner == "best" else "tuner",
        )  # fmt: skip
        return float(np.where(times.feasible, times.step_time_s, np.inf).min())

    def _machine(self, server: Any) -> Machine:
        a = self.catalog.accelerators[server.accelerator]
        peaks = {
            "half": a.bf16_tflops or a.fp16_tflops, "fp8": a.fp8_tflops, "fp4": a.fp4_tflops,
            "tf32": a.tf32_tflops, "fp32": a.fp32_tflops,
        }  # fmt: skip
        return Machine(
            accelerator=a.id,
            architecture=a.architecture,
            memory_bytes=a.memory_gib * GIB,
            memory_bytes_per_s=a.memory_gbytes_per_s * 1e9,
            peak_flops={name: value * 1e12 for name, value in peaks.items() if value},
            host_memory_bytes=server.dram_gib * GIB / server.gpus,
            host_bytes_per_s=(a.host_gbytes_per_s or 0.0) * 1e9,
        )
