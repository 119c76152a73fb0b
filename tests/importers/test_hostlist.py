from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.errors import InputError
from planner.importers.hostlist import expand_hostlist
from planner.importers.source import Source

SOURCE = Source(name="topology.conf", text="x")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3]", ["n1", "n2", "n3"]),
        ("n[08-11]", ["n08", "n09", "n10", "n11"]),
        ("n[8-11]", ["n8", "n9", "n10", "n11"]),
        ("n[1,3-4]-ib,m7", ["n1-ib", "n3-ib", "n4-ib", "m7"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("switch.2.[1-2]", ["switch.2.1", "switch.2.2"]),
        ("", []),
    ],
)
def test_lists_expand_as_slurm_expands_them(text, names):
    """Ranges keep their zeros, several brackets multiply, commas inside do not split."""
    assert expand_hostlist(text, SOURCE) == names


@given(st.integers(0, 5000), st.integers(0, 300))
def test_a_range_has_every_name_once(first, more):
    """A range is as long as its ends say."""
    names = expand_hostlist(f"n[{first}-{first + more}]", SOURCE)
    assert len(set(names)) == len(names) == more + 1


@pytest.mark.parametrize(
    "text",
    ["n[1", "n1]", "n[[1]]", "n[3-1]", "n[a-b]", "n[]", "n[1-999999999999]",
     "a[1-9999]b[1-9999]", "n" + "[1-2]" * 30, "n[1-150000],m[1-150000]"],
)  # fmt: skip
def test_broken_and_endless_lists_are_refused(text):
    """Brackets, ranges and sizes out of hand end in a sentence."""
    with pytest.raises(InputError, match="hostlist"):
        expand_hostlist(text, SOURCE)
