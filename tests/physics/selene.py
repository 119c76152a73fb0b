"""The platform of several published runs: A100 80GB in HGX with eight 200 Gb/s rails."""

from __future__ import annotations

from planner.domain.network import load_network
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.wiring import Wiring

MACHINE = Machine(
    accelerator="a100-sxm-80",
    architecture="ampere",
    memory_bytes=80 * 2.0**30,
    memory_bytes_per_s=2.039e12,
    peak_flops={"half": 312e12, "tf32": 156e12, "fp32": 19.5e12},
    host_memory_bytes=128 * 2.0**30,
    host_bytes_per_s=25e9,
)
WIRING = Wiring(
    accelerator="a100-sxm-80",
    architecture="ampere",
    scale_up="nvswitch",
    scale_up_gbytes_per_s=300,
    domain_gpus=8,
    host_gpus=8,
    pcie_gen=4,
    nics_per_host=8,
    nic_gbps=200,
    network="infiniband",
    tiers=2,
)


def gpt_job(network="gpt3-175b", batch=64, **changes):
    """Return a GPT job as Megatron-LM ran it in 2022."""
    settings = {
        "network": load_network(network),
        "sequence_length": 2048,
        "global_batch": batch,
        "precision": "fp16",
        "flash_attention": False,
        "dropout": True,
    }
    return Job(**(settings | changes))
