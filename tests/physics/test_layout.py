"""Where groups sit: NVSwitch hosts, racks of many trays, rank orders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from selene import WIRING

from planner.domain.strategy import Strategy
from planner.physics.layout import expert_replicas, group_over, neighbour_pair
from planner.physics.strategies import StrategyTable


def one(dimensions, wiring=WIRING, **choices):
    """Return ranks, per domain, per host and NIC sharing of one strategy's group."""
    group = group_over(StrategyTable.of([Strategy(**choices)]), dimensions, wiring)
    return tuple(
        int(value[0])
        for value in (group.ranks, group.per_domain, group.per_host, group.nic_sharing)
    )


def test_data_ranks_use_every_nic_of_their_host():
    """With one rank per host in a group, as many groups as GPUs share the host's NICs."""
    assert one(("cp", "shard"), tp=8, dp=4) == (4, 1, 1, 8)
    assert one(("cp", "shard"), tp=1, dp=32) == (32, 8, 8, 1)
    assert one(("cp", "shard"), tp=2, dp=16) == (16, 4, 4, 2)


def test_tensor_group_across_two_hosts():
    """TP16 on eight-GPU hosts has eight ranks in each of two hosts, alone on its NICs."""
    assert one(("tp",), tp=16, dp=2) == (16, 8, 8, 1)


def test_rack_is_one_domain_of_many_hosts():
    """In a 64-GPU domain of four-GPU trays an expert group of 64 stays in its domain."""
    rack = replace(WIRING, domain_gpus=64, host_gpus=4, scale_up="nvl72")
    ranks, per_domain, per_host, _ = one(("ep",), rack, dp=64, ep=64)
    assert (ranks, per_domain, per_host) == (64, 64, 4)


def test_rank_order_moves_a_dimension_inwards():
    """With dp innermost the data group fills the host and tensor ranks are strided."""
    order = "dp-tp-cp-ep-pp"
    assert one(("cp", "shard"), tp=4, dp=8, rank_order=order) == (8, 8, 8, 1)
    assert one(("tp",), tp=4, dp=8, rank_order=order) == (4, 1, 1, 8)


def test_hybrid_shard_group_is_inner():
    """HSDP over one host's ranks keeps gathers inside it and replicas outside."""
    choice = {"dp": 32, "sharding": "hsdp", "shard_group": 8}
    assert one(("cp", "shard"), **choice)[:3] == (8, 8, 8)
    assert one(("replica",), **choice) == (4, 1, 1, 8)


def test_ranks_dealt_by_turns_meet_as_few_of_their_group_as_can_be():
    """TP8 over four hosts keeps two on each and shares its NICs with three groups; TP8 of one host stays."""
    dealt = replace(WIRING, dealt=True)
    assert one(("tp",), dealt, tp=8, dp=4) == (8, 2, 2, 4)
    assert one(("tp",), dealt, tp=8, dp=16) == (8, 1, 1, 8)
    assert one(("tp",), dealt, tp=8, dp=1) == (8, 8, 8, 1)
    assert one(("cp", "shard"), dealt, tp=1, dp=32) == (32, 8, 8, 1)
    rack = replace(dealt, domain_gpus=64, host_gpus=4, scale_up="nvl72")
    assert one(("tp",), rack, tp=8, dp=16)[:3] == (8, 4, 1)
    pair = neighbour_pair(StrategyTable.of([Strategy(tp=2, pp=4, dp=4)]), dealt)
    assert int(pair.per_host[0]) == 1


def test_straddling_group_counts_its_worst_member():
    """Three tensor ranks on eight GPUs straddle hosts in some group."""
    assert one(("tp",), tp=3, dp=8)[2] == 1


def test_pipeline_neighbours():
    """Stages inside one host meet there; otherwise all GPUs of a host send at once."""
    near = neighbour_pair(StrategyTable.of([Strategy(tp=2, pp=4)]), WIRING)
    assert int(near.per_host[0]) == 2
    far = neighbour_pair(StrategyTable.of([Strategy(tp=8, pp=4)]), WIRING)
    assert (int(far.per_host[0]), int(far.nic_sharing[0])) == (1, 8)


@pytest.mark.parametrize(("ep", "etp", "expected"), [(8, 1, 4), (8, 2, 2), (32, 1, 1)])
def test_expert_replicas(ep, etp, expected):
    """Experts are replicated over what ep x etp leaves of dp x cp x tp."""
    table = StrategyTable.of([Strategy(tp=2, dp=16, ep=ep, etp=etp)])
    assert np.array_equal(expert_replicas(table), [expected])


def test_a_job_inside_one_block_straddles_nothing():
    """Where the whole job fits a host, leaf or pod its groups lie in one, whatever the sizes."""
    assert one(("cp", "shard"), tp=2, dp=3) == (3, 3, 3, 2)
    endless = StrategyTable.of([Strategy(tp=8, dp=6), Strategy(tp=8, dp=4, pp=3)])
    for hosts in (WIRING.hosts_per_leaf, 12):
        group = group_over(endless, ("cp", "shard"), replace(WIRING, hosts_per_leaf=hosts))
        assert group.per_leaf.tolist() == group.ranks.tolist()
        assert group.per_pod.tolist() == group.ranks.tolist()
