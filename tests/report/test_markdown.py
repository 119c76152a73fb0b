from __future__ import annotations

import re

import pytest

from planner.report.markdown import summary_markdown


def _number(text, lang):
    text = re.sub(r"[^\d.,\-]", "", text)
    if lang == "es":
        text = text.translate(str.maketrans(".,", ",."))
    return float(text.replace(",", ""))


def _tables(text):
    """Return every table as rows of cells, header first."""
    tables, rows = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif rows:
            tables.append([rows[0], *rows[2:]])
            rows = []
    return tables


def _under(text, title):
    """Return the tables below a heading of the second level."""
    return _tables(text.partition(f"\n## {title}\n")[2].partition("\n## ")[0])


COST = {"en": "Cost", "es": "Coste"}
BILL = {"en": "Bill of materials", "es": "Lista de materiales"}
STEP = {"en": "Step time", "es": "Tiempo por paso"}


@pytest.mark.parametrize("lang", ["en", "es"])
def test_costs_read_back_to_the_cent_and_add_up(plan, lang):
    """Every component and the total of the cost table are the solution's."""
    (table,) = _under(summary_markdown(plan, lang), COST[lang])
    keys = ("capex_usd", "energy_usd", "support_usd", "other_usd", "total_usd")
    for row, line in zip(table[1:-1], plan.cost.components, strict=True):
        assert [_number(cell, lang) for cell in row[1:]] == [getattr(line, k) for k in keys]
    total = [_number(cell, lang) for cell in table[-1][1:]]
    assert total == [getattr(plan.cost, k) for k in keys]
    for column in range(1, 6):
        parts = sum(_number(row[column], lang) for row in table[1:-1])
        assert round(parts, 2) == total[column - 1]


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_bill_reads_back(large, lang):
    """Quantities, unit prices and totals are the solution's."""
    (table,) = _under(summary_markdown(large, lang), BILL[lang])
    total = round(sum(line.total_usd for line in large.bill_of_materials), 2)
    assert _number(table[-1][4], lang) == total
    for row, line in zip(table[1:-1], large.bill_of_materials, strict=True):
        assert row[0] == line.part
        found = [_number(cell, lang) for cell in row[2:5]]
        assert found == [line.quantity, line.unit_price_usd, line.total_usd]


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_parts_of_each_step_read_back(plan, lang):
    """To the microsecond, and the total below them."""
    tables = _under(summary_markdown(plan, lang), STEP[lang])[1:]
    assert len(tables) == len(plan.workloads)
    for table, result in zip(tables, plan.workloads, strict=True):
        found = [_number(row[1], lang) for row in table[1:]]
        expected = [*result.breakdown.values(), result.step_time_s]
        assert found == pytest.approx(expected, abs=5e-7)


def test_an_infeasible_answer_has_reasons_and_limits_only(lost):
    """No empty cost or step table."""
    text = summary_markdown(lost)
    assert "## Why" in text
    assert "2,710,000 needed" in text
    assert "## Cost" not in text


def test_hostile_names_stay_text(hostile_plan):
    """No tag, no link, no broken table."""
    text = summary_markdown(hostile_plan)
    assert "<script" not in text
    assert "\u202e" not in text
    for table in _tables(text):
        assert len({len(row) for row in table}) == 1


def test_euro_amounts_are_dollars_over_the_rate(euro_plan):
    """Converted once, to the cent."""
    (table,) = _under(summary_markdown(euro_plan, "es"), COST["es"])
    assert _number(table[-1][5], "es") == round(euro_plan.cost.total_usd / 1.15, 2)
