"""Page, summary, workbook and tables of one report say the same to the cent as its solution."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import openpyxl
import pytest

from planner.domain.solution import load_solution
from planner.domain.units import cents
from planner.export.xlsx.workbook import WORKBOOK
from planner.report.write import report_files

SAMPLES = sorted((Path(__file__).parents[2] / "reports" / "samples").glob("*/solution.json"))
PARTS = ("capex_usd", "energy_usd", "support_usd", "other_usd", "total_usd")


@pytest.fixture(scope="module", params=[(p, lang) for p in SAMPLES for lang in ("en", "es")],
                ids=lambda p: f"{p[0].parent.name}-{p[1]}")  # fmt: skip
def report(request):
    """Return a shipped solution, its report's files, and a reader of money in its language."""
    path, lang = request.param
    solution = load_solution(path)

    def money(text):
        """Return the cents of an amount as the language writes it."""
        text = re.sub(r"[^\d.,\-]", "", text)
        text = text.translate(str.maketrans(".,", ",.")) if lang == "es" else text
        return cents(float(text.replace(",", "")))

    return solution, dict(report_files(solution, lang)), money


def _cells(text, heading):
    """Return the rows of the Markdown tables below a heading, markup dropped."""
    block = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in block.splitlines() if line.startswith("|") and "---" not in line]
    return [[c.strip(" *") for c in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def test_the_bill_is_one_bill(report):
    """Quantity, unit price and total of every line in five files; each total is their product."""
    solution, files, money = report
    lines = solution.bill_of_materials
    expected = [(x.quantity, cents(x.unit_price_usd), cents(x.total_usd)) for x in lines]
    assert all(count * unit == total for count, unit, total in expected)

    listed = list(csv.DictReader(io.StringIO(files["bill_of_materials.csv"].lstrip("\ufeff"))))
    star = list(csv.DictReader(io.StringIO(files["bi/fact_bom_line.csv"].lstrip("\ufeff"))))
    for rows in (listed, star):
        found = [(int(r["quantity"]), cents(float(r["unit_price_usd"])),
                  cents(float(r["total_usd"]))) for r in rows]  # fmt: skip
        assert sorted(found) == sorted(expected)

    name = (
        "Bill of materials"
        if "## Bill of materials" in files["summary.md"]
        else "Lista de materiales"
    )
    rows = _cells(files["summary.md"], name)[1:]
    found = [(money(row[2]) // 100, money(row[3]), money(row[4])) for row in rows[:-1]]
    assert found == expected
    assert money(rows[-1][4]) == sum(total for _, _, total in expected)

    page = files["index.html"].partition('<section id="bill"')[2].partition("</section>")[0]
    body = re.findall(
        r'<data value="([^"]+)">', page.partition("<tbody>")[2].partition("</tbody>")[0]
    )
    figures = [float(value) for value in body]
    assert [
        (int(q), cents(u), cents(t)) for q, u, t in zip(*[iter(figures)] * 3, strict=True)
    ] == expected

    sheet = openpyxl.load_workbook(io.BytesIO(files[WORKBOOK]), data_only=True).worksheets[1]
    place = sheet.tables["Bill"].ref
    rows = [[cell.value for cell in row] for row in sheet[place]][1 : len(lines) + 1]
    found = [(row[5], cents(row[6]), cents(row[7])) for row in rows]
    assert found == expected


def test_the_cost_is_one_cost(report):
    """Components and their sums in four files add up to the objective, to the cent."""
    solution, files, money = report
    cost = solution.cost
    totals = {key: cents(getattr(cost, key)) for key in PARTS}
    for key in PARTS:
        assert sum(cents(getattr(line, key)) for line in cost.components) == totals[key]
    assert (
        sum(totals[key] for key in PARTS[:-1])
        == totals["total_usd"]
        == cents(solution.objective_usd)
    )

    star = list(csv.DictReader(io.StringIO(files["bi/fact_cost.csv"].lstrip("\ufeff"))))
    assert sum(cents(float(row["amount_usd"])) for row in star) == totals["total_usd"]

    heading = "Cost" if "\n## Cost\n" in files["summary.md"] else "Coste"
    rows = _cells(files["summary.md"], heading)[1:]
    for row, line in zip(rows[:-1], cost.components, strict=True):
        assert [money(cell) for cell in row[1:]] == [cents(getattr(line, key)) for key in PARTS]
    assert [money(cell) for cell in rows[-1][1:]] == list(totals.values())

    page = files["index.html"].partition('<section id="cost"')[2].partition("</section>")[0]
    foot = re.findall(r'<data value="([^"]+)">([^<]+)', page.partition("<tfoot>")[2])
    assert [cents(float(value)) for value, _ in foot] == list(totals.values())
    assert [money(text) for _, text in foot] == list(totals.values())

    sheet = openpyxl.load_workbook(io.BytesIO(files[WORKBOOK]), data_only=True).worksheets[0]
    rows = [[cell.value for cell in row] for row in sheet[sheet.tables["Cost"].ref]]
    assert [cents(value) for value in rows[-1][1:]] == list(totals.values())


def test_limits_alternatives_and_traffic_are_in_the_summary(report):
    """Each alternative's cost, each limit and each level of links, in the order of the page."""
    solution, files, money = report
    text = files["summary.md"]
    costs = sorted(
        cents(a.objective_usd) for a in solution.alternatives
        if a.objective_usd is not None and a.status != "chosen"
    )  # fmt: skip
    heading = "Alternatives" if "\n## Alternatives\n" in text else "Alternativas"
    assert [money(row[2]) for row in _cells(text, heading)[1:] if row[2]] == costs
    said = {row[1] for row in _cells(text, heading)[1:]}
    for item in solution.alternatives:
        if item.status != "chosen" and item.summary:
            assert any(item.summary.split(" x ")[0] in name and ": " in name for name in said)
    heading = "Limits" if "\n## Limits\n" in text else "Límites"
    assert len(_cells(text, heading)) == len(solution.binding) + 1
    heading = "Traffic" if "\n## Traffic\n" in text else "Tráfico"
    assert _cells(text, heading)


@pytest.fixture(scope="module", params=["en", "es"])
def converted(request):
    """Return a shipped solution in euro, its report's files, and readers of numbers and of cents."""
    solution = load_solution(next(p for p in SAMPLES if p.parent.name == "budget"))
    finance = solution.instance.finance.model_copy(
        update={"report_currency": "EUR", "usd_per_unit": 1.0837}
    )
    instance = solution.instance.model_copy(update={"finance": finance})
    solution = solution.model_copy(update={"instance": instance})
    lang = request.param

    def number(text):
        """Return a number as the language writes it."""
        text = re.sub(r"[^\d.,\-]", "", text)
        text = text.translate(str.maketrans(".,", ",.")) if lang == "es" else text
        return float(text.replace(",", ""))

    return solution, dict(report_files(solution, lang)), number


def _shown_bill(files, number):
    """Return quantity, unit price and total of every line as summary and page write them."""
    heading = next(
        h
        for h in ("Bill of materials", "Lista de materiales")
        if f"## {h}\n" in files["summary.md"]
    )
    *rows, last = _cells(files["summary.md"], heading)[1:]
    yield [tuple(map(number, row[2:5])) for row in rows], number(last[4])
    page = files["index.html"].partition('<section id="bill"')[2].partition("</table>")[0]
    body, _, foot = page.partition("</tbody>")
    figures = [number(text) for _, text in re.findall(r'<data value="([^"]+)">([^<]+)', body)]
    total = number(re.search(r'<data value="[^"]+">([^<]+)', foot)[1])
    yield list(zip(*[iter(figures)] * 3, strict=True)), total


def test_in_another_currency_the_bill_multiplies_and_adds_up(converted):
    """Quantity x unit price as written is the line as written, lines are the total, in page and text."""
    solution, files, number = converted
    shown = list(_shown_bill(files, number))
    assert shown[0] == shown[1]
    lines, total = shown[0]
    assert len(lines) == len(solution.bill_of_materials)
    for (quantity, unit, amount), line in zip(lines, solution.bill_of_materials, strict=True):
        assert cents(quantity * unit) == cents(amount)
        assert amount == pytest.approx(line.total_usd / 1.0837, abs=0.01 * len(lines))
    assert sum(cents(amount) for _, _, amount in lines) == cents(total)


def test_in_another_currency_the_cost_adds_up_and_no_sentence_is_in_dollars(converted):
    """Rows and columns to the cent; dollars are named only as unit prices of inputs and sources."""
    solution, files, number = converted
    heading = "Cost" if "\n## Cost\n" in files["summary.md"] else "Coste"
    rows = [[cents(number(c)) for c in row[1:]] for row in _cells(files["summary.md"], heading)[1:]]
    page = files["index.html"].partition('<section id="cost"')[2].partition("</table>")[0]
    cells = [cents(number(text)) for _, text in re.findall(r'<data value="([^"]+)">([^<]+)', page)]
    assert cells == [cell for row in rows for cell in row]
    for row in rows:
        assert sum(row[:-1]) == row[-1]
    assert [sum(column) for column in zip(*rows[:-1], strict=True)] == rows[-1]
    assert rows[-1][-1] == cents(solution.objective_usd / 1.0837)
    said = [files["summary.md"], re.sub(r"<[^>]+>", " ", files["index.html"])]
    for text in said:
        assert not re.search(r"\b(in|en) USD\b", text)
        assert "EUR" in text


def test_in_another_currency_tables_stay_in_dollars_and_say_so(converted):
    """CSV and workbook are for programs and vendors: whole cents of dollars, formulas agree."""
    solution, files, _ = converted
    listed = list(csv.DictReader(io.StringIO(files["bill_of_materials.csv"].lstrip("\ufeff"))))
    for row, line in zip(listed, solution.bill_of_materials, strict=True):
        assert cents(float(row["total_usd"])) == cents(line.total_usd)
        assert int(row["quantity"]) * cents(float(row["unit_price_usd"])) == cents(line.total_usd)
    book = openpyxl.load_workbook(io.BytesIO(files[WORKBOOK]), data_only=True)
    summary, bill = book.worksheets[:2]
    table = [[cell.value for cell in row] for row in bill[bill.tables["Bill"].ref]]
    assert all("USD" in str(table[0][k]) for k in (6, 7, 8, 9))
    for row in table[1:-1]:
        assert cents(round(row[5] * row[6], 2)) == cents(row[7])
    assert sum(cents(row[7]) for row in table[1:-1]) == cents(table[-1][7])
    pairs = {str(row[0].value): row[1].value for row in summary.iter_rows(max_col=2)}
    euros = [value for label, value in pairs.items() if "EUR" in label and value != 1.0837]
    wanted = [solution.cost.capex_usd / 1.0837, solution.cost.total_usd / 1.0837]
    assert [cents(value) for value in euros] == [cents(value) for value in wanted]
