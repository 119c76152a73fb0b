"""The text of an axis, and a value at a path of a document."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.errors import UsageError
from planner.study.sweep_axes import parse_axis, parse_path, with_value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("budget.capex_usd=8e6,10e6", (8e6, 10e6)),
        ("fix.family=infiniband,roce", ("infiniband", "roce")),
        ("site.racks=2:8:2", (2, 4, 6, 8)),
        ("site.rack_kw=10:11:0.5", (10, 10.5, 11)),
        ("grid.max_nodes=1:16:x2", (1, 2, 4, 8, 16)),
        ("site.racks=8:2:-3", (8, 5, 2)),
        ("budget.capex_usd=null,1", (None, 1)),
        ('site={"racks": 2, "rack_kw": 9},{"racks": 4, "rack_kw": 9}',
         ({"racks": 2, "rack_kw": 9}, {"racks": 4, "rack_kw": 9})),
        ('fix.server=["a","b"],"c"', (["a", "b"], "c")),
        ("instance=a.json,b.json", ("a.json", "b.json")),
    ],
)  # fmt: skip
def test_values_are_lists_or_ranges_with_both_ends(text: str, values: tuple) -> None:
    """JSON values keep their type, bare words stand for themselves."""
    assert parse_axis(text).values == values


@pytest.mark.parametrize(
    "text",
    ["", "a", "=1", "a=", "a=1,1", "a=5:1:1", "a=1:5:0", "a=1:4:x1", "a=0:4:x2", "a..b=1",
     "[0]=1", "a[=1", "a=1,,2", "a=nan:1:1", "a=1:inf:1", "a=0:1:1e-9", ".a=1"],
)  # fmt: skip
def test_faulty_axes_are_refused_in_words(text: str) -> None:
    """No key, no values, a value twice, a range that leads nowhere or has too many values."""
    with pytest.raises(UsageError, match="--vary"):
        parse_axis(text)


NAMES = st.text("abcxyz_", min_size=1, max_size=5)


@given(path=st.lists(NAMES, min_size=1, max_size=5), value=st.integers())
def test_a_value_is_found_where_it_was_put(path: list[str], value: int) -> None:
    """Absent objects are made; the original document stays as it was."""
    document: dict = {"kept": 1}
    before = json.dumps(document)
    found = with_value(document, parse_path(".".join(path)), value, "key")
    for name in path:
        found = found[name]
    assert found == value
    assert json.dumps(document) == before


def test_list_entries_are_meant_by_place_name_or_all() -> None:
    """`[1]`, `[second]`, `["second"]` and `[*]`."""
    document = {"jobs": [{"name": "first", "n": 1}, {"name": "second", "n": 1}]}

    def counts(key: str) -> list[int]:
        found = with_value(document, parse_path(key), 7, key)
        return [entry["n"] for entry in found["jobs"]]

    assert counts("jobs[1].n") == [1, 7]
    assert counts("jobs[second].n") == [1, 7]
    assert counts('jobs["first"].n') == [7, 1]
    assert counts("jobs[*].n") == [7, 7]
    for key in ("jobs[2].n", "jobs[third].n", "jobs.n", "jobs[0].n.deep"):
        with pytest.raises(UsageError, match="--vary"):
            counts(key)
