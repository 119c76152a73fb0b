"""NetBox files, port map and InfraGraph: read back, every count equals the solution."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from pathlib import Path

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.instance import load_instance
from planner.domain.solution import load_solution
from planner.export.infragraph import infragraph
from planner.export.netbox.files import netbox_tables, slug, write_netbox
from planner.export.port_map import port_map_csv
from planner.study.decide import DecideOptions, decide

INTERFACE = r"infiniband-(edr|hdr|ndr|xdr)|[0-9.]+t?gbase-[a-z0-9-]+|1000base-t|other"
CABLES = {"dac-passive", "dac-active", "aoc", "mmf-om3", "mmf-om4", "smf-os2"}


SAMPLES = Path(__file__).parents[2] / "reports" / "samples"


@pytest.fixture(scope="module", params=["budget", "flip-72-links", "room-rows"])
def solution(request):
    """Return shipped answers, and the room with racks in use, solved."""
    shipped = SAMPLES / request.param / "solution.json"
    if shipped.is_file():
        return load_solution(shipped)
    instance, path = load_instance(request.param)
    return decide(instance, path, DecideOptions(alternatives=False), lambda _: None).solution


@pytest.fixture(scope="module")
def catalog():
    """Return the shipped catalogue."""
    return load_catalog()


def rows(path):
    """Return the rows of a CSV file as dictionaries."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


@pytest.fixture(scope="module")
def files(solution, catalog, tmp_path_factory):
    """Return the written files, read back, by what they hold."""
    written = write_netbox(solution, catalog, tmp_path_factory.mktemp("netbox"))
    return {path.stem.partition("_")[2]: rows(path) for path in written}


def test_counts_equal_the_solution(files, solution):
    """One row a device, PDU, rack, port in use, link, and as many modules as the bill has."""
    pdus = sum(len(rack.pdus) for rack in solution.racks)
    assert len(files["devices"]) == len(solution.devices) + pdus
    assert len(files["racks"]) == len(solution.racks)
    wires = solution.links()
    assert len(files["cables"]) == len(wires)
    assert len(files["interfaces"]) == 2 * len(wires)
    kinds = Counter(row["role"] for row in files["devices"])
    assert kinds["GPU server"] == solution.design.nodes


def test_every_reference_is_defined_before(files):
    """Devices name known racks, roles and types; cables and modules name known interfaces."""
    makers = {row["name"] for row in files["manufacturers"]}
    types = {(row["manufacturer"], row["model"]) for row in files["device_types"]}
    roles = {row["name"] for row in files["device_roles"]}
    racks = {row["name"] for row in files["racks"]}
    assert {row["manufacturer"] for row in files["device_types"]} <= makers
    for row in files["devices"]:
        assert (row["manufacturer"], row["device_type"]) in types
        assert row["role"] in roles
        assert row["rack"] in racks
        assert bool(row["position"]) == bool(row["face"])
    ports = {(row["device"], row["name"]) for row in files["interfaces"]}
    assert len(ports) == len(files["interfaces"])
    for row in files["cables"]:
        for side in "ab":
            assert (row[f"side_{side}_device"], row[f"side_{side}_name"]) in ports
            assert row[f"side_{side}_type"] == "dcim.interface"
    assert all((m["device"], m["component_name"]) in ports for m in files["inventory_items"])


def test_choices_are_netboxs_own(files):
    """Types of interfaces and cables, status, units and slugs are those that NetBox takes."""
    assert all(re.fullmatch(INTERFACE, row["type"]) for row in files["interfaces"])
    assert {row["type"] for row in files["cables"]} - {""} <= CABLES
    assert {row["length_unit"] for row in files["cables"]} <= {"m"}
    for table in ("devices", "racks", "sites", "cables"):
        assert {row["status"] for row in files[table]} == {"planned"}
    for table in ("sites", "manufacturers", "device_roles", "device_types"):
        slugs = [row["slug"] for row in files[table]]
        assert len(slugs) == len(set(slugs))
        assert all(re.fullmatch(r"[-a-z0-9_]+", s) for s in slugs)


def test_lengths_and_modules_are_the_documents(files, solution):
    """Every link keeps its length; modules count as cages that hold one."""
    lengths = {cable.id: cable.length_m for cable in solution.links()}
    assert {row["label"]: float(row["length"]) for row in files["cables"]} == lengths
    cages = {
        (device, port.rpartition("/")[0] or port)
        for c in solution.links()
        for device, port, module in ((c.a, c.a_port, c.a_module), (c.b, c.b_port, c.b_module))
        if module
    }
    assert len(files["inventory_items"]) == len(cages)


def test_port_map_names_each_port_once(solution, catalog):
    """Every switch port has one line; those in use are the cable ends, the rest is free."""
    found = list(csv.DictReader(io.StringIO(port_map_csv(solution, catalog).lstrip("\ufeff"))))
    keys = [(row["switch"], row["port"]) for row in found]
    assert len(keys) == len(set(keys))
    switches = {d.id: d for d in solution.devices if d.kind in ("leaf", "spine", "core")}
    ends = {
        end
        for c in solution.links()
        for end in ((c.a, c.a_port), (c.b, c.b_port))
        if end[0] in switches
    }
    assert {k for k, row in zip(keys, found, strict=True) if row["state"] == "used"} == ends
    for name, device in switches.items():
        part = catalog.switches.get(device.part)
        if part is not None:
            ports = sum(switch == name for switch, _ in keys)
            assert ports >= part.cages * part.links_per_cage(solution.design.fabric.link_gbps)


def test_infragraph_holds_the_same_links(solution):
    """Instances count the devices, edges the links, and no port has two of them."""
    graph = infragraph(solution)
    assert sum(one["count"] for one in graph["instances"]) == len(solution.devices)
    assert len(graph["edges"]) == len(solution.links())
    ends = [(e[p]["instance"], e[p]["component"]) for e in graph["edges"] for p in ("ep1", "ep2")]
    assert len(ends) == len(set(ends))
    named = {device["name"]: device for device in graph["devices"]}
    instances = {one["name"]: one for one in graph["instances"]}
    assert len(instances) == len(graph["instances"])
    links = {link["name"] for link in graph["links"]}
    for edge in graph["edges"]:
        assert edge["link"] in links
        for point in ("ep1", "ep2"):
            name, index = re.fullmatch(r"([\w-]+)\[(\d+)\]", edge[point]["instance"]).groups()
            assert int(index) < instances[name]["count"]
            port = int(re.fullmatch(r"port\[(\d+)\]", edge[point]["component"]).group(1))
            assert port < named[instances[name]["device"]]["components"][0]["count"]
    pattern = re.compile(r"[\sa-zA-Z0-9\-_()><\[\]]+")
    names = [graph["name"], *named, *instances, *links]
    assert all(pattern.fullmatch(name) for name in names)


def test_slugs_take_any_script():
    """A slug is never empty, whatever the text, and two names never share one."""
    assert slug("Clúster Ñandú 1") == "cluster-nandu-1"
    found = {slug(text) for text in ("集群", "北京", "北京 A", "上海 A", "Ж" * 120, "Ж" * 119)}
    assert len(found) == 6
    assert all(re.fullmatch(r"[a-z0-9_-]{1,100}", text) for text in found)


def test_hostile_text_stays_text(hostile_plan, catalog, tmp_path):
    """No cell begins like a formula, whatever the names and texts of the plan."""
    for path in write_netbox(hostile_plan, catalog, tmp_path):
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))):
            assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row)


def test_tables_stand_in_the_order_of_import(plan, catalog):
    """File names sort in the order in which NetBox must read them."""
    names = list(netbox_tables(plan, catalog))
    assert names == sorted(names)
