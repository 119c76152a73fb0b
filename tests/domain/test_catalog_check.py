"""The named checks find nothing in our tables, and find what is planted."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.catalog_check import CHECKS, check_catalog, quality

QUOTE = "price_usd,price_kind,price_date,price_source"


def test_the_shipped_catalogue_is_consistent() -> None:
    """No check finds a fault."""
    found = check_catalog(load_catalog())
    assert len(found) == len(CHECKS)
    assert [str(fault) for faults in found.values() for fault in faults] == []


@pytest.mark.parametrize(
    ("table", "text", "check", "expected"),
    [
        ("switches", "id,typical_power_w\nqm9700,3000\n", "switches", "typical power"),
        ("switches", "id,ports\nqm9700,63\n", "switches", "ports x port_gbps"),
        ("switches", "id,roce\nqm9700,yes\n", "switches", "no RoCE"),
        ("servers", "id,hosts\ngb200-nvl72,17\n", "servers", "hosts x 4 GPUs"),
        ("servers", "id,domain_gpus\ndgx-b200,16\n", "servers", "do not divide"),
        ("server_nics", "id,links\ngb200-nvl72+72x400-cx7-400-1p,70\n", "nic_options", "70 links"),
        (
            "server_nics",
            "id,count\nl40s-8-pcie+4x400-cx7-400-1p,5\n",
            "nic_options",
            "5 cards in 4 slots",
        ),
        (
            "server_nics",
            "id,families\nws-4x-a6000+1x10-generic-10-2p,infiniband\n",
            "nic_options",
            "speaks",
        ),
        ("cables", "id,modes\ndac-800g-2x400-3m,2x800\n", "link_parts", "carries less"),
        (
            "transceivers",
            "id,fibre_connector\nosfp-800g-2xsr4,MPO-24\n",
            "link_parts",
            "no OM4 fibre",
        ),
        (
            "cables",
            f"id,{QUOTE}\ndac-100g-3m,1,quote,2026,an offer\n",
            "price_rises_with_length",
            "costs less",
        ),
        (
            "switches",
            f"id,{QUOTE}\nqm9700,1,own interpolation,2026,a dream\n",
            "price_kinds",
            "own interpolation",
        ),
        ("nics", "id,fields_from_memory\ncx7-400-1p,colour\n", "spec_confidence", "no field"),
        ("rates", "id,value\nutil-power,1.4\n", "rates", "outside"),
        ("connectors", "id,accepts\nOSFP224,OSFP\n", "every_port_can_be_wired", "q3400-ra"),
    ],
)
def test_a_planted_fault_is_found(
    tmp_path: Path, table: str, text: str, check: str, expected: str
) -> None:
    """The check of that name reports the fault."""
    (tmp_path / f"{table}.csv").write_text(text, encoding="utf-8")
    found = check_catalog(load_catalog(tmp_path))[check]
    assert any(expected in str(fault) for fault in found), found


def test_quality_counts_every_row_once() -> None:
    """Confidence and price kinds each add up to the rows."""
    for count in quality(load_catalog()).values():
        known = ("retrieved", "retrieved in part", "from memory")
        assert sum(count[kind] for kind in known) == count["rows"]
