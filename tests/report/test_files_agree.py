"""Files of a report that no longer say what its solution says: each kind spoiled and named."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest

from planner.export.xlsx.workbook import WORKBOOK
from planner.report.files_agree import check_files
from planner.report.write import SOLUTION, fill_folder, report_files


@pytest.fixture(scope="module")
def rendered(plan):
    """Return every file of the plan's report in both languages."""
    return {lang: dict(report_files(plan, lang)) for lang in ("en", "es")}


@pytest.fixture
def folder(rendered, tmp_path):
    """Return a Spanish report, whole."""
    fill_folder(rendered["es"].items(), tmp_path)
    return tmp_path


def seen(folder, rendered):
    """Return what the checker finds in a folder."""
    return check_files(folder, lambda lang: rendered[lang].items(), SOLUTION)


def changed_digit(path):
    """Raise the last digit of a file by one; in a drawing, that of its description."""
    data = path.read_bytes()
    end = data.rfind(b"</desc>") if path.suffix == ".svg" and b"</desc>" in data else len(data)
    place = max(k for k, byte in enumerate(data[:end]) if chr(byte).isdigit())
    digit = (data[place] - ord("0") + 1) % 10
    path.write_bytes(data[:place] + str(digit).encode() + data[place + 1 :])


def edited(folder, change):
    """Open the workbook as a spreadsheet program does, change it and save it."""
    book = openpyxl.load_workbook(folder / WORKBOOK)
    change(book)
    book.save(folder / WORKBOOK)


def bill_of(book):
    """Return the sheet with the order list and its rows."""
    sheet = next(s for s in book.worksheets if "Bill" in s.tables)
    return sheet, list(sheet[sheet.tables["Bill"].ref])


def test_a_whole_report_agrees(folder, rendered):
    """In the language that its page states; none is missing, all but the solution are read."""
    found = seen(folder, rendered)
    assert (found.violations, found.missing) == ([], [])
    assert found.read == len(rendered["es"]) - 1


def test_a_report_without_its_page_agrees(folder, rendered):
    """The language is found from the files that are there; what is gone is told, not a violation."""
    (folder / "index.html").unlink()
    (folder / "cable_schedule.csv").unlink()
    found = seen(folder, rendered)
    assert found.violations == []
    assert found.missing == ["index.html", "cable_schedule.csv"]


def test_any_changed_figure_of_any_file_is_found(folder, rendered):
    """One digit in every file but the workbook: each is named with its place."""
    names = [n for n in rendered["es"] if n not in (SOLUTION, WORKBOOK)]
    spoiled = [n for n in names if any(c.isdigit() for c in (folder / n).read_text("utf-8"))]
    assert {Path(n).suffix for n in spoiled} == {".html", ".md", ".csv", ".json", ".svg"}
    for name in spoiled:
        changed_digit(folder / name)
    found = seen(folder, rendered)
    assert [v.where for v in found.violations] == spoiled
    assert all(v.expected != v.found for v in found.violations)


@pytest.mark.parametrize("column", [5, 6, 7, 1])
def test_a_changed_cell_of_the_order_list_is_found(folder, rendered, column):
    """Quantity, price, formula and part."""

    def change(book):
        _, rows = bill_of(book)
        rows[2][column].value = 1

    edited(folder, change)
    (violation,) = seen(folder, rendered).violations
    assert violation.where == WORKBOOK
    assert f"cell {'ABCDEFGH'[column]}" in violation.sentence


def test_a_changed_last_value_of_a_formula_is_found(folder, rendered, tmp_path):
    """Viewers that do not calculate show it."""
    source = zipfile.ZipFile(io.BytesIO((folder / WORKBOOK).read_bytes()))
    with zipfile.ZipFile(folder / WORKBOOK, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name.endswith("sheet2.xml"):
                head, formula, rest = data.partition(b"</f><v>")
                assert formula
                data = head + formula + b"9" + rest
            target.writestr(name, data)
    (violation,) = seen(folder, rendered).violations
    assert violation.where == WORKBOOK


def test_quotes_that_were_filled_in_are_the_buyers(folder, rendered):
    """A workbook saved again with vendors' answers still agrees."""

    def change(book):
        _, rows = bill_of(book)
        for cell, value in zip(rows[1][13:16], ("Reseller", 123.0, "EUR"), strict=True):
            cell.value = value

    edited(folder, change)
    assert seen(folder, rendered).violations == []


def test_tables_saved_with_other_line_ends_agree(folder, rendered):
    """What a version control does to text is no other figure."""
    for name in ("bill_of_materials.csv", "summary.md"):
        data = (folder / name).read_bytes()
        lines = data.replace(b"\r\n", b"\n")
        (folder / name).write_bytes(lines if lines != data else data.replace(b"\n", b"\r\n"))
    assert seen(folder, rendered).violations == []


@pytest.mark.parametrize(
    "name", ["index.html", "bill_of_materials.csv", WORKBOOK, "bi/dim_run.csv"]
)
@pytest.mark.parametrize("kind", ["empty", "folder", "bytes", "huge", "longer"])
def test_what_is_no_such_file_is_a_violation(folder, rendered, name, kind):
    """Nothing in it, a folder, other bytes, far more bytes, a line more: never a traceback."""
    path = folder / name
    data = path.read_bytes()
    path.unlink()
    if kind == "folder":
        path.mkdir()
    else:
        contents = {
            "empty": b"",
            "bytes": b"\xff\xfe" * 50,
            "huge": bytes(5 * len(data) + (2 << 20)),
            "longer": data + b"9,9\r\n",
        }
        path.write_bytes(contents[kind])
    if kind == "longer" and name == WORKBOOK:
        assert seen(folder, rendered).violations == []
        return
    assert [v.where for v in seen(folder, rendered).violations] == [name]


def test_charts_of_another_library_version_agree_and_their_figures_do_not(folder, rendered):
    """Other paths are no other figures; a label of a chart is."""
    page = folder / "index.html"
    text = page.read_text("utf-8")
    head, chart, rest = text.partition('<g fill="none" stroke-miterlimit="10"')
    assert chart
    page.write_text(head + chart + rest.replace("translate(", "translate(1", 1), "utf-8")
    assert seen(folder, rendered).violations == []
    label = re.search(r"<text[^>]*>([^<]*[0-9][^<]*)</text>", rest)
    spoiled = rest[: label.start(1)] + "7" + rest[label.start(1) :]
    page.write_text(head + chart + spoiled, "utf-8")
    assert [v.where for v in seen(folder, rendered).violations] == ["index.html"]
