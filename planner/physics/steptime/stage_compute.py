"""Computation of a step: the slowest stage, what it repeats, and what it waits for others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.compute_constants import ComputeConstants
from planner.physics.compute import Block, BlockTimer, Shapes
from planner.physics.distinct import distinct
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.pipeline import Stages, bubble_passes, bubble_weight_share
from planner.physics.strategies import FULL, SELECTIVE, Column, Mask, StrategyTable
from planner.physics.wiring import FloatArray

SHAPE_COLUMNS = ("tp", "cp", "ep", "etp", "micro_batch", "sequence_parallel", "precision")
"""Columns on which the time of a layer depends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One micro-batch on one stage, or one layer; arrays of shape (strategies,), seconds."""

    forward_s: FloatArray
    backward_s: FloatArray
    """Without the weight gradients."""
    weight_s: FloatArray
    again_s: FloatArray
    """Recomputation."""

    @property
    def total_s(self) -> FloatArray:
        """Seconds of the whole pass."""
        return self.forward_s + self.backward_s + self.weight_s + self.again_s

    def __add__(self, other: Pass) -> Pass:
        """Return both passes one after the other."""
        return Pass(**{n: getattr(self, n) + getattr(other, n) for n in self.__slots__})

    def __mul__(self, factor: FloatArray | float) -> Pass:
        """Return the pass repeated."""
        return Pass(**{n: getattr(self, n) * factor for n in self.__slots__})


def _pass(block: Block, recompute: Column, launch_s: float, repeats: bool) -> Pass:
    """Return a block's pass: the processor that launches may be slower than the GPU."""
    forward = np.maximum(block.forward_s, block.forward_kernels * launch_s)
    data = block.backward_s + block.weight_s
    slow = np.maximum(data, block.backward_kernels * launch_s) / data
    again = np.zeros_like(forward)
    if repeats:
        again = np.where(recompute == FULL, forward, again)
        again = np.where(recompute == SELECTIVE, block.core_s, again)
    return Pass(
        forward_s=forward,
        backward_s=block.backward_s * slow,
        weight_s=block.weight_s * slow,
        again_s=again,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCompute:
    """Computation of one step; arrays of shape (strategies,), seconds."""

    slowest: Pass
    """One micro-batch on the slowest stage."""
    bubble_s: FloatArray
    """What the slowest stage waits for the others to fill and drain."""
    layers: FloatArray
    """Layers of the slowest stage."""


def stage_compute(
    job: Job, machine: Machine, table: StrategyTable, constants: ComputeConstants
) -> StageCompute:
    """Return the computation of every strategy.

    The makespan of a synchronous pipeline is one pass through all stages and m - 1 further
    passes of the slowest; interleaving divides the waiting by the chunks per stage.
    """
    parts = _layer_passes(job, machine, table, constants)
    stages = Stages.of(job.network.num_hidden_layers, table)
    first = parts["layer"] * stages.first + parts["embedding"]
    last = parts["layer"] * stages.last + parts["head"]
    middle = parts["layer"] * stages.middle
    alone = table.pp == 1
    whole = parts["layer"] * float(job.network.num_hidden_layers)
    whole = whole + parts["embedding"] + parts["head"]
    slowest = _slowest([first, middle, last])
    slowest = _choose(alone, whole, slowest)
    layers = np.where(alone, float(job.network.num_hidden_layers), _most(stages))
    others = np.maximum(whole.total_s - slowest.total_s, 0.0)
    saved = bubble_weight_share(table) * bubble_passes(table) * slowest.weight_s
    bubble = np.maximum(others / table.vpp - saved, 0.0)
    return StageCompute(slowest=slowest, bubble_s=bubble, layers=layers)


def _most(stages: Stages) -> FloatArray:
    return np.maximum(np.maximum(stages.first, stages.middle), stages.last)


def _choose(mask: Mask, one: Pass, other: Pass) -> Pass:
    return Pass(**{n: np.where(mask, getattr(one, n), getattr(other, n)) for n in Pass.__slots__})


def _slowest(passes: list[Pass]) -> Pass:
    best = passes[0]
    for other in passes[1:]:
        best = _choose(other.total_s > best.total_s, other, best)
    return best


def _layer_passes(
    job: Job, machine: Machine, table: StrategyTable, constants: ComputeConstants
) -> dict[str, Pass]:
    """Return the passes of a layer, the embedding and the head, worked out once per shape."""
    columns = [getattr(table, name) for name in (*SHAPE_COLUMNS, "recompute")]
    classes = distinct(columns)
    shapes_table = table.take(classes.first)
    slots = ("forward_s", "backward_s", "weight_s", "again_s")
    size = len(shapes_table)
    values = {
        kind: {slot: np.empty(size) for slot in slots} for kind in ("layer", "embedding", "head")
    }
    launch = constants.host.launch_s.value
    for code in np.unique(shapes_table.precision):
        rows = np.flatnonzero(shapes_table.precision == code)
        part = shapes_table.take(rows)
        timer = BlockTimer.of_code(job, machine, constants, int(code))
        shapes = Shapes.of(job, part)
        blocks = {
            "layer": (timer.mean_layer(shapes), True),
            "embedding": (timer.embedding(shapes), False),
            "head": (timer.head(shapes), False),
        }
        for kind, (block, repeats) in blocks.items():
            done = _pass(block, part.recompute, launch, repeats)
            for slot in slots:
                values[kind][slot][rows] = getattr(done, slot)
    return {
        kind: Pass(**{slot: array[classes.inverse] for slot, array in arrays.items()})
        for kind, arrays in values.items()
    }
