"""Which platforms and fabrics an instance may buy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.program.fabrics import fabric_choices, usable_switches
from planner.program.platforms import platform_options
from planner.program.prices import PriceBook
from planner.program.quotes import catalog_for

BASE = {
    "name": "x",
    "workloads": [{"name": "w", "network": "gpt2-xl", "global_batch": 8, "step_time_s": 1.0}],
    "site": {"racks": 2, "rack_kw": 20},
}


def instance(**changes: object) -> Instance:
    """Return a small instance with changes."""
    return Instance.model_validate(json.loads(json.dumps(BASE)) | changes)


def options(inst: Instance):
    """Return the platforms of an instance and the reasons of the others."""
    catalog = load_catalog()
    return platform_options(inst, catalog, PriceBook(inst, catalog))


def test_nothing_without_a_price_out_of_sale_or_liquid_cooled_is_offered() -> None:
    """Each product that cannot be bought is left out with a reason."""
    offered, reasons = options(instance())
    servers = {o.server.id for o in offered}
    assert "hgx-h100-8" in servers
    assert not servers & {"dgx-h100", "dgx-1-v100", "h200nvl-8", "gb200-nvl72"}
    assert "quote" in reasons["dgx-h100+8x400-cx7-400-2port-module"]
    assert any("liquid" in reason for reason in reasons.values())


def test_a_quote_makes_a_product_buyable_and_sets_its_price() -> None:
    """What has no price can be chosen once the instance quotes one."""
    inst = instance(quotes={"h200nvl-8": {"usd": 290000, "date": "2026-11"}})
    catalog = catalog_for(inst, Path("i.json"))
    offered, _ = platform_options(inst, catalog, PriceBook(inst, catalog))
    found = next(o for o in offered if o.server.id == "h200nvl-8")
    assert found.server.price is not None
    assert found.server.price.usd == 290000


def test_a_quote_for_an_unknown_id_is_one_clear_fault() -> None:
    """The fault names the path and the nearest product."""
    inst = instance(quotes={"qm9701": {"usd": 1, "date": "2026"}})
    with pytest.raises(InputError, match=r"\$\.quotes\.qm9701.*qm9700"):
        catalog_for(inst, Path("i.json"))


@pytest.mark.parametrize(
    ("choice", "kept"),
    [
        ({"server": "hgx-h100-8"}, {"hgx-h100-8"}),
        ({"accelerator": "h100-sxm"}, {"hgx-h100-8"}),
        ({"scale_up": "pcie_host", "server": ["ws-4x-rtx4090", "hgx-h100-8"]}, {"ws-4x-rtx4090"}),
    ],
)
def test_fix_keeps_only_what_it_names(choice: dict[str, object], kept: set[str]) -> None:
    """Every platform that is left agrees with every fixed key."""
    offered, _ = options(instance(fix=choice))
    assert {o.server.id for o in offered} == kept


def test_forbid_takes_out_a_product_wherever_it_stands() -> None:
    """A forbidden id is neither server, NIC nor switch of any option."""
    inst = instance(forbid={"product": ["hgx-h100-8", "sn5600", "cx7-400-1p"]})
    catalog = load_catalog()
    book = PriceBook(inst, catalog)
    offered, _ = platform_options(inst, catalog, book)
    assert all(o.server.id != "hgx-h100-8" and o.nics.nic != "cx7-400-1p" for o in offered)
    assert all(
        c.leaf_switch != "sn5600" for o in offered for c in fabric_choices(inst, catalog, book, o)
    )


def test_families_are_kept_apart() -> None:
    """InfiniBand links meet InfiniBand switches only; RoCE only switches that support it."""
    inst = instance()
    catalog = load_catalog()
    book = PriceBook(inst, catalog)
    for family, kind in (("infiniband", "infiniband"), ("roce", "ethernet")):
        found = usable_switches(inst, catalog, book, family, 400)
        assert found
        assert all(s.family == kind and (family != "roce" or s.roce) for s in found)


def test_a_dominated_switch_is_left_out_and_its_absence_changes_nothing() -> None:
    """Of two boxes with equal ports and cages the one that is worse in nothing stays."""
    inst = instance()
    catalog = load_catalog()
    book = PriceBook(inst, catalog)
    found = {s.id for s in usable_switches(inst, catalog, book, "infiniband", 400)}
    assert "qm9790" in found
    assert "qm9700" not in found  # dearer, hungrier and heavier than the unmanaged twin
    inst = instance(forbid={"product": ["qm9790"]})
    found = {s.id for s in usable_switches(inst, catalog, book, "infiniband", 400)}
    assert "qm9700" in found
