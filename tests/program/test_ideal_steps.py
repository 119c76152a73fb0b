"""A step on an ideal fabric is a true lower bound for every strategy on every column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from planner.physics.enumeration import strategy_blocks
from planner.physics.refusal import Refusal
from planner.physics.steptime import step_times
from planner.program.columns import Column
from planner.program.market import Market, open_market
from planner.program.steps import IDEAL_SLACK, machine_of
from planner.program.wire import ideal_wiring, wiring_of
from tests.program.random_instances import FILE, random_instance


def columns(market: Market) -> Iterator[Column]:
    """Yield the columns of an instance that have a network."""
    for option in market.options:
        for choice in market.choices(option):
            for nodes in market.node_range(option):
                found = market.column(option, nodes, choice)
                if nodes > 1 and not isinstance(found, Refusal):
                    yield found


@pytest.mark.parametrize("seed", [3, 11, 42, 297])
def test_no_column_beats_the_ideal_fabric(seed: int) -> None:
    """Strategy by strategy, the ideal fabric is as fast or faster than any real one."""
    instance = random_instance(seed).instance
    market = open_market(instance, FILE)
    oracle = market.oracle
    timed = 0
    for column in columns(market):
        real = wiring_of(instance, market.catalog, column, 1.0)
        ideal = ideal_wiring(instance, column.option, column.plan.choice.family)
        hosts = column.nodes * column.option.server.hosts
        for job, options in zip(oracle.jobs, oracle.options, strict=True):
            machine = machine_of(column.option.server, column.option.accelerator, job.precision)
            for table in strategy_blocks(job, hosts, real, options):
                there, best = (
                    step_times(
                        job, machine, wiring, hosts, table,
                        constants=oracle.constants, choice=choice,
                    ).step_time_s
                    for wiring, choice in ((real, oracle.choice), (ideal, "best"))
                )  # fmt: skip
                fits = np.isfinite(there)
                timed += int(fits.sum())
                assert np.all(best[fits] <= there[fits] * IDEAL_SLACK), column.key
    assert timed > 0
