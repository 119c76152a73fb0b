"""Racks that watts need, for any power of a rack that an instance may state."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.program.limits import racks_for


@given(watts=st.floats(0.0, 1e6), rack_kw=st.floats(0.0, 1000.0))
def test_racks_hold_the_watts(watts: float, rack_kw: float) -> None:
    """The count is the least that holds them, also of racks that have hardly any power."""
    racks = racks_for(watts, rack_kw)
    each = max(1, round(rack_kw * 1e6))
    assert racks * each >= round(watts * 1000.0) > (racks - 1) * each or racks == 0
