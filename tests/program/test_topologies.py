"""Every topology as a choice of the program, end to end: counted, placed, cabled, counted again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from planner.export.port_map import port_rows
from planner.verify.check import verify
from tests.program.small_halls import SWITCH, small_catalog, small_decision


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose catalogue has an 8-port switch of 200 Gb/s."""
    return small_catalog(tmp_path_factory.mktemp("small"))


CASES = [
    # nodes, topology, leafs, spines, cores, planes, pods
    (8, "rail_only", 2, 0, 0, 2, 0),
    (12, "rail_only", 6, 4, 0, 2, 0),
    (4, "dual_plane", 2, 0, 0, 2, 0),
    (8, "dual_plane", 8, 4, 0, 2, 0),
    (2, "joined_pair", 2, 0, 0, 1, 0),
    (18, "three_tier", 10, 10, 5, 1, 3),
    (34, "rail_only", 18, 18, 10, 2, 3),
]


def test_top_of_rack_needs_two_racks_and_leafs_with_ports(folder: Path) -> None:
    """One rack with one leaf has no use for spines; a rack of too many servers finds no leafs."""
    one = small_decision(folder, 2, "top_of_rack", site={"rack_kw": 9.5})
    assert any("a spine would join nothing" in reason for reason in one.solution.reasons)
    full = small_decision(folder, 30, "top_of_rack", site={"rack_kw": 60})
    assert any("no number of leafs with 8 ports" in reason for reason in full.solution.reasons)


def test_units_of_a_rack_keep_their_links_inside(folder: Path) -> None:
    """Two servers fill a rack with one leaf; the third stands in the next, spines where it pays."""
    decision = small_decision(folder, 3, "top_of_rack", site={"rack_kw": 8.6})
    solution = decision.solution
    assert solution.design is not None, solution.reasons
    assert verify(solution, decision.catalog) == []
    inside = {c.needed_m for c in solution.cables if c.tier == "node_leaf"}
    assert inside == {3.0}
    assert solution.placement_gap == 0
    assert len({d.rack for d in solution.devices if d.kind == "leaf"}) == 3


@pytest.mark.parametrize(("nodes", "topology", "leafs", "spines", "cores", "planes", "pods"), CASES)
def test_every_topology_is_bought_whole(
    folder: Path, nodes: int, topology: str, leafs: int, spines: int, cores: int, planes: int,
    pods: int,
) -> None:  # fmt: skip
    """Counts, devices, cables and bill agree; the checker counts them again without a complaint."""
    links = 4 if topology in ("dual_plane", "joined_pair") else 2
    decision = small_decision(folder, nodes, topology, fix={"nics_per_node": links})
    solution = decision.solution
    assert solution.design is not None, solution.reasons
    assert verify(solution, decision.catalog) == []
    fabric = solution.design.fabric
    kinds = Counter(device.kind for device in solution.devices)
    assert (kinds["leaf"], kinds["spine"], kinds["core"]) == (leafs, spines, cores)
    assert (fabric.planes, fabric.pods) == (planes, pods)
    tiers = Counter(cable.tier for cable in solution.cables)
    assert tiers["node_leaf"] == links * nodes
    assert tiers["spine_core"] == fabric.cables.spine_core
    assert tiers["leaf_leaf"] == fabric.cables.leaf_leaf == (topology == "joined_pair") * 4
    bought = sum(line.quantity for line in solution.bill_of_materials if line.part == SWITCH)
    assert bought == leafs + spines + cores
    assert solution.placement_gap < 0.35


def test_a_slot_kept_free_takes_ports_not_a_rack(folder: Path) -> None:
    """Beside full racks a free slot is ports of their leafs, with uplinks; else racks, as before."""
    changes = {"site": {"rack_kw": 8.6}}
    without = small_decision(folder, 4, "top_of_rack", **changes).solution
    kept = small_decision(folder, 4, "top_of_rack", fabric={"reserved_slots": 2}, **changes)
    solution = kept.solution
    assert without.design is not None
    assert solution.design is not None, solution.reasons
    assert verify(solution, kept.catalog) == []
    fabric = solution.design.fabric
    assert (without.design.fabric.kept_slots_per_unit, fabric.kept_slots_per_unit) == (0, 1)
    leafs = [d for d in solution.devices if d.kind == "leaf"]
    assert fabric.units == without.design.fabric.units == len(leafs) == 4
    ports = [row for row in port_rows(solution, kept.catalog) if row[5] == "reserved"]
    assert Counter(row[2] for row in ports) == {leaf.id: 2 for leaf in leafs[2:]}
    many = small_decision(
        folder, 2, "top_of_rack", fabric={"reserved_slots": 3}, **changes
    ).solution
    assert many.design is not None
    assert many.design.fabric.units == 5


PAIRS = [
    # server, links, links that one copper cable carries
    ("dgx-h200", 8, 2),
    ("hgx-b300-8", 16, 0),
]


@pytest.mark.parametrize(("server", "links", "carried"), PAIRS)
def test_a_pair_takes_copper_where_a_cage_may_join_one_leaf(
    folder: Path, server: str, links: int, carried: int
) -> None:
    """Ports of two NICs behind one cage may share a leaf, so copper fills the cage; those of one may not."""
    fix = {"server": server, "nic": None, "nics_per_node": links, "switch": "sn5600"}
    site = {"racks": 2, "rack_kw": 60.0, "inside_rack_m": 2.0}
    decision = small_decision(folder, 3, "joined_pair", fix=fix, site=site)
    solution = decision.solution
    assert solution.design is not None, solution.reasons
    assert verify(solution, decision.catalog) == []
    below = [cable for cable in solution.cables if cable.tier == "node_leaf"]
    assert len(below) == 3 * links
    assert {cable.needed_m for cable in below} == {2.0}
    plugs = Counter(cable.assembly for cable in below if not cable.a_module)
    assert set(plugs.values()) == ({carried} if carried else set())
    assert sum(plugs.values()) == (3 * links if carried else 0)
    leafs = {plug: {c.b for c in below if c.assembly == plug} for plug in plugs}
    assert all(len(met) == 1 for met in leafs.values())
    told = [a.value for a in solution.assumptions if a.what == "cables between servers and leafs"]
    assert bool(told) == (not carried)


def test_two_planes_need_a_port_of_every_nic_in_each(folder: Path) -> None:
    """The two NICs behind a twin-port cage have one port each: two planes would part their GPUs."""
    module = {"server": "dgx-h200", "nic": None, "nics_per_node": 8, "switch": "sn5600"}
    decision = small_decision(folder, 4, "dual_plane", fix=module, site={"rack_kw": 45.0})
    assert decision.solution.status == "infeasible"
    assert any("with 1 links does not join two planes" in r for r in decision.solution.reasons)


def test_two_planes_need_nics_with_two_ports(folder: Path) -> None:
    """With one-port NICs half the GPUs would meet one plane only, the others the other."""
    one_port = {"nic": "cx7-400-1p", "nics_per_node": 4, "switch": "sn5600"}
    decision = small_decision(folder, 8, "dual_plane", fix=one_port)
    assert decision.solution.status == "infeasible"
    assert any("does not join two planes" in reason for reason in decision.solution.reasons)
