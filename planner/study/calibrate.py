"""Fit the latency and bandwidth of each level to a user's own measured collectives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.domain.calibration import (
    Calibration,
    CollectiveCalibration,
    Residual,
    with_factors,
)
from planner.domain.physics_constants import CollectiveConstants
from planner.physics.wiring import FloatArray
from planner.study.collective_rows import CollectiveRow
from planner.study.validate_collectives import predict

Level = Literal["scale_up", "network"]
_LIMIT = math.log(50.0)
_STEPS = (0.6, 0.3, 0.12, 0.05, 0.02, 0.008)
_PROBE = 0.1
_FELT = 0.25
"""A row speaks for a factor if a change of it by p changes the time by at least p times this."""
_PULL = 0.002
"""Weight that keeps a factor at 1 where the rows do not care."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Rows of one level, with the constants they are fitted on."""

    level: Level
    kind: tuple[str, str, str]
    rows: list[CollectiveRow]
    constants: CollectiveConstants

    def constants_at(self, latency: float, bandwidth: float) -> CollectiveConstants:
        return with_factors(
            self.constants, self.level, self.kind, math.exp(latency), math.exp(bandwidth)
        )

    def log_errors(self, latency: float, bandwidth: float) -> FloatArray:
        predicted = predict(self.rows, self.constants_at(latency, bandwidth)).time_s
        return np.log(predicted) - np.log([row.time_s for row in self.rows])

    def loss(self, latency: float, bandwidth: float) -> float:
        away = _PULL * (abs(latency) + abs(bandwidth))
        return float(np.abs(self.log_errors(latency, bandwidth)).mean()) + away


def _felt(part: _Part, which: int) -> bool:
    """Return whether at least two rows speak for the latency (0) or the bandwidth (1)."""
    probe = [0.0, 0.0]
    probe[which] = _PROBE
    change = np.abs(part.log_errors(probe[0], probe[1]) - part.log_errors(0.0, 0.0))
    return int((change >= _FELT * _PROBE).sum()) >= min(2, len(part.rows))


def _search(part: _Part, free: tuple[bool, bool]) -> tuple[float, float]:
    """Return the logarithms of the two factors with the least mean absolute log error."""
    here = [0.0, 0.0]
    best = part.loss(*here)
    for step in _STEPS:
        moved = True
        while moved:
            moved = False
            for which in (0, 1):
                for sign in (1.0, -1.0):
                    trial = list(here)
                    trial[which] += sign * step
                    if not free[which] or abs(trial[which]) > _LIMIT:
                        continue
                    reached = part.loss(*trial)
                    if reached < best - 1e-9:
                        here, best, moved = trial, reached, True
    return here[0], here[1]


def _bytes(size: float) -> str:
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= scale:
            return f"{size / scale:g} {unit}"
    return f"{size:g} B"


def _extrapolates(part: _Part, free: tuple[bool, bool]) -> tuple[str, ...]:
    sizes = [row.size_bytes for row in part.rows]
    ranks = sorted({row.group[0] for row in part.rows})
    names = sorted({row.collective for row in part.rows})
    count = f"{ranks[0]}" if len(ranks) == 1 else f"{ranks[0]} to {ranks[-1]}"
    told = [
        f"messages below {_bytes(min(sizes))} or above {_bytes(max(sizes))}",
        f"groups of other than {count} ranks",
        f"collectives other than {', '.join(names)}",
    ]
    if not free[0]:
        told.append("latency: no message was short enough to show it, the shipped one stands")
    if not free[1]:
        told.append("bandwidth: no message was long enough to show it, the shipped one stands")
    return tuple(told)


def _fit(part: _Part, labels: Sequence[str]) -> CollectiveCalibration:
    free = (_felt(part, 0), _felt(part, 1))
    latency, bandwidth = _search(part, free)
    before = np.abs(np.expm1(part.log_errors(0.0, 0.0))) * 100.0
    error = np.expm1(part.log_errors(latency, bandwidth)) * 100.0
    sizes = [row.size_bytes for row in part.rows]
    ranks = [row.group[0] for row in part.rows]
    residuals = tuple(
        Residual(
            log=labels[row.index],
            collective=row.collective,
            ranks=row.group[0],
            bytes=row.size_bytes,
            measured_us=row.time_s * 1e6,
            predicted_us=row.time_s * 1e6 * (1.0 + float(off) / 100.0),
            error_pct=float(off),
        )
        for row, off in zip(part.rows, error, strict=True)
    )
    return CollectiveCalibration(
        level=part.level,
        architecture=part.kind[0],
        scale_up=part.kind[1],
        network=part.kind[2],
        latency_factor=math.exp(latency),
        bandwidth_factor=math.exp(bandwidth),
        latency_fitted=free[0],
        bandwidth_fitted=free[1],
        rows=len(part.rows),
        bytes_min=min(sizes),
        bytes_max=max(sizes),
        ranks_min=min(ranks),
        ranks_max=max(ranks),
        error_before_pct=float(np.median(before)),
        error_after_pct=float(np.median(np.abs(error))),
        p90_after_pct=float(np.percentile(np.abs(error), 90)),
        extrapolates=_extrapolates(part, free),
        residuals=residuals,
    )


def _level(row: CollectiveRow) -> tuple[Level, tuple[str, str, str]]:
    wiring = row.wiring
    if wiring.network == "none":
        return "scale_up", (wiring.architecture, wiring.scale_up, "none")
    return "network", ("any", "any", wiring.network)


def calibrate(
    rows: Sequence[CollectiveRow], labels: Sequence[str], constants: CollectiveConstants
) -> Calibration:
    """Fit two factors per level: on times per call and hop, and on what the links sustain.

    Runs inside one node are fitted first, by architecture and kind of scale-up; runs between
    nodes then, by kind of network, on top of them. Least mean absolute error of log time.

    Parameters
    ----------
    rows
        Mapped measurements.
    labels
        For each row's `index`, the log it comes from.
    constants
        What the factors apply to.
    """
    groups: dict[tuple[Level, tuple[str, str, str]], list[CollectiveRow]] = {}
    for row in rows:
        groups.setdefault(_level(row), []).append(row)
    fitted: list[CollectiveCalibration] = []
    for level, kind in sorted(groups, key=lambda item: (item[0] == "network", item[1])):
        part = _Part(level=level, kind=kind, rows=groups[level, kind], constants=constants)
        found = _fit(part, labels)
        constants = with_factors(
            constants, level, kind, found.latency_factor, found.bandwidth_factor
        )
        fitted.append(found)
    return Calibration(logs=tuple(sorted(set(labels))), collectives=tuple(fitted))
