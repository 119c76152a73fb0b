"""What a floor may say, and what is refused with a reason."""

from __future__ import annotations

import pytest

from planner.domain.errors import InputError
from planner.domain.json_file import validate
from planner.domain.site import Site

BASE = {"racks": 10, "racks_per_row": 5, "rack_kw": 20}


def refused(floor: dict[str, object], **site: object) -> str:
    """Return the message for a floor that cannot be."""
    with pytest.raises(InputError) as caught:
        validate(Site, {**BASE, **site, "floor": floor}, "room.json")
    return str(caught.value)


@pytest.mark.parametrize(
    ("floor", "words"),
    [
        ({"aisles": [{"width_m": 1.2}, {"width_m": 1.2}]}, "give 1 aisles"),
        ({"places": [{"row": 3, "columns": [1], "blocked": True}]}, "outside the room"),
        ({"places": [{"row": 1, "columns": [6], "blocked": True}]}, "outside the room"),
        ({"places": [{"row": 1, "columns": [1], "kind": "x"}]}, "none is given"),
        ({"places": [{"row": 1, "columns": [1], "blocked": True, "used_kw": 1}]}, "has no rack"),
        ({"places": [{"row": 1, "columns": [1, 1], "blocked": True}]}, "twice"),
        ({"places": [{"row": 1, "columns": [1], "used_kw": 21}]}, "more than its rack has"),
        (
            {"places": [{"row": r, "columns": [1, 2, 3, 4, 5], "blocked": True} for r in (1, 2)]},
            "every place is blocked",
        ),
        (
            {"places": [{"row": 1, "columns": [2], "blocked": True}, {"row": 1, "columns": [2]}]},
            "in places twice",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_words(floor, words):
    """Each impossible floor is refused by a sentence that says what would be right."""
    assert words in refused(floor)


def test_places_belong_to_rooms_of_limited_size():
    """A site of thousands of places has no places of its own."""
    floor = {"places": [{"row": 1, "columns": [1], "blocked": True}]}
    assert "hall by hall" in refused(floor, racks=5000)


def test_figures_of_a_floor_add_up():
    """Free power and usable racks count other kinds, blocked and used places."""
    floor = {
        "kinds": {"dense": {"rack_kw": 40}},
        "places": [
            {"row": 1, "columns": [1, 2], "blocked": True},
            {"row": 1, "columns": [3], "kind": "dense", "used_kw": 15},
            {"row": 2, "columns": [5], "used_units": 10, "used_kw": 4},
        ],
    }
    site = validate(Site, {**BASE, "floor": floor}, "room.json")
    assert site.usable_racks == 8
    assert site.free_kw == pytest.approx(6 * 20 + 25 + 16)
    assert site.special_places()[1, 4].partly_used
