"""Computation of a step: the slowest stage, what it repeats, and what it waits for others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.domain.compute_constants import ComputeConstants
from planner.domain.network import Network
from planner.physics.blocks import Block, Shapes
from planner.physics.distinct import distinct
from planner.physics.job import Job
from planner.physics.layers import layer_blocks
from planner.physics.machine import Machine
from planner.physics.operators import Operators
from planner.physics.pipeline import Stages, bubble_passes, bubble_weight_share, dense_layers
from planner.physics.strategies import FULL, SELECTIVE, Mask, StrategyTable
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
    idle_s: FloatArray
    """Of all this, what the GPU waits for the processor that launches its kernels."""

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

    def take(self, rows: NDArray[np.int64]) -> Pass:
        """Return the pass of some strategies."""
        return Pass(**{n: getattr(self, n)[rows] for n in self.__slots__})


def _pass(block: Block, table: StrategyTable, launch_s: float, repeats: bool) -> Pass:
    """Return a block's pass: the processor that launches may be slower than the GPU.

    With tensor parallelism a layer launches two collectives more, each way.
    """
    extra = 2.0 * (table.tp > 1) if repeats else 0.0
    forward = np.maximum(block.forward_s, (block.forward_kernels + extra) * launch_s)
    data = block.backward_s + block.weight_s
    launched = np.maximum(data, (block.backward_kernels + extra) * launch_s)
    slow = np.divide(launched, data, out=np.ones_like(data), where=data > 0.0)
    again = np.zeros_like(forward)
    idle = forward - block.forward_s + launched - data
    if repeats:
        again = np.where(table.recompute == FULL, forward, again)
        again = np.where(table.recompute == SELECTIVE, block.core_s, again)
        idle = idle + np.where(table.recompute == FULL, forward - block.forward_s, 0.0)
    return Pass(
        forward_s=forward,
        backward_s=block.backward_s * slow,
        weight_s=block.weight_s * slow,
        again_s=again,
        idle_s=idle,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCompute:
    """Computation of one step; arrays of shape (strategies,), seconds."""

    slowest: Pass
    """One micro-batch on the slowest stage."""
    bubble_s: FloatArray
    """What the slowest stage waits for the others to fill and drain."""
    layers: FloatArray
    """Layers of the fullest stage."""
    moe_layers: FloatArray
    """Of these, layers with experts."""
    core_forward_s: FloatArray
    """Attention cores of the slowest stage, one micro-batch, forward."""

    def take(self, rows: NDArray[np.int64]) -> StageCompute:
        """Return the computation of some strategies."""
        names = ("bubble_s", "layers", "moe_layers", "core_forward_s")
        values = {name: getattr(self, name)[rows] for name in names}
        return StageCompute(slowest=self.slowest.take(rows), **values)


def stage_compute(
    job: Job, machine: Machine, table: StrategyTable, constants: ComputeConstants
) -> StageCompute:
    """Return the computation of every strategy.

    The makespan of a synchronous pipeline is one pass through all stages and m - 1 further
    passes of the slowest; interleaving divides the waiting by the chunks per stage.
    """
    network = job.network
    parts, core = _layer_passes(job, machine, table, constants)
    stages = Stages.of(network.num_hidden_layers, table)
    alone = table.pp == 1
    plain = {
        name: _layers(parts, network, getattr(stages, name), first=name == "first")
        for name in ("first", "middle", "last")
    }
    ends = [parts["head"]] + ([parts["extra"]] if "extra" in parts else [])
    last = plain["last"]
    for end in ends:
        last = last + end * float(network.num_nextn_predict_layers if end is not ends[0] else 1)
    slowest = _slowest([plain["first"] + parts["embedding"], plain["middle"], last])
    whole = _layers(parts, network, np.full(len(table), float(network.num_hidden_layers)),
                    first=True) + parts["embedding"]  # fmt: skip
    for end in ends:
        whole = whole + end * float(network.num_nextn_predict_layers if end is not ends[0] else 1)
    slowest = _choose(alone, whole, slowest)
    layers = np.maximum(np.maximum(stages.first, stages.middle), stages.last)
    others = np.maximum(whole.total_s - slowest.total_s, 0.0)
    saved = bubble_weight_share(table) * bubble_passes(table) * slowest.weight_s
    return StageCompute(
        slowest=slowest,
        bubble_s=np.maximum(others / table.vpp - saved, 0.0),
        layers=layers,
        moe_layers=layers - dense_layers(network, layers, first=True),
        core_forward_s=core * layers,
    )


def _layers(parts: dict[str, Pass], network: Network, layers: FloatArray, *, first: bool) -> Pass:
    """Return the pass through a stage's layers."""
    dense = dense_layers(network, layers, first=first)
    if not network.num_experts:
        return parts["dense"] * dense
    experts = parts["moe"] * (layers - dense)
    return experts + parts["dense"] * dense if "dense" in parts else experts


def _choose(mask: Mask, one: Pass, other: Pass) -> Pass:
    return Pass(**{n: np.where(mask, getattr(one, n), getattr(other, n)) for n in Pass.__slots__})


def _slowest(passes: list[Pass]) -> Pass:
    best = passes[0]
    for other in passes[1:]:
        best = _choose(other.total_s > best.total_s, other, best)
    return best


def _layer_passes(
    job: Job, machine: Machine, table: StrategyTable, constants: ComputeConstants
) -> tuple[dict[str, Pass], FloatArray]:
    """Return the passes of each kind of layer and the attention core, once per shape."""
    classes = distinct([getattr(table, name) for name in (*SHAPE_COLUMNS, "recompute")])
    distinct_rows = table.take(classes.first)
    host = constants.host
    launch = host.replay_s.value if job.captured else host.launch_s.value
    factor = constants.measured_factor(machine.accelerator, job.network.family)
    values: dict[str, dict[str, FloatArray]] = {}
    core = np.empty(len(distinct_rows))
    for code in np.unique(distinct_rows.precision):
        rows = np.flatnonzero(distinct_rows.precision == code)
        part = distinct_rows.take(rows)
        op = Operators.of_code(job, machine, constants, int(code))
        for kind, modelled in layer_blocks(op, Shapes.of(job, part)).items():
            block = modelled.slowed(factor)
            repeats = kind in ("dense", "moe")
            done = _pass(block, part, launch, repeats)
            arrays = values.setdefault(kind, {})
            for slot in Pass.__slots__:
                arrays.setdefault(slot, np.empty(len(distinct_rows)))[rows] = getattr(done, slot)
            if repeats:
                core[rows] = block.core_s
    spread = classes.inverse
    passes = {
        kind: Pass(**{slot: array[spread] for slot, array in arrays.items()})
        for kind, arrays in values.items()
    }
    return passes, core[spread]
