"""Links of services as laid: ends by their rules, cost between bound and any other placement's."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.domain.instance import Instance
from planner.export.graph import topology_graph
from planner.export.infragraph import infragraph
from planner.export.netbox.files import netbox_tables
from planner.export.port_map import port_rows
from planner.program.market import Market, open_market
from planner.program.scan import ScanResult, scan
from planner.program.service_laying import LaidServices, lay_services
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify

FILE = Path("services.json")


def instance(nodes: int = 15, **services: Any) -> Instance:
    """Return servers on rails with two tiers of storage, in-band and two managers, nine racks."""
    asked = {
        "racks": 3,
        "fabric_manager": {"appliance": "ufm-appliance-3", "count": 2},
        "storage_network": {
            "switch": "qm9700", "link_gbps": 400, "links_per_server": 2, "oversubscription": 1.334,
            "own_leafs": True,
            "appliances": [{"appliance": "storage-appliance-2u", "count": 8, "links": 8}],
        },
        "in_band_network": {
            "switch": "sn4600c", "link_gbps": 100, "links_per_server": 2,
            "appliances": [{"appliance": "management-server-1u", "count": 5}],
        },
        **services,
    }  # fmt: skip
    return Instance.model_validate(
        {
            "name": "laid",
            "workloads": [
                {"name": "job", "network": "llama3-8b", "sequence_length": 8192,
                 "global_batch": 4 * nodes, "step_time_s": 60}
            ],
            "grid": {"min_nodes": nodes, "max_nodes": nodes, "oversubscription": [1.0]},
            "fabric": {"reserved_slots": 1},
            "site": {"racks": 9, "rack_kw": 44, "racks_per_row": 5, "row_pitch_m": 9.0},
            "services": asked,
            "fix": {"server": "dgx-h200", "switch": "qm9700", "topology": "rail_optimised"},
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def found() -> tuple[Market, ScanResult]:
    """Return the market and its answer."""
    market = open_market(instance(), FILE)
    return market, scan(market)


def laid_in(market: Market, result: ScanResult, racks: list[str]) -> LaidServices:
    """Return the services laid with the servers in other racks."""
    best = result.best
    assert best is not None
    assert best.column.services is not None
    placement = best.placed.placement
    names = iter(racks)
    devices = [
        device.model_copy(update={"rack": next(names)}) if device.kind == "node" else device
        for device in placement.devices
    ]
    laid = lay_services(
        best.column.services, replace(placement, devices=devices), market.placer.whole_room,
        market.book,
    )  # fmt: skip
    assert isinstance(laid, LaidServices)
    return laid


def test_no_order_of_the_servers_costs_less_than_the_bound(
    found: tuple[Market, ScanResult],
) -> None:
    """Whatever racks the servers stand in, four a rack at most, the bound stays below."""
    market, result = found
    best = result.best
    assert best is not None
    assert best.column.services is not None
    least = best.column.services.least_links
    rng = random.Random(5)
    places = [f"r{1 + k // 5}-{1 + k % 5}" for k in range(6) for _ in range(4)]
    costs = []
    for _ in range(60):
        rng.shuffle(places)
        costs.append(laid_in(market, result, places[:15]).cost)
    near = sorted(places, reverse=True)[:15]
    costs.append(laid_in(market, result, near).cost)
    assert min(cost.total for cost in costs) >= least.total
    assert min(cost.capex for cost in costs) >= least.capex
    assert len({cost.total for cost in costs}) > 1
    assert min(cost.total for cost in costs) < least.total * 1.02


def test_the_gap_holds_what_the_links_cost_above_their_bound(
    found: tuple[Market, ScanResult],
) -> None:
    """Cost less bound is what placement leaves open of fabric and services together."""
    best = found[1].best
    assert best is not None
    assert best.column.services is not None
    placed, placement = best.placed, best.placed.placement
    open_cents = placement.cost_cents - placement.lower_bound_cents
    open_cents += placed.services.cost.total - best.column.services.least_links.total
    assert placed.cost_cents - placed.bound_cents == open_cents
    assert open_cents >= 0


def test_ends_follow_the_rules(found: tuple[Market, ScanResult]) -> None:
    """Servers meet two leafs of each network, storage nodes at least two, spines alike, one port a link."""
    best = found[1].best
    assert best is not None
    cables = best.placed.services.cables
    ends = [(c.a, c.a_port) for c in cables] + [(c.b, c.b_port) for c in cables]
    fabric = {(c.b, c.b_port) for c in best.placed.placement.cables}
    assert len(set(ends)) == len(ends)
    assert not fabric & set(ends)
    met: dict[tuple[str, str], set[str]] = defaultdict(set)
    for c in cables:
        met[c.tier, c.a].add(c.b)
    assert all(len(met["storage_network", f"node-{k:03d}"]) == 2 for k in range(1, 16))
    assert all(len(met["storage_network", f"storage-node-{k:02d}"]) >= 2 for k in range(1, 9))
    spines = Counter(c.b for c in cables if "spine" in c.b)
    assert max(spines.values()) - min(spines.values()) <= 1


def test_lengths_are_the_routes_or_what_is_asked_for() -> None:
    """Without `cable_m` lengths differ and none is twice its route; with it none is shorter."""
    short = scan(open_market(instance(), FILE)).best
    long = scan(open_market(instance(cable_m=18.0), FILE)).best
    assert short is not None
    assert long is not None
    lengths = {c.length_m for c in short.placed.services.cables}
    assert len(lengths) > 2
    assert all(c.needed_m <= c.length_m for c in short.placed.services.cables)
    assert min(c.length_m for c in long.placed.services.cables) >= 18.0
    assert long.placed.cost_cents > short.placed.cost_cents


def test_a_single_fast_cage_serves_managers_apart_from_servers() -> None:
    """One leaf switch that carries all: a manager's link fills the free half of the last module."""
    one = instance(nodes=3, storage_network=None, in_band_network=None, racks=1).model_dump(
        mode="json", by_alias=True, exclude_defaults=True
    )
    one["fix"] = {"server": "dgx-h200", "switch": "qm9700", "topology": "single"}
    decision = decide(
        Instance.model_validate(one), FILE, DecideOptions(alternatives=False), lambda _: None
    )
    solution = decision.solution
    assert solution.services is not None
    managers = [c for c in solution.cables if c.tier == "fabric_manager"]
    assert len(managers) == 2
    assert {c.a for c in managers} == {"manager-1", "manager-2"}
    assert verify(solution, decision.catalog) == []


def test_every_export_has_every_cable() -> None:
    """NetBox, InfraGraph, graph and port map name the links of services at their own rates."""
    decision = decide(instance(), FILE, DecideOptions(alternatives=False), lambda _: None)
    solution = decision.solution
    tiers = Counter(c.tier for c in solution.cables)
    assert tiers["storage_network"] > tiers["in_band_network"] > tiers["fabric_manager"] == 2
    tables = netbox_tables(solution, decision.catalog)
    assert len(tables["9_cables"][1]) == len(solution.cables)
    types = {(row[0], row[1]): row[2] for row in tables["7_interfaces"][1]}
    assert types["node-001", "fe1"] == "infiniband-ndr"
    assert types["node-001", "fe3"] == "100gbase-x-qsfp28"
    graph = infragraph(solution)
    assert len(graph["edges"]) == len(solution.cables)
    rates = {x["name"]: x["physical"]["bandwidth"]["gigabits_per_second"] for x in graph["links"]}
    assert (rates["storage_network"], rates["in_band_network"]) == (400.0, 100.0)
    edges = topology_graph(solution).edges(data=True)
    assert Counter(edge["tier"] for *_, edge in edges) == tiers
    used = Counter(row[6] for row in port_rows(solution, decision.catalog) if row[5] == "used")
    ours = [c for c in solution.cables if c.tier != "oob"]
    assert all(
        used[c.id]
        == (2 if c.a.split("-")[0] not in ("node", "manager") and "-node-" not in c.a else 1)
        for c in ours
    )
    assert not [c.id for c in solution.cables if used[c.id] == 0]
