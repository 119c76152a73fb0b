"""The scale on which a limit gives way."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from planner.study.limit import Limit
from planner.study.relaxation import tight_ticks

POSITIVE = st.floats(min_value=5e-324, max_value=1e300)


@given(POSITIVE, st.floats(min_value=1e-9, max_value=1e15))
def test_whatever_a_design_uses_is_counted_in_steps_of_any_limit(held: float, used: float) -> None:
    """However small a limit is, what a design needs of it is a number of steps, not too few."""
    limit = Limit(key="budget", words=str, put=lambda instance, _: instance, value=held)
    ticks = limit.ticks(used)
    assert math.isfinite(limit.at(ticks))
    assert limit.at(ticks) >= used * (1 - 1e-8)
    assert limit.at(tight_ticks(limit)) <= held * (1 + 1e-8)
