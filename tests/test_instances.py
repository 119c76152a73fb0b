"""Shipped instances give the decisions that instances/README.md tells."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planner.domain.instance import load_instance
from planner.domain.regions_answer import RegionsAnswer
from planner.domain.seal import sealed
from planner.domain.solution import Solution
from planner.study.decide import DecideOptions, Decision, decide
from planner.study.regions import decide_regions
from planner.verify.check import verify
from planner.verify.regions import verify_regions
from planner.verify.violation import Violation

SLOW = ("pools-concurrent", "cloud-peaks", "cloud-reserve",
        "growth-switch", "growth-70b")  # fmt: skip
"""Shipped instances that take more than about 15 s."""
GROWTH_PAGE = (Path(__file__).parents[1] / "docs" / "growth.md").read_text(encoding="utf-8")
REGIONAL = ("two-sites", "three-regions")
"""Answered by `planner regions`."""
SCALE = {
    "goodput-spares": (0.001, 0.02), "scale-128": (0.001, 0.02), "superpod-127": (0.001, 0.02),
    "scale-2048": (0.005, 0.05), "scale-12500": (0.01, 0.1),
}  # fmt: skip
"""Instances too large for a full proof, with the gaps of the total and of the placement they reach."""


def shipped() -> list[Any]:
    """Return the names of all shipped instances, the slow ones marked."""
    folder = Path(__file__).parents[1] / "instances"
    names = sorted(
        path.stem
        for path in folder.glob("*.json")
        if path.stem not in ("schema", *REGIONAL, *SCALE)
    )
    marks = {name: [pytest.mark.slow] if name in SLOW else [] for name in names}
    return [pytest.param(name, marks=marks[name]) for name in names]


@functools.cache
def solved(name: str):
    """Return a shipped instance solved with its alternatives."""
    instance, path = load_instance(name)
    return decide(instance, path, DecideOptions(), lambda _: None)


def recounted(decision: Decision) -> list[Violation]:
    """Return what the checker finds in an answer's document, read again as `planner verify` does."""
    document = sealed(decision.solution).model_dump_json(by_alias=True)
    return verify(Solution.model_validate_json(document), decision.catalog)


def test_one_more_server_flips_infiniband_to_roce() -> None:
    """64 links fill one InfiniBand switch; 72 need three, but one Ethernet switch has 128 ports."""
    small, large = solved("flip-64-links").solution, solved("flip-72-links").solution
    assert (small.status, large.status) == ("optimal", "optimal")
    assert small.design.fabric.family == "infiniband"
    assert large.design.fabric.family == "roce"
    for solution in (small, large):
        assert [(t.tier, t.count) for t in solution.design.fabric.tiers] == [("leaf", 1)]
    other = next(a for a in large.alternatives if a.name == "InfiniBand")
    assert other.delta_usd > 0
    assert "switches" in other.reason


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_instance_is_proved_and_recounted(name: str) -> None:
    """Gap 0 and no contradiction found by the independent checker."""
    decision = solved(name)
    assert decision.solution.status == "optimal"
    assert decision.solution.gap == 0
    assert recounted(decision) == []


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name != "scale-128" else []) for name in SCALE],
)
def test_large_instances_are_proved_within_their_gaps(name: str) -> None:
    """Gap of the total and of what the placement decides, against bounds over all positions."""
    decision, (total, placement) = solved(name), SCALE[name]
    solution = decision.solution
    assert solution.gap is not None
    assert solution.placement_gap is not None
    assert solution.gap <= total
    assert solution.placement_gap <= placement
    assert recounted(decision) == []


@pytest.mark.parametrize("name", REGIONAL)
def test_answers_over_sites_are_proved_and_recounted(name: str) -> None:
    """Each site's own answer and what joins them."""
    decision = decide_regions(*load_instance(name))
    answer = RegionsAnswer.model_validate_json(decision.answer.model_dump_json(by_alias=True))
    assert answer.status == "optimal"
    assert [recounted(site) for site in decision.sites] == [[]] * len(answer.sites)
    solutions = [site.solution for site in decision.sites]
    assert verify_regions(answer, solutions, decision.sites[0].catalog) == []
    if name == "three-regions":
        assert (len(answer.sites), answer.crossing.dimension) == (2, "pp")
        assert [line.gbps for line in answer.lines] == [400]
        summed = next(a for a in answer.alternatives if a.name == "dp")
        assert summed.objective_usd - answer.objective_usd == pytest.approx(3.5e6, abs=5e4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "pools", "rents"),
    [("pools-mixed", 2, 0), ("pools-concurrent", 1, 0), ("cloud-peaks", 1, 1),
     ("cloud-reserve", 0, 3)],
)  # fmt: skip
def test_deciding_together_beats_job_by_job(name: str, pools: int, rents: int) -> None:
    """What docs/markets.md tells: who is bought, who is rented, and what it saves."""
    decision = solved(name)
    solution = decision.solution
    assert solution.status == "optimal"
    assert recounted(decision) == []
    assert (len(solution.pools), len(solution.portfolio.rents)) == (pools, rents)
    alone = next(o for o in solution.portfolio.others if o.name == "job_by_job")
    assert alone.total_usd is None or alone.total_usd > 1.3 * solution.objective_usd


GROWING = [
    ("growth-platform", 684_302.19, 856_625.26, 795_013.99, ["hgx-h100-8", "hgx-h100-8"]),
    ("growth-resale", 591_975.73, 600_393.32, 727_038.43, ["l40s-8-pcie", "hgx-h100-8"]),
    ("growth-spine", 5_498_084.96, 5_514_423.86, 6_473_128.68, ["hgx-h100-8"] * 2),
    pytest.param("growth-switch", 3_333_910.32, 3_364_825.62, 3_545_850.44, ["hgx-h100-8"] * 2,
                 marks=pytest.mark.slow),
    pytest.param("growth-70b", 2_920_646.96, 2_920_646.96, 3_681_132.81, ["hgx-h100-8"] * 3,
                 marks=pytest.mark.slow),
]  # fmt: skip


@pytest.mark.parametrize(("name", "together", "yearly", "now", "servers"), GROWING)
def test_deciding_together_beats_year_by_year(
    name: str, together: float, yearly: float, now: float, servers: list[str]
) -> None:
    """The figures that docs/growth.md tells, and the servers of each phase."""
    solution = solved(name).solution
    assert solution.objective_usd == together
    others = {other.name: other.total_usd for other in solution.growth.others}
    assert others == {"year_by_year": yearly, "all_now": now}
    assert [p.design.platform.server for p in solution.phases] == servers
    row = next(r for r in GROWTH_PAGE.splitlines() if r.startswith(f"| `{name}`"))
    assert all(f"{usd:,.0f}" in row for usd in (together, yearly, now))


def test_a_room_in_use_is_respected() -> None:
    """Pillars stay free, half-full racks get what fits above, dense racks take the servers."""
    solution = solved("room-rows").solution
    site = solution.instance.site
    special = site.special_places()
    places = {rack.id: special.get((rack.row, rack.column)) for rack in solution.racks}
    assert all(place is None or not place.blocked for place in places.values())
    assert any(place and place.partly_used for place in places.values())
    kinds = {
        device.rack: places[device.rack] for device in solution.devices if device.kind == "node"
    }
    assert all(place and place.kind == "dense" for place in kinds.values())
    for rack in solution.racks:
        feeds = [pdu.feed for pdu in rack.pdus]
        assert feeds.count("A") == feeds.count("B")
        assert bool(feeds) != rack.partly_used


def test_the_published_superpod_is_wired_as_published() -> None:
    """DGX H100 SuperPOD RA-11333-001 v11, 127 nodes in four units: switches, cables, transceivers.

    Its 1,020 node cables count four of the fabric managers, which fill free halves of modules.
    """
    solution = solved("superpod-127").solution
    fabric = solution.design.fabric
    assert [(t.tier, t.count) for t in fabric.tiers] == [("leaf", 32), ("spine", 16)]
    assert (fabric.units, fabric.servers_per_unit) == (4, 32)
    assert (fabric.cables.node_leaf, fabric.cables.leaf_spine) == (1020 - 4, 1024)
    bought = {(b.part, b.component): b.quantity for b in solution.bill_of_materials}
    assert bought["osfp-800g-2xsr4", "transceivers"] == 1536
    assert bought["osfp-flat-800g-2xsr4", "transceivers"] == 508
    assert bought["qm9700", "switches"] == 48


def test_the_published_superpod_has_its_managers_and_networks() -> None:
    """Four fabric managers with four links, 254 in-band cables, 8 in-band switches, 38 racks.

    Storage at 4:3 and 1:1 takes 14 of the published 16 switches (docs/reference-designs.md).
    """
    solution = solved("superpod-127").solution
    services = solution.services
    assert services is not None
    storage, in_band = services.networks
    assert [(row.leafs, row.uplinks) for row in storage.leafs] == [(8, 24), (2, 24)]
    assert (storage.server_links, storage.spines) == (254, 4)
    assert abs(storage.oversubscription - 4 / 3) < 1e-9
    assert (in_band.leaf_count + in_band.spines, in_band.server_links) == (8, 254)
    manager = next(lot for lot in services.links if lot.network == "fabric_manager")
    assert (services.managers, manager.links, manager.modules_b) == (4, 4, 0)
    assert solution.design.fabric.cables.node_leaf + manager.links == 1020
    assert (solution.design.racks, len(services.racks)) == (38, 4)


def test_the_published_superpod_names_every_cable() -> None:
    """1,016 + 4 cables below, 1,024 above, and those of storage and in-band, each with both ends."""
    cables = Counter(cable.tier for cable in solved("superpod-127").solution.cables)
    assert cables["node_leaf"] + cables["fabric_manager"] == 1020
    assert cables["leaf_spine"] == 1024
    assert cables["storage_network"] == 254 + 48 + 8 * 24 + 2 * 24
    assert cables["in_band_network"] == 254 + 10 + 6 * 12
