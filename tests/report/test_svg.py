from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.report.svg import INK, MUTED, PALETTE, PAPER, Drawing, contrast, fitted, legible_on


@given(st.text(), st.text())
def test_any_text_makes_well_formed_svg(title, label):
    """Control characters, quotes and tags in names cannot break a drawing."""
    drawing = Drawing(100, 50, title, label, "x")
    drawing.text(1, 2, label)
    drawing.rect(0, 0, 5, 5, label, data_name=title)
    root = ET.fromstring(drawing.file_text())
    assert [child.tag.partition("}")[2] for child in root] == ["title", "desc", "text", "rect"]


@given(st.text(max_size=60), st.floats(0, 300), st.floats(6, 20))
def test_fitted_text_is_not_wider_than_its_place(text, width, size):
    """A label never runs over its box, as the builder measures it."""
    assert len(fitted(text, width, size)) * size * 0.56 <= width + 1e-9


@pytest.mark.parametrize("fill", PALETTE)
def test_labels_on_every_fill_are_readable(fill):
    """At least 4.5 : 1, as WCAG 2 AA asks of small text."""
    assert contrast(legible_on(fill), fill) >= 4.5


def test_text_colours_are_readable_on_paper():
    """Ink and muted text pass WCAG 2 AA."""
    assert contrast(INK, PAPER) >= 4.5
    assert contrast(MUTED, PAPER) >= 4.5
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_numbers_are_short_and_never_minus_zero():
    """Coordinates keep two decimals, so equal plans give equal bytes."""
    drawing = Drawing(10, 10, "t", "d", "x")
    drawing.rect(-0.001, 1 / 3, 2, 2)
    assert 'x="0" y="0.33"' in drawing.file_text()
