"""Rooms that are not alike, recounted: blocked, partly used and other racks, trays, aisles, feeds."""

from __future__ import annotations

import copy
import functools
import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.instance import load_instance
from planner.domain.site import Site
from planner.domain.solution import Solution
from planner.program.box import Box
from planner.program.rack_layout import Spot, racks_of
from planner.program.room import room_of
from planner.study.decide import DecideOptions, Decision, decide
from planner.verify.check import verify
from planner.verify.floor import FloorPlan

Document = dict[str, Any]
BOX = Box(part="any", units=1, max_w=1.0, weight_kg=1.0)


@functools.cache
def solved() -> Decision:
    """Return the shipped room with rows, aisles and racks in use."""
    instance, path = load_instance("room-rows")
    return decide(instance, path, DecideOptions(alternatives=False), lambda _: None)


def checks_after(change: Callable[[Document], None]) -> set[str]:
    """Return the checks that find something after a change of the document."""
    decision = solved()
    document = copy.deepcopy(json.loads(decision.solution.model_dump_json()))
    change(document)
    return {v.check for v in verify(Solution.model_validate(document), decision.catalog)}


def place(document: Document, row: int, column: int) -> Document:
    """Return what the instance says of a place, from 1."""
    found: Document = next(
        p
        for p in document["instance"]["site"]["floor"]["places"]
        if p["row"] == row and column in p["columns"]
    )
    return found


def rack_of(document: Document, name: str) -> Document:
    """Return a rack of the document by its name."""
    found: Document = next(r for r in document["racks"] if r["id"] == name)
    return found


def partly_used(document: Document) -> Document:
    """Return a rack that was in use before."""
    found: Document = next(r for r in document["racks"] if r["taken_units"])
    return found


def block(document: Document) -> None:
    """Block the place of a rack that the answer uses."""
    rack = document["racks"][1]
    site = document["instance"]["site"]["floor"]
    site["places"] = [
        {
            **p,
            "columns": [
                c for c in p["columns"] if (p["row"], c) != (rack["row"] + 1, rack["column"] + 1)
            ],
        }
        for p in site["places"]
    ]
    site["places"] = [p for p in site["places"] if p["columns"]]
    site["places"].append(
        {"row": rack["row"] + 1, "columns": [rack["column"] + 1], "blocked": True}
    )


def overfill(document: Document) -> None:
    """Let what stood there before draw nearly all of the rack's power."""
    rack = max((r for r in document["racks"] if r["taken_w"]), key=lambda r: r["max_w"])
    entry = place(document, rack["row"] + 1, rack["column"] + 1)
    entry["used_kw"] = rack["limit_w"] / 1000.0
    rack["taken_w"] = rack["limit_w"]


def sink(document: Document) -> None:
    """Put a device onto units that are taken."""
    rack = partly_used(document)
    device = next(d for d in document["devices"] if d["rack"] == rack["id"])
    device["unit"] = 1


def forget_taken(document: Document) -> None:
    """Claim a half-full rack to be empty."""
    partly_used(document).update(taken_units=0, taken_w=0.0, taken_kg=0.0)


def raise_trays(document: Document) -> None:
    """Hang the trays higher: the cables would need other lengths."""
    document["instance"]["site"]["rise_m"] = 4.0


def widen_aisle(document: Document) -> None:
    """Widen an aisle: the rows beyond it stand elsewhere."""
    document["instance"]["site"]["floor"]["aisles"][0]["width_m"] = 4.0


def liquid(document: Document) -> None:
    """Shrink the dense racks to ordinary power."""
    document["instance"]["site"]["floor"]["kinds"]["dense"]["rack_kw"] = 12.0


def other_model(document: Document) -> None:
    """Claim another cabinet than the site has."""
    document["racks"][1]["model"] = "rack-52u-800"


def one_feed(document: Document) -> None:
    """Hang all PDUs of a rack on one feed."""
    rack = next(r for r in document["racks"] if r["pdus"])
    for pdu in rack["pdus"]:
        pdu["feed"] = "A"


def lose_pdu(document: Document) -> None:
    """Leave out a PDU."""
    next(r for r in document["racks"] if r["pdus"])["pdus"].pop()


def random_site(rng: random.Random) -> Site:
    """Return a floor with aisles, trays, other racks, blocked and partly used places."""
    per_row, racks = rng.randint(2, 5), rng.randint(4, 14)
    rows = -(-racks // per_row)
    cells = [divmod(k, per_row) for k in rng.sample(range(racks), rng.randint(1, racks - 1))]
    places = []
    for row, column in cells:
        entry: Document = {"row": row + 1, "columns": [column + 1]}
        if rng.random() < 0.3:
            entry["blocked"] = True
        else:
            entry |= {
                "used_units": rng.randint(0, 20),
                "used_kw": rng.choice([0, 3]),
                "used_kg": 50,
            }
            entry |= {"kind": "tall"} if rng.random() < 0.5 else {}
        places.append(entry)
    floor = {
        "aisles": [{"width_m": rng.choice([1.2, 1.8, 2.4])} for _ in range(rows - 1)]
        if rng.random() < 0.7
        else [],
        "cross_trays_m": rng.sample([0.0, 1.1, 2.7], rng.randint(0, 2)),
        "kinds": {"tall": {"rack": "rack-52u-700", "rack_kw": 40, "cooling": "liquid"}},
        "places": places,
    }
    site = {"racks": racks, "racks_per_row": per_row, "rack_kw": 20, "rack": "rack-42u-600"}
    return Site.model_validate({**site, "floor": floor})


def test_program_and_checker_read_a_floor_alike():
    """Places, limits, coordinates and routes agree between two readings that share no code."""
    catalog = load_catalog()
    rng = random.Random(5)
    for _ in range(60):
        site = random_site(rng)
        room, plan = room_of(site, dict(catalog.racks)), FloorPlan(site, catalog)
        assert room.racks == site.racks - len(plan.blocked) == site.usable_racks
        uses = []
        for k, stand in enumerate(room.stands):
            limits = plan.limits(stand.row, stand.column)
            assert (stand.model, stand.units, stand.cooling) == (
                limits.model, limits.units, limits.cooling,
            )  # fmt: skip
            assert stand.free_w == pytest.approx((limits.kw - limits.taken_kw) * 1000)
            assert stand.free_units == limits.units - limits.taken_units
            assert stand.x_m == pytest.approx(plan.left_m(stand.row, stand.column))
            assert stand.y_m == pytest.approx(plan.middle_m(stand.row))
            uses += racks_of(room, [Spot(id="x", kind="oob", box=BOX, rack=k, group=-1)])
        free_kw = sum(stand.free_w for stand in room.stands) / 1000
        assert site.free_kw == pytest.approx(free_kw)
        for a, b in itertools.product(range(room.racks), repeat=2):
            assert room.route_m(a, b) == pytest.approx(plan.way_m(uses[a], uses[b]))


def test_the_shipped_room_is_clean():
    """Nothing to object, and the document holds a rack that was in use before."""
    decision = solved()
    assert verify(decision.solution, decision.catalog) == []
    assert any(rack.partly_used for rack in decision.solution.racks)


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (block, "rack-blocked"),
        (overfill, "rack-over-watts"),
        (sink, "rack-overlap"),
        (forget_taken, "rack-limit"),
        (raise_trays, "cable-route"),
        (widen_aisle, "rack-coordinates"),
        (liquid, "rack-limit"),
        (other_model, "rack-model"),
        (one_feed, "rack-feeds"),
        (lose_pdu, "rack-pdus"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_broken_room_is_found(change, check):
    """Every way to break the room is reported by the check that it belongs to."""
    assert check in checks_after(change)
