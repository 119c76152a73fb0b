"""Which codes are of one workload."""

from __future__ import annotations

import pytest

from planner.program.workload_code import without_workload


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("step_time_w0", ("step_time", True)),
        ("memory_w12", ("memory", True)),
        ("placement_weight", ("placement_weight", False)),
        ("rack_weight", ("rack_weight", False)),
        ("hours", ("hours", False)),
    ],
)
def test_only_a_number_at_the_end_names_a_workload(code: str, found: tuple[str, bool]) -> None:
    """Weight is not of a workload, though its code has the same two letters."""
    assert without_workload(code) == found
