"""Laws that every answer obeys, whatever the figures: monotone in limits, blind to names and order."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from planner.domain.instance import Instance
from planner.domain.resources import data_root
from planner.program.columns import Column, build_column
from planner.program.market import Market, open_market
from planner.program.placer import Placer
from planner.program.prices import PriceBook
from planner.program.scan import Found, scan
from tests.program.random_instances import FILE, random_instance

NEVER = 10**15
SEEDS = range(1000, 1010)


def best(instance: Instance, file: Path = FILE) -> tuple[Market, Found | None]:
    """Return the market of an instance and its best design."""
    market = open_market(instance, file)
    return market, scan(market).best


def cost(instance: Instance, file: Path = FILE) -> int:
    """Return the least cost in cents, NEVER where nothing meets the limits."""
    found = best(instance, file)[1]
    return NEVER if found is None else found.placed.cost_cents


def changed(instance: Instance, **fields: Any) -> Instance:
    """Return an instance with some fields replaced and checked again."""
    return Instance.model_validate(instance.model_dump(by_alias=True) | fields)


def within(instance: Instance, part: str, **fields: Any) -> Instance:
    """Return an instance with some fields of one of its parts replaced."""
    return changed(instance, **{part: getattr(instance, part).model_dump() | fields})


def tighter(instance: Instance, factor: float) -> Instance:
    """Return an instance whose first step-time target, or deadline, is shorter."""
    rows = [w.model_dump() for w in instance.workloads]
    key = "step_time_s" if rows[0]["step_time_s"] is not None else "tokens"
    rows[0][key] *= factor if key == "step_time_s" else 1 / factor
    return changed(instance, workloads=rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tighter_limit_never_costs_less(seed: int) -> None:
    """Target, rack power and budget: less room never lowers the cost, more never raises it."""
    instance = random_instance(seed).instance
    base = cost(instance)
    assert cost(tighter(instance, 0.9)) >= base >= cost(tighter(instance, 1.2))
    site = instance.site
    kilowatts = min(site.racks * site.rack_kw, site.power_kw or 1e9)
    assert cost(within(instance, "site", power_kw=kilowatts / 2)) >= base
    usd = instance.budget.capex_usd
    if usd is not None:
        assert cost(within(instance, "budget", capex_usd=usd * 1.3)) <= base
        assert cost(within(instance, "budget", capex_usd=usd * 0.98)) >= base
        assert cost(within(instance, "budget", capex_usd=None)) <= base


@pytest.mark.parametrize("seed", SEEDS)
def test_weaker_racks_never_cost_less(seed: int) -> None:
    """Racks with less power, weight or number, at the same price, never lower the cost."""
    instance = within(random_instance(seed).instance, "site", rack_kw=20.0)
    base = cost(instance)
    assert cost(within(instance, "site", rack_kw=18.0)) >= base  # as many PDUs as 20 kW
    assert cost(within(instance, "site", rack_weight_kg=instance.site.rack_weight_kg / 2)) >= base
    if instance.site.racks > 1:
        assert cost(within(instance, "site", racks=instance.site.racks - 1)) >= base


@pytest.mark.parametrize("seed", SEEDS)
def test_a_forbidden_product_never_costs_less(seed: int) -> None:
    """Taking out any part of the best design never lowers the cost."""
    instance = random_instance(seed).instance
    _, found = best(instance)
    if found is None:
        return
    plan = found.column.plan
    banned = [found.column.option.server.id, plan.choice.leaf_switch, plan.choice.spine_switch]
    for part in {*banned, *list(found.placed.placement.parts)[:2]} - {""}:
        forbid = instance.forbid.values().get("product", ())
        out = within(instance, "forbid", product=[*forbid, part])
        assert cost(out) >= found.placed.cost_cents, part


@pytest.mark.parametrize("seed", SEEDS)
def test_names_and_order_change_nothing(seed: int) -> None:
    """Renaming, and turning every list around, leave the design and its cost."""
    instance = random_instance(seed).instance
    _, found = best(instance)
    rows = [w.model_dump() | {"name": f"other-{k}"} for k, w in enumerate(instance.workloads)]
    fix = {key: list(reversed(values)) for key, values in instance.fix.values().items()}
    turned = changed(
        instance, name="renamed", title="anything", workloads=rows[::-1], fix=fix,
        grid=instance.grid.model_dump() | {"oversubscription": instance.grid.oversubscription[::-1]},
        quotes=dict(reversed(instance.model_dump()["quotes"].items())),
    )  # fmt: skip
    _, again = best(turned)
    assert (found is None) == (again is None)
    if found is not None and again is not None:
        assert again.order == found.order
        assert again.placed.placement == found.placed.placement


def network_cents(market: Market, found: Found, factor: float) -> int:
    """Return a design's cost when network prices are multiplied by a factor."""
    instance = changed(market.instance, network_price_factor=factor)
    book = PriceBook(instance, market.catalog)
    column, option = found.column, found.column.option
    unit = book.unit(option.server.id)
    if not option.nics.included:
        unit = unit + book.unit(option.nics.nic).times(option.nics.count)
    option = replace(option, unit=unit)
    priced = build_column(market.catalog, book, option, column.nodes, column.plan)
    assert isinstance(priced, Column)
    placer = Placer(instance, market.catalog, book)
    parts = sum(placer.unit_cents[p] * n for p, n in found.placed.placement.parts.items())
    return priced.fixed.total + parts


@pytest.mark.parametrize("seed", SEEDS)
def test_dearer_networks_are_bought_less(seed: int) -> None:
    """With all network prices scaled up, what is bought of it, at old prices, never grows.

    If A is the rest and B the network at old prices, A1 + f1 B1 <= A2 + f1 B2 and
    A2 + f2 B2 <= A1 + f2 B1 give B2 <= B1. Units are rounded to cents, hence the slack.
    """
    drawn = random_instance(seed).instance
    instance = within(drawn, "budget", capex_usd=None)
    bought = []
    for factor in (0.2, 1.0, 3.0, 10.0):
        market, found = best(changed(instance, network_price_factor=factor))
        if found is None:
            return
        spent = network_cents(market, found, 1.0) - network_cents(market, found, 0.0)
        bought.append(spent)
    for before, after in pairwise(bought):
        assert after <= before + 1000


def overlay(folder: Path, table: str, row_id: str, new_id: str, **cells: str) -> None:
    """Write a table with a copy of a shipped row under another id, some cells changed."""
    source = data_root() / "models" / "hardware" / f"{table}.csv"
    with source.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        row = next(r for r in reader if r["id"] == row_id)
        names = list(reader.fieldnames or [])
    if "price_usd" in cells:
        cells |= {"price_low_usd": "", "price_high_usd": ""}
    target = folder / f"{table}.csv"
    fresh = not target.exists()
    with target.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        if fresh:
            writer.writeheader()
        writer.writerow(row | {"id": new_id} | cells)


@pytest.mark.parametrize("topology", ["single", "rail_optimised"])
def test_a_dominated_product_changes_nothing(tmp_path: Path, topology: str) -> None:
    """A dearer copy of a server, a switch and a cable is never missed and never taken."""
    folder = tmp_path / "tables"
    folder.mkdir()
    overlay(folder, "switches", "sn3700", "sn3700-dear", price_usd="15000")
    overlay(folder, "cables", "dac-200g-2m", "dac-200g-2m-dear", price_usd="300")
    overlay(folder, "servers", "l40s-8-pcie", "l40s-8-dear", price_usd="125000")
    nics = "l40s-8-pcie+2x200-cx7-200-2p"
    overlay(folder, "server_nics", nics, "l40s-8-dear+2x200", server="l40s-8-dear")
    fields = {
        "name": "dominated",
        "workloads": [
            {"name": "a", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 64,
             "step_time_s": 2.0, "margin": 0.05}
        ],
        "site": {"racks": 3, "rack_kw": 12},
        "grid": {"min_nodes": 3, "max_nodes": 5},
        "fix": {"server": "l40s-8-pcie", "switch": "sn3700", "topology": topology,
                "nic": "cx7-200-2p"},
    }  # fmt: skip
    base = Instance.model_validate(fields)
    fields["fix"] = {"server": ["l40s-8-dear", "l40s-8-pcie"], "switch": ["sn3700-dear", "sn3700"],
                     "topology": topology, "nic": "cx7-200-2p"}  # fmt: skip
    more = Instance.model_validate(fields | {"catalog": "tables"})
    _, found = best(base)
    market, again = best(more, tmp_path / "instance.json")
    assert "l40s-8-dear" in {option.server.id for option in market.options}
    assert found is not None
    assert again is not None
    assert again.order == found.order
    assert again.placed.placement == found.placed.placement
