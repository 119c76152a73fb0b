"""Scan with program, monolith and brute force agree on random small instances with services."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.instance import Instance
from planner.program.columns import Column
from planner.program.market import open_market
from planner.program.monolith import grid_columns, solve_monolith
from planner.program.scan import scan
from planner.study.decide import DecideOptions, confirm
from tests.program.brute_services import BruteServices
from tests.program.random_instances import FILE, SMALLER, random_instance

QUICK = 24
ALL = 300


@dataclass(frozen=True)
class Found:
    """Least cents by each way, and what the cheapest design has of services."""

    seed: int
    by_scan: int | None
    above: int
    """Cents of the design above its bound: modules of managers that placement leaves no half for."""
    by_program: int | None
    by_force: int | None
    tiers: int = 0
    managers: int = 0
    open_from: int | None = None
    """Cents from which on the scan leaves open whether links of services fit the budget."""

    @property
    def agree(self) -> bool:
        """True where all three have the same cents, or find nothing."""
        if self.open_from is not None:
            least = [c for c in (self.by_program, self.by_force) if c is not None]
            return self.by_scan is None and self.open_from <= min(least, default=self.open_from)
        shown = self.above == 0 or (self.above > 0 and self.managers > 0)
        return shown and self.by_scan == self.by_program == self.by_force


def network(rng: random.Random, gbps: float, links: int) -> dict[str, Any]:
    """Return a network at a rate that the servers have ports for."""
    switch = {100: "generic-100g-32", 200: "sn3700", 400: "qm9790"}[int(gbps)]
    part = rng.choice(["storage-appliance-2u", "management-server-1u"])
    groups = [{"appliance": part, "count": rng.choice([1, 4]), "links": rng.choice([1, 2, 16])}]
    return {
        "switch": switch,
        "link_gbps": gbps,
        "links_per_server": links,
        "server_connector": rng.choice(["QSFP112", "QSFP56"] if gbps < 400 else ["QSFP112"]),
        "oversubscription": rng.choice([1.0, 1.334, 2.0, 4.0]),
        "own_leafs": rng.random() < 0.5,
        "appliances": groups if rng.random() < 0.8 else [],
    }


def with_services(seed: int) -> Instance:
    """Return a random instance with services, its limits raised by about what they take."""
    rng = random.Random(10_000 + seed)
    fields = random_instance(seed, SMALLER).instance.model_dump(mode="json", by_alias=True)
    catalog = load_catalog()
    rows = [catalog.servers[name] for name in fields["fix"]["server"]]
    gbps = min(400.0, *(row.front_end_gbps for row in rows))
    ports = min(row.front_end_links for row in rows)
    services: dict[str, Any] = {"racks": rng.choice([1, 2, 3])}
    rates = [rate for rate in (100.0, 200.0, 400.0) if rate <= gbps]
    for name in ("storage_network", "in_band_network"):
        links = rng.choice([1, 1, 2])
        if rates and ports >= links and rng.random() < 0.8:
            services[name] = network(rng, rng.choice(rates), links)
            ports -= links
    if rng.random() < 0.6 or len(services) == 1:
        services["fabric_manager"] = {
            "appliance": "ufm-appliance-3",
            "count": rng.choice([1, 2, 3]),
        }
        fields["fabric"]["reserved_slots"] = 1
        speaking = {catalog.switches[name].family for name in fields["fix"]["switch"]}
        if "infiniband" in speaking and rng.random() < 0.7:
            fields["fix"]["family"] = ["infiniband"]
    if rng.random() < 0.4:
        usd = rng.choice([9_000.5, 70_000.0])
        fields["quotes"]["storage-appliance-2u"] = {"usd": usd, "date": "2026-09"}
    fields["site"]["racks"] += services["racks"]
    fields["services"] = services
    room = open_market(Instance.model_validate(fields), FILE).placer.whole_room
    services["cable_m"] = max(room.lengths_m[-1], rng.choice([3.0, 20.0]))
    columns = grid_columns(open_market(Instance.model_validate(fields), FILE))
    designs = [c.services for c in columns if isinstance(c, Column) and c.services]
    if designs:
        design = rng.choice(designs)
        budget, site = fields["budget"], fields["site"]
        if budget.get("capex_usd") is not None:
            budget["capex_usd"] += design.cost.capex / 100
        for section in (budget, site):
            if section.get("power_kw") is not None:
                section["power_kw"] += design.max_w / 1000
    return Instance.model_validate(fields)


def solved(seed: int) -> Found:
    """Solve one instance three ways."""
    instance = with_services(seed)
    market = open_market(instance, FILE)
    result = scan(market)
    confirm(market, result, DecideOptions())
    single = solve_monolith(open_market(instance, FILE))
    force = BruteServices(instance).optimum()
    best = result.best
    design = best.column.services if best else None
    return Found(
        seed=seed,
        by_scan=result.bound_cents if best else None,
        above=best.placed.cost_cents - (result.bound_cents or 0) if best else 0,
        by_program=single.cost_cents,
        by_force=force.cents,
        tiers=max((1 + bool(p.spines) for p in design.networks.values()), default=0)
        if design
        else 0,
        managers=design.managers if design else 0,
        open_from=result.bound_cents if result.stopped else None,
    )


@pytest.mark.parametrize("first", range(0, QUICK, 8))
def test_three_ways_agree_with_services(first: int) -> None:
    """Status and optimum are equal to the cent, and most instances have a design."""
    found = [solved(seed) for seed in range(first, first + 8)]
    assert not [one for one in found if not one.agree]
    assert sum(one.by_scan is not None for one in found) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, ALL, 12))
def test_three_ways_agree_with_services_on_all(first: int) -> None:
    """Status and optimum are equal to the cent; hardly ever is one left open."""
    found = [solved(seed) for seed in range(first, first + 12)]
    assert not [one for one in found if not one.agree]
    assert sum(one.open_from is not None for one in found) <= 1
