from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest

from planner.domain.catalog import load_catalog
from planner.domain.errors import InputError
from planner.domain.instance import Quote
from planner.importers.imported import Given
from planner.importers.quotes import read_quotes

SERVER, SWITCH, NIC = "hgx-h100-8", "qm9700", "cx7-400-1p"


def read(tmp_path, content, name="quote.csv", **given):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return read_quotes(path, Given({"today": "2026-06-01", **given}))


def quotes(result):
    return {key: entry["usd"] for key, entry in result.document["quotes"].items()}


def unknown(result):
    return [entry["item"] for entry in result.documents["unknown_items.json"]["unknown"]]


def test_names_of_the_test_are_in_the_catalogue():
    """The products that these tests quote exist."""
    catalog = load_catalog()
    assert SERVER in catalog.servers
    assert SWITCH in catalog.switches
    assert NIC in catalog.nics


def test_english_list(tmp_path):
    """Prices by id with point decimals, currency, date and validity."""
    result = read(
        tmp_path,
        "Part number,Description,Qty,Unit price (USD),Quote date,Valid until,Vendor\n"
        f'{SERVER},server,4,"271,500.00",2026-05-20,2026-08-01,Vendor SL\n'
        f"{SWITCH},switch,2,22500.50,2026-05-20,2026-08-01,Vendor SL\n"
        "WIDGET-9,something else,1,10.00,2026-05-20,2026-08-01,Vendor SL\n"
        ',Total,,"1,131,011.00",,,\n',
    )
    assert quotes(result) == {SERVER: 271_500.0, SWITCH: 22_500.5}
    assert unknown(result) == ["WIDGET-9"]
    entry = result.document["quotes"][SERVER]
    assert entry["date"] == "2026-05-20"
    assert "Vendor SL" in entry["source"]
    assert "valid until 2026-08-01" in entry["source"]
    assert any("WIDGET-9" in warning for warning in result.warnings)
    for quote in result.document["quotes"].values():
        Quote.model_validate(quote)


def test_spanish_list_with_comma_decimals(tmp_path):
    """Semicolons, accents, comma decimals, euros, day before month."""
    content = (
        "Oferta del proveedor;;;;;\n;;;;;\n"
        "Código;Descripción;Cantidad;Precio unitario (€);Fecha;Validez\n"
        f"{SERVER};servidor;4;250.000,00;03/04/2026;30 días\n"
        f"{SWITCH};conmutador;2;19.999,90;03/04/2026;01/09/2026\n"
    )
    for encoding in ("utf-8", "cp1252", "utf-16"):
        result = read(tmp_path, content.encode(encoding), usd_per_eur="1.1")
        assert quotes(result) == {SERVER: 275_000.0, SWITCH: round(19_999.9 * 1.1, 2)}
        assert result.document["quotes"][SERVER]["date"] == "2026-04-03"
        assert any(f"no longer valid: {SERVER} (2026-05-03)" in w for w in result.warnings)


def test_without_a_rate_lines_are_listed_and_the_key_is_named(tmp_path):
    """A foreign price is never taken as dollars."""
    content = f"item,price,currency,date\n{SERVER},250000,EUR,2026-05-01\n"
    result = read(tmp_path, content)
    assert quotes(result) == {}
    assert unknown(result) == [SERVER]
    assert "0 lines without a product" in " ".join(result.facts)
    assert "1 lines without an exchange rate" in result.facts
    assert [entry.key for entry in result.missing] == ["usd_per_eur"]


def test_price_from_total_and_quantity(tmp_path):
    """Where only line totals stand, the unit price is the total over the quantity."""
    content = f"producto,cant,importe,fecha\n{SWITCH},4,90000,2026-05-01\n"
    assert quotes(read(tmp_path, content)) == {SWITCH: 22_500.0}


def test_a_dollar_sign_alone_takes_the_stated_currency(tmp_path):
    """$ may be pesos: the given currency decides; without one, dollars with a warning."""
    content = f"item,price,date\n{SWITCH},$ 20000,2026-05-01\n"
    assert any("taken as US dollars" in w for w in read(tmp_path, content).warnings)
    result = read(tmp_path, content, currency="MXN", usd_per_mxn="0.05")
    assert quotes(result) == {SWITCH: 1000.0}
    assert any("far from the catalogue's" in warning for warning in result.warnings)


def test_filled_in_bill_of_materials(tmp_path):
    """Lines left at the catalogue's own price are no quotes; changed ones are."""
    catalog = load_catalog()
    own = catalog.server(SERVER).price
    content = (
        "\ufeffline,part,kind,description,component,quantity,unit_price_usd,total_usd,price_kind,"
        "price_date,price_source\r\n"
        f"1,{SERVER},server,HGX,servers,8,{own.usd},{8 * own.usd},{own.kind},2024-10,x\r\n"
        f"2,{SWITCH},switch,QM9700,fabric,2,21000,42000,list price,2026-05-02,Vendor\r\n"
        f"3,{NIC},nic,card,fabric,64,,,,,\r\n"
    )
    result = read(tmp_path, content)
    assert quotes(result) == {SWITCH: 21_000.0}
    assert "1 lines repeat the catalogue's own price: no quotes" in result.facts
    assert any(f"1 line(s) without a price: {NIC}" in fact for fact in result.facts)


def test_part_numbers_and_models_find_their_product(tmp_path):
    """A vendor's own number or a model in words means the same product."""
    catalog = load_catalog()
    nic = next(row for row in catalog.nics.values() if row.id == "cx5-100-1p")
    switch = catalog.switch(SWITCH)
    content = (
        "sku,description,unit price,date\n"
        f"{nic.part_number},a card,450,2026-05-01\n"
        f"X-1,{switch.vendor} {switch.model},20000,2026-05-01\n"
    )
    assert quotes(read(tmp_path, content)) == {nic.id: 450.0, SWITCH: 20_000.0}


def test_two_offers_take_the_lower_and_say_so(tmp_path):
    """A product that is offered twice is warned of."""
    content = f"id,price,date\n{SWITCH},22000,2026-05-01\n{SWITCH},21000,2026-05-02\n"
    result = read(tmp_path, content)
    assert quotes(result) == {SWITCH: 21_000.0}
    assert any("is offered at 22,000.00 and 21,000.00" in warning for warning in result.warnings)


def test_doubtful_separators_are_said(tmp_path):
    """12.300 alone is read as thousands with a warning; beside 1.234,50 without one."""
    alone = read(tmp_path, f"id;price;date\n{SWITCH};22.500;2026-05-01\n")
    assert quotes(alone) == {SWITCH: 22_500.0}
    assert any("one separator before three digits" in warning for warning in alone.warnings)
    beside = read(
        tmp_path, f"id;price;date\n{SWITCH};22.500;2026-05-01\n{NIC};1.834,50;2026-05-01\n"
    )
    assert quotes(beside) == {SWITCH: 22_500.0, NIC: 1834.5}
    assert not any("separator" in warning for warning in beside.warnings)


def workbook(rows, **sheets):
    book = openpyxl.Workbook()
    book.active.title = "Quote"
    for row in rows:
        book.active.append(row)
    for title, more in sheets.items():
        sheet = book.create_sheet(title)
        for row in more:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_workbook(tmp_path):
    """Numbers and dates of a sheet need no guessing; letters above the table are passed over."""
    import datetime

    rows = [
        ["Dear customer"], [], ["Part", "Unit price USD", "Date", "Valid until"],
        [SERVER, 268000, datetime.date(2026, 5, 4), datetime.datetime(2026, 12, 31, 0, 0)],
        ["UNKNOWN-1", 5, datetime.date(2026, 5, 4), None],
    ]  # fmt: skip
    result = read(tmp_path, workbook(rows, Notes=[["free text"]]), name="quote.xlsx")
    assert quotes(result) == {SERVER: 268_000.0}
    assert "Quote, line 4" in result.document["quotes"][SERVER]["source"]
    assert unknown(result) == ["UNKNOWN-1"]


def archive(**parts):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in parts.items():
            target.writestr(name, data)
    return stream.getvalue()


def replaced(data, part, content):
    """Return a workbook with one part replaced."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, content if name == part else old.read(name))
    return stream.getvalue()


GOOD = workbook([["part", "price", "date"], [SERVER, 1, "2026-01-01"]])
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]><worksheet>&j;</worksheet>"
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (archive(a=b"x"), "is an archive, not a workbook"),
        (archive(mimetype=b"application/vnd.oasis.opendocument"), "OpenDocument"),
        (b"PK\x03\x04 broken", "broken archive"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "old XLS"),
        (
            replaced(GOOD, "xl/worksheets/sheet1.xml", b"0" * (61 * 1024 * 1024)),
            "unpacks to 61 MiB",
        ),
        (replaced(GOOD, "xl/worksheets/sheet1.xml", LAUGHS), "cannot|broken"),
        (replaced(GOOD, "xl/worksheets/sheet1.xml", b"\xff\xfe junk"), "can be read"),
        (replaced(GOOD, "xl/workbook.xml", b"<a/>"), "no workbook|no table"),
        (GOOD[: len(GOOD) // 2], "broken archive"),
        (b"\x89PNG\r\n" + b"\0" * 100, "picture"),
        (b"just some words\nand more\n", "no table of products and prices"),
        (b"id,price\nhgx-h100-8,5\n", "1 prices have no date"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path, data, words):
    """Bombs, broken and foreign files end in one line."""
    with pytest.raises(InputError, match=words) as caught:
        read(tmp_path, data, name="quote.xlsx")
    assert len(str(caught.value).splitlines()) == 1
