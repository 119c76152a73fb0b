"""Answers with services: they hold, every number of them is counted again, corruptions are named."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planner.domain.catalog import Catalog
from planner.domain.instance import Instance
from planner.domain.solution import Solution
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.verify.every_number import move_all, of_solution

Document = dict[str, Any]
Change = Callable[[Document], None]
SERVICES: Document = {
    "racks": 3,
    "fabric_manager": {"appliance": "ufm-appliance-3", "count": 2},
    "storage_network": {
        "switch": "qm9790", "link_gbps": 400, "links_per_server": 2, "oversubscription": 1.334,
        "own_leafs": True,
        "appliances": [{"appliance": "storage-appliance-2u", "count": 8, "links": 8}],
    },
    "in_band_network": {
        "switch": "sn4600c", "link_gbps": 100, "links_per_server": 2, "oversubscription": 4,
        "appliances": [{"appliance": "management-server-1u", "count": 5}],
    },
}  # fmt: skip
JOB: Document = {
    "name": "job", "network": "llama3-8b", "sequence_length": 8192, "global_batch": 60,
    "step_time_s": 60,
}  # fmt: skip


@pytest.fixture(scope="module")
def answered() -> tuple[Document, Catalog]:
    """Return 15 servers on a rail-optimised fabric with two storage tiers, as written."""
    fields = {
        "name": "services",
        "workloads": [JOB],
        "grid": {"min_nodes": 15, "max_nodes": 15, "oversubscription": [1.0]},
        "fabric": {"reserved_slots": 1},
        "site": {"racks": 9, "rack_kw": 44, "racks_per_row": 5},
        "services": SERVICES,
        "fix": {"server": "dgx-h200", "switch": "qm9790", "topology": "rail_optimised"},
        "quotes": {"storage-appliance-2u": {"usd": 90_000, "date": "2026-09"}},
    }
    decision = decide(
        Instance.model_validate(fields), Path("services.json"),
        DecideOptions(alternatives=False), lambda _: None,
    )  # fmt: skip
    document = json.loads(decision.solution.model_dump_json(by_alias=True))
    document.pop("seal")
    return document, decision.catalog


def test_the_answer_holds_and_has_every_kind(answered: tuple[Document, Catalog]) -> None:
    """Nothing contradicts it; it has two tiers of storage, one in-band switch and two managers."""
    document, catalog = answered
    assert verify(Solution.model_validate(document), catalog) == []
    storage, in_band = document["services"]["networks"]
    assert len(storage["leafs"]) == 2
    assert storage["spines"] > 0
    assert in_band["spines"] == 0
    assert document["services"]["managers"] == 2
    assert sum(line["price_kind"] == "not priced" for line in document["bill_of_materials"]) == 2


def test_every_number_of_services_is_held(answered: tuple[Document, Catalog]) -> None:
    """Each number of the section, a step or a hundredth up and down, contradicts something."""
    document, catalog = copy.deepcopy(answered[0]), answered[1]
    found = move_all(document, of_solution(catalog), every=40)
    assert found.missed == []
    part = {"services": document["services"]}
    whole = copy.deepcopy(document)

    def judge(moved: Any) -> bool:
        solution = Solution.model_validate({**whole, "services": moved["services"]})
        return bool(verify(solution, catalog))

    assert move_all(part, judge).missed == []


def lot(network: str, ends: str, key: str, value: Any) -> Change:
    """Return a change of one kind of links."""

    def change(document: Document) -> None:
        for one in document["services"]["links"]:
            if (one["network"], one["ends"]) == (network, ends):
                one[key] = value

    return change


def device(name: str, key: str, value: Any) -> Change:
    """Return a change of one device."""

    def change(document: Document) -> None:
        next(d for d in document["devices"] if d["id"] == name)[key] = value

    return change


def network(k: int, key: str, value: Any) -> Change:
    """Return a change of one network."""

    def change(document: Document) -> None:
        document["services"]["networks"][k][key] = value

    return change


def leafs(k: int, row: int, key: str, value: Any) -> Change:
    """Return a change of one kind of leaf."""

    def change(document: Document) -> None:
        document["services"]["networks"][k]["leafs"][row][key] = value

    return change


def without_services(document: Document) -> None:
    """Forget the section."""
    document["services"] = None


def without_networks(document: Document) -> None:
    """Forget a network."""
    del document["services"]["networks"][1]


def without_a_kind(document: Document) -> None:
    """Forget a kind of links."""
    del document["services"]["links"][2]


def unasked(document: Document) -> None:
    """Buy services that the instance does not ask for."""
    document["instance"]["services"] = None


def length(document: Document) -> None:
    """State another length to reach."""
    document["services"]["needed_m"] += 1.0


def cable(name: str | Callable[[Document], str], change: Document | None) -> Change:
    """Return a change of one cable, or its loss."""

    def apply(document: Document) -> None:
        wanted = name if isinstance(name, str) else name(document)
        found = next(c for c in document["cables"] if c["id"] == wanted)
        if change is None:
            document["cables"].remove(found)
        else:
            found.update(change)

    return apply


def last(tier: str) -> Callable[[Document], str]:
    """Return the choice of the last cable of a network: an uplink of storage."""

    def name(document: Document) -> str:
        return [c["id"] for c in document["cables"] if c["tier"] == tier][-1]

    return name


def of_appliance(change: Document | None) -> Change:
    """Return a change of the first cable of a storage appliance."""

    def name(document: Document) -> str:
        return next(c["id"] for c in document["cables"] if c["a"] == "storage-node-01")

    return cable(name, change)


def doubled(document: Document) -> None:
    """List a cable a second time under a new name."""
    found = next(c for c in document["cables"] if c["id"] == "ib-0001")
    document["cables"].append({**found, "id": "ib-0041", "assembly": "ib-asm-00099"})


SERVICE_CHANGES: dict[str, tuple[str, Change]] = {
    "no section": ("services-asked", without_services),
    "unasked": ("services-asked", unasked),
    "one network less": ("services-networks", without_networks),
    "one manager more": ("services-managers", lambda d: d["services"].update(managers=3)),
    "less power": ("services-power", lambda d: d["services"].update(max_power_kw=1.0)),
    "another length": ("service-length", length),
    "longer cables asked for": (
        "service-short", lambda d: d["instance"]["services"].update(cable_m=20.0)
    ),
    "another rack": ("services-racks", lambda d: d["services"].update(racks=["r1-1"])),
    "storage among servers": ("services-racks", device("storage-leaf-01", "rack", "r1-1")),
    "a manager of another model": (
        "services-devices", device("manager-1", "part", "management-server-1u")
    ),
    "another rate": ("service-count", network(0, "link_gbps", 200.0)),
    "fewer uplinks": ("service-leafs", leafs(0, 0, "uplinks", 3)),
    "one leaf less": ("service-leafs", leafs(0, 1, "leafs", 1)),
    "uneven leafs": ("service-spread", leafs(0, 0, "server_links", [17, 13])),
    "another ratio": ("service-ratio", network(0, "oversubscription", 1.0)),
    "a spine more": ("service-spines", network(0, "spines", 5)),
    "a link less": ("service-links", lot("storage_network", "server", "links", 29)),
    "a kind of links less": ("service-links", without_a_kind),
    "a cable less in the sum": ("service-links", lot("in_band_network", "server", "cables", 29)),
    "a module less in the sum": ("service-links", lot("storage_network", "uplink", "modules_b", 1)),
    "another part in the sum": ("service-links", lot("storage_network", "server", "parts", {})),
    "a cable dropped": ("service-server", cable("st-0001", None)),
    "an uplink dropped": ("service-leaf-links", cable(last("storage_network"), None)),
    "a manager's cable dropped": ("service-manager", cable("fm-0001", None)),
    "an appliance's cable dropped": ("service-appliance", of_appliance(None)),
    "a cable renamed": ("service-names", cable("st-0002", {"id": "st-9999"})),
    "a device renamed": ("port-ends", cable("st-0002", {"b": "storage-leaf-99"})),
    "both links to one leaf": ("service-server", cable("st-0002", {"b": "storage-leaf-01"})),
    "to the other network": ("port-tier", cable("st-0002", {"b": "in-band-leaf-01"})),
    "a manager at a spine": ("port-tier", cable("fm-0001", {"b": "spine-01"})),
    "a manager at a full leaf": ("service-manager", cable("fm-0001", {"b": "leaf-02"})),
    "of another tier": ("port-tier", cable("ib-0001", {"tier": "storage_network"})),
    "a cable doubled": ("port-single-link", doubled),
    "another route": ("cable-route", cable("st-0001", {"needed_m": 50.0})),
    "no such stock": ("cable-stock", cable("ib-0001", {"length_m": 16.5})),
    "too short": ("cable-short", cable("ib-0001", {"length_m": 1.0})),
    "cable of another rate": ("cable-rate", cable("ib-0001", {"part": "aoc-400g-qdd-30m"})),
    "module of another cage": (
        "module-connector", cable("st-0001", {"a_module": "osfp-800g-2xsr4"})
    ),
    "no module": ("cable-modules", cable("st-0001", {"a_module": ""})),
    "module on a fixed cable": ("cable-modules", cable("ib-0001", {"b_module": "qsfp112-400g-sr4"})),
    "a server's port twice": ("port-single-link", cable("st-0002", {"a_port": "fe1"})),
    "a switch's port twice": ("port-single-link", cable("st-0003", {"b_port": "1/1"})),
    "a price for nothing": (
        "bill-priced",
        lambda d: next(
            line for line in d["bill_of_materials"] if line["part"] == "ufm-appliance-3"
        ).update(price_kind="quote"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SERVICE_CHANGES)
def test_a_corrupted_answer_is_caught(name: str, answered: tuple[Document, Catalog]) -> None:
    """Each corruption is named by its own check."""
    document, catalog = copy.deepcopy(answered[0]), answered[1]
    check, change = SERVICE_CHANGES[name]
    change(document)
    found = {v.check for v in verify(Solution.model_validate(document), catalog)}
    assert check in found, sorted(found)
