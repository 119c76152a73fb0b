from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from planner.report.plain import clip, markdown, plain, wrap


@given(st.text())
def test_plain_text_has_no_control_characters(text):
    """Neither escape sequences nor line breaks nor direction overrides reach a terminal."""
    assert not [c for c in plain(text) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")]


@given(st.text(), st.integers(5, 100), st.integers(1, 4))
def test_wrapped_text_keeps_width_and_lines(text, width, lines):
    """The console never grows beyond its columns."""
    found = wrap(plain(text), width, lines, "  ")
    assert len(found) <= lines
    assert all(len(line) <= width for line in found)


def test_a_cut_is_shown():
    """A reader sees that something is missing."""
    assert clip("abcdefghij", 8) == "abcde..."
    assert wrap("one two three four", 9, 1) == ["one..."] or wrap("one two three four", 9, 1)[
        0
    ].endswith("...")


@given(st.text())
def test_markdown_text_holds_no_tag_and_no_open_bar(text):
    """A name can neither open a tag nor break a table row."""
    shown = markdown(text)
    assert "<" not in shown
    assert ">" not in shown
    assert "|" not in shown.replace("\\\\", "").replace("\\|", "")
