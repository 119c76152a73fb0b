"""Services in a decision: faults of names, places that are kept, limits that count them, exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.domain.solution import Solution
from planner.export.netbox.files import netbox_tables
from planner.program.market import open_market
from planner.program.scan import ScanResult, scan
from planner.report.markdown import summary_markdown
from planner.study.decide import DecideOptions, decide

FILE = Path("services.json")
NETWORK: dict[str, Any] = {
    "switch": "sn4600c", "link_gbps": 100, "links_per_server": 2,
    "appliances": [{"appliance": "management-server-1u", "count": 2}],
}  # fmt: skip


def fields(**changes: Any) -> dict[str, Any]:
    """Return two servers on one switch with an in-band network in the last rack."""
    return {
        "name": "beside",
        "workloads": [
            {"name": "job", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 64,
             "step_time_s": 60}
        ],
        "grid": {"min_nodes": 2, "max_nodes": 2},
        "site": {"racks": 5, "rack_kw": 44, "racks_per_row": 3},
        "services": {"racks": 1, "in_band_network": NETWORK},
        "fix": {"server": "dgx-h200", "switch": "qm9790", "topology": "single"},
        **changes,
    }  # fmt: skip


def scanned(**changes: Any) -> ScanResult:
    """Return the scan of the instance."""
    return scan(open_market(Instance.model_validate(fields(**changes)), FILE))


def with_network(**changes: Any) -> dict[str, Any]:
    """Return the section with a changed network."""
    return {"racks": 1, "in_band_network": {**NETWORK, **changes}}


def answer(**changes: Any) -> Solution:
    """Return the decided solution."""
    instance = Instance.model_validate(fields(**changes))
    options = DecideOptions(alternatives=False)
    return decide(instance, FILE, options, lambda _: None).solution


@pytest.mark.parametrize(
    ("change", "where", "words"),
    [
        ({"switch": "sn460"}, "switch", "unknown switch"),
        ({"switch": "arista-7280cr3-96"}, "switch", "no known price"),
        ({"link_gbps": 400}, "link_gbps", "no ports of 400 Gb/s"),
        ({"server_connector": "QSFP113"}, "server_connector", "unknown connector"),
        ({"appliances": [{"appliance": "nothing", "count": 1}]}, "appliances", "unknown appliance"),
    ],
)
def test_faults_are_named(change: dict[str, Any], where: str, words: str) -> None:
    """Unknown names and rates are refused before anything is solved, each with its place."""
    instance = Instance.model_validate(fields(services=with_network(**change)))
    with pytest.raises(InputError) as caught:
        open_market(instance, FILE)
    assert any(
        fault.where.startswith(f"$.services.in_band_network.{where}") and words in fault.what
        for fault in caught.value.faults
    ), caught.value.faults


def test_services_stand_alone_in_the_last_places() -> None:
    """The fifth place of five holds them and nothing else; names of racks are those of the room."""
    solution = answer()
    assert solution.services is not None
    assert solution.services.racks == ["r2-2"]
    inside = {d.kind for d in solution.devices if d.rack == "r2-2"}
    assert inside == {"in_band_switch", "appliance"}
    kept = {d.rack for d in solution.devices} - {"r2-2"}
    assert kept <= {"r1-1", "r1-2", "r1-3", "r2-1"}


def test_they_cost_what_they_add() -> None:
    """The same design without services costs less by exactly their cost and their copper."""
    beside, bare = scanned().best, scanned(services=None).best
    assert beside is not None
    assert bare is not None
    services = beside.column.services
    assert services is not None
    book = open_market(Instance.model_validate(fields()), FILE).book
    copper = book.unit("cat6a-1g-20m", component="out_of_band").total * services.out_of_band_ports
    assert beside.placed.cost_cents - bare.placed.cost_cents == services.cost.total + copper


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"budget": {"power_kw": 21.5}}, "power"),
        ({"site": {"racks": 5, "rack_kw": 2.5, "racks_per_row": 3}}, "power"),
        ({"services": with_network(links_per_server=5)}, "service_ports"),
        ({"services": {**with_network(), "cable_m": 1000}}, "service_reach"),
        (
            {"services": with_network(appliances=[
                {"appliance": "management-server-1u", "count": 62, "links": 1}
            ])},
            "service_racks",
        ),
    ],
)  # fmt: skip
def test_limits_count_services(changes: dict[str, Any], limit: str) -> None:
    """Each limit refuses the design, in words of its own; without services it would stand."""
    found = scanned(**changes)
    assert found.best is None
    assert limit in found.refusals, found.refusals


def test_the_budget_counts_services() -> None:
    """A budget of exactly the purchase price holds; a cent less does not."""
    best = scanned().best
    assert best is not None
    price = best.placed.capex_cents
    assert scanned(budget={"capex_usd": price / 100}).best is not None
    assert scanned(budget={"capex_usd": (price - 1) / 100}).best is None


def test_report_and_netbox_name_them() -> None:
    """The summary has their section in both languages, NetBox their racks, types and devices."""
    solution = answer()
    assert "Storage, in-band and fabric-manager networks" in summary_markdown(solution, "en")
    assert "Redes de almacenamiento" in summary_markdown(solution, "es")
    catalog = open_market(solution.instance, FILE).catalog
    tables = netbox_tables(solution, catalog)
    names = {row[0] for row in tables["6_devices"][1]}
    assert {"in-band-leaf-01", "in-band-node-01", "in-band-node-02"} <= names
    assert "management-server-1u" in {row[3] for row in tables["5_device_types"][1]}


def test_instances_without_services_have_none() -> None:
    """Nothing of the section shows where it is absent."""
    solution = answer(services=None)
    assert solution.services is None
    assert "in-band and storage network" in solution.cost.not_priced
