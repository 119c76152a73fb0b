"""Differences by line add up to the difference of the totals, to the cent."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from planner.domain.comparison import Offer, OfferLine
from planner.domain.solution import Solution, load_solution
from planner.domain.workload import StrategyChoice
from planner.study.compare import Subject, compare

lines = st.lists(
    st.builds(
        OfferLine,
        part=st.sampled_from(["hgx-h100-8", "qm9700", "", "cx7-400-1p"]),
        text=st.sampled_from(["labels", "<script>", "=cmd()"]),
        quantity=st.integers(1, 10_000),
        total_cents=st.integers(0, 10**12),
    ),
    max_size=8,
)


@given(bills=st.lists(lines, min_size=2, max_size=4))
def test_lines_add_up_to_the_totals(bills: list[list[OfferLine]]) -> None:
    """Of every side; by quantity and by price add up to the difference of each line."""
    found = compare([Subject(name=f"v{k}", what=Offer(lines=bill)) for k, bill in enumerate(bills)])
    for k, (side, bill) in enumerate(zip(found.sides, bills, strict=True)):
        assert side.capex_cents == sum(line.total_cents for line in bill)
        assert sum(row.cells[k].total_cents for row in found.parts) == side.capex_cents
        assert sum(row.cells[k].quantity for row in found.parts) == sum(b.quantity for b in bill)
        for row in found.parts:
            difference = row.cells[k].total_cents - row.cells[0].total_cents
            assert row.by_quantity_cents[k] + row.by_price_cents[k] == difference
        assert found.parts == [] or found.sides[0].capex_cents is not None


def test_the_same_units_at_another_price_differ_by_price_alone() -> None:
    """And more units at the same price by quantity alone."""

    def offer(quantity: int, unit_cents: int) -> Offer:
        line = OfferLine(
            part="qm9700", text="x", quantity=quantity, total_cents=quantity * unit_cents
        )
        return Offer(lines=[line])

    found = compare(
        [
            Subject(name="a", what=offer(4, 1000)),
            Subject(name="b", what=offer(4, 1100)),
            Subject(name="c", what=offer(6, 1000)),
            Subject(name="d", what=offer(6, 1100)),
        ]
    )
    assert found.parts[0].by_price_cents == [0, 400, 0, 600]
    assert found.parts[0].by_quantity_cents == [0, 0, 2000, 2000]


def test_other_pins_are_not_called_other_workloads() -> None:
    """The same job with its parallelism pinned; another batch is another workload."""
    path = Path(__file__).parents[2] / "reports" / "samples" / "budget" / "solution.json"
    first = load_solution(path)

    def changed(**update: object) -> Solution:
        jobs = [job.model_copy(update=update) for job in first.instance.workloads]
        instance = first.instance.model_copy(update={"workloads": jobs})
        return first.model_copy(update={"instance": instance})

    pinned = changed(fix=StrategyChoice.model_validate({"tp": 8}))
    other = changed(global_batch=7, fix=StrategyChoice.model_validate({"tp": 8}))
    names = {"a": first, "b": pinned, "c": other, "d": first}
    found = compare([Subject(name=name, what=what) for name, what in names.items()])
    assert found.notes == [
        "b pins or forbids other parallelism than a.",
        "c has other workloads or targets than a.",
    ]
