"""Ports, spreads and routes: the small rules that the cable list is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from planner.program.floor_region import mirrors, region
from planner.program.ports import PortBook
from planner.program.room import Room
from planner.program.spread import spread_links

ROOM = Room(
    racks=14, racks_per_row=6, pitch_m=0.8, row_pitch_m=3.0, rise_m=2.0, slack_m=1.0,
    inside_rack_m=1.5, rack_units=48, rack_w=40_000.0, rack_kg=1500.0, cooling="air",
)  # fmt: skip


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 64))
def test_spread_is_as_even_as_whole_links_allow(leafs, spines, uplinks):
    """Every leaf has all its uplinks; pairs, and spines, differ by at most one link."""
    table = spread_links(leafs, spines, uplinks)
    assert all(sum(row) == uplinks for row in table)
    assert max(map(max, table)) - min(map(min, table)) <= 1
    loads = [sum(column) for column in zip(*table)]
    assert max(loads) - min(loads) <= 1


@given(st.lists(st.sampled_from(["plug", "x", "y"]), max_size=60), st.integers(1, 4))
def test_ports_fill_cages_and_modules(links, per_cage):
    """Plugs take whole cages; modules of a kind are filled before the next is bought."""
    book = PortBook(per_cage)
    ports = []
    for link in links:
        ports += book.plug(1) if link == "plug" else [book.module(link)]
    assert len(ports) == len(set(ports))
    wanted = Counter(links)
    plugs = wanted.pop("plug", 0)
    assert book.modules == {part: -(-n // per_cage) for part, n in wanted.items()}
    assert book.cages == plugs + sum(book.modules.values())


def test_ports_are_named_as_on_the_box():
    """A twin-port cage has ports 1/1 and 1/2, a single one is named by its cage."""
    assert PortBook(2).plug(2) == ["1/1", "1/2", "2/1", "2/2"]
    assert PortBook(1, prefix="nic").plug(1) == ["nic1"]


def test_routes_run_over_the_trays():
    """Rise and drop, Manhattan, slack; a short fixed length inside a rack."""
    assert ROOM.route_m(3, 3) == 1.5
    assert ROOM.route_m(0, 1) == 5.8
    assert ROOM.route_m(0, 13) == 4.0 + 1 * 0.8 + 2 * 3.0 + 1.0
    assert ROOM.nearest_m == 5.8
    assert replace(ROOM, racks=1).nearest_m is None
    routes = {ROOM.route_m(a, b) for a in range(14) for b in range(14)}
    assert routes <= set(ROOM.lengths_m)


def test_region_grows_with_the_racks_in_use():
    """One row is cut after the racks in use; several rows keep as many rows and columns."""
    row = replace(ROOM, racks=6)
    assert region(row, 4) == (0, 1, 2, 3)
    assert mirrors(row, region(row, 4))
    assert region(ROOM, 2) == (0, 1, 6, 7)
    assert not mirrors(ROOM, region(ROOM, 2))
    assert region(ROOM, 14) == tuple(range(14))
