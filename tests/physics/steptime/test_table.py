"""Step time of tables: parts add up, limits lose nothing, bounds hold, answers are stable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from selene import MACHINE, WIRING, gpt_job

from planner.domain.compute_constants import shipped_constants
from planner.domain.network import load_network
from planner.physics import steptime
from planner.physics.enumeration import StrategyOptions, enumerate_strategies
from planner.physics.strategies import StrategyTable

CONSTANTS = shipped_constants()


@pytest.fixture(scope="module")
def job():
    """Return a job of a few billion parameters on sixteen nodes."""
    return replace(gpt_job("megatron-22b", 256), flash_attention=True, dropout=False)


@pytest.fixture(scope="module")
def table(job):
    """Return all its strategies."""
    return enumerate_strategies(job, 16, WIRING)


@pytest.fixture(scope="module")
def times(job, table):
    """Return all its step times, feasible or not."""
    return steptime.step_times(
        job, MACHINE, WIRING, 16, table, constants=CONSTANTS, only_feasible=False
    )


def test_parts_add_up(times):
    """The parts of a step add up to it and none is negative."""
    total = sum(times.parts_s.values())
    assert np.allclose(total, times.step_time_s, rtol=1e-12)
    assert all((values >= 0).all() for values in times.parts_s.values())


def test_every_strategy_uses_all_gpus(table):
    """Degrees multiply to the GPUs there are and batches divide."""
    assert (table.tp * table.pp * table.cp * table.dp == 128).all()
    micro = table.micro_batches(256)
    assert np.array_equal(micro, np.rint(micro))


def test_one_row_equals_the_table(job, table, times):
    """A strategy alone takes the same time as within a table."""
    for row in range(0, len(table), max(len(table) // 25, 1)):
        detail = steptime.explain(job, MACHINE, WIRING, 16, table.row(row), constants=CONSTANTS)
        assert detail.step_time_s == pytest.approx(float(times.step_time_s[row]), rel=1e-12)


def test_limit_loses_nothing(job, table, times):
    """With a limit, every strategy that beats it is timed the same."""
    limit = float(np.median(times.step_time_s))
    cut = steptime.step_times(
        job, MACHINE, WIRING, 16, table, constants=CONSTANTS, limit_s=limit, only_feasible=False
    )
    under = times.step_time_s <= limit
    assert np.array_equal(cut.step_time_s[under], times.step_time_s[under])
    assert (cut.step_time_s[~under] > limit).all()


def test_best_is_the_least_feasible(job, times):
    """The search returns the least time among those that fit."""
    found = steptime.best(job, MACHINE, WIRING, 16, constants=CONSTANTS)
    assert found is not None
    assert found.step_time_s == times.step_time_s[times.feasible].min()
    assert found.evaluated == len(times.step_time_s)


def test_bounds_hold(job, times):
    """Both lower bounds are below every strategy's time."""
    bound = steptime.compute_bound_s(job, MACHINE, 128, constants=CONSTANTS)
    free = steptime.free_network_best(job, MACHINE, WIRING, 16, constants=CONSTANTS)
    assert free is not None
    assert 0 < bound <= free.step_time_s <= times.step_time_s[times.feasible].min()
    assert bound <= times.step_time_s.min()


def test_slower_fabric_is_never_faster(job, table, times):
    """Taking NIC rate away lengthens or keeps every strategy's step."""
    slow = steptime.step_times(
        job, MACHINE, replace(WIRING, nic_gbps=50), 16, table,
        constants=CONSTANTS, only_feasible=False,
    )  # fmt: skip
    assert (slow.step_time_s >= times.step_time_s * (1 - 1e-12)).all()


def test_options_pin_and_forbid(job):
    """Pinned values are the only ones, forbidden ones do not occur."""
    options = StrategyOptions(fix={"tp": [4]}, forbid={"recompute": ["full"]})
    table = enumerate_strategies(job, 16, WIRING, options)
    assert set(table.tp) == {4}
    assert "full" not in {table.row(i).recompute for i in range(len(table))}


def test_unknown_option_is_refused():
    """A choice that no strategy has is refused by name."""
    with pytest.raises(ValueError, match="tpp"):
        StrategyOptions(fix={"tpp": [1]})


def test_too_many_gpus_are_refused(job, table):
    """A strategy for sixteen nodes cannot be timed on two."""
    with pytest.raises(ValueError, match="GPUs"):
        steptime.step_times(job, MACHINE, WIRING, 2, table, constants=CONSTANTS)


def test_nothing_fits():
    """A network that no strategy can hold has no best step."""
    job = gpt_job("megatron-1t", 8)
    assert steptime.best(job, MACHINE, WIRING, 1, constants=CONSTANTS) is None


def test_roundtrip(table):
    """A table of rows taken out as strategies is the same table."""
    rows = range(0, len(table), max(len(table) // 50, 1))
    again = StrategyTable.of([table.row(i) for i in rows])
    assert np.array_equal(again.tp, table.tp[list(rows)])
    assert np.array_equal(again.recompute, table.recompute[list(rows)])


def test_zero_counts(job):
    """ZeRO-1 reduces once, ZeRO-2 with every micro-batch, ZeRO-3 gathers twice with each."""
    fix = {"tp": [8], "pp": [1], "micro_batch": [4], "recompute": ["full"]}
    calls = {}
    for name in ("ddp", "zero1", "zero2", "zero3"):
        options = StrategyOptions(fix=fix | {"sharding": [name]})
        strategy = enumerate_strategies(job, 16, WIRING, options).row(0)
        detail = steptime.explain(job, MACHINE, WIRING, 16, strategy, constants=CONSTANTS)
        calls[name] = {}
        for row in detail.collectives:
            if row.part in ("grad", "param", "gather"):
                key = f"{row.name}:{row.collective}"
                calls[name][key] = calls[name].get(key, 0.0) + row.calls
        assert detail.micro_batches == 4
    layers = load_network("megatron-22b").num_hidden_layers
    reduced = calls["zero1"]["grad:reduce_scatter"]
    assert set(calls["ddp"]) == {"grad:all_reduce"}
    assert calls["zero2"]["grad:reduce_scatter"] == 4 * reduced
    assert calls["zero2"]["param:all_gather"] == calls["zero1"]["param:all_gather"]
    assert set(calls["zero3"]) == {"gather:all_gather", "scatter:reduce_scatter"}
    units = layers + 2
    assert calls["zero3"]["scatter:reduce_scatter"] == 4 * units
    assert calls["zero3"]["gather:all_gather"] == 2 * 4 * units
