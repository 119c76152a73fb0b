"""Strategies of a job on a number of GPUs, enumerated once for all platforms that share them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

from planner.physics.enumeration import StrategyOptions, strategy_blocks
from planner.physics.job import Job
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import Wiring

KEPT_ROWS = 2048
"""Longer tables are made anew each time, so that memory stays bounded."""


@dataclass(slots=True)
class KeptStrategies:
    """Tables by what enumeration depends on: job, GPUs, the larger of domain and host."""

    _tables: dict[tuple[int, int, int], tuple[StrategyTable, ...]] = field(default_factory=dict)

    def of(
        self, number: int, job: Job, hosts: int, wiring: Wiring, options: StrategyOptions
    ) -> Iterable[StrategyTable]:
        """Return the blocks that `strategy_blocks` yields; `number` stands for job and options."""
        near = max(wiring.domain_gpus, wiring.host_gpus)
        key = (number, hosts * wiring.host_gpus, near)
        if key in self._tables:
            return self._tables[key]
        blocks = strategy_blocks(job, hosts, wiring, options)
        held: list[StrategyTable] = []
        for block in blocks:
            held.append(block)
            if sum(map(len, held)) > KEPT_ROWS:
                return chain(held, blocks)
        self._tables[key] = tuple(held)
        return held
