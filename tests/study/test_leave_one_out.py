"""Errors on sources left out of the fit: rates move only by what the other sources say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.domain.catalog import load_catalog
from planner.domain.compute_constants import shipped_constants
from planner.study.collective_rows import read_table
from planner.study.leave_one_out import FACTORS, leave_one_source_out, scaled, unseen_times
from planner.study.step_rows import REQUIRED
from planner.study.validate_steps import map_rows

TABLE = Path(__file__).parents[1] / "data" / "steps.csv"
CONSTANTS = shipped_constants()


@pytest.fixture(scope="module")
def rows():
    """A few rows of one accelerator from three sources."""
    mapped, _ = map_rows(read_table(TABLE, REQUIRED), load_catalog())
    chosen = []
    for source in ("korthikanti-2022", "vtrain-multi", "llm-foundry"):
        own = [r for r in mapped if r.source == source and r.machine.accelerator == "a100-sxm-80"]
        chosen += own[:5]
    return chosen


def test_factor_one_is_among_them():
    """The shipped rates themselves are tried."""
    assert np.any(np.isclose(FACTORS, 1.0))


def test_scaling_touches_one_rate():
    """Only the sustained rate of the group changes."""
    changed = scaled(CONSTANTS, ("h100-sxm", "fp8"), 0.5)
    parts, before = changed.compute.accelerators, CONSTANTS.compute.accelerators
    assert parts["h100-sxm"].product("fp8").sustained.value == pytest.approx(
        0.5 * before["h100-sxm"].product("fp8").sustained.value
    )
    assert parts["h100-sxm"].product("half") == before["h100-sxm"].product("half")
    assert parts["a100-sxm-80"] == before["a100-sxm-80"]


def test_a_source_does_not_see_its_own_measurements(rows):
    """Halving one source's measured times leaves its own predictions as they were."""
    times = unseen_times(rows, CONSTANTS)
    moved = [
        replace(row, step_time_s=row.step_time_s / 2) if row.source == "vtrain-multi" else row
        for row in rows
    ]
    again = unseen_times(moved, CONSTANTS)
    own = np.array([row.source == "vtrain-multi" for row in rows])
    assert np.array_equal(times[own], again[own])


def test_margin_covers_the_late_runs(rows):
    """Nine runs in ten are no later than the margin allows."""
    figures = leave_one_source_out(rows, CONSTANTS)
    times = unseen_times(rows, CONSTANTS)
    measured = np.array([row.step_time_s for row in rows])
    covered = measured <= times * (1 + figures["margin"]) * (1 + 1e-9)
    assert covered.mean() >= 0.9
    assert set(figures["by_family"]) == {"transformer"}
