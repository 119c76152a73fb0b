"""Goodput: closed forms against simulation and state sums, and the laws they obey."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.physics.goodput import (
    FailureRates,
    best_interval_s,
    checkpoint_share,
    goodput,
    lambert_w,
    waiting_share,
)

HOURS = st.floats(0.5, 5000)
SECONDS = st.floats(0.1, 3000)
COUNTS = st.integers(1, 400)


@given(st.floats(-math.exp(-1), -1e-12))
def test_lambert_w_inverts_w_times_its_exponential(x: float) -> None:
    """Between the branch point and zero."""
    w = lambert_w(x)
    assert -1 <= w <= 0
    assert w * math.exp(w) == pytest.approx(x, rel=1e-9, abs=1e-15)


def test_lambert_w_refuses_what_it_does_not_cover() -> None:
    """Positive values and values below the branch point."""
    for x in (0.1, -0.5):
        with pytest.raises(ValueError, match="Lambert"):
            lambert_w(x)


@given(HOURS, SECONDS, SECONDS, st.floats(0.05, 20))
def test_no_other_interval_loses_less(
    mtbf_h: float, write_s: float, restart_s: float, factor: float
) -> None:
    """The closed form is the optimum of the share, whatever the restart."""
    mtbf_s = mtbf_h * 3600
    best = best_interval_s(mtbf_s, write_s)
    share = checkpoint_share(mtbf_s, write_s, restart_s, best)
    other = min(best * factor, 100 * mtbf_s)
    assert 0 <= checkpoint_share(mtbf_s, write_s, restart_s, other) <= share * (1 + 1e-9) + 1e-300


def test_short_writes_give_youngs_interval() -> None:
    """sqrt(2 d M) within a per mille where the write is a millionth of the time between failures."""
    mtbf_s, write_s = 1e7, 1.0
    young = math.sqrt(2 * write_s * mtbf_s)
    assert best_interval_s(mtbf_s, write_s) == pytest.approx(young, rel=1e-3)


def test_the_share_is_that_of_a_simulated_run() -> None:
    """Segments of work and checkpoint, failures at any time, also during restarts."""
    rng = random.Random(5)
    mtbf_s, write_s, restart_s, interval_s = 4000.0, 60.0, 500.0, 700.0
    wall, segments = 0.0, 40_000
    for _ in range(segments):
        need = interval_s + write_s
        while (alive := rng.expovariate(1 / mtbf_s)) < need:
            wall += alive
            while (up := rng.expovariate(1 / mtbf_s)) < restart_s:
                wall += up
            wall += restart_s
        wall += need
    simulated = segments * interval_s / wall
    assert checkpoint_share(mtbf_s, write_s, restart_s, interval_s) == pytest.approx(
        simulated, rel=0.01
    )


@given(st.floats(1e-4, 20), st.integers(0, 12))
def test_waiting_is_the_last_state_of_the_birth_death_chain(offered: float, spares: int) -> None:
    """The stationary distribution of the chain, solved as linear equations."""
    states = spares + 2
    rates = np.zeros((states, states))
    for k in range(states - 1):
        rates[k, k + 1] = offered
        rates[k + 1, k] = k + 1
    rates -= np.diag(rates.sum(axis=1))
    system = np.vstack([rates.T, np.ones(states)])
    found, *_ = np.linalg.lstsq(system, np.append(np.zeros(states), 1.0), rcond=None)
    assert waiting_share(offered, 1.0, spares) == pytest.approx(found[-1], abs=1e-8)


def terms(scale: float, servers: int, spares: int, write_s: float, repair_s: float) -> float:
    """Return the availability with rates near the published ones, times a scale."""
    rates = FailureRates(interrupting_per_s=4.4e-8 * scale, repairing_per_s=3.4e-8 * scale)
    found = goodput(
        rates, servers=servers, spares=spares, write_s=write_s, restart_s=900, repair_s=repair_s
    )
    assert found.availability == found.checkpoint_share * (1 - found.waiting_share)
    return found.availability


@given(st.floats(0.1, 5), COUNTS, st.integers(0, 20), SECONDS, st.floats(0.1, 10))
def test_availability_rises_with_spares_and_falls_with_everything_else(
    scale: float, servers: int, spares: int, write_s: float, repair_days: float
) -> None:
    """Failure rate, servers, write and repair time."""
    repair_s = repair_days * 86400
    base = terms(scale, servers, spares, write_s, repair_s)
    close = 1 + 1e-12
    assert 0 <= base <= 1
    assert terms(scale, servers, spares + 1, write_s, repair_s) * close >= base
    assert terms(scale * 1.3, servers, spares, write_s, repair_s) <= base * close
    assert terms(scale, servers + 1, spares, write_s, repair_s) <= base * close
    assert terms(scale, servers, spares, write_s * 1.3, repair_s) <= base * close
    assert terms(scale, servers, spares, write_s, repair_s * 1.3) <= base * close


def test_without_failures_every_second_counts() -> None:
    """No failure, no checkpoint, no waiting."""
    found = goodput(
        FailureRates(interrupting_per_s=0.0, repairing_per_s=0.0),
        servers=1000, spares=0, write_s=60, restart_s=900, repair_s=1e6,
    )  # fmt: skip
    assert found.availability == 1.0


def test_meta_s_run_is_in_the_range_it_reports() -> None:
    """Llama 3 405B: 2,048 servers, more than 90 % effective training time with automated restarts.

    419 interruptions in 54 days and a checkpoint stop of some seconds give the published share; a
    restart of minutes decides it.
    """
    rates = FailureRates(interrupting_per_s=419 / (54 * 86400 * 2048), repairing_per_s=0.0)
    found = goodput(rates, servers=2048, spares=0, write_s=5, restart_s=300, repair_s=1)
    assert found.mtbf_s / 3600 == pytest.approx(3.09, abs=0.01)
    assert 0.90 < found.availability < 0.97
