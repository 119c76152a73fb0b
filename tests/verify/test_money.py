"""The checker's own present value against the one that makes the answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.domain.catalog import load_catalog
from planner.domain.instance import Instance
from planner.physics.costs import MoneyRules, unit_cost
from planner.verify.money import Money, Span, rounded

PARTS = (
    ("hgx-h100-8", "servers"), ("gb200-nvl72", "servers"), ("qm9700", "switches"),
    ("sn2201", "out_of_band"), ("osfp-800g-2xsr4", "transceivers"), ("dac-800g-2x400-2m", "cables"),
    ("fib-om4-mpo12apc-10m", "cables"), ("rack-48u-800", "racks"),
)  # fmt: skip


def _instance(years: float, rate: float, resale: float, **site: float) -> Instance:
    return Instance.model_validate({
        "name": "money", "workloads": [
            {"name": "a", "network": "gpt2-xl", "global_batch": 8, "step_time_s": 1.0}],
        "site": {"racks": 4, "rack_kw": 40.0, **site},
        "finance": {
            "years": years, "discount_rate": rate, "resale_share": resale,
            "installation_share": 0.03, "software_usd_per_gpu_year": 450.0,
        },
    })  # fmt: skip


@given(
    years=st.floats(0.25, 20).map(lambda y: round(y, 2)),
    rate=st.floats(0, 0.5).map(lambda r: round(r, 3)),
    resale=st.floats(0, 1).map(lambda r: round(r, 2)),
    usd=st.floats(0, 5e6).map(lambda u: round(u, 2)),
    part=st.sampled_from(PARTS),
    kwh=st.floats(0, 1).map(lambda k: round(k, 4)),
)
@settings(deadline=None, max_examples=150)
def test_two_ways_to_count_present_value_agree(years, rate, resale, usd, part, kwh):
    """Both count every line of a unit to the same cent, whatever the finance rules."""
    catalog = load_catalog()
    instance = _instance(
        years, rate, resale, electricity_usd_per_kwh=kwh, pue=1.25, space_usd_per_kw_month=150.0
    )
    name, component = part
    money = Money(instance=instance, catalog=catalog)
    rates = {row_id: row.value for row_id, row in catalog.rates.items()}
    rules = MoneyRules(
        years=years, discount_rate=rate, electricity_usd_per_kwh=kwh, pue=1.25,
        support_share_per_year={
            "servers": rates["mnt-server"], "switches": rates["mnt-network"],
            "out_of_band": rates["mnt-network"],
        },
        spares_share={"transceivers": rates["mnt-spares"], "cables": rates["mnt-spares"]},
        installation_share=0.03, resale_share=resale, software_usd_per_gpu_year=450.0,
        space_usd_per_kw_month=150.0,
    )  # fmt: skip
    server = catalog.servers.get(name) if component == "servers" else None
    expected = unit_cost(
        rules, component=component, price_usd=usd, average_w=money.average(name),
        max_w=money.maximum(name), gpus=server.gpus if server else 0,
    )  # fmt: skip
    counted = money.value(name, component, usd)
    for line in ("capex", "energy", "support", "other"):
        span: Span = getattr(counted, line)
        assert span.low <= getattr(expected, line) <= span.high, line
        assert span.high - span.low <= 4


def test_annuity_of_whole_years_is_the_closed_form():
    """Four years at eight percent are worth (1 - 1.08^-4) / 0.08 yearly payments."""
    money = Money(instance=_instance(4.0, 0.08, 0.0), catalog=load_catalog())
    assert money.annuity == pytest.approx((1 - 1.08**-4) / 0.08, rel=1e-12)


def test_a_last_partial_year_pays_its_share_at_the_end():
    """Two and a half years pay half a year's dollar at the end of the horizon."""
    money = Money(instance=_instance(2.5, 0.1, 0.0), catalog=load_catalog())
    assert money.annuity == pytest.approx(1 / 1.1 + 1 / 1.1**2 + 0.5 / 1.1**2.5, rel=1e-12)


def test_an_amount_on_the_rounding_edge_may_go_either_way():
    """Half a cent that binary fractions blur is accepted up and down, a cent off is not."""
    span = rounded(1.005)
    assert span.holds(1.0)
    assert span.holds(1.01)
    assert not span.holds(1.02)
    assert rounded(1.004).holds(1.0)
    assert not rounded(1.004).holds(1.01)


def test_a_quote_replaces_the_catalogue_and_the_factor_meets_the_network_only(catalog):
    """Quotes win; the network price factor multiplies switches, not management switches."""
    instance = _instance(5.0, 0.08, 0.0).model_copy(update={"network_price_factor": 2.0})
    money = Money(instance=instance, catalog=catalog)
    assert money.unit_usd("qm9700", "switches") == 72_000.0
    assert money.unit_usd("sn2201", "out_of_band") == 4200.0
    quoted = Instance.model_validate(
        instance.model_dump() | {"quotes": {"qm9700": {"usd": 10.0, "date": "2026-01"}}}
    )
    assert Money(instance=quoted, catalog=catalog).unit_usd("qm9700", "switches") == 20.0
