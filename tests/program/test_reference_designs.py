"""Published reference designs as columns of the program: catalogue servers and switches, no radix typed in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planner.domain.design import FabricChoice
from planner.domain.instance import Instance
from planner.physics.refusal import Refusal
from planner.program.columns import Column, build_column, plan_of
from planner.program.fabrics import fabric_choices
from planner.program.platforms import PlatformOption, platform_options
from planner.program.prices import PriceBook
from planner.program.quotes import catalog_for

QUOTE = {"usd": 300_000, "date": "2024-08"}
H100, B200 = ("dgx-h100", 8, "qm9700"), ("dgx-b200", 8, "qm9700")
XDR, PLANES = ("dgx-b300", 8, "q3400-ra"), ("dgx-b300", 16, "sn5600")
UFM = 4
"""Cables of the fabric manager, in the published column of node cables."""

# Row, platform, topology, servers, reserved slots: leafs, spines, cores, node-leaf, leaf-spine and
# spine-core cables as published. DGX SuperPOD reference architectures: H100 (RA-11333-001 v11,
# tables 3 and 4), B200 (table 4), B300 Ethernet and XDR (table 3 of each).
DESIGNS: list[tuple[str, tuple[str, int, str], str, int, int, tuple[int, ...]]] = [
    ("NV-H100-1SU-UFM", H100, "rail_optimised", 31, 1, (8, 4, 0, 252 - UFM, 256, 0)),
    ("NV-H100-2SU-UFM", H100, "rail_optimised", 63, 1, (16, 8, 0, 508 - UFM, 512, 0)),
    ("NV-H100-3SU-UFM", H100, "rail_optimised", 95, 1, (24, 16, 0, 764 - UFM, 768, 0)),
    ("NV-H100-4SU-UFM", H100, "rail_optimised", 127, 1, (32, 16, 0, 1020 - UFM, 1024, 0)),
    ("NV-H100-4SU", H100, "rail_optimised", 128, 0, (32, 16, 0, 1024, 1024, 0)),
    ("NV-H100-8SU", H100, "rail_optimised", 256, 0, (64, 32, 0, 2048, 2048, 0)),
    ("NV-H100-16SU", H100, "three_tier", 512, 0, (128, 128, 64, 4096, 4096, 4096)),
    ("NV-H100-32SU", H100, "three_tier", 1024, 0, (256, 256, 128, 8192, 8192, 8192)),
    ("NV-H100-64SU", H100, "three_tier", 2048, 0, (512, 512, 256, 16384, 16384, 16384)),
    ("NV-B200-2SU", B200, "rail_optimised", 64, 0, (16, 8, 0, 512, 512, 0)),
    ("NV-B200-4SU", B200, "rail_optimised", 128, 0, (32, 16, 0, 1024, 1024, 0)),
    ("NV-B200-8SU", B200, "rail_optimised", 256, 0, (64, 32, 0, 2048, 2048, 0)),
    ("NV-B200-16SU", B200, "three_tier", 512, 0, (128, 128, 64, 4096, 4096, 4096)),
    ("NV-B200-32SU", B200, "three_tier", 1024, 0, (256, 256, 128, 8192, 8192, 8192)),
    ("NV-B200-64SU", B200, "three_tier", 2048, 0, (512, 512, 256, 16384, 16384, 16384)),
    ("NV-B200-4SU-UFM", B200, "rail_optimised", 127, 1, (32, 16, 0, 1020 - UFM, 1024, 0)),
    # one published cable is an 800G port that two planes share as 2 x 400G
    ("NV-B300E-1SU", PLANES, "dual_plane", 64, 0, (16, 8, 0, 2 * 512, 2 * 512, 0)),
    ("NV-B300E-2SU", PLANES, "dual_plane", 128, 0, (32, 16, 0, 2 * 1024, 2 * 1024, 0)),
    ("NV-B300E-4SU", PLANES, "dual_plane", 256, 0, (64, 32, 0, 2 * 2048, 2 * 2048, 0)),
    ("NV-B300E-8SU", PLANES, "dual_plane", 512, 0, (128, 64, 0, 2 * 4096, 2 * 4096, 0)),
    ("NV-B300E-16SU", PLANES, "dual_plane", 1024, 0, (256, 128, 0, 2 * 8192, 2 * 8192, 0)),
    ("NV-B300X-1SU", XDR, "rail_optimised", 72, 0, (8, 4, 0, 576, 576, 0)),
    ("NV-B300X-2SU", XDR, "rail_optimised", 144, 0, (16, 8, 0, 1152, 1152, 0)),
    ("NV-B300X-4SU", XDR, "rail_optimised", 288, 0, (32, 18, 0, 2304, 2304, 0)),
    ("NV-B300X-8SU", XDR, "rail_optimised", 576, 0, (64, 36, 0, 4608, 4608, 0)),
    ("NV-B300X-18SU", XDR, "rail_optimised", 1296, 0, (144, 72, 0, 10368, 10368, 0)),
]


def offered(
    platform: tuple[str, int, str], topology: str, **rules: Any
) -> tuple[PriceBook, PlatformOption, list[FabricChoice]]:
    """Return what an instance that fixes server, links, switch and topology lets the program choose."""
    server, links, switch = platform
    job = {"name": "a", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 64,
           "step_time_s": 10.0}  # fmt: skip
    instance = Instance.model_validate({
        "name": "published", "workloads": [job],
        "site": {"racks": 2000, "rack_kw": 60, "cooling": "liquid"},
        "grid": {"oversubscription": [1.0]}, "fabric": rules,
        "fix": {"server": server, "nics_per_node": links, "switch": switch, "topology": topology},
        "quotes": {server: QUOTE},
    })  # fmt: skip
    catalog = catalog_for(instance, Path("published.json"))
    book = PriceBook(instance, catalog)
    options, _ = platform_options(instance, catalog, book)
    found = next(
        o for o in options if o.platform.link_gbps == (800.0 if platform is XDR else 400.0)
    )
    return book, found, fabric_choices(instance, catalog, book, found)


def _built(
    book: PriceBook, option: PlatformOption, servers: int, choice: FabricChoice
) -> Column | Refusal:
    plan = plan_of(book.catalog, book, option, servers, choice)
    return build_column(book.catalog, book, option, servers, plan)


def columns(
    platform: tuple[str, int, str], topology: str, servers: int, **rules: Any
) -> list[Column | Refusal]:
    """Return the columns of so many servers, with the refusals of those that cannot be built."""
    book, option, choices = offered(platform, topology, **rules)
    assert choices
    return [_built(book, option, servers, choice) for choice in choices]


def counts(column: Column) -> tuple[int, ...]:
    """Return leafs, spines, cores and the cables of each tier."""
    plan = column.plan
    links = (plan.node_leaf_links, plan.leaf_spine_links, plan.spine_core_links)
    return (plan.leafs, plan.spines, plan.cores, *links)


@pytest.mark.parametrize("row", DESIGNS, ids=[row[0] for row in DESIGNS])
def test_a_published_design_is_a_column(row: Any) -> None:
    """The program offers exactly the published switches and cables, non-blocking."""
    _, platform, topology, servers, reserved, published = row
    built = [
        column
        for column in columns(platform, topology, servers, reserved_slots=reserved)
        if isinstance(column, Column)
    ]
    assert {counts(column) for column in built} == {published}
    assert built[0].plan.uplink_ratio == built[0].plan.pod_uplink_ratio == 1.0


L40S, HGX = ("l40s-8-pcie", 4, "sn5600"), ("hgx-h100-8", 8, "sn5600")
# NVIDIA Enterprise RA (repository of its wire maps): nodes, then cables to the servers and between
# both switches; 2-8-9-400 lists 48 for 12 nodes, 2-8-5-200 lists 40 for 20.
PAIRS = [
    ("ERA-2-8-5-200-SU4", L40S, 16, 64, 32), ("ERA-2-8-5-200-SU5", L40S, 20, 80, 40),
    ("ERA-2-8-5-200-SU6", L40S, 24, 96, 48), ("ERA-2-8-5-200-SU8", L40S, 32, 128, 64),
    ("ERA-2-8-9-400-SU2", HGX, 8, 64, 32), ("ERA-2-8-9-400-SU3", HGX, 12, 96, 48),
    ("ERA-2-8-9-400-SU4", HGX, 16, 128, 64),
]  # fmt: skip


@pytest.mark.parametrize("row", PAIRS, ids=[row[0] for row in PAIRS])
def test_a_published_pair_is_a_column(row: Any) -> None:
    """Two joined switches carry the published cables; one node beyond the published limit none."""
    _, platform, servers, down, across = row
    column = next(c for c in columns(platform, "joined_pair", servers) if isinstance(c, Column))
    assert counts(column) == (2, 0, 0, down, 0, 0)
    assert column.plan.joint_links == across
    limit = {8: 16, 4: 32}[platform[1]]
    beyond = [c for c in columns(platform, "joined_pair", limit + 1) if isinstance(c, Refusal)]
    assert any("it has 128" in refusal.reason for refusal in beyond)
    assert not any(isinstance(c, Column) for c in columns(platform, "joined_pair", limit + 1))


def test_a_pair_is_offered_only_where_it_is_named() -> None:
    """An instance that leaves the topology open is not asked about pairs."""
    book, option, choices = offered(HGX, "joined_pair")
    assert {choice.topology for choice in choices} == {"joined_pair"}
    fix = book.instance.fix.model_copy(update={"topology": None})
    free = book.instance.model_copy(update={"fix": fix})
    found = {
        c.topology
        for c in fabric_choices(free, book.catalog, PriceBook(free, book.catalog), option)
    }
    assert "single" in found
    assert "joined_pair" not in found


NVL72 = ("gb200-nvl72", 72, "qm9700")


def test_a_gb200_unit_is_a_column() -> None:
    """A leaf for each rack and rail, rails apart, spines with ports for a second unit: 32 and 24.

    DGX GB200 SuperPOD, one unit of 8 racks: 4 groups of 8 leafs and 6 spines; 18 of a leaf's 64
    ports down and 18 up. Joined rails take 9 spines; packed leafs 20 with rails apart.
    """
    (unit,) = columns(NVL72, "rack_rails", 8, reserved_leafs=8)
    assert isinstance(unit, Column)
    assert counts(unit) == (32, 24, 0, 576, 576, 0)
    plan = unit.plan
    assert (plan.planes, plan.links_per_server_leaf, plan.uplinks_per_leaf) == (4, 18, 18)
    (full,) = columns(NVL72, "rack_rails", 8)
    assert isinstance(full, Column)
    assert counts(full) == (32, 12, 0, 576, 576, 0)
    (joined,) = columns(NVL72, "top_of_rack", 8)
    assert isinstance(joined, Column)
    assert counts(joined) == (32, 9, 0, 576, 576, 0)


def test_64_nodes_of_four_links() -> None:
    """4 leafs and 2 spines on 128 ports of 400G, a leaf for each rail (Asterfusion, 64 x 4)."""
    four = L40S
    wide = [c for c in columns(four, "rail_optimised", 64) if isinstance(c, Column)]
    assert {counts(c) for c in wide} == {(4, 2, 0, 256, 256, 0)}
    few = [c for c in columns(four, "single", 4) if isinstance(c, Column)]
    assert {counts(c) for c in few} == {(1, 0, 0, 16, 0, 0)}


def test_64_nodes_of_eight_gpus_need_four_spines() -> None:
    """8 leafs with 4 full spines carry what the published test topology spreads over 8."""
    found = [c for c in columns(HGX, "rail_optimised", 64) if isinstance(c, Column)]
    assert {counts(c) for c in found} == {(8, 4, 0, 512, 512, 0)}


def test_both_ports_of_a_nic_meet_two_leafs_of_a_joined_fabric() -> None:
    """Rail-optimised with NICs of two ports is dual-homed: 16 leafs a unit, all spines joined."""
    found = [c for c in columns(PLANES, "rail_optimised", 64) if isinstance(c, Column)]
    assert {counts(c) for c in found} == {(16, 8, 0, 1024, 1024, 0)}
    assert found[0].plan.planes == 1


def test_256_nodes_stay_in_two_tiers() -> None:
    """Cores are refused where two tiers reach, and where only they are allowed they are dearer."""
    book, option, choices = offered(H100, "three_tier")
    choice = next(c for c in choices if c.core_switch)
    free = FabricChoice(
        family=choice.family, topology="three_tier", leaf_switch=choice.leaf_switch,
        spine_switch=choice.spine_switch, core_switch=choice.core_switch,
    )  # fmt: skip
    refused = _built(book, option, 256, free)
    assert isinstance(refused, Refusal)
    assert "two tiers join 64 leafs" in refused.reason
    two = next(c for c in columns(H100, "rail_optimised", 256) if isinstance(c, Column))
    three = next(c for c in columns(H100, "three_tier", 256) if isinstance(c, Column))
    assert two.fixed.total < three.fixed.total


def test_even_spread_takes_four_more_spines_at_95_nodes() -> None:
    """16 spines divide 32 uplinks, 12 would carry them."""
    uneven = columns(H100, "rail_optimised", 95, reserved_slots=1, even_spread=False)
    assert [c.plan.spines for c in uneven if isinstance(c, Column)] == [12]


def test_two_tiers_of_144_ports_end_at_1296_nodes() -> None:
    """One node more is refused by name; three tiers take it."""
    (refused,) = columns(XDR, "rail_optimised", 1297)
    assert isinstance(refused, Refusal)
    assert "152 leafs" in refused.reason
    assert any(isinstance(c, Column) for c in columns(XDR, "three_tier", 1297))


def test_512_nodes_at_800g_do_not_fit_one_plane_of_two_tiers() -> None:
    """64 ports of 800G end at 2,048 GPUs; as 128 ports of 400G two planes hold 4,096."""
    whole = ("dgx-b300", 8, "sn5600")
    book, _, _ = offered(whole, "rail_optimised")
    options, _ = platform_options(book.instance, book.catalog, book)
    option = next(o for o in options if o.platform.link_gbps == 800.0)
    for choice in fabric_choices(book.instance, book.catalog, book, option):
        assert isinstance(_built(book, option, 512, choice), Refusal)


def test_rail_only_saves_two_fifths_of_2048_nodes() -> None:
    """1,280 switches joined, 768 in eight rail fabrics (a public H100 price sheet of 2024)."""
    joined = next(c for c in columns(H100, "three_tier", 2048) if isinstance(c, Column))
    apart = [c for c in columns(H100, "rail_only", 2048) if isinstance(c, Column)]
    assert joined.plan.switches == 1280
    assert min(c.plan.switches for c in apart) == 768
