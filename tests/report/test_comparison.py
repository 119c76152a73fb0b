"""Page, text and tables of a comparison say the same figures, to the cent."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from planner.cli.main import run
from planner.domain.comparison import Comparison, Offer, OfferLine
from planner.domain.solution import load_solution
from planner.export.comparison import comparison_files
from planner.report.comparison import comparison_text
from planner.report.comparison_page import comparison_page
from planner.report.notation import notation
from planner.report.words import words
from planner.study.compare import Subject, compare

SAMPLES = Path(__file__).parents[2] / "reports" / "samples"
HOSTILE = "=cmd|'/c calc'!A1 <script>alert(1)</script> \u202eabc"


@pytest.fixture(scope="module")
def budget():
    """Return a shipped sample."""
    return load_solution(SAMPLES / "budget" / "solution.json")


@pytest.fixture(scope="module")
def found(budget, hostile_plan):
    """Return the sample against an offer of the same bill, dearer, and a plan of hostile texts."""
    rows = [
        OfferLine(part=line.part, text=HOSTILE, quantity=line.quantity + (line.kind == "cable"),
                  total_cents=round(line.total_usd * 103))
        for line in budget.bill_of_materials
    ]  # fmt: skip
    rows.append(OfferLine(part="", text=HOSTILE, quantity=1, total_cents=12_345))
    return compare(
        [
            Subject(name="budget", what=budget),
            Subject(name="vendor.csv", what=Offer(lines=rows)),
            Subject(name="hostile", what=hostile_plan),
        ]
    )


def test_lines_and_categories_add_up_to_the_solution(found, budget) -> None:
    """To purchase price and present value of the document."""
    assert found.sides[0].capex_cents == round(budget.cost.capex_usd * 100)
    assert found.sides[0].total_cents == round(budget.cost.total_usd * 100)
    for k, side in enumerate(found.sides):
        assert sum(row.cells[k].total_cents for row in found.parts) == side.capex_cents
    for k in (0, 2):
        assert sum(row.cents[k] for row in found.categories) == found.sides[k].total_cents


def test_the_tables_read_back(found) -> None:
    """Totals and differences of every side, in whole cents; text is no formula."""
    files = comparison_files(found)
    rows = list(csv.DictReader(io.StringIO(files["parts.csv"].removeprefix("\ufeff"))))
    for side in found.sides:
        of_side = [row for row in rows if row["side"] == side.name]
        total = sum(round(float(row["total_usd"]) * 100) for row in of_side)
        assert total == side.capex_cents
        difference = sum(round(float(row["difference_usd"]) * 100) for row in of_side)
        assert difference == side.capex_cents - found.sides[0].capex_cents
        parts = [
            sum(round(float(row[key]) * 100) for row in of_side)
            for key in ("by_quantity_usd", "by_price_usd")
        ]
        assert sum(parts) == difference
    assert not any(cell.startswith(("=", "@")) for row in rows for cell in row.values())
    categories = list(csv.DictReader(io.StringIO(files["categories.csv"].removeprefix("\ufeff"))))
    first = [r for r in categories if r["side"] == "budget"]
    assert sum(round(float(r["total_usd"]) * 100) for r in first) == found.sides[0].total_cents


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_page_holds_every_figure_and_no_foreign_markup(found, budget, lang: str) -> None:
    """Each line's total and difference unrounded; hostile text is shown, never run."""
    w, n = words(lang), notation(lang, budget.instance)
    page = comparison_page(found, w, n)
    values = re.findall(r'<data value="([^"]*)"', page)
    for row in found.parts:
        for cell in row.cells:
            if cell.quantity:
                assert f"{cell.total_cents / 100:.2f}" in values
            assert f"{(cell.total_cents - row.cells[0].total_cents) / 100:.2f}" in values
    assert "<script>alert" not in page
    assert page.count("<script>") == 1
    assert "http" not in re.sub(r'http-equiv|"http://www.w3.org[^"]*"', "", page)
    text = comparison_text(found, w, n)
    assert max(map(len, text.splitlines())) <= 100
    assert "\u202e" not in text
    assert n.money((found.sides[1].capex_cents - found.sides[0].capex_cents) / 100, 2) in " ".join(
        text.split("  ")
    ).replace("\n", " ")


def test_a_missed_target_is_told(found, budget) -> None:
    """By how much, and once."""
    late = budget.workloads[0].model_copy(update={"step_time_s": budget.workloads[0].limit_s * 1.5})
    slow = budget.model_copy(update={"workloads": [late, *budget.workloads[1:]]})
    told = compare([Subject(name="a", what=budget), Subject(name="b", what=slow)])
    text = comparison_text(told, words("en"), notation("en", budget.instance))
    assert "b: pretrain-70b steps in" in text
    assert "50.0% over its limit" in text


def test_the_command_compares_a_pinned_design_with_the_optimum(tmp_path, capsys) -> None:
    """An instance alone: what is offered against what is needed; files beside the text."""
    document = json.loads((Path(__file__).parents[2] / "instances" / "tiny.json").read_text())
    del document["$schema"]
    document["fix"] = {
        "server": "ws-4x-rtx6000ada", "nodes": 2, "family": "ethernet", "nics_per_node": 1,
        "switch": "generic-10g-48", "topology": "single",
    }  # fmt: skip
    path = tmp_path / "offered.json"
    path.write_text(json.dumps(document))
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--json"]) == 0
    found = Comparison.model_validate_json(capsys.readouterr().out)
    assert [side.name for side in found.sides] == ["optimum", "tiny"]
    assert found.sides[1].kind == "evaluated"
    assert found.sides[1].steps[0].over_share > 0
    assert found.sides[0].steps[0].over_share <= 0
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert names == {"index.html", "parts.csv", "categories.csv", "comparison.json"}
    again = Comparison.model_validate_json((tmp_path / "out" / "comparison.json").read_text())
    assert again == found


def test_a_reports_own_bill_is_an_offer_without_difference(tmp_path, capsys) -> None:
    """CSV and workbook of a report read back as what they list, to the cent."""
    for name in ("bill_of_materials.csv", "bill_of_materials.xlsx"):
        arguments = ["compare", str(SAMPLES / "budget"), str(SAMPLES / "budget" / name), "--json"]
        assert run(arguments) == 0
        found = Comparison.model_validate_json(capsys.readouterr().out)
        assert found.sides[0].capex_cents == found.sides[1].capex_cents, name
        assert all(len({cell.total_cents for cell in row.cells}) == 1 for row in found.parts)


@pytest.mark.parametrize(
    "arguments",
    [
        ["tiny"],
        [str(SAMPLES / "budget"), "absent.csv"],
        [str(SAMPLES / "budget"), str(SAMPLES / "budget"), "--set", "colour=red"],
        [str(SAMPLES / "budget" / "bill_of_materials.csv")] * 2,
    ],
)
def test_what_cannot_be_compared_is_bad_usage(arguments: list[str], capsys) -> None:
    """One thing without pins, a missing file, an unknown key, offers alone: exit code 2."""
    assert run(["compare", *arguments]) == 2
    assert "Traceback" not in capsys.readouterr().err


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("width", [1440, 768, 390])
def test_no_page_is_wider_than_its_window(found, budget, width: int, tmp_path) -> None:
    """Three sides, hostile names; tables scroll inside themselves."""
    page = comparison_page(found, words("es"), notation("es", budget.instance))
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    probe = (
        '<!doctype html><p id="out"></p><iframe id="f" src="page.html" '
        f'style="width:{width}px;height:900px;border:0"></iframe><script>'
        'document.getElementById("f").onload=e=>{const d=e.target.contentDocument.documentElement;'
        'document.getElementById("out").textContent=d.scrollWidth+" "+d.clientWidth}</script>'
    )
    (tmp_path / "probe.html").write_text(probe, encoding="utf-8")
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"file://{tmp_path}/probe.html"],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    measured = re.search(r'<p id="out">(\d+) (\d+)</p>', done.stdout.decode())
    assert measured is not None
    assert int(measured[1]) <= int(measured[2])


def test_lines_of_one_side_are_told_apart(budget) -> None:
    """An offer of two lines is held against those two too: what it leaves out is no saving."""
    bill = budget.bill_of_materials
    rows = [
        OfferLine(part=line.part, text=line.description, quantity=line.quantity,
                  total_cents=round(line.total_usd * 100) + 700)
        for line in bill[:2]
    ]  # fmt: skip
    sides = [Subject(name="budget", what=budget), Subject(name="part.csv", what=Offer(lines=rows))]
    said = " ".join(
        comparison_text(compare(sides), words("en"), notation("en", budget.instance)).split()
    )
    left = sum(round(line.total_usd * 100) for line in bill[2:]) / 100
    assert f"{len(bill) - 2} lines stand on one side only: USD -{left:,.2f}" in said
    assert "on the lines that both have it is +USD 14.00" in said
