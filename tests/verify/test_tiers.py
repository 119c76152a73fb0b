"""Deliberate corruptions of answers with pods, cores and planes: each is caught by its own check."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from planner.domain.solution import Solution
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.program.small_halls import small_catalog, small_decision
from tests.program.test_whole_racks import FILE
from tests.program.test_whole_racks import instance as whole


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return answers of several tiers, of planes and of a pair, with the catalogue of all."""
    folder = small_catalog(tmp_path_factory.mktemp("small"))
    three = small_decision(folder, 18, "three_tier")
    dual = small_decision(folder, 8, "dual_plane", fix={"nics_per_node": 4})
    rails = small_decision(folder, 34, "rail_only")
    pair = small_decision(folder, 2, "joined_pair", fix={"nics_per_node": 4})
    racks = small_decision(folder, 5, "top_of_rack", site={"rack_kw": 8.6})
    trays = decide(whole(2, "rack_rails", "qm9700", "infiniband"), FILE,
                   DecideOptions(alternatives=False), lambda _: None)  # fmt: skip
    decisions = {
        "three": three, "dual": dual, "rails": rails, "pair": pair, "racks": racks, "trays": trays,
    }  # fmt: skip
    documents = {name: d.solution.model_dump(mode="json") for name, d in decisions.items()}
    return documents, three.catalog


def _device(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(d for d in document["devices"] if d["id"] == name)


def relabel(name: str, key: str, value: int):
    """Return a change of one field of a device."""

    def change(document: dict[str, Any]) -> None:
        _device(document, name)[key] = value

    return change


def state(key: str, value: Any):
    """Return a change of one stated figure of the fabric."""

    def change(document: dict[str, Any]) -> None:
        document["design"]["fabric"][key] = value

    return change


def compare(key: str, value: Any):
    """Return a change of one figure of the comparison with a careless placement."""

    def change(document: dict[str, Any]) -> None:
        document["design"]["careless"][key] = value

    return change


def rewire(tier: str, below: str, above: str, to: str, links: int = 99):
    """Return a change that moves links between two devices to another upper device."""

    def change(document: dict[str, Any]) -> None:
        moved = 0
        for cable in document["cables"]:
            if moved < links and (cable["tier"], cable["a"], cable["b"]) == (tier, below, above):
                cable["b"] = to
                moved += 1
        assert moved

    return change


def one_nic_link(document: dict[str, Any]) -> None:
    """State a server option whose NICs have one link each."""
    document["design"]["platform"] |= {"nic": "cx7-200-2p", "nics": 2}


def every_core_link_to_one_pod(document: dict[str, Any]) -> None:
    """Let the last core serve a single pod."""
    pods = {d["id"]: d["pod"] for d in document["devices"] if d["kind"] == "spine"}
    core = max(d["id"] for d in document["devices"] if d["kind"] == "core")
    for cable in document["cables"]:
        if cable["tier"] == "spine_core" and cable["b"] == core and pods[cable["a"]]:
            cable["b"] = "core-01"


def same_plane(document: dict[str, Any]) -> None:
    """Exchange the upper ends of two links of one server, so that one NIC meets one plane."""
    links = [c for c in document["cables"] if c["tier"] == "node_leaf" and c["a"] == "node-001"]
    a, b = links[1], links[2]
    for key in ("b", "b_port"):
        a[key], b[key] = b[key], a[key]


PARTED: dict[str, tuple[str, str, Any]] = {
    "leaf without pod": ("three", "pod-label", relabel("leaf-01", "pod", -1)),
    "plane that does not exist": ("dual", "plane-label", relabel("leaf-01", "plane", 7)),
    "pods stated": ("three", "pod-count", state("pods", 4)),
    "planes stated": ("dual", "plane-count", state("planes", 3)),
    "unit over two pods": ("three", "pod-unit", relabel("leaf-02", "pod", 1)),
    "links in one plane": (
        "dual", "plane-servers", rewire("node_leaf", "node-001", "leaf-02", "leaf-03")),
    "NICs of one link": ("dual", "plane-nics", one_nic_link),
    "NIC in one plane": ("dual", "plane-ports", same_plane),
    "leaf to a spine of another pod": (
        "three", "leaf-spine-foreign", rewire("leaf_spine", "leaf-01", "spine-01", "spine-09")),
    "leaf to a spine of another plane": (
        "dual", "leaf-spine-foreign", rewire("leaf_spine", "leaf-01", "spine-01", "spine-03")),
    "uneven leaf": (
        "three", "leaf-spine-spread", rewire("leaf_spine", "leaf-01", "spine-01", "spine-02")),
    "leaf with fewer uplinks": ("three", "leaf-uplinks", lambda d: d["cables"].remove(
        next(c for c in d["cables"] if c["tier"] == "leaf_spine"))),
    "uplinks of spines stated": ("three", "spine-uplinks", state("uplinks_per_spine", 5)),
    "ratio of spines stated": (
        "three", "spine-oversubscription", state("spine_oversubscription", 2.0)),
    "ratio without cores": ("dual", "spine-oversubscription", state("spine_oversubscription", 2.0)),
    "cores uneven": (
        "three", "core-spread", rewire("spine_core", "spine-01", "core-01", "core-02")),
    "core of another plane": (
        "rails", "spine-core-foreign", rewire("spine_core", "spine-01", "core-01", "core-10")),
    "core that joins one pod": ("three", "core-pods", every_core_link_to_one_pod),
    "even spread": ("dual", "even-spread-spines", state("even_spread_spines", 1)),
    "price of even spread": ("dual", "even-spread-cost", state("even_spread_usd", 5.0)),
    "careless links": ("three", "careless-links", compare("links_usd", 1.0)),
    "careless reach": ("three", "careless-longest", compare("longest_m", 99.0)),
    "dealt step": ("three", "careless-dealt", compare("dealt_step_times_s", {"a": 9.9})),
    "careless step": ("three", "careless-steps", compare("careless_step_times_s", {"a": 0.001})),
    "joint too narrow": ("pair", "joint-links", lambda d: d["cables"].remove(
        next(c for c in d["cables"] if c["tier"] == "leaf_leaf"))),
    "joint of a leaf with itself": (
        "pair", "joint-links", rewire("leaf_leaf", "leaf-01", "leaf-02", "leaf-01", 1)),
    "joint without a pair": ("pair", "joint-absent", state("topology", "rail_only")),
    "joint stated": ("pair", "cable-count", lambda d: d["design"]["fabric"]["cables"].update(
        leaf_leaf=5)),
    "NIC on one leaf": ("pair", "joint-cards", same_plane),
    "pair timed as one switch": ("pair", "steptime-total", lambda d: d["workloads"][0].update(
        step_time_s=d["workloads"][0]["step_time_s"] * 0.999)),
    "leaf out of its rack": ("racks", "unit-rack", lambda d: _device(d, "leaf-02").update(
        rack=_device(d, "leaf-01")["rack"])),
    "two units in a rack": ("racks", "unit-rack", lambda d: [
        _device(d, name).update(rack=_device(d, "leaf-01")["rack"])
        for name in ("leaf-02", "node-002")]),
    "slots kept on ports": ("racks", "kept-slots", state("kept_slots_per_unit", 1)),
    "slots lost": ("racks", "kept-slots", lambda d: d["instance"]["fabric"].update(reserved_slots=2)),
    "rack not filled": ("racks", "unit-size", lambda d: d["instance"]["site"].update(rack_kw=20.0)),
    "rail without a leaf": ("trays", "tray-leafs", relabel("leaf-02", "group", 1)),
    "trays on a wrong rail": ("trays", "tray-rails", same_plane),
    "too few tiers": ("three", "topology-shape", state("topology", "rail_optimised")),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTED)
def test_a_corrupted_answer_with_pods_or_planes_is_caught(answers, name):
    """Each corruption is named by its own check."""
    documents, catalog = answers
    which, check, change = PARTED[name]
    document = copy.deepcopy(documents[which])
    change(document)
    found = {v.check: v for v in verify(Solution.model_validate(document), catalog)}
    assert check in found, sorted(found)
    assert found[check].where
    assert found[check].sentence


def test_uncorrupted_answers_have_no_violation(answers):
    """What is corrupted above is right before."""
    documents, catalog = answers
    for document in documents.values():
        assert verify(Solution.model_validate(copy.deepcopy(document)), catalog) == []
