"""Larger fabrics against published designs; sources in each case."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.design import FabricChoice
from planner.physics.clos import ClosCounts, ClosNeed, JoinedPair, joined_pair, size_clos
from planner.physics.fabric import size_fabric
from planner.physics.oversubscription import oversubscription
from planner.physics.refusal import Refusal
from tests.program.random_rooms import Ports


def superpod(nodes: int, **other) -> ClosCounts | Refusal:
    """Return 8 x 400G nodes on switches of 64 ports, up to three tiers."""
    ports = {"leaf_ports": 64, "spine_ports": 64, "core_ports": 64}
    return size_clos(ClosNeed(servers=nodes, links_per_server=8, **ports | other))


@pytest.mark.parametrize(
    ("nodes", "switches", "links"),
    [
        (128, (32, 16, 0), 1024),
        (256, (64, 32, 0), 2048),
        (512, (128, 128, 64), 4096),
        (1024, (256, 256, 128), 8192),
        (2048, (512, 512, 256), 16384),
    ],
)
def test_superpod_tiers(nodes, switches, links):
    """DGX H100 and B200 SuperPOD (RA-11333-001 v11 table 3): three tiers past 256 nodes."""
    counts = superpod(nodes)
    assert (counts.leafs, counts.spines, counts.cores) == switches
    assert counts.node_leaf_links == counts.leaf_spine_links == links
    assert counts.spine_core_links == (links if counts.cores else 0)
    assert counts.tiers == (3 if counts.cores else 2)


@pytest.mark.parametrize("k", [4, 8, 16, 48, 64])
def test_k_ary_fat_tree(k):
    """A full three-tier tree has k^2/2 edge and aggregation switches and k^2/4 cores."""
    need = ClosNeed(
        servers=k**3 // 4, links_per_server=1, leaf_ports=k, spine_ports=k, core_ports=k
    )
    counts = size_clos(need)
    assert (counts.leafs, counts.spines, counts.cores) == (k * k // 2, k * k // 2, k * k // 4)
    more = ClosNeed(
        servers=k**3 // 4 + 1, links_per_server=1, leaf_ports=k, spine_ports=k, core_ports=k
    )
    assert isinstance(size_clos(more), Refusal)


@pytest.mark.parametrize(
    ("nodes", "leafs", "spines"),
    [(64, 16, 8), (128, 32, 16), (256, 64, 32), (512, 128, 64), (1024, 256, 128)],
)
def test_b300_ethernet_planes(nodes, leafs, spines):
    """DGX B300 on Spectrum-X: 800G ports as two planes of 400G on 128 ports."""
    need = ClosNeed(servers=nodes, links_per_server=8, leaf_ports=128, spine_ports=128, planes=2)
    counts = size_clos(need)
    assert (counts.leafs, counts.spines, counts.cores) == (leafs, spines, 0)


def test_b300_ethernet_in_one_plane_needs_more_tiers():
    """512 nodes at 800G on 64 ports do not fit two tiers."""
    choice = FabricChoice(family="roce", topology="rail_optimised")
    assert isinstance(size_fabric(choice, 512, 8, 800.0, Ports(64), Ports(64)), Refusal)


def test_alibaba_hpn_pod():
    """15,360 GPUs, NICs homed on two ToRs: 128 x 200G down, 60 x 400G up; 120 down + 8 up above."""
    need = ClosNeed(
        servers=1920, links_per_server=8, leaf_ports=188, spine_ports=128, planes=2,
        leaf_split=(128, 60), spine_split=(120, 8),
    )  # fmt: skip
    counts = size_clos(need)
    assert (counts.leafs, counts.spines) == (240, 120)
    assert (counts.node_leaf_links, counts.leaf_spine_links) == (30_720, 14_400)
    assert oversubscription(128, 200, 60, 400) == Fraction(16, 15)
    assert oversubscription(120, 400, 8, 400) == 15


def test_gb200_unit():
    """8 racks of 18 trays, a leaf for each rack and rail: 32 leafs and 24 spines (6 a rail)."""
    need = ClosNeed(
        servers=144, links_per_server=4, leaf_ports=64, spine_ports=64, rails_joined=False,
        leaf_split=(18, 18), spine_split=(24, 24),
    )  # fmt: skip
    counts = size_clos(need)
    assert (counts.leafs, counts.spines) == (32, 24)
    assert counts.node_leaf_links == counts.leaf_spine_links == 576


@pytest.mark.parametrize(("rails", "leafs"), [(True, 20), (False, 18)])
def test_gb200_without_rack_locality(rails, leafs):
    """Filled by ports the same unit takes 20 leafs with pure rails, 18 with mixed ones."""
    need = ClosNeed(servers=144, links_per_server=4, leaf_ports=64, spine_ports=64, rails=rails)
    assert size_clos(need).leafs == leafs


def test_rail_only_saves_two_fifths():
    """2048 nodes: 1280 switches joined, 768 in eight rail fabrics (a public H100 price sheet)."""
    joined, apart = superpod(2048), superpod(2048, rails_joined=False)
    assert (joined.switches, apart.switches) == (1280, 768)
    assert (apart.leafs, apart.spines) == (512, 256)


@pytest.mark.parametrize(
    ("nodes", "switches"),
    [(64, 8), (128, 48), (256, 96), (512, 192), (1024, 384), (2048, 768),
     (4096, 2560), (8192, 5120), (16384, 10240)],
)  # fmt: skip
def test_rail_only_price_sheet(nodes, switches):
    """The sheet's totals are eight separate rail fabrics of 64-port switches."""
    assert superpod(nodes, rails_joined=False).switches == switches


@pytest.mark.parametrize(("radix", "joined", "apart"), [(64, 2560, 1536), (128, 1280, 256)])
def test_rail_only_in_large_domains(radix, joined, apart):
    """32,768 GPUs in NVLink domains of 256 (recomputed from arXiv 2307.12169)."""
    ports = {"leaf_ports": radix, "spine_ports": radix, "core_ports": radix}
    whole = size_clos(ClosNeed(servers=32_768, links_per_server=1, **ports))
    rails = size_clos(ClosNeed(servers=128, links_per_server=256, rails_joined=False, **ports))
    assert (whole.switches, rails.switches) == (joined, apart)
    assert 2 * (whole.node_leaf_links + whole.leaf_spine_links + whole.spine_core_links) == 196_608


def test_joined_pairs_reach_the_published_sizes():
    """Enterprise RA 2-8-9-400: 12 nodes collapse into a pair with room beside, 16 fill it, 20 do not."""
    assert joined_pair(12, 4, 128, 24) == JoinedPair(down_links=48, across_links=48, free_ports=32)
    assert joined_pair(16, 4, 128).free_ports == 0
    assert "beside 24" in joined_pair(16, 4, 128, 24).reason
    assert isinstance(joined_pair(17, 4, 128), Refusal)
    assert joined_pair(32, 2, 128).free_ports == 0
    choice = FabricChoice(family="roce", topology="rail_optimised")
    spread = size_fabric(choice, 64, 8, 400.0, Ports(128), Ports(128))
    assert (spread.leafs, spread.spines) == (8, 4)


@given(st.integers(1, 3000), st.sampled_from([8, 16, 32]), st.booleans(), st.integers(1, 4))
def test_counts_never_fall_with_servers(servers, radix, rails, links):
    """One more server never lowers switches or links, across all changes of tier."""

    def sized(n):
        return size_clos(
            ClosNeed(
                servers=n, links_per_server=links, leaf_ports=radix, spine_ports=radix,
                core_ports=radix, rails=rails,
            )
        )  # fmt: skip

    less, more = sized(servers), sized(servers + 1)
    if isinstance(less, Refusal):
        assert isinstance(more, Refusal)
    elif isinstance(more, ClosCounts):
        for field in ("leafs", "spines", "cores", "node_leaf_links", "leaf_spine_links"):
            assert getattr(more, field) >= getattr(less, field)
