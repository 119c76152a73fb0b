"""Offers for rent: the table is sound, and an instance's choice is checked."""

from __future__ import annotations

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.cloud import Cloud, allowed_offers, read_offers, shipped_offers
from planner.domain.errors import InputError


def test_every_offer_is_sourced_dated_and_stands_for_a_server() -> None:
    """Ids are unique, terms of an offer too, and the platform is in the catalogue."""
    offers, catalog = shipped_offers(), load_catalog()
    assert len({o.id for o in offers}) == len(offers)
    assert len({(o.offer, o.term) for o in offers}) == len(offers)
    for offer in offers:
        nics = catalog.server_nics[offer.platform]
        assert catalog.server(nics.server).gpus == 8
        assert offer.source
        assert offer.price_source
        assert offer.price_kind == "list price"
        assert offer.price_date >= "2026"


def test_longer_terms_are_cheaper_by_the_hour() -> None:
    """No provider sells a longer reservation at a higher rate."""
    rates = {(o.offer, o.term): o.usd_per_hour for o in shipped_offers()}
    for (offer, term), rate in rates.items():
        for shorter, longer in (("on_demand", "1y"), ("1y", "3y")):
            if term == shorter and (offer, longer) in rates:
                assert rates[offer, longer] < rate


def test_an_instance_chooses_and_reprices() -> None:
    """By provider, by offer, by term; own rates replace and the factor multiplies."""
    offers = shipped_offers()
    cloud = Cloud(
        allow=["CoreWeave"], terms=["on_demand"], price_factor=0.5,
        usd_per_hour={"coreweave-8x-h100-hgx-on-demand": 40.0},
    )  # fmt: skip
    found = {o.id: o.usd_per_hour for o in allowed_offers(cloud, offers)}
    assert found["coreweave-8x-h100-hgx-on-demand"] == 20.0
    assert {o.provider for o in allowed_offers(cloud, offers)} == {"CoreWeave"}
    assert len(allowed_offers(Cloud(terms=["spot"]), offers)) >= 1


def test_unknown_names_are_all_named() -> None:
    """An offer and a row that the table does not have."""
    with pytest.raises(InputError) as caught:
        allowed_offers(Cloud(allow=["Nobody"], usd_per_hour={"x": 1.0}), shipped_offers())
    assert len(caught.value.faults) == 2


def test_faulty_rows_are_named_with_their_line(tmp_path) -> None:
    """Every fault of the file at once."""
    good = "id,offer,provider,instance,region,platform,family,term,usd_per_hour,price_kind,"
    good += "price_date,price_source,source,network,note\n"
    rows = "a,a,P,i,r,p,roce,on_demand,-1,list price,2026,s,s,sourced,\n"
    rows += "b,b,P,i,r,p,roce,never,1,list price,2026,s,s,sourced,\n"
    file = tmp_path / "cloud.csv"
    file.write_text(good + rows)
    with pytest.raises(InputError) as caught:
        read_offers(file)
    assert [f.where.split(",")[0] for f in caught.value.faults] == ["line 2", "line 3"]
