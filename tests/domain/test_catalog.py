"""Lookups, quotes and what the shipped tables must always hold."""

from __future__ import annotations

import csv

import pytest

from planner.domain.catalog import HARDWARE, load_catalog
from planner.domain.catalog_load import TABLES, columns
from planner.domain.errors import InputError
from planner.domain.hardware import HardwareRow
from planner.domain.price import Price
from planner.domain.resources import data_root

QUOTE = Price(usd=100, kind="quote", date="2026-11", source="an offer")


def test_every_price_has_kind_date_and_source() -> None:
    """No figure of money stands without its origin."""
    priced = 0
    for table in TABLES:
        for row in load_catalog().table(table).values():
            if isinstance(row, HardwareRow) and row.price is not None:
                priced += 1
                assert row.price.kind, row.id
                assert row.price.date, row.id
                assert row.price.source, row.id
    assert priced > 300


def test_every_row_has_a_source() -> None:
    """Every row of every table names where its figures come from."""
    for table in TABLES:
        for row in load_catalog().table(table).values():
            assert len(row.source) >= 3, row.id


def test_shipped_files_use_known_columns_in_plain_csv() -> None:
    """The files are UTF-8 with LF, one header, and every known column stands in its file."""
    for table in TABLES:
        data = (data_root() / HARDWARE / f"{table}.csv").read_bytes()
        assert b"\r" not in data
        header = next(csv.reader([data.decode("utf-8").splitlines()[0]]))
        optional = {"availability", "note"}
        assert set(header) <= set(columns(table))
        assert set(columns(table)) - set(header) <= optional, table


def test_unknown_ids_name_the_nearest() -> None:
    """A lookup that fails says what was probably meant."""
    catalog = load_catalog()
    with pytest.raises(InputError, match="dgx-h100"):
        catalog.server("dgx-h10")
    with pytest.raises(InputError, match="qm9700"):
        catalog.where("qm9701")
    with pytest.raises(InputError, match="switches"):
        catalog.table("switch")


def test_quotes_replace_prices_by_id() -> None:
    """A quote makes an unpriced product buyable and leaves the catalogue itself alone."""
    catalog = load_catalog()
    quoted = catalog.with_quotes({"mi355x-8": QUOTE, "qm9700": QUOTE})
    assert quoted.server("mi355x-8").buyable
    assert quoted.switch("qm9700").price == QUOTE
    assert catalog.server("mi355x-8").price is None


def test_wrong_quotes_are_all_named() -> None:
    """Quotes for unknown ids and for rows without a price are refused together."""
    with pytest.raises(InputError) as caught:
        load_catalog().with_quotes({"qm970": QUOTE, "util-power": QUOTE})
    assert len(caught.value.faults) == 2


def test_a_price_factor_scales_both_ends() -> None:
    """A what-if factor multiplies price and range of the named tables only."""
    catalog = load_catalog()
    scaled = catalog.with_price_factor(["switches"], 2.0)
    before, after = catalog.switch("qm9700").price, scaled.switch("qm9700").price
    assert before is not None
    assert after is not None
    assert (after.usd, after.at("high")) == (2 * before.usd, 2 * before.at("high"))
    assert scaled.server("dgx-b200").price == catalog.server("dgx-b200").price


def test_options_begin_with_the_usual_one() -> None:
    """The first NIC option of every server is its default."""
    catalog = load_catalog()
    for server in catalog.servers:
        options = catalog.nic_options(server)
        assert options[0].default, server


def test_a_platform_needs_server_and_cards_to_be_buyable() -> None:
    """The reason names the part that cannot be bought."""
    catalog = load_catalog()
    assert catalog.platform_not_buyable(catalog.nic_options("hgx-h100-8")[0]) == ""
    reason = catalog.platform_not_buyable(catalog.nic_options("dgx-h100")[0])
    assert reason.startswith("dgx-h100 is out of sale")


def test_a_rack_scale_server_is_made_of_hosts() -> None:
    """An NVL72 is 18 hosts of 4 GPUs in one domain and takes its own rack."""
    server = load_catalog().server("gb200-nvl72")
    assert (server.hosts, server.host_gpus, server.domain_gpus) == (18, 4, 72)
    assert server.takes_whole_rack
