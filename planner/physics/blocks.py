"""What the time of layers depends on, and the time of one layer for one micro-batch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.physics.job import Job
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Time of one layer for one micro-batch; arrays over distinct shapes, seconds."""

    forward_s: FloatArray
    core_s: FloatArray
    """Part of the forward pass that selective recomputation repeats (attention core)."""
    backward_s: FloatArray
    """Backward pass without the weight gradients."""
    weight_s: FloatArray
    """Weight gradients."""
    forward_kernels: float
    backward_kernels: float

    def __add__(self, other: Block) -> Block:
        """Return two blocks one after the other."""
        return Block(**{n: getattr(self, n) + getattr(other, n) for n in self.__slots__})

    def __mul__(self, factor: float) -> Block:
        """Return the block repeated."""
        return Block(**{n: getattr(self, n) * factor for n in self.__slots__})

    def slowed(self, factor: float) -> Block:
        """Return the block whose kernels, as many as before, take longer by a factor."""
        if factor == 1.0:
            return self
        times = ("forward_s", "core_s", "backward_s", "weight_s")
        return replace(self, **{name: getattr(self, name) * factor for name in times})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """What the time of a layer depends on; arrays over distinct shapes."""

    tokens: FloatArray
    """Tokens of a micro-batch on one context-parallel rank."""
    micro_batch: FloatArray
    length: FloatArray
    """Whole sequence, tokens."""
    tp: FloatArray
    cp: FloatArray
    ep: FloatArray
    etp: FloatArray
    spread: FloatArray
    """Ranks that share element-wise work between blocks: tp with sequence parallelism, else 1."""

    @classmethod
    def of(cls, job: Job, table: StrategyTable) -> Shapes:
        """Return the shapes of a table of strategies."""
        tp, cp, ep, etp, micro = (
            getattr(table, name).astype(np.float64)
            for name in ("tp", "cp", "ep", "etp", "micro_batch")
        )
        length = np.full(len(tp), float(job.sequence_length))
        return cls(
            tokens=micro * length / cp,
            micro_batch=micro,
            length=length,
            tp=tp,
            cp=cp,
            ep=ep,
            etp=etp,
            spread=np.where(table.sequence_parallel > 0, tp, 1.0),
        )
