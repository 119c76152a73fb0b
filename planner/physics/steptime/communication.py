"""Communication of a step: the time of every message, once per distinct message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.domain.compute_constants import ModelConstants
from planner.physics.collectives import Choice, collective_time
from planner.physics.distinct import distinct
from planner.physics.job import Job
from planner.physics.strategies import StrategyTable
from planner.physics.traffic import (
    ACTIVATION_COLUMNS,
    GRADIENT_COLUMNS,
    Message,
    activation_messages,
    gradient_messages,
)
from planner.physics.wiring import FloatArray, Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class Communication:
    """Time of messages by name; arrays of shape (strategies,), seconds.

    `total_s` is all calls of a name (per micro-batch for activations and layers of sharded
    weights, else per step), `edge_s` the longest single call of that name.
    """

    total_s: dict[str, FloatArray]
    edge_s: dict[str, FloatArray]
    moved_bytes: dict[str, FloatArray]
    """Size of all calls of a name, bytes."""

    def total(self, name: str) -> FloatArray | float:
        """Return the time of a name, 0 if nothing is sent."""
        return self.total_s.get(name, 0.0)

    def moved(self, name: str) -> FloatArray | float:
        """Return the bytes of all calls of a name, 0 if nothing is sent."""
        return self.moved_bytes.get(name, 0.0)

    def edge(self, name: str) -> FloatArray | float:
        """Return the longest call of a name, 0 if nothing is sent."""
        return self.edge_s.get(name, 0.0)


def communication(
    job: Job,
    table: StrategyTable,
    wiring: Wiring,
    layers: FloatArray,
    moe_layers: FloatArray,
    constants: ModelConstants,
    choice: Choice = "tuner",
) -> Communication:
    """Return the time of every message of every strategy.

    Parameters
    ----------
    layers, moe_layers
        Layers of the fullest stage and those of them with experts, shape (strategies,).
    choice
        Whether NCCL's tuner or the fastest algorithm is assumed.
    """
    sums: tuple[dict[str, FloatArray], ...] = ({}, {}, {})
    whole = layers.astype(np.int64)
    classes = distinct([*(getattr(table, n) for n in ACTIVATION_COLUMNS), table.vpp, whole])
    part = table.take(classes.first)
    messages = activation_messages(
        job, part, wiring, layers[classes.first], moe_layers[classes.first]
    )
    _add(messages, classes.inverse, wiring, constants, choice, sums)
    classes = distinct([getattr(table, name) for name in GRADIENT_COLUMNS])
    part = table.take(classes.first)
    messages = gradient_messages(job, part, wiring, constants.compute)
    _add(messages, classes.inverse, wiring, constants, choice, sums)
    return Communication(total_s=sums[0], edge_s=sums[1], moved_bytes=sums[2])


def _add(
    messages: Sequence[Message],
    inverse: np.ndarray,
    wiring: Wiring,
    constants: ModelConstants,
    choice: Choice,
    into: tuple[dict[str, FloatArray], ...],
) -> None:
    """Time messages and spread the sums and maxima of each name over the strategies."""
    sums: dict[str, FloatArray] = {}
    peaks: dict[str, FloatArray] = {}
    moved: dict[str, FloatArray] = {}
    for message in messages:
        if not np.any(message.size_bytes > 0):
            continue
        time = collective_time(
            message.collective, message.size_bytes, message.group, wiring,
            constants=constants.collectives, choice=choice,
        ).time_s  # fmt: skip
        name = message.name
        sums[name] = sums.get(name, 0.0) + time * message.calls
        moved[name] = moved.get(name, 0.0) + message.size_bytes * message.calls
        peaks[name] = np.maximum(peaks.get(name, 0.0), time)
    for name, values in sums.items():
        for found, array in zip(into, (values, peaks[name], moved[name]), strict=True):
            found[name] = array[inverse]
