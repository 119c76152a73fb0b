"""Servers, NICs and what may be bought."""

from __future__ import annotations

from typing import get_args

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.hardware import PCIE_GBYTES_PER_S_PER_LANE, ScaleUp
from planner.physics.wiring import SCALE_UP_KINDS


def test_scale_up_kinds_are_those_of_the_physics() -> None:
    """The catalogue knows no scale-up kind that the collective model does not."""
    assert set(get_args(ScaleUp)) == set(SCALE_UP_KINDS)


@pytest.mark.parametrize(
    ("server", "gpus", "memory_gib", "max_power_w", "rack_units", "weight_kg"),
    [
        ("dgx-h100", 8, 80, 10200, 8, 130.45),
        ("dgx-h200", 8, 141, 10200, 8, 130.45),
        ("dgx-b200", 8, 180, 14300, 10, 142.4),
        ("dgx-b300", 8, 268, 14500, 10, 168),
        ("gb200-nvl72", 72, 186, 120000, 48, 1360),
    ],
)
def test_published_server_figures(
    server: str, gpus: int, memory_gib: float, max_power_w: float, rack_units: int, weight_kg: float
) -> None:
    """Retrieved figures of NVIDIA's user guides stand in the table."""
    catalog = load_catalog()
    row = catalog.server(server)
    for field in ("gpus", "max_power_w", "rack_units", "weight_kg"):
        assert row.spec_kind(field) == "retrieved"
    found = (row.gpus, row.max_power_w, row.rack_units, row.weight_kg)
    assert found == (gpus, max_power_w, rack_units, weight_kg)
    assert catalog.accelerator(row.accelerator).memory_gib == memory_gib


@pytest.mark.parametrize(
    ("accelerator", "bf16_tflops", "memory_gbytes_per_s", "scale_up_gbytes_per_s"),
    [
        ("a100-sxm-80", 312, 2039, 300),
        ("h100-sxm", 989.4, 3350, 450),
        ("h200-sxm", 989.5, 4800, 450),
        ("b200-sxm", 2250, 7700, 900),
        ("gb200", 2500, 8000, 900),
        ("mi300x", 1307.4, 5300, 448),
    ],
)
def test_published_accelerator_rates(
    accelerator: str, bf16_tflops: float, memory_gbytes_per_s: float, scale_up_gbytes_per_s: float
) -> None:
    """Dense peaks, memory and one-directional link rates are those of the data sheets."""
    row = load_catalog().accelerator(accelerator)
    for field in ("bf16_tflops", "memory_gbytes_per_s", "scale_up_gbytes_per_s"):
        assert row.spec_kind(field) == "retrieved"
    found = (row.bf16_tflops, row.memory_gbytes_per_s, row.scale_up_gbytes_per_s)
    assert found == (bf16_tflops, memory_gbytes_per_s, scale_up_gbytes_per_s)


def test_volta_has_no_bf16() -> None:
    """V100 cannot compute in BF16, so the cell is unknown and not zero."""
    for row in load_catalog().accelerators.values():
        if row.architecture == "volta":
            assert row.bf16_tflops is None


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ("dgx-h100", "out of sale"),
        ("dgx-a100-640", "out of sale"),
        ("mi355x-8", "no known price"),
        ("hgx-h100-8", ""),
        ("dgx-b200", ""),
    ],
)
def test_what_needs_a_quote_says_why(server: str, reason: str) -> None:
    """Unpriced or withdrawn servers cannot be chosen, and the reason is named."""
    row = load_catalog().server(server)
    assert row.buyable == (not reason)
    assert reason in row.not_buyable


def test_used_prices_do_not_buy() -> None:
    """A price of the used market does not make a product buyable."""
    row = load_catalog().nic("bf3-b3240")
    assert row.price is not None
    assert row.price.market == "used"
    assert "used market" in row.not_buyable


def test_average_power_falls_back_on_the_share_of_the_maximum() -> None:
    """Typical power is used where known; else the share, and the fallback says so."""
    catalog = load_catalog()
    share = catalog.rate("util-power").value
    known, unknown = catalog.server("dgx-a100-640"), catalog.server("dgx-h100")
    assert known.typical_power_w is not None
    assert catalog.average_power_w(known.id) == known.typical_power_w
    assert catalog.average_power_w(unknown.id) == pytest.approx(unknown.max_power_w * share)
    assert unknown.average_power_is_estimate


def test_an_older_slot_limits_the_card() -> None:
    """Each PCIe generation back halves a card's host limit, nearly."""
    nic = load_catalog().nic("cx7-400-1p")
    assert nic.host_limit_gbps is not None
    assert nic.host_limit_at_gbps(6) == nic.host_limit_gbps
    lanes = PCIE_GBYTES_PER_S_PER_LANE
    expected = nic.host_limit_gbps * lanes[4] / lanes[5]
    assert nic.host_limit_at_gbps(4) == pytest.approx(expected)


def test_quoted_rates_of_dgx_links() -> None:
    """A DGX H100 gives eight 400G links from four twin-port cages, limited by nothing."""
    catalog = load_catalog()
    option = catalog.nic_options("dgx-h100")[0]
    assert (option.links, option.cages, option.links_per_cage) == (8, 4, 2)
    assert catalog.nic_link_gbps(option) == 400
    assert option.included


def test_two_ports_share_one_slot() -> None:
    """Two 400G ports of one card in a Gen5 slot get less than their line rate."""
    catalog = load_catalog()
    option = catalog.nic_option("rtxpro6000-8+8x400-cx8-400-2p")
    assert 200 < catalog.nic_link_gbps(option) < 400
