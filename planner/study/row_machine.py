"""The accelerator and the wiring that a row of measured steps ran on."""

from __future__ import annotations

import math

from planner.domain.catalog import Catalog
from planner.domain.units import GIB, GIGA
from planner.physics.machine import Machine
from planner.physics.wiring import NETWORK_KINDS, SCALE_UP_KINDS, Wiring
from planner.study.row_cells import UnmappedRowError, choice, integer, number, optional

RACK_GPUS = 72
TERA = 1e12
TCPX_NICS = ("4", "200")
"""NICs and their rate of Google's A3 hosts, whose NCCL bypasses the host's memory over TCP
(GPUDirect-TCPX)."""
NODES_OF_ONE_SWITCH = 16
"""Larger clusters than this are taken to have two switch tiers."""


def machine_of(catalog: Catalog, accelerator: str) -> Machine:
    """Return an accelerator of the catalogue as physics takes it.

    Raises
    ------
    UnmappedRowError
        If the catalogue does not have it.
    """
    rows = catalog.table("accelerators")
    if accelerator not in rows:
        raise UnmappedRowError(f"accelerator {accelerator[:30]!r} is not in the catalogue")
    part = catalog.accelerator(accelerator)
    rates = {
        "half": part.bf16_tflops or part.fp16_tflops,
        "fp8": part.fp8_tflops,
        "fp4": part.fp4_tflops,
        "tf32": part.tf32_tflops,
        "fp32": part.fp32_tflops,
    }
    return Machine(
        accelerator=accelerator,
        architecture=part.architecture,
        memory_bytes=part.memory_gib * GIB,
        memory_bytes_per_s=part.memory_gbytes_per_s * GIGA,
        peak_flops={name: rate * TERA for name, rate in rates.items() if rate},
        host_bytes_per_s=(part.host_gbytes_per_s or 0.0) * GIGA,
        host_memory_bytes=2.0 * part.memory_gib * GIB,
    )


def wiring_of(row: dict[str, str], machine: Machine, pcie_gen: int) -> tuple[Wiring, int]:
    """Return a row's wiring and its hosts.

    An unknown network with a known rate is taken as an RDMA network (Omni-Path, clouds).
    """
    gpus, per_host = integer(row, "gpus"), integer(row, "gpus_per_node")
    scale_up = choice(row, "scale_up", SCALE_UP_KINDS, "none")
    domain = _domain(scale_up, gpus, per_host)
    hosts = math.ceil(gpus / per_host)
    network = choice(row, "network", (*NETWORK_KINDS, "unknown"), "unknown")
    leaves = gpus > max(domain, per_host)
    if leaves and network == "none":
        raise UnmappedRowError("network is none, yet the GPUs span several domains")
    if leaves and not (row["nics_per_node"] and row["nic_gbps"]):
        raise UnmappedRowError("network rate is blank")
    if network == "tcp" and (row["nics_per_node"], row["nic_gbps"]) == TCPX_NICS:
        network = "tcpx"
    wiring = Wiring(
        accelerator=machine.accelerator,
        architecture=machine.architecture,
        scale_up=scale_up,
        scale_up_gbytes_per_s=optional(row, "scale_up_gbytes_per_s", 0.0),
        domain_gpus=domain,
        host_gpus=per_host,
        pcie_gen=pcie_gen,
        nics_per_host=int(number(row, "nics_per_node", least=1.0)) if leaves else 0,
        nic_gbps=number(row, "nic_gbps", least=0.1) if leaves else 0.0,
        network=("infiniband" if network == "unknown" else network) if leaves else "none",
        tiers=2 if hosts > NODES_OF_ONE_SWITCH else 1,
    )
    return wiring, hosts


def _domain(scale_up: str, gpus: int, per_host: int) -> int:
    """Return the GPUs of one scale-up domain that a job uses.

    Jobs larger than a rack take equal shares of racks: the most GPUs, in whole hosts, that divide
    the job.
    """
    if scale_up == "nvlink_bridge":
        return 2
    if scale_up != "nvl72":
        return per_host
    if gpus <= RACK_GPUS:
        return gpus
    shares = [n for n in range(per_host, RACK_GPUS + 1, per_host) if gpus % n == 0]
    return max(shares, default=per_host)
