"""Aligned plain tables."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.cli.plain_table import cell, plain_table

WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=60)


@given(rows=st.lists(st.tuples(WORDS, st.integers(-(10**9), 10**9)), min_size=1, max_size=8))
def test_nothing_is_cut_off_and_columns_align(rows: list[tuple[str, int]]) -> None:
    """Every cell stands whole in its line and numbers end in one column."""
    lines = plain_table(("name", "value"), rows).splitlines()
    assert len(lines) == len(rows) + 2
    ends = set()
    for line, (name, value) in zip(lines[2:], rows, strict=True):
        assert line.startswith(name)
        assert line.endswith(f"{value:,}")
        ends.add(len(line))
    assert len(ends) == 1


def test_cells_read_as_people_write() -> None:
    """Numbers are grouped, truth is yes or no, nothing is empty."""
    found = [cell(value) for value in (36000.0, 0.0871, True, None, ("a", "b"))]
    assert found == ["36,000", "0.0871", "yes", "", "a, b"]


def test_an_empty_table_has_its_heading() -> None:
    """Without rows the heading and its rule remain."""
    assert plain_table(("id", "rows"), []).splitlines() == ["id  rows", "--  ----"]
