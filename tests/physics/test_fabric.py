"""Fabric counts against published reference designs, and the rules they follow from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.design import FabricChoice, FabricPlan
from planner.physics.fabric import size_fabric, spine_count
from planner.physics.oversubscription import oversubscription, split_ports
from planner.physics.refusal import Refusal


@dataclass(frozen=True)
class Ports:
    """A switch with a number of ports at one rate."""

    ports: int

    def ports_at(self, link_gbps: float) -> int:
        return self.ports


def rails(servers: int, radix: int, links: int = 8, **options) -> FabricPlan | Refusal:
    """Return a rail-optimised fabric of equal leafs and spines."""
    choice = FabricChoice(
        family="infiniband",
        topology="rail_optimised",
        oversubscription=options.pop("oversubscription", 1.0),
        even_spread=options.pop("even_spread", True),
    )
    return size_fabric(choice, servers, links, 400.0, Ports(radix), Ports(radix), **options)


# (nodes, radix, links, reserved slots, leafs, spines, node-leaf, leaf-spine); node-leaf without
# the four links of the fabric manager. DGX SuperPOD reference architectures: H100 (RA-11333-001
# v11, tables 3 and 4), B200 (table 4), B300 XDR and Ethernet (table 3; one plane of two 400G
# ports per 800G port), Asterfusion AI back-end guide.
PUBLISHED = [
    ("NV-H100-1SU-UFM", 31, 64, 8, 1, 8, 4, 248, 256),
    ("NV-H100-2SU-UFM", 63, 64, 8, 1, 16, 8, 504, 512),
    ("NV-H100-3SU-UFM", 95, 64, 8, 1, 24, 16, 760, 768),
    ("NV-H100-4SU-UFM", 127, 64, 8, 1, 32, 16, 1016, 1024),
    ("NV-H100-4SU", 128, 64, 8, 0, 32, 16, 1024, 1024),
    ("NV-H100-8SU", 256, 64, 8, 0, 64, 32, 2048, 2048),
    ("NV-B200-2SU", 64, 64, 8, 0, 16, 8, 512, 512),
    ("NV-B200-4SU", 128, 64, 8, 0, 32, 16, 1024, 1024),
    ("NV-B200-8SU", 256, 64, 8, 0, 64, 32, 2048, 2048),
    ("NV-B200-4SU-UFM", 127, 64, 8, 1, 32, 16, 1016, 1024),
    ("NV-B300X-1SU", 72, 144, 8, 0, 8, 4, 576, 576),
    ("NV-B300X-2SU", 144, 144, 8, 0, 16, 8, 1152, 1152),
    ("NV-B300X-4SU", 288, 144, 8, 0, 32, 18, 2304, 2304),
    ("NV-B300X-8SU", 576, 144, 8, 0, 64, 36, 4608, 4608),
    ("NV-B300X-18SU", 1296, 144, 8, 0, 144, 72, 10368, 10368),
    ("ERA-2-8-9-400-SP-SU32", 128, 128, 8, 0, 16, 8, 1024, 1024),
    ("ASTER-64x4", 64, 128, 4, 0, 4, 2, 256, 256),
]


@pytest.mark.parametrize("case", PUBLISHED, ids=[row[0] for row in PUBLISHED])
def test_published_design(case):
    """The counts of a published reference design come out exactly."""
    _, nodes, radix, links, reserved, leafs, spines, node_leaf, leaf_spine = case
    plan = rails(nodes, radix, links, reserved_slots=reserved)
    assert isinstance(plan, FabricPlan)
    assert (plan.leafs, plan.spines) == (leafs, spines)
    assert (plan.node_leaf_links, plan.leaf_spine_links) == (node_leaf, leaf_spine)
    assert plan.tiers == 2
    assert plan.uplink_ratio == 1.0


def test_three_units_need_an_even_spread():
    """95 H100 nodes take 16 spines so that every leaf reaches each alike; 12 would carry them."""
    even = rails(95, 64, reserved_slots=1)
    uneven = rails(95, 64, reserved_slots=1, even_spread=False)
    assert (even.spines, even.links_per_leaf_spine) == (16, 2)
    assert uneven.spines == 12


def test_two_tiers_end_where_spines_run_out_of_ports():
    """1296 XDR nodes fit two tiers of radix 144, one more does not and the reason names it."""
    last = rails(1296, 144)
    assert last.servers * 8 == 10_368
    refused = rails(1297, 144)
    assert isinstance(refused, Refusal)
    assert "152 leafs" in refused.reason
    assert "144 ports" in refused.reason


@pytest.mark.parametrize(
    ("servers", "uplink_gbps", "ratio"),
    [(4, 200, 1), (4, 400, Fraction(1, 2)), (4, 800, Fraction(1, 4)),
     (8, 200, 2), (8, 400, 1), (8, 800, Fraction(1, 2))],
)  # fmt: skip
def test_oversubscription_counts_bandwidth(servers, uplink_gbps, ratio):
    """Juniper's lab: 2 stripes of 8 leafs with 4 uplinks each, servers with 8 x 400 Gb/s."""
    down_links = servers * 8 // 16
    assert oversubscription(down_links, 400, 4, uplink_gbps) == ratio


def test_one_switch_needs_no_spine():
    """Four servers with four links fit one switch of 128 ports."""
    choice = FabricChoice(family="roce", topology="single")
    plan = size_fabric(choice, 4, 4, 400.0, Ports(128))
    assert (plan.leafs, plan.spines, plan.node_leaf_links, plan.tiers) == (1, 0, 16, 1)
    assert plan.units[0].servers == 4
    refused = size_fabric(choice, 33, 4, 400.0, Ports(128))
    assert "132 ports" in refused.reason


def test_one_server_needs_no_switch():
    """Direct holds one server only."""
    choice = FabricChoice(family="none", topology="direct")
    plan = size_fabric(choice, 1, 8, 400.0)
    assert (plan.switches, plan.node_leaf_links, plan.tiers) == (0, 0, 0)
    assert isinstance(size_fabric(choice, 2, 8, 400.0), Refusal)


def test_leaf_spine_keeps_a_server_on_few_leafs():
    """Eight links stay on one leaf; 72 links of a rack are shared by three leafs of 64 ports."""
    choice = FabricChoice(family="infiniband", topology="leaf_spine")
    plan = size_fabric(choice, 10, 8, 400.0, Ports(64), Ports(64))
    assert [unit.servers for unit in plan.units] == [4, 4, 2]
    assert (plan.leafs, plan.links_per_server_leaf, plan.hosts_per_leaf) == (3, 8, 4)
    wide = size_fabric(choice, 2, 72, 400.0, Ports(64), Ports(64))
    assert (wide.leafs, wide.links_per_server_leaf, wide.hosts_per_leaf) == (6, 24, 1)
    assert wide.uplinks_per_leaf == 24


def test_two_tiers_under_one_leaf_are_refused():
    """A spine above a single leaf joins nothing."""
    choice = FabricChoice(family="infiniband", topology="leaf_spine")
    refused = size_fabric(choice, 4, 8, 400.0, Ports(64), Ports(64))
    assert "single switch" in refused.reason


def test_split_ports_is_the_best_split():
    """The closed form equals trying every split."""
    for ports in range(2, 70):
        for wanted in (0.5, 1.0, 1.1, 1.5, 2.0, 3.0, 64.0):
            a = Fraction(str(wanted))
            splits = [
                (d, u) for d in range(1, ports) for u in range(1, ports - d + 1) if d <= a * u
            ]
            best = max(splits, key=lambda s: (s[0], -s[1]), default=(0, 0))
            assert split_ports(ports, wanted) == best


TOPOLOGIES = st.sampled_from(["single", "leaf_spine", "rail_optimised"])


@given(
    TOPOLOGIES,
    st.integers(1, 80),
    st.integers(1, 24),
    st.sampled_from([16, 32, 36, 40, 64, 128, 144]),
    st.sampled_from([16, 32, 64, 128]),
    st.sampled_from([1.0, 1.5, 2.0, 3.0, 4.0]),
    st.booleans(),
    st.integers(0, 2),
)
def test_plans_are_buildable_and_monotone(
    topology, servers, links, radix, spine_radix, wanted, even, reserved
):
    """Every plan keeps to ports and ratio, and one more server never lowers a count."""
    choice = FabricChoice(
        family="roce", topology=topology, oversubscription=wanted, even_spread=even
    )

    def sized(n):
        return size_fabric(choice, n, links, 400.0, Ports(radix), Ports(spine_radix), reserved)

    plan, more = sized(servers), sized(servers + 1)
    if isinstance(plan, Refusal):
        assert plan.reason
        return
    assert sum(unit.servers for unit in plan.units) == servers
    assert sum(unit.leafs for unit in plan.units) == plan.leafs
    per_unit = plan.units[0].leafs
    assert per_unit * plan.links_per_server_leaf == links
    assert plan.hosts_per_leaf * len(plan.units) >= servers + reserved
    used = plan.hosts_per_leaf * plan.links_per_server_leaf
    assert used <= plan.down_ports_per_leaf
    assert plan.down_ports_per_leaf + plan.uplinks_per_leaf <= radix
    if plan.spines:
        assert used <= Fraction(str(wanted)) * plan.uplinks_per_leaf
        assert plan.leafs * plan.uplinks_per_leaf <= plan.spines * spine_radix
        assert plan.spines <= plan.uplinks_per_leaf
        if even:
            assert plan.uplinks_per_leaf == plan.spines * plan.links_per_leaf_spine
            assert plan.leafs * plan.links_per_leaf_spine <= spine_radix
        assert plan.uplink_ratio == min(1.0, plan.uplinks_per_leaf / used)
    if isinstance(more, FabricPlan):
        for count in (
            "leafs",
            "spines",
            "node_leaf_links",
            "leaf_spine_links",
            "switches",
            "tiers",
        ):
            assert getattr(more, count) >= getattr(plan, count)


def test_spine_count_without_a_spine_switch():
    """No spine ports, no second tier."""
    assert spine_count(2, 4, 0, even_spread=True) is None
