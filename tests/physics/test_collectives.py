"""Properties that every collective's time must have, whatever the constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.domain.physics_constants import shipped_collective_constants
from planner.physics.collectives import (
    ALGORITHMS,
    COLLECTIVES,
    PROTOCOLS,
    busbw_gbytes_per_s,
    collective_time,
    wire_bytes,
)
from planner.physics.wiring import Group, Wiring

CONSTANTS = shipped_collective_constants()
HGX = Wiring(
    accelerator="h100-sxm", architecture="hopper", scale_up="nvswitch", scale_up_gbytes_per_s=450.0,
    domain_gpus=8, host_gpus=8, pcie_gen=5, nics_per_host=8, nic_gbps=400.0, network="infiniband",
)  # fmt: skip
WIRINGS = (
    HGX,
    replace(HGX, sharp=True),
    replace(HGX, architecture="ampere", scale_up_gbytes_per_s=300.0, pcie_gen=4, nic_gbps=200.0),
    replace(HGX, architecture="ampere", scale_up="nvlink_mesh", scale_up_gbytes_per_s=300.0,
            domain_gpus=8, pcie_gen=4, nic_gbps=100.0),
    replace(HGX, architecture="blackwell", scale_up_gbytes_per_s=900.0, network="efa"),
    replace(HGX, architecture="cdna3", scale_up="xgmi", scale_up_gbytes_per_s=448.0,
            nic_gbps=200.0, network="roce"),
    replace(HGX, architecture="ada", scale_up="pcie_p2p", scale_up_gbytes_per_s=0.0, pcie_gen=4,
            domain_gpus=1, nics_per_host=2, nic_gbps=200.0, network="roce"),
    replace(HGX, architecture="ampere", scale_up="pcie_host", scale_up_gbytes_per_s=0.0,
            pcie_gen=4, domain_gpus=1, nics_per_host=1, nic_gbps=25.0, network="tcp"),
    replace(HGX, network="slingshot", nics_per_host=4, nic_gbps=200.0, tiers=3,
            switch_latency_s=4e-7, cable_m=30.0),
    replace(HGX, network="tcpx", nics_per_host=4, nic_gbps=200.0),
)  # fmt: skip

wirings = st.sampled_from(WIRINGS)
collectives = st.sampled_from(COLLECTIVES)
choices = st.sampled_from(["tuner", "best"])
sizes = st.floats(1.0, 2.0**36)


def spread(ranks: int, per_host: int, *, leaf: int | None = None, sharing: int = 1) -> Group:
    """Return one group of `ranks`, `per_host` on each host and `leaf` under each leaf."""
    under = np.array([ranks if leaf is None else leaf])
    return Group(
        ranks=np.array([ranks]), per_domain=np.array([per_host]), per_host=np.array([per_host]),
        nic_sharing=np.array([sharing]), per_leaf=under, per_pod=np.array([ranks]),
    )  # fmt: skip


def seconds(collective: str, size: float, group: Group, wiring: Wiring, **forced: str) -> float:
    """Return the time of one collective."""
    timing = collective_time(collective, size, group, wiring, constants=CONSTANTS, **forced)
    return float(timing.time_s[0])


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Return groups on hosts of 8, over one or several leafs, sharing NICs or not."""
    per_host = draw(st.sampled_from([1, 2, 4, 8]))
    hosts = draw(st.integers(1, 64))
    ranks = per_host * hosts
    leaf = min(per_host * draw(st.sampled_from([1, 4, 16, 64])), ranks)
    return spread(ranks, per_host, leaf=leaf, sharing=draw(st.integers(1, 8 // per_host)))


def pairs(collective: str) -> list[tuple[str, str]]:
    """Return every pair that the model may allow for a collective."""
    if collective in ("all_to_all", "send_recv"):
        return [("pairwise", "LL"), ("pairwise", "Simple")]
    some = [("ring", p) for p in PROTOCOLS]
    if collective == "all_reduce":
        some += [("tree", p) for p in PROTOCOLS]
        some += [(a, "Simple") for a in ("nvls", "nvls_tree", "collnet_direct", "collnet_chain")]
    if collective in ("all_gather", "reduce_scatter"):
        some += [("nvls", "Simple"), ("pat", "Simple")]
    return some


@given(collectives, groups(), wirings, choices)
def test_zero_bytes_cost_nothing(collective, group, wiring, choice):
    """No message takes no time and chooses nothing."""
    timing = collective_time(collective, 0, group, wiring, constants=CONSTANTS, choice=choice)
    assert timing.time_s[0] == 0.0
    assert timing.algorithm[0] == -1


@given(collectives, sizes, wirings, choices)
def test_one_rank_costs_nothing(collective, size, wiring, choice):
    """A group of one has nobody to talk to."""
    group = spread(1, 1)
    timing = collective_time(collective, size, group, wiring, constants=CONSTANTS, choice=choice)
    assert timing.time_s[0] == 0.0


@given(collectives, groups(), wirings, sizes, st.floats(1.0, 100.0))
def test_fixed_choice_never_gets_faster_with_bytes(collective, group, wiring, size, factor):
    """More bytes never take less time at fixed algorithm and protocol."""
    for algorithm, protocol in pairs(collective):
        forced = {"algorithm": algorithm, "protocol": protocol}
        small = seconds(collective, size, group, wiring, **forced)
        assert seconds(collective, size * factor, group, wiring, **forced) >= small


@settings(max_examples=200)
@given(collectives, wirings, sizes, st.sampled_from([8, 16, 32, 64, 256]), st.data())
def test_fixed_choice_never_gets_faster_with_nodes(collective, wiring, size, ranks, data):
    """The same ranks on more nodes, each with the same NICs, never take less time.

    An all-to-all is left out where GPUs share NICs: more nodes then bring each GPU more NIC.
    """
    assume(collective != "all_to_all" or wiring.nics_per_host == wiring.host_gpus)
    few = data.draw(st.sampled_from([2, 4, 8]))
    many = data.draw(st.sampled_from([g for g in (1, 2, 4) if g < few]))
    for algorithm, protocol in pairs(collective):
        forced = {"algorithm": algorithm, "protocol": protocol}
        dense = seconds(collective, size, spread(ranks, few), wiring, **forced)
        sparse = seconds(collective, size, spread(ranks, many), wiring, **forced)
        if np.isfinite(dense):
            assert sparse >= dense * (1.0 - 1e-12), (algorithm, protocol)


@given(collectives, groups(), wirings, sizes)
def test_best_is_never_above_an_allowed_choice(collective, group, wiring, size):
    """The best choice is the least of all, the tuner's choice among them."""
    best = seconds(collective, size, group, wiring, choice="best")
    for algorithm, protocol in pairs(collective):
        forced = {"algorithm": algorithm, "protocol": protocol}
        assert best <= seconds(collective, size, group, wiring, **forced)
    assert best <= seconds(collective, size, group, wiring, choice="tuner")


@given(collectives, groups(), wirings, sizes)
def test_no_wire_carries_more_than_its_rate(collective, group, wiring, size):
    """Bytes over time stays below the marketed rate on every level of every algorithm."""
    giga = 1e9
    pcie = CONSTANTS.pcie_gbytes_per_s[str(wiring.pcie_gen)].value
    port_rate = (wiring.scale_up_gbytes_per_s or pcie) * giga
    node_rate = wiring.nics_per_host * wiring.nic_gbps / 8.0 * giga / group.nic_sharing[0]
    leaf_hosts = max(group.per_leaf[0] / group.per_host[0], 1.0)
    for algorithm, protocol in pairs(collective):
        time = seconds(collective, size, group, wiring, algorithm=algorithm, protocol=protocol)
        if not np.isfinite(time) or time == 0.0:
            continue
        wires = wire_bytes(collective, algorithm, size, group, wiring)
        assert wires.port[0] <= time * port_rate, (algorithm, protocol)
        assert wires.node[0] <= time * node_rate, (algorithm, protocol)
        uplink = node_rate * wiring.uplink_ratio * leaf_hosts
        assert wires.leaf[0] <= time * uplink, (algorithm, protocol)


@given(groups(), wirings, sizes)
def test_oversubscription_never_helps(group, wiring, size):
    """Thinner uplinks never make anything faster."""
    thin = replace(wiring, uplink_ratio=0.125)
    for collective in COLLECTIVES:
        assert seconds(collective, size, group, thin, choice="best") >= seconds(
            collective, size, group, wiring, choice="best"
        )


def test_ring_crosses_a_leaf_boundary_once():
    """A ring over full leafs feels 4:1 uplinks of 8 hosts not at all, an all-to-all does."""
    group = spread(512, 8, leaf=64)
    thin = replace(HGX, uplink_ratio=0.25, hosts_per_leaf=8)
    ring = {"algorithm": "ring", "protocol": "Simple"}
    assert seconds("all_reduce", 2**32, group, thin, **ring) == pytest.approx(
        seconds("all_reduce", 2**32, group, HGX, **ring)
    )
    assert seconds("all_to_all", 2**32, group, thin) > 2.0 * seconds(
        "all_to_all", 2**32, group, HGX
    )


@pytest.mark.parametrize(("nics", "gain"), [(8, 2.0), (4, 1.0)])
def test_a_tree_over_two_nodes_gains_only_with_a_nic_for_every_gpu(nics, gain):
    """Large messages over two nodes take half the time of four nodes; shared NICs take as long."""
    wiring = replace(HGX, nics_per_host=nics, nic_gbps=100.0)
    tree = {"algorithm": "tree", "protocol": "Simple"}
    two, four = (seconds("all_reduce", 2**34, spread(n, 8), wiring, **tree) for n in (16, 32))
    assert four / two == pytest.approx(gain, rel=0.02)


def test_one_rank_per_gpu_groups_use_every_nic_together():
    """Eight groups with one rank per host each get one NIC, as one group of eight gets eight."""
    size = float(2**33)
    ring = {"algorithm": "ring", "protocol": "Simple"}
    alone = seconds("all_reduce", size, spread(128, 1, sharing=8), HGX, **ring)
    crowded = seconds("all_reduce", size, spread(128, 1, sharing=8), replace(HGX, nics_per_host=4),
                      **ring)  # fmt: skip
    assert alone * 1.5 < crowded
    whole = seconds("all_reduce", 8 * size, spread(1024, 8), HGX, **ring)
    assert alone == pytest.approx(whole, rel=0.15)


def test_latency_grows_with_group_and_hops():
    """Small messages take longer over more nodes, more tiers and longer cables."""
    small = {"size": 8.0, "wiring": replace(HGX, switch_latency_s=3e-7, cable_m=10.0)}
    times = [seconds("all_reduce", group=spread(8 * n, 8), **small) for n in (1, 2, 8, 64)]
    assert times == sorted(times)
    assert times[0] < times[-1]
    far = replace(HGX, switch_latency_s=3e-7, cable_m=100.0)
    assert seconds("all_reduce", 8.0, spread(64, 8), far) > times[2]
    over_leafs = spread(64, 8, leaf=8)
    assert seconds("all_reduce", 8.0, over_leafs, small["wiring"]) > times[2]


def test_rack_scale_domain_spans_hosts():
    """72 GPUs of an NVL72 need no network; 144 use the NICs of all 18 trays of each rack."""
    rack = replace(HGX, architecture="blackwell", scale_up="nvl72", scale_up_gbytes_per_s=900.0,
                   domain_gpus=72, host_gpus=4, nics_per_host=4, network="infiniband")  # fmt: skip

    def trays(ranks: int) -> Group:
        n = np.array([ranks])
        return Group(ranks=n, per_domain=np.minimum(n, 72), per_host=np.array([4]),
                     nic_sharing=np.array([1]), per_leaf=n, per_pod=n)  # fmt: skip

    size = float(2**33)
    assert wire_bytes("all_reduce", "nvls", size, trays(72), rack).node[0] == 0.0
    two = seconds("all_reduce", size, trays(144), rack, choice="best")
    assert 1.0 < two / seconds("all_reduce", size, trays(72), rack, choice="best") < 2.0
    without = replace(rack, nics_per_host=1, nic_gbps=100.0)
    assert seconds("all_reduce", size, trays(144), without, choice="best") > 1.5 * two


def test_several_domains_in_a_host_meet_over_pcie():
    """Four GPUs in two bridged pairs are slower than four behind an NVSwitch."""
    pairs_of_two = replace(HGX, architecture="ampere", scale_up="nvlink_bridge", domain_gpus=2,
                           host_gpus=4, scale_up_gbytes_per_s=300.0, pcie_gen=4)  # fmt: skip
    four = Group(ranks=np.array([4]), per_domain=np.array([2]), per_host=np.array([4]),
                 nic_sharing=np.array([1]), per_leaf=np.array([4]), per_pod=np.array([4]))  # fmt: skip
    bridged = seconds("all_reduce", 2.0**30, four, pairs_of_two)
    switched = seconds("all_reduce", 2.0**30, spread(4, 4), replace(HGX, architecture="ampere"))
    assert bridged > 5.0 * switched


def test_arrays_broadcast_and_blocks_agree_with_single_calls():
    """A large grid of messages and groups gives what single calls give."""
    rng = np.random.default_rng(3)
    ranks = 8 * 2 ** rng.integers(0, 8, (40, 1))
    size = 2.0 ** rng.uniform(3, 34, (1, 600))
    eight = np.full_like(ranks, 8)
    group = Group(ranks=ranks, per_domain=eight, per_host=eight, nic_sharing=eight // 8,
                  per_leaf=ranks, per_pod=ranks)  # fmt: skip
    grid = collective_time("all_reduce", size, group, HGX, constants=CONSTANTS)
    assert grid.time_s.shape == (40, 600)
    for i, j in ((0, 0), (17, 311), (39, 599)):
        one = collective_time("all_reduce", size[0, j], spread(int(ranks[i, 0]), 8), HGX,
                              constants=CONSTANTS)  # fmt: skip
        assert grid.time_s[i, j] == one.time_s[0]
        assert grid.algorithm[i, j] == one.algorithm[0]
        assert grid.protocol[i, j] == one.protocol[0]


@given(collectives, groups(), wirings, sizes)
def test_bus_and_algorithm_bandwidth_relate_as_nccl_tests_defines(collective, group, wiring, size):
    """busbw over algbw is the share of a ring's link that each collective loads."""
    time = seconds(collective, size, group, wiring)
    n = float(group.ranks[0])
    assume(time > 0.0)
    algbw = size / time / 1e9
    busbw = float(busbw_gbytes_per_s(collective, size, time, n))
    factor = {"all_reduce": 2.0 * (n - 1.0) / n, "broadcast": 1.0, "reduce": 1.0, "send_recv": 1.0}
    assert busbw == pytest.approx(algbw * factor.get(collective, (n - 1.0) / n))


@given(groups(), wirings, sizes)
def test_reduce_scatter_and_all_gather_make_an_all_reduce(group, wiring, size):
    """With the ring and LL128 the two halves take as long as the whole, less one launch."""
    ring = {"algorithm": "ring", "protocol": "LL128"}
    halves = sum(seconds(c, size, group, wiring, **ring) for c in ("all_gather", "reduce_scatter"))
    whole = seconds("all_reduce", size, group, wiring, **ring)
    assume(np.isfinite(whole) and whole > 0.0)
    assert whole <= halves <= whole * 2.0


def test_empty_arrays_give_empty_times():
    """No message and no group is a question too."""
    none = np.array([], dtype=np.int64)
    group = Group(ranks=none, per_domain=none, per_host=none, nic_sharing=none, per_leaf=none,
                  per_pod=none)  # fmt: skip
    timing = collective_time("all_reduce", none, group, HGX, constants=CONSTANTS)
    assert timing.time_s.shape == (0,)


def test_without_a_network_nothing_can_leave_the_node():
    """Several nodes without NICs take for ever instead of dividing by zero."""
    assert seconds("all_reduce", 1e6, spread(16, 8), replace(HGX, nics_per_host=0)) == np.inf


@pytest.mark.parametrize(
    ("name", "value"),
    [("collective", "gossip"), ("algorithm", "Ring"), ("protocol", "ll"), ("choice", "fastest")],
)
def test_unknown_names_are_refused(name, value):
    """A misspelt name is an error, not a silent default."""
    arguments = {"collective": "all_reduce", "constants": CONSTANTS} | {name: value}
    collective = arguments.pop("collective")
    with pytest.raises(ValueError, match=f"unknown {name}"):
        collective_time(collective, 1e6, spread(8, 8), HGX, **arguments)


def test_forcing_works_like_nccl_algo():
    """A forced algorithm is used or, where it cannot be, nothing is."""
    ring = collective_time("all_reduce", 2**30, spread(8, 8), HGX, constants=CONSTANTS,
                           algorithm="ring", protocol="LL128")  # fmt: skip
    assert (ALGORITHMS[ring.algorithm[0]], PROTOCOLS[ring.protocol[0]]) == ("ring", "LL128")
    assert seconds("all_reduce", 2**30, spread(8, 8), HGX, algorithm="nvls_tree") == np.inf
    assert seconds("all_reduce", 2**30, spread(16, 8), HGX, algorithm="collnet_chain") == np.inf
