"""What changes no decision: the size of the currency, and room that holds nothing."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.instance import Instance
from tests.program.random_instances import random_instance
from tests.program.test_laws import best, changed, within

SEEDS = range(1000, 1008)


def twice(instance: Instance) -> Instance:
    """Return an instance in which everything that is paid costs exactly twice as much."""
    catalog = load_catalog()
    quotes: dict[str, dict[str, Any]] = {}
    for table in dataclasses.fields(catalog):
        for part, row in getattr(catalog, table.name).items():
            price = getattr(row, "price", None)
            if price is not None and row.buyable:
                quotes[part] = {"usd": 2 * price.usd, "date": "2026-09"}
    for part, quote in instance.quotes.items():
        quotes[part] = quote.model_dump() | {"usd": 2 * quote.usd}
    document = instance.model_dump(by_alias=True)
    site, finance, storage = document["site"], document["finance"], document["storage"]
    rates = {row.id: row.value for row in catalog.rates.values()}
    kwh = site["electricity_usd_per_kwh"]
    site["electricity_usd_per_kwh"] = 2 * (rates["el-default-us"] if kwh is None else kwh)
    for part, key in ((site, "space_usd_per_kw_month"), (finance, "software_usd_per_gpu_year"),
                      (storage or {}, "price_usd"), (document["budget"], "capex_usd")):  # fmt: skip
        if part.get(key) is not None:
            part[key] *= 2
    return Instance.model_validate(document | {"quotes": quotes})


@pytest.mark.parametrize("seed", SEEDS)
def test_a_currency_of_half_the_worth_changes_no_design(seed: int) -> None:
    """Every price, rate and budget doubled: the same design at twice the cost, to rounding."""
    instance = random_instance(seed).instance
    if (instance.site.electricity_usd_per_kwh or 0) > 5:  # twice as much is more than is allowed
        instance = within(instance, "site", electricity_usd_per_kwh=5.0)
    _, found = best(instance)
    _, again = best(twice(instance))
    assert (found is None) == (again is None)
    if found is None or again is None:
        return
    assert again.column.option.server.id == found.column.option.server.id
    assert again.column.nodes == found.column.nodes
    assert again.column.plan.choice == found.column.plan.choice
    units = sum(found.placed.placement.parts.values()) + 40 * found.column.nodes
    assert abs(again.placed.cost_cents - 2 * found.placed.cost_cents) <= 4 * units


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rack_that_nothing_may_stand_in_changes_nothing(seed: int) -> None:
    """One place more, and that blocked: the same design, places and cost."""
    instance = within(random_instance(seed).instance, "site", racks_per_row=12)
    _, found = best(instance)
    site = instance.site.model_dump()
    place = {"row": 1, "columns": [site["racks"] + 1], "blocked": True}
    floor = (site.get("floor") or {}) | {"places": [place]}
    more = changed(instance, site=site | {"racks": site["racks"] + 1, "floor": floor})
    _, again = best(more)
    assert (found is None) == (again is None)
    if found is not None and again is not None:
        assert again.placed.cost_cents == found.placed.cost_cents
        assert again.column.plan.choice == found.column.plan.choice
        assert again.column.nodes == found.column.nodes


def test_the_currency_of_the_report_changes_no_cent() -> None:
    """What is paid stays in US dollars; the report converts."""
    instance = random_instance(1003).instance
    _, found = best(instance)
    finance = {"report_currency": "EUR", "usd_per_unit": 1.08, "rate_date": "2026-09-01"}
    _, again = best(within(instance, "finance", **finance))
    assert found is not None
    assert again is not None
    assert again.placed == found.placed
