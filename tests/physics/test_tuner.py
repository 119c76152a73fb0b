"""NCCL's own choice and estimate, against what its tables give by hand and logs show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.domain.physics_constants import shipped_collective_constants
from planner.physics.collectives import ALGORITHMS, PROTOCOLS, collective_time
from planner.physics.collectives.cluster import Cluster
from planner.physics.collectives.names import NVLS, NVLS_TREE, RING, SIMPLE, TREE
from planner.physics.collectives.tuner import Tuner
from planner.physics.wiring import Group, Wiring

CONSTANTS = shipped_collective_constants()
H100 = Wiring(
    accelerator="h100-sxm", architecture="hopper", scale_up="nvswitch", scale_up_gbytes_per_s=450.0,
    domain_gpus=8, host_gpus=8, pcie_gen=5, nics_per_host=8, nic_gbps=400.0, network="infiniband",
)  # fmt: skip
A100 = replace(H100, architecture="ampere", scale_up_gbytes_per_s=300.0, pcie_gen=4, nic_gbps=200.0)
B200 = replace(H100, architecture="blackwell", scale_up_gbytes_per_s=900.0)
RACK = replace(B200, scale_up="nvl72", domain_gpus=72, host_gpus=4, nics_per_host=4)


def ranks_of(ranks: int, per_node: int, per_host: int | None = None) -> Group:
    """Return a group on nodes of `per_node` ranks."""
    n = np.array([ranks])
    return Group(
        ranks=n, per_domain=np.array([per_node]), per_host=np.array([per_host or per_node]),
        nic_sharing=np.array([1]), per_leaf=n, per_pod=n,
    )  # fmt: skip


def bus(wiring: Wiring, group: Group, algorithm: int) -> float:
    """Return the bus bandwidth (GB/s) that NCCL's tables give an all-reduce with Simple."""
    tuner = Tuner.of(Cluster.of(group, wiring, CONSTANTS))
    _, bandwidth = tuner.estimate("all_reduce", algorithm, SIMPLE)
    n = float(group.ranks[0])
    return float(bandwidth[0]) * 2.0 * (n - 1.0) / n


@pytest.mark.parametrize(
    ("wiring", "group", "algorithm", "expected"),
    [
        (A100, ranks_of(8, 8), RING, 240.0),
        (H100, ranks_of(8, 8), RING, 360.0),
        (H100, ranks_of(8, 8), NVLS, 480.0),
        (H100, ranks_of(4, 4), NVLS, 240.0),
        (B200, ranks_of(8, 8), RING, 720.0),
        (B200, ranks_of(8, 8), NVLS, 720.0),
        (A100, ranks_of(16, 8), RING, 192.0),
        (A100, ranks_of(32, 8), RING, 192.0),
        (H100, ranks_of(16, 8), NVLS_TREE, 461.6),
        (H100, ranks_of(32, 8), RING, 360.0),
        (H100, ranks_of(32, 8), NVLS_TREE, 364.0),
        (B200, ranks_of(32, 8), RING, 384.0),
        (RACK, ranks_of(72, 72, 4), NVLS, 918.0),
    ],
)
def test_channel_arithmetic_gives_the_bandwidths_worked_by_hand(wiring, group, algorithm, expected):
    """Channels found by counting capacities give the modelled bandwidths of NCCL 2.30."""
    assert bus(wiring, group, algorithm) == pytest.approx(expected, rel=0.005)


@pytest.mark.parametrize(
    ("group", "algorithm", "expected_us"),
    [
        (ranks_of(8, 8), RING, 15.0),
        (ranks_of(8, 8), TREE, 15.2),
        (ranks_of(16, 8), TREE, 25.2),
        (ranks_of(4, 2), RING, 16.0),
    ],
)
def test_small_message_latency_follows_the_tables(group, algorithm, expected_us):
    """Base and hops add up to the latencies that NCCL's tables give with protocol LL."""
    tuner = Tuner.of(Cluster.of(group, H100, CONSTANTS))
    latency, _ = tuner.estimate("all_reduce", algorithm, 0)
    assert float(latency[0]) == pytest.approx(expected_us, abs=0.05)


def chosen(collective: str, size: float, group: Group, wiring: Wiring) -> tuple[str, str]:
    """Return what the tuner chooses."""
    timing = collective_time(collective, size, group, wiring, constants=CONSTANTS)
    return ALGORITHMS[timing.algorithm[0]], PROTOCOLS[timing.protocol[0]]


def test_tuner_prefers_latency_for_small_and_bandwidth_for_large():
    """LL below, Simple above; NVLS where the switch reduces; ring where four GPUs are left."""
    assert chosen("all_reduce", 8, ranks_of(8, 8), H100)[1] == "LL"
    assert chosen("all_reduce", 2**33, ranks_of(8, 8), H100) == ("nvls", "Simple")
    assert chosen("all_reduce", 2**33, ranks_of(4, 4), H100) == ("ring", "Simple")
    assert chosen("all_reduce", 2**33, ranks_of(16, 8), H100) == ("nvls_tree", "Simple")
    assert chosen("all_reduce", 2**33, ranks_of(16, 8), A100) == ("ring", "Simple")
    assert chosen("all_gather", 2**33, ranks_of(16, 8), H100) == ("ring", "Simple")
    assert chosen("broadcast", 2**20, ranks_of(16, 8), H100)[0] == "ring"


def test_ll128_is_left_out_over_pcie():
    """LL128 needs NVLink between the GPUs of a host, as NCCL's path check has it."""
    pcie = replace(A100, scale_up="pcie_p2p", scale_up_gbytes_per_s=0.0, domain_gpus=1)
    for size in 2.0 ** np.arange(3, 34):
        assert chosen("all_reduce", size, ranks_of(8, 8), pcie)[1] != "LL128"
    forced = collective_time("all_reduce", 2**20, ranks_of(8, 8), pcie, constants=CONSTANTS,
                             protocol="LL128")  # fmt: skip
    assert forced.time_s[0] == np.inf


def test_pat_needs_one_rank_per_node():
    """PAT is offered with one GPU a node only."""
    forced = {"constants": CONSTANTS, "algorithm": "pat"}
    alone = collective_time("all_gather", 1024, ranks_of(16, 1), H100, **forced)
    crowded = collective_time("all_gather", 1024, ranks_of(16, 2), H100, **forced)
    assert np.isfinite(alone.time_s[0])
    assert crowded.time_s[0] == np.inf


def test_tree_is_corrected_most_between_128_kib_and_1_mib():
    """The tree's bandwidth is halved in the middle and untouched for small messages."""
    tuner = Tuner.of(Cluster.of(ranks_of(16, 8), H100, CONSTANTS))
    size = np.array([64.0, 2.0**18, 2.0**30])
    with_correction = tuner.time_s("all_reduce", TREE, 0, size)
    latency, bandwidth = tuner.estimate("all_reduce", TREE, 0)
    plain = latency * 1e-6 + size / (1e9 * bandwidth)
    ratio = (with_correction - latency * 1e-6) / (plain - latency * 1e-6)
    np.testing.assert_allclose(ratio, [1.0, 1 / 0.4, 1.0], rtol=1e-9)
