"""Ports of switches and modes of cables and modules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from planner.domain.catalog import load_catalog
from planner.domain.fabric_parts import CableAssembly

RATES = (1.0, 10.0, 25.0, 40.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0)


@pytest.mark.parametrize(
    ("switch", "link_gbps", "ports"),
    [
        ("qm9700", 400, 64),
        ("qm9700", 200, 128),
        ("qm9700", 800, 0),
        ("qm8700", 200, 40),
        ("qm8700", 100, 80),
        ("sn5600", 800, 64),
        ("sn5600", 400, 128),
        ("sn5600", 200, 256),
        ("q3400-ra", 800, 144),
        ("sn4700", 400, 32),
        ("sn4700", 200, 64),
        ("edgecore-ais800-64o", 400, 128),
        ("edgecore-ais800-64o", 100, 320),
        ("generic-25g-48", 100, 0),
    ],
)
def test_ports_by_rate(switch: str, link_gbps: float, ports: int) -> None:
    """Ports at a rate follow the cages within the breakout limit."""
    assert load_catalog().switch(switch).ports_at(link_gbps) == ports


@given(
    switch=st.sampled_from(sorted(load_catalog().switches)),
    rates=st.lists(st.sampled_from(RATES), min_size=2, max_size=2),
)
def test_slower_links_are_never_fewer(switch: str, rates: list[float]) -> None:
    """Among the rates a switch runs, the slower one has at least as many ports."""
    row = load_catalog().switch(switch)
    slow, fast = sorted(rates)
    if row.ports_at(fast):
        assert row.ports_at(slow) >= row.ports_at(fast)
    assert row.ports_at(slow) <= row.cages * row.links_per_cage(slow)


def test_uplinks_stand_apart() -> None:
    """Uplink ports are not counted with the cages of the down ports."""
    switch = load_catalog().switch("generic-25g-48")
    assert (switch.uplinks_at(100), switch.uplinks_at(25), switch.ports_at(25)) == (8, 0, 48)


def test_a_splitter_shares_its_links() -> None:
    """The a end of a 2x400G splitter carries two links, each b end one."""
    cable = load_catalog().cable("dac-800g-2x400-3m")
    assert (cable.links, cable.link_gbps, cable.ends_b, cable.gbps) == (2, 400, 2, 800)
    assert cable.links_at(400) == 2
    assert cable.links_at(800) == 0


@pytest.mark.parametrize("modes", ["", "800", "0x400", "2x400;x", "2*400"])
def test_bad_modes_are_refused(modes: str) -> None:
    """A mode is links x rate and nothing else."""
    with pytest.raises(ValidationError):
        CableAssembly.model_validate(
            {
                "id": "c",
                "source": "test",
                "spec_confidence": "retrieved",
                "kind": "DAC",
                "modes": modes,
                "families": "ethernet",
                "connector_a": "OSFP",
                "connector_b": "OSFP",
                "length_m": 1,
                "power_w_per_end": 0.1,
            }
        )


@pytest.mark.parametrize(
    ("switch", "typical_power_w", "max_power_w", "rack_units"),
    [("qm9700", 747, 1720, 1), ("qm9790", 640, 1610, 1), ("sn5600", 940, 2800, 2)],
)
def test_published_switch_power(
    switch: str, typical_power_w: float, max_power_w: float, rack_units: int
) -> None:
    """Power and size of NVIDIA's manuals stand in the table."""
    row = load_catalog().switch(switch)
    assert row.spec_kind("typical_power_w") == "retrieved"
    found = (row.typical_power_w, row.max_power_w, row.rack_units)
    assert found == (typical_power_w, max_power_w, rack_units)
