"""How many collectives the model evaluates per processor second, on one core.

    python -m tests.benchmarks.bench_collectives [MILLIONS]

Every evaluation has its own message and its own group; all algorithms and protocols are compared.
The target is 2 million per second.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from planner.domain.physics_constants import shipped_collective_constants
from planner.physics.collectives import collective_time
from planner.physics.wiring import Group, Wiring

HGX = Wiring(
    accelerator="h100-sxm", architecture="hopper", scale_up="nvswitch", scale_up_gbytes_per_s=450.0,
    domain_gpus=8, host_gpus=8, pcie_gen=5, nics_per_host=8, nic_gbps=400.0, network="infiniband",
    tiers=2, switch_latency_s=3e-7, cable_m=20.0, hosts_per_leaf=32, uplink_ratio=1.0,
)  # fmt: skip


def random_groups(count: int, rng: np.random.Generator) -> Group:
    """Return groups of 2 to 4096 ranks, spread over hosts of 8."""
    ranks = 2 ** rng.integers(1, 13, count)
    per_host = np.minimum(2 ** rng.integers(0, 4, count), ranks)
    return Group(
        ranks=ranks,
        per_domain=per_host,
        per_host=per_host,
        nic_sharing=8 // per_host,
        per_leaf=np.minimum(per_host * 32, ranks),
        per_pod=ranks,
    )


def main() -> None:
    """Measure every collective under both choices."""
    count = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(1)
    groups = random_groups(count, rng)
    size = 2.0 ** rng.uniform(3.0, 34.0, count)
    constants = shipped_collective_constants()
    for choice in ("tuner", "best"):
        for collective in ("all_reduce", "all_gather", "all_to_all", "send_recv"):
            start = time.process_time()
            collective_time(collective, size, groups, HGX, constants=constants, choice=choice)
            spent = time.process_time() - start
            print(f"{choice:6} {collective:12} {count / spent / 1e6:6.2f} million/s")


if __name__ == "__main__":
    main()
