"""Amounts in another currency: unit prices, lines, sums and totals agree to the cent as shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.domain.units import cents
from planner.report.adding_up import adding_up, bill_cents, cost_cents
from planner.report.notation import Notation

RATES = st.sampled_from([0.0066, 0.73, 1.0, 1.08, 1.15, 1.271])
AMOUNTS = st.lists(st.integers(0, 10**11).map(lambda c: c / 100), min_size=1, max_size=9)


@given(AMOUNTS, RATES)
def test_shown_amounts_add_up_to_the_shown_total(amounts, rate):
    """Each is its own rounding but the largest, which is within half a cent an amount."""
    n = Notation(lang="en", currency="EUR", usd_per_unit=rate)
    total = cents(n.converted(sum(amounts)))
    shown = adding_up(amounts, total, n)
    assert sum(shown) == total
    exact = [cents(n.converted(amount)) for amount in amounts]
    largest = amounts.index(max(amounts))
    assert all(a == b for k, (a, b) in enumerate(zip(shown, exact, strict=True)) if k != largest)
    assert abs(shown[largest] - exact[largest]) <= (len(amounts) + 1) / 2 + 1


@given(
    st.lists(st.tuples(st.integers(1, 400_000), st.integers(1, 10**8)), min_size=1, max_size=6),
    RATES,
)
def test_shown_unit_prices_multiply_to_their_lines(plan, lines, rate):
    """Quantity times the unit price as it is written is the line as it is written."""
    template = plan.bill_of_materials[0]
    bill = [
        template.model_copy(
            update={"quantity": q, "unit_price_usd": c / 100, "total_usd": q * c / 100}
        )
        for q, c in lines
    ]
    n = Notation(lang="en", currency="EUR", usd_per_unit=rate)
    shown = bill_cents(plan.model_copy(update={"bill_of_materials": bill}), n)
    assert sum(shown.lines) == shown.total
    for line, unit, amount in zip(bill, shown.units, shown.lines, strict=True):
        assert cents(line.quantity * float(unit.replace(",", ""))) == amount
        if rate == 1:
            assert len(unit.partition(".")[2]) == 2


@given(RATES)
def test_rows_and_columns_of_the_cost_add_up(plan, rate):
    """In dollars nothing moves; what is zero stays zero."""
    n = Notation(lang="en", currency="EUR", usd_per_unit=rate)
    shown = cost_cents(plan.cost, n)
    for key, whole in shown.sums.items():
        assert sum(row[key] for row in shown.rows) == whole
    assert shown.sums["total"] == cents(n.converted(plan.cost.total_usd))
    for row, line in zip(shown.rows, plan.cost.components, strict=True):
        assert sum(row[k] for k in ("capex", "energy", "support", "other")) == row["total"]
        assert (row["energy"] == 0) == (line.energy_usd == 0)
        if rate == 1:
            assert row["total"] == cents(line.total_usd)
