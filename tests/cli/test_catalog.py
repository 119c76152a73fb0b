"""`planner catalog` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.cli.catalog import SHOWN
from planner.cli.main import run
from planner.domain.catalog_load import TABLES


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a command."""
    code = run(["catalog", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_every_table_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind prints one line per row under its heading, nothing cut off."""
    assert set(SHOWN) == set(TABLES)
    for kind in TABLES:
        code, out, err = call(capsys, "list", kind)
        _, document, _ = call(capsys, "list", kind, "--json")
        rows = json.loads(document)["rows"]
        assert (code, err) == (0, "")
        assert len(out.splitlines()) == len(rows) + 2
        assert all(row["id"] in out for row in rows)


def test_prices_show_kind_and_date(capsys: pytest.CaptureFixture[str]) -> None:
    """A list shows what kind of price it is and of when."""
    _, out, _ = call(capsys, "list", "switches")
    line = next(line for line in out.splitlines() if line.startswith("qm9700 "))
    assert "36,000" in line
    assert "street price" in line
    assert "2024-08" in line


def test_kinds_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a kind the tables are listed."""
    code, out, _ = call(capsys, "list", "--json")
    assert code == 0
    assert set(json.loads(out)["kinds"]) == set(TABLES)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("sn5600", ["links_per_cage", "256"]),
        ("l40s-8-pcie", ["extra_usd", "6,396"]),
        ("dgx-h100", ["out of sale", "end of sale since January 2025"]),
        ("util-power", ["0.85"]),
        ("osfp224-800g-dr4", ["own estimate", "own interpolation"]),
    ],
)
def test_show_tells_what_is_known_and_how(
    capsys: pytest.CaptureFixture[str], row: str, expected: list[str]
) -> None:
    """Everything known about a row is printed with its origin."""
    code, out, _ = call(capsys, "show", row)
    assert code == 0
    assert all(text in out for text in expected)


def test_show_as_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """The document holds the price with its kind, and whether it can be bought."""
    _, out, _ = call(capsys, "show", "dgx-b200", "--json")
    document = json.loads(out)
    assert document["price"]["kind"] == "list price"
    assert document["buyable"] is True
    assert document["nic_options"][0]["links"] == 8


def test_an_unknown_id_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong id is bad input: exit code 2, nothing on standard output."""
    code, out, err = call(capsys, "show", "qm9701")
    assert (code, out) == (2, "")
    assert "did you mean" in err


def test_check_passes_on_ours_and_fails_on_a_planted_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The exit code tells a consistent catalogue from one with faults."""
    code, out, _ = call(capsys, "check", "--json")
    assert (code, json.loads(out)["ok"]) == (0, True)
    (tmp_path / "switches.csv").write_text("id,typical_power_w\nqm9700,3000\n", encoding="utf-8")
    code, out, _ = call(capsys, "check", "--catalog", str(tmp_path))
    assert code == 1
    assert "switches/qm9700: typical power above maximum power" in out


def test_an_overlay_changes_what_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A user's folder overrides rows by id."""
    text = "id,price_usd,price_kind,price_date,price_source\nqm9700,29000,quote,2026-11,an offer\n"
    (tmp_path / "switches.csv").write_text(text, encoding="utf-8")
    _, out, _ = call(capsys, "show", "qm9700", "--catalog", str(tmp_path))
    assert "29,000" in out
    assert "quote, 2026-11" in out


def test_a_broken_overlay_is_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Faults of the overlay go to standard error with exit code 2."""
    (tmp_path / "switches.csv").write_text("id,colour\nqm9700,red\n", encoding="utf-8")
    code, out, err = call(capsys, "list", "switches", "--catalog", str(tmp_path))
    assert (code, out) == (2, "")
    assert "unknown column 'colour'" in err
