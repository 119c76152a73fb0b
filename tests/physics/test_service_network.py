"""Counts of networks beside the fabric: published figures, and laws that hold for any."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from planner.physics.refusal import Refusal
from planner.physics.service_network import (
    ServiceNeed,
    ServicePlan,
    even_shares,
    size_service_network,
)


def need(**changes: Any) -> ServiceNeed:
    """Return the storage network of 127 servers with 48 links of storage on 64-port switches."""
    usual = ServiceNeed(
        servers=127, links_per_server=2, appliance_links=48, ports=64, oversubscription=1.334,
        own_leafs=True,
    )  # fmt: skip
    return replace(usual, **changes)


def sized(**changes: Any) -> ServicePlan:
    """Return the counts."""
    plan = size_service_network(need(**changes))
    assert isinstance(plan, ServicePlan)
    return plan


def test_storage_network_of_the_published_superpod() -> None:
    """4:3 at the servers and 1:1 at storage: 8 leafs of 32 down and 24 up, as many uplinks as storage links."""
    plan = sized()
    servers, storage = plan.rows
    assert (servers.leafs, max(servers.server_links), servers.uplinks) == (8, 32, 24)
    assert (storage.leafs, storage.appliance_links, storage.uplinks) == (2, (24, 24), 24)
    assert (plan.spines, plan.uplinks, plan.switches) == (4, 240, 14)


def test_in_band_network_has_the_published_switches() -> None:
    """254 links of servers and 10 of management at 4:1 on 64 ports: 6 leafs and 2 spines."""
    plan = sized(appliance_links=10, oversubscription=4.0, own_leafs=False)
    assert (plan.leafs, plan.spines) == (6, 2)
    assert sum(plan.rows[0].server_links) == 254


def test_one_switch_where_all_links_fit() -> None:
    """Exactly as many links as ports need no second tier; one more does."""
    assert sized(servers=8).switches == 1
    assert sized(servers=9).switches > 1


def test_uplinks_are_raised_where_that_saves_spines() -> None:
    """13 uplinks a leaf become 14 on two spines, instead of 13 spines; without even spread 13 stay."""
    even = sized(appliance_links=0, servers=150, oversubscription=4.0)
    assert (even.rows[0].uplinks, even.spines) == (14, 2)
    odd = sized(appliance_links=0, servers=150, oversubscription=4.0, even_spread=False)
    assert (odd.rows[0].uplinks, odd.spines) == (13, 2)


def test_two_tiers_end() -> None:
    """Beyond what spines have ports for, the network is refused in a sentence."""
    found = size_service_network(need(servers=5000, ports=32))
    assert isinstance(found, Refusal)
    assert "two tiers" in found.reason


@given(
    servers=st.integers(1, 400),
    links=st.integers(1, 4),
    appliances=st.integers(0, 300),
    ports=st.sampled_from([16, 32, 48, 64, 128]),
    ratio=st.sampled_from([1.0, 1.334, 1.5, 2.0, 4.0]),
    own=st.booleans(),
    even=st.booleans(),
)
def test_laws(
    servers: int, links: int, appliances: int, ports: int, ratio: float, own: bool, even: bool
) -> None:
    """Every link has a port, ratios hold, no server has two links on a leaf beyond one switch."""
    asked = ServiceNeed(
        servers=servers, links_per_server=links, appliance_links=appliances, ports=ports,
        oversubscription=ratio, own_leafs=own, even_spread=even,
    )  # fmt: skip
    plan = size_service_network(asked)
    if isinstance(plan, Refusal):
        return
    assert sum(sum(row.server_links) for row in plan.rows) == servers * links
    assert sum(sum(row.appliance_links) for row in plan.rows) == appliances
    for k, row in enumerate(plan.rows):
        downs = [a + b for a, b in zip(row.server_links, row.appliance_links, strict=True)]
        assert max(downs) + row.uplinks <= ports
        if plan.spines:
            wanted = Fraction(str(ratio)) if k == 0 else Fraction(1)
            assert max(downs) <= wanted * row.uplinks
            assert k > 0 or max(row.server_links) <= servers
            assert not even or row.uplinks % plan.spines == 0
    assert plan.uplinks <= plan.spines * ports
    assert (plan.spines == 0) == (servers * links + appliances <= ports)


@given(total=st.integers(0, 1000), parts=st.integers(1, 50))
def test_shares_are_even(total: int, parts: int) -> None:
    """Shares add up and differ by one at most."""
    shares = even_shares(total, parts)
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1
