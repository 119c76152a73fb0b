"""Many strategies at once: a struct of arrays with a row per strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.domain.strategy import (
    OFFLOADS,
    PRECISIONS,
    RANK_ORDERS,
    RECOMPUTES,
    SCHEDULES,
    SHARDINGS,
    Strategy,
)

Column = NDArray[np.int32]
Mask = NDArray[np.bool_]
NAMES: Mapping[str, tuple[str, ...]] = {
    "sharding": SHARDINGS,
    "recompute": RECOMPUTES,
    "schedule": SCHEDULES,
    "precision": PRECISIONS,
    "offload": OFFLOADS,
    "rank_order": RANK_ORDERS,
}
"""Columns that hold the index of a name."""

DDP, ZERO1, ZERO2, ZERO3, HSDP = range(5)
NONE, SELECTIVE, FULL = range(3)
NO_PIPELINE, GPIPE, ONE_F_ONE_B, INTERLEAVED, ZERO_BUBBLE = range(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyTable:
    """Columns of shape (strategies,); named choices hold indices into `NAMES`."""

    tp: Column
    pp: Column
    vpp: Column
    cp: Column
    ep: Column
    etp: Column
    dp: Column
    micro_batch: Column
    sharding: Column
    shard_group: Column
    recompute: Column
    sequence_parallel: Column
    schedule: Column
    precision: Column
    offload: Column
    rank_order: Column

    def __len__(self) -> int:
        """Return the number of strategies."""
        return len(self.tp)

    @classmethod
    def of(cls, strategies: Iterable[Strategy]) -> StrategyTable:
        """Return the table of some strategies."""
        rows = list(strategies)
        columns = {
            field.name: np.array(
                [encode(field.name, getattr(row, field.name)) for row in rows], dtype=np.int32
            )
            for field in fields(cls)
        }
        return cls(**columns)

    def take(self, rows: NDArray[Any]) -> StrategyTable:
        """Return the table of some rows (indices or a mask)."""
        return StrategyTable(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    def row(self, index: int) -> Strategy:
        """Return one row as a strategy."""
        values: dict[str, Any] = {}
        for field in fields(self):
            value = int(getattr(self, field.name)[index])
            values[field.name] = NAMES[field.name][value] if field.name in NAMES else value
        values["sequence_parallel"] = bool(values["sequence_parallel"])
        return Strategy(**values)

    def micro_batches(self, global_batch: int) -> NDArray[np.float64]:
        """Return the micro-batches of one step on one data-parallel rank."""
        return global_batch / (self.dp.astype(np.float64) * self.micro_batch)


def encode(column: str, value: Any) -> int:
    """Return a value of a column as the integer the table holds.

    Raises
    ------
    ValueError
        For a name that the column does not know.
    """
    if column in NAMES:
        if value not in NAMES[column]:
            raise ValueError(f"unknown {column} {value!r}; known are {', '.join(NAMES[column])}")
        return NAMES[column].index(value)
    return int(value)


def concatenate(tables: Iterable[StrategyTable]) -> StrategyTable:
    """Return tables joined one after the other."""
    parts = list(tables)
    return StrategyTable(
        **{
            f.name: np.concatenate([getattr(part, f.name) for part in parts])
            for f in fields(StrategyTable)
        }
    )
