from __future__ import annotations

import datetime
import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.domain.errors import UsageError
from planner.export.csv_file import one_line
from planner.export.xlsx import book as book_module
from planner.export.xlsx import room
from planner.export.xlsx.phrases import _PHRASES, Phrases
from planner.export.xlsx.workbook import workbook, write_workbook
from planner.importers.imported import Given
from planner.importers.quotes import read_quotes


def _open(data, *, formulas=False):
    return openpyxl.load_workbook(io.BytesIO(data), data_only=not formulas)


def _table(book, title, name):
    """Return a table's rows as dictionaries, without the total row, and the total row."""
    sheet = book[title]
    table = sheet.tables[name]
    cells = [[cell.value for cell in row] for row in sheet[table.ref]]
    head, body = cells[0], cells[1:]
    totals = body.pop() if table.totalsRowCount else []
    return [dict(zip(head, row, strict=True)) for row in body], dict(
        zip(head, totals, strict=False)
    )


@pytest.fixture(scope="module")
def book(plan):
    """Return the workbook of the plan of 8 servers, with last values."""
    return _open(workbook(plan))


def test_the_order_list_reads_back_to_the_cent(plan, book):
    """Quantity, unit price, total, range and source of every line, and the grand total."""
    rows, totals = _table(book, "Bill of materials", "Bill")
    for row, line in zip(rows, plan.bill_of_materials, strict=True):
        assert (row["Part"], row["Quantity"]) == (line.part, line.quantity)
        assert row["Unit price (USD)"] == line.unit_price_usd
        assert row["Total (USD)"] == line.total_usd
        assert (row["Low price (USD)"], row["High price (USD)"]) == (line.low_usd, line.high_usd)
        assert (row["Price kind"], row["Price source"]) == (line.price_kind, line.price_source)
    assert totals["Total (USD)"] == plan.cost.capex_usd
    assert totals["Part"] == "Total"


def test_totals_are_formulas_that_give_what_is_shown(plan):
    """Quantity times price in every line, their sum below, recomputed here."""
    data = workbook(plan)
    shown, _ = _table(_open(data), "Bill of materials", "Bill")
    rows, totals = _table(_open(data, formulas=True), "Bill of materials", "Bill")
    product = "=ROUND(Bill[[#This Row],[Quantity]]*Bill[[#This Row],[Unit price (USD)]],2)"
    for row, last in zip(rows, shown, strict=True):
        assert row["Total (USD)"] == product
        assert round(last["Quantity"] * last["Unit price (USD)"], 2) == last["Total (USD)"]
    assert totals["Total (USD)"] == "=SUBTOTAL(109,Bill[Total (USD)])"


def test_costs_and_step_times_read_back(plan, book):
    """By component and category; step, limit and target of every workload."""
    rows, totals = _table(book, "Summary", "Cost")
    for row, line in zip(rows, plan.cost.components, strict=True):
        assert row["Component"] == line.component
        assert (row["Purchase (USD)"], row["Energy (USD)"]) == (line.capex_usd, line.energy_usd)
        assert (row["Support (USD)"], row["Other (USD)"]) == (line.support_usd, line.other_usd)
        assert row["Present value (USD)"] == line.total_usd
    assert totals["Present value (USD)"] == plan.objective_usd
    assert totals["Purchase (USD)"] == plan.cost.capex_usd
    rows, _ = _table(book, "Summary", "Workloads")
    for row, found in zip(rows, plan.workloads, strict=True):
        times = (row["Step time (s)"], row["Limit (s)"], row["Target (s)"])
        assert times == pytest.approx((found.step_time_s, found.limit_s, found.target_s), rel=1e-15)
        assert row["Spare to limit"] == pytest.approx(1 - found.step_time_s / found.limit_s)


def test_racks_cables_and_assumptions_read_back(plan, book):
    """Every rack, both ends of every link, every figure that the answer rests on."""
    rows, _ = _table(book, "Racks", "Racks")
    for row, rack in zip(rows, plan.racks, strict=True):
        assert (row["Rack"], row["Power at most (W)"]) == (rack.id, rack.max_w)
        assert (row["Height used (U)"], row["Weight (kg)"]) == (rack.used_units, rack.weight_kg)
    assert sum(row["Devices"].count("hgx-h200-8") for row in rows) > 0
    places = {d.id: (d.rack, d.unit) for d in plan.devices}
    rows, _ = _table(book, "Cables", "Cables")
    for row, cable in zip(rows, plan.cables, strict=True):
        assert (row["Rack A"], row["U A"]) == places[cable.a]
        assert (row["Device B"], row["Port B"]) == (cable.b, cable.b_port)
        assert (row["Part"], row["Length (m)"]) == (cable.part, cable.length_m)
        assert row["Transceiver A"] == (cable.a_module or None)
    rows, _ = _table(book, "Assumptions", "Assumptions")
    assert [row["Figure"] for row in rows] == [item.what for item in plan.assumptions]


def test_a_spanish_spreadsheet_shows_numbers_and_dates_its_own_way(euro_plan):
    """They are stored as numbers and dates with formats that follow the locale, not as text."""
    euro = euro_plan.model_copy(update={"bill_of_materials": [
        line.model_copy(update={"price_date": "2026-09-22"})
        for line in euro_plan.bill_of_materials]})  # fmt: skip
    book = _open(workbook(euro, "es"))
    assert book.sheetnames == ["Resumen", "Lista de materiales", "Racks", "Cables", "Supuestos"]
    sheet = book["Lista de materiales"]
    head = {cell.value: cell.column for cell in sheet[3]}
    price = sheet.cell(4, head["Precio unitario (USD)"])
    assert (price.data_type, price.number_format) == ("n", "#,##0.00")
    day = sheet.cell(4, head["Fecha del precio"])
    assert day.value == datetime.datetime(2026, 9, 22)
    assert (day.data_type, day.is_date) == ("d", True)
    assert day.number_format == openpyxl.styles.numbers.BUILTIN_FORMATS[14]
    pairs = {row[0].value: row[1].value for row in book["Resumen"].iter_rows(max_row=40)}
    assert pairs["En servicio desde"] == datetime.datetime(2027, 3, 1)
    assert pairs["Compra (EUR)"] == round(euro.cost.capex_usd / 1.15, 2)
    assert pairs["Valor actual (EUR)"] == round(euro.cost.total_usd / 1.15, 2)


def test_sheets_scroll_below_their_heading_and_print_it_on_every_page(plan):
    """Landscape, one page wide, frozen and repeated heading, filters."""
    book = _open(workbook(plan))
    for title in ("Bill of materials", "Racks", "Cables", "Assumptions"):
        sheet = book[title]
        (table,) = sheet.tables.values()
        top = int(re.search(r"\d+", table.ref)[0])
        assert sheet.freeze_panes == f"C{top + 1}"
        assert sheet.print_title_rows == f"${top}:${top}"
        assert table.autoFilter is not None
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.sheet_properties.pageSetUpPr.fitToPage


def test_equal_answers_give_equal_bytes(sample):
    """No clock, no random name."""
    assert workbook(sample.feasible(8)) == workbook(sample.feasible(8))


def test_hostile_text_is_text(hostile_plan):
    """No formula and no link but ours; no control character; what begins like one is marked."""
    data = workbook(hostile_plan)
    book = _open(data, formulas=True)
    ours = ("=ROUND(", "=SUBTOTAL(109,", "=SUM(", "=SUMIFS(", "=COUNT(", "=IF(", "=1-", "=Racks[")
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    assert str(cell.value).startswith(ours), cell.value
                elif isinstance(cell.value, str):
                    assert not set(cell.value) & set("\x1b\u202e\r\n")
                    if cell.value.startswith("="):
                        assert cell.quotePrefix, (sheet.title, cell.coordinate)
    assert book["Summary"]["A1"].data_type == "s"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        assert not [n for n in names if "external" in n.lower() or "vba" in n.lower()]
        links = b"".join(archive.read(n) for n in names if n.endswith(".rels"))
        assert b"hyperlink" not in links


@pytest.mark.parametrize(
    "text",
    ["_x000D_=1", "a" * 40_000, "\ufffe\uffff", "\U0001f600 ñandú العربية", "'quoted", "&D&P", ""],
)
def test_any_text_makes_a_workbook_that_opens(plan, text):
    """Very long, escaped like the format's own escapes, emoji, not allowed in XML."""
    lines = [line.model_copy(update={"description": text}) for line in plan.bill_of_materials]
    book = _open(workbook(plan.model_copy(update={"bill_of_materials": lines})))
    rows, _ = _table(book, "Bill of materials", "Bill")
    expected = text.replace("\ufffe", "").replace("\uffff", "")[:32_767]
    assert (rows[0]["Description"] or "") == expected


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(st.text(), min_size=4, max_size=4))
def test_no_text_becomes_a_formula_or_breaks_the_workbook(sample, texts):
    """Titles, descriptions, sources and assumptions of any characters read back as one line."""
    base = sample.feasible(1)
    title, description, source, what = texts
    lines = [line.model_copy(update={"description": description, "price_source": source})
             for line in base.bill_of_materials]  # fmt: skip
    plan = base.model_copy(update={
        "instance": base.instance.model_copy(update={"title": title}), "bill_of_materials": lines,
        "assumptions": [a.model_copy(update={"what": what}) for a in base.assumptions]})  # fmt: skip
    book = _open(workbook(plan), formulas=True)
    rows, _ = _table(book, "Bill of materials", "Bill")
    assert {(row["Description"] or "", row["Price source"] or "") for row in rows} == {
        (one_line(description), one_line(source))
    }
    figures, _ = _table(book, "Assumptions", "Assumptions")
    assert {row["Figure"] or "" for row in figures} == {one_line(what)}
    sheet = book["Bill of materials"]
    assert sheet.cell(4, 3).data_type in ("s", "n")
    assert sheet.cell(4, 3).data_type == "s" or not one_line(description)


def test_an_infeasible_answer_says_why(lost):
    """One sheet with the reasons, no empty order list."""
    book = _open(workbook(lost))
    assert book.sheetnames == ["Summary", "Assumptions"]
    texts = [cell.value for row in book["Summary"].iter_rows() for cell in row]
    assert set(lost.reasons) <= set(texts)


def test_a_schedule_that_is_too_long_names_the_file_that_holds_it(plan, monkeypatch):
    """A sheet is for people; the CSV has no limit."""
    monkeypatch.setattr(room, "MAX_CABLES", 10)
    book = _open(workbook(plan))
    rows, _ = _table(book, "Cables", "Cables")
    assert len(rows) == 10
    assert f"10 of {len(plan.cables)}" in book["Cables"]["A2"].value


def test_both_languages_have_every_phrase_with_the_same_values():
    """And no column of one table is named like another."""
    for key, (english, spanish) in _PHRASES.items():
        assert english
        assert spanish
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", spanish)), key
    with pytest.raises(UsageError, match="fr"):
        Phrases("fr")


def test_a_missing_library_is_named(plan, monkeypatch, tmp_path):
    """With the command that installs it."""

    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr(book_module.importlib, "import_module", refuse)
    with pytest.raises(UsageError, match="pip install"):
        write_workbook(plan, tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_filled_in_order_list_reads_back_as_quotes(plan, tmp_path, lang):
    """The vendors' answers come back by catalogue id; lines without a quote stay out."""
    given = Given({"usd_per_eur": "1.15"})
    w = Phrases(lang)
    book = _open(workbook(plan, lang), formulas=True)
    sheet = book[w("sheet.bill")]
    head = {cell.value: cell.column for cell in sheet[3]}
    for row, (price, currency) in {4: (300_000.0, "USD"), 6: (30_000.0, "EUR")}.items():
        for key, value in (
            ("vendor", "Example reseller"), ("quoted_price", price), ("currency", currency),
            ("quote_date", datetime.date(2026, 11, 3)), ("valid_until", datetime.date(2099, 1, 1)),
        ):  # fmt: skip
            sheet.cell(row, head[w(key)]).value = value
    book.save(tmp_path / "filled.xlsx")
    (document,) = read_quotes(tmp_path / "filled.xlsx", given).documents.values()
    found = document["quotes"]
    first, third = plan.bill_of_materials[0].part, plan.bill_of_materials[2].part
    assert {part: quote["usd"] for part, quote in found.items()} == {first: 300_000, third: 34_500}
    assert found[first]["date"] == "2026-11-03"
    assert "Example reseller" in found[first]["source"]
