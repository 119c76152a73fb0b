"""Kept strategies are those that enumeration gives, for every platform that shares them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from planner.physics.enumeration import enumerate_strategies
from planner.physics.strategies import concatenate
from planner.program import kept_strategies
from planner.program.kept_strategies import KeptStrategies
from planner.program.market import open_market
from planner.program.wire import platform_wiring
from tests.program.random_instances import FILE, random_instance


@pytest.mark.parametrize("rows", [0, 100, 10**6])
@pytest.mark.parametrize("seed", [3, 297])
def test_kept_tables_are_the_enumerated_ones(monkeypatch, seed, rows):
    """Row by row the same, kept or made anew, the first time and the second, on every platform."""
    monkeypatch.setattr(kept_strategies, "KEPT_ROWS", rows)
    market = open_market(random_instance(seed).instance, FILE)
    oracle, kept = market.oracle, KeptStrategies()
    for option in market.options:
        wiring = platform_wiring(option)
        for hosts in (1, 2, 2):
            for number, (job, options) in enumerate(zip(oracle.jobs, oracle.options, strict=True)):
                wanted = enumerate_strategies(job, hosts, wiring, options)
                blocks = list(kept.of(number, job, hosts, wiring, options))
                assert sum(map(len, blocks)) == len(wanted)
                if blocks:
                    found = concatenate(blocks)
                    for column in fields(found):
                        name = column.name
                        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
