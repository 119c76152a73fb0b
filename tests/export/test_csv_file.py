from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.text import name_of
from planner.export.csv_file import FORMULA_STARTS, cell, csv_text, safe_text
from planner.export.table import Column

TEXT = Column("text", "text", "Text")
NUMBER = Column("number", "decimal", "Number")


def _read(text):
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline="")))


@given(st.text())
def test_no_text_begins_like_a_formula(text):
    """Excel and Power BI take no cell for a formula, whatever blanks stand in front."""
    shown = safe_text(text)
    assert not shown.lstrip().startswith(FORMULA_STARTS)
    assert not set(shown) & set("\r\n\t\0")


@given(st.text(max_size=20))
def test_names_pass_unchanged(text):
    """Keys join across tables and runs, so they must not be touched, in any language."""
    try:
        name = name_of(f"A{text}")
    except ValueError:
        return
    assert safe_text(name) == name


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_exactly_and_without_exponent(value):
    """Point decimals, no thousands separators, no 1e-05."""
    shown = cell(value, NUMBER)
    assert float(shown) == value
    assert set(shown) <= set("-.0123456789")


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_no_number_is_empty(value):
    """Power BI reads empty as null."""
    assert cell(value, NUMBER) == ""


def test_money_has_two_decimals_and_flags_are_words():
    """As the data dictionary says."""
    assert cell(3, Column("m", "money", "")) == "3.00"
    assert cell(True, Column("b", "boolean", "")) == "TRUE"
    assert cell(7.0, Column("i", "integer", "")) == "7"


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False, allow_infinity=False)), max_size=5))
def test_a_file_keeps_its_rows_and_columns(rows):
    """Quotes, commas and line breaks in names never shift a column."""
    found = _read(csv_text((TEXT, NUMBER), rows))
    assert found[0] == ["text", "number"]
    assert len(found) == len(rows) + 1
    assert [row[0] for row in found[1:]] == [safe_text(text) for text, _ in rows]


def test_lines_end_as_windows_expects():
    """CRLF, no blank line at the end."""
    assert csv_text((TEXT,), [("a",)]) == "\ufefftext\r\na\r\n"


def test_a_row_that_does_not_fit_its_columns_is_an_error():
    """A table whose rows and columns went apart must not be written."""
    with pytest.raises(ValueError, match="zip"):
        csv_text((TEXT, NUMBER), [("a",)])
