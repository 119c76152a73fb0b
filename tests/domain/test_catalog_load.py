"""Strict reading of tables, with a user's folder laid over them."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.errors import InputError

QUOTE = "price_usd,price_kind,price_date,price_source"


def write(folder: Path, table: str, text: str) -> Path:
    """Write one table of an overlay and return its folder."""
    (folder / f"{table}.csv").write_text(text, encoding="utf-8")
    return folder


def faults_of(folder: Path) -> str:
    """Return the message that loading the overlay gives."""
    with pytest.raises(InputError) as caught:
        load_catalog(folder)
    return str(caught.value)


def test_a_quote_makes_a_withdrawn_server_buyable(tmp_path: Path) -> None:
    """A row with an id and a quote keeps our specification and replaces the whole price."""
    row = "dgx-h100,250000,quote,2026-11-30,reseller offer 4711"
    catalog = load_catalog(write(tmp_path, "servers", f"id,{QUOTE}\n{row}\n"))
    server = catalog.server("dgx-h100")
    assert server.buyable
    assert server.max_power_w == load_catalog().server("dgx-h100").max_power_w
    assert server.price is not None
    assert (server.price.usd, server.price.high_usd) == (250000, None)
    assert not load_catalog().server("dgx-h100").buyable


def test_an_empty_cell_keeps_ours(tmp_path: Path) -> None:
    """Cells that the overlay leaves empty do not erase known figures."""
    folder = write(tmp_path, "switches", "id,weight_kg,latency_ns\nqm9700,15.5,\n")
    switch = load_catalog(folder).switch("qm9700")
    assert (switch.weight_kg, switch.latency_ns) == (15.5, 150)


def test_a_new_row_joins_the_table(tmp_path: Path) -> None:
    """A complete row with a new id adds a product."""
    text = (
        "id,source,spec_confidence,model,rack_units,width_mm,depth_mm,max_weight_kg\n"
        "rack-own,own drawing,retrieved,own cabinet,47,600,1200,1200\n"
    )
    assert load_catalog(write(tmp_path, "racks", text)).rack("rack-own").rack_units == 47


def test_excel_marks_are_read(tmp_path: Path) -> None:
    """A byte order mark and carriage returns do no harm."""
    folder = write(tmp_path, "switches", "\ufeffid,weight_kg\r\nqm9700,15.5\r\n")
    assert load_catalog(folder).switch("qm9700").weight_kg == 15.5


@pytest.mark.parametrize(
    ("table", "text", "expected"),
    [
        ("switches", "id,price_usdd\nqm9700,1\n", "did you mean 'price_usd'"),
        ("switches", "id,weight_kg,weight_kg\nqm9700,1,2\n", "stands twice"),
        ("switches", "weight_kg\n3\n", "column 'id' is missing"),
        ("switches", "id;weight_kg\nqm9700;3\n", "split them by ','"),
        ("switches", "id,weight_kg\nqm9700,3\nqm9700,4\n", "line 3: id 'qm9700' stands twice"),
        ("switches", "id,weight_kg\nqm9700,heavy\n", "line 2, column weight_kg"),
        ("switches", "id,weight_kg\nqm9700,nan\n", "line 2, column weight_kg"),
        ("switches", "id,weight_kg\nqm9700,1,2\n", "3 cells under 2 columns"),
        ("switches", "id,connector\nqm9700,OSPF\n", "did you mean 'OSFP'?"),
        ("switches", "id,price_usd\nqm970,3\n", "did you mean 'qm9700'"),
        ("switches", "id,price_usd\nqm9700,3\n", "column price_kind: is empty"),
        ("switches", f'id,{QUOTE}\nqm9700,3,guess,2026,"a, b"\n', "column price_kind"),
        ("switches", 'id,weight_kg\nqm9700,"3\n', "no CSV"),
        ("server", "id\n", "did you mean 'servers'"),
        ("servers", "id,accelerator\ndgx-b200,b200\n", "did you mean 'b200-sxm' or"),
        ("rates", "id,kind\nutil-power,=cmd\n", "column kind"),
    ],
)
def test_faults_name_their_place(tmp_path: Path, table: str, text: str, expected: str) -> None:
    """Every fault says where it is and what would be right."""
    assert expected in faults_of(write(tmp_path, table, text))


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    """Faults of several files are reported together."""
    write(tmp_path, "nics", "id,ports\ncx7-400-1p,many\n")
    message = faults_of(write(tmp_path, "switches", "id,cages\nqm9700,0\nqm9790,x\n"))
    assert len(message.splitlines()) == 3


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """An overlay that is no folder is an input error."""
    assert "is no folder" in faults_of(tmp_path / "nowhere")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """A table that is not UTF-8 is refused without a traceback."""
    (tmp_path / "nics.csv").write_bytes(b"id\xff\xfe\n")
    assert "not UTF-8" in faults_of(tmp_path)
