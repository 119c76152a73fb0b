from __future__ import annotations

import csv
import io

from planner.export.lists import bill_of_materials_csv, cable_schedule_csv


def _rows(text):
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


def test_the_order_list_adds_up_to_the_purchase(large):
    """To the cent."""
    rows = _rows(bill_of_materials_csv(large))
    total = sum(round(float(row["total_usd"]) * 100) for row in rows)
    assert total == round(large.cost.capex_usd * 100)
    assert [row["part"] for row in rows] == [line.part for line in large.bill_of_materials]


def test_the_schedule_says_where_both_ends_are(plan):
    """Rack, rack unit, device, port and module, as the placement has them."""
    places = {d.id: (d.rack, str(d.unit)) for d in plan.devices}
    rows = _rows(cable_schedule_csv(plan))
    assert len(rows) == len(plan.cables)
    for row, cable in zip(rows, plan.cables, strict=True):
        assert (row["a_rack"], row["a_unit"]) == places[cable.a]
        assert (row["b_rack"], row["b_unit"]) == places[cable.b]
        assert (row["a_port"], row["b_port"]) == (cable.a_port, cable.b_port)
        assert (row["a_module"], row["b_module"]) == (cable.a_module, cable.b_module)
        assert float(row["length_m"]) == cable.length_m
