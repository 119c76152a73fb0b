"""The collective model against measured rows: errors by source, platform and collective."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planner.domain.physics_constants import CollectiveConstants
from planner.physics.collectives import ALGORITHMS, PROTOCOLS, Choice, collective_time
from planner.physics.wiring import FloatArray, Wiring
from planner.study.appended_table import write_appended
from planner.study.collective_rows import (
    CollectiveRow,
    UnmappedRowError,
    group_of,
    map_row,
    read_table,
)
from planner.study.error_figures import error_figures, figures_by, macro_figures

LARGE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """Predictions for mapped rows, in their order."""

    time_s: FloatArray
    algorithm: list[str]
    protocol: list[str]


def map_rows(table: list[dict[str, str]]) -> tuple[list[CollectiveRow], dict[int, str]]:
    """Return the rows that can be mapped, and the reason of each other row by its place."""
    mapped: list[CollectiveRow] = []
    reasons: dict[int, str] = {}
    for index, row in enumerate(table):
        try:
            mapped.append(map_row(index, row))
        except UnmappedRowError as error:
            reasons[index] = str(error)
    return mapped, reasons


def predict(
    rows: list[CollectiveRow], constants: CollectiveConstants, choice: Choice = "tuner"
) -> Predictions:
    """Return predicted times; a row that names its algorithm or protocol is forced to it."""
    batches: dict[tuple[Wiring, str, str | None, str | None], list[int]] = {}
    for place, row in enumerate(rows):
        key = (row.wiring, row.collective, row.algorithm, row.protocol)
        batches.setdefault(key, []).append(place)
    time = np.empty(len(rows))
    algorithm = [""] * len(rows)
    protocol = [""] * len(rows)
    for (wiring, collective, forced, wire), places in batches.items():
        members = [rows[place] for place in places]
        timing = collective_time(
            collective,
            np.array([row.size_bytes for row in members]),
            group_of(members),
            wiring,
            constants=constants,
            algorithm=forced,
            protocol=wire,
            choice=choice,
        )
        time[places] = timing.time_s
        for place, a, p in zip(places, timing.algorithm, timing.protocol, strict=True):
            algorithm[place] = ALGORITHMS[a] if a >= 0 else ""
            protocol[place] = PROTOCOLS[p] if p >= 0 else ""
    return Predictions(time_s=time, algorithm=algorithm, protocol=protocol)


def _summary(
    rows: list[CollectiveRow], error: FloatArray, keep: Callable[[CollectiveRow], bool]
) -> dict[str, Any]:
    chosen = np.array([keep(row) for row in rows], dtype=bool)
    if not chosen.any():
        return {"mapped": 0}
    platforms = [row.platform for row, kept in zip(rows, chosen, strict=True) if kept]
    part = error[chosen]
    return {**error_figures(part), **macro_figures(part, platforms)}


def summarize(rows: list[CollectiveRow], error: FloatArray) -> dict[str, Any]:
    """Return every error figure of mapped rows; `error` is signed, in per cent of the measured."""
    result = _summary(rows, error, lambda _: True)
    if not rows:
        return result
    result["large"] = _summary(rows, error, lambda row: row.size_bytes >= LARGE_BYTES)
    result["small"] = _summary(rows, error, lambda row: row.size_bytes < LARGE_BYTES)
    result["by_source"] = figures_by(error, [row.source for row in rows])
    result["by_platform"] = figures_by(error, [row.platform for row in rows])
    result["by_family"] = figures_by(error, [row.collective for row in rows])
    return result


def write_predictions(
    path: Path,
    table: list[dict[str, str]],
    rows: list[CollectiveRow],
    predictions: Predictions,
    reasons: dict[int, str],
) -> None:
    """Write the table with predictions, errors and the reason of each unmapped row appended."""
    extra = [
        "predicted_time_us",
        "predicted_algorithm",
        "predicted_protocol",
        "error_pct",
        "unmapped",
    ]
    found: dict[int, dict[str, str]] = {}
    for place, row in enumerate(rows):
        time = float(predictions.time_s[place])
        found[row.index] = {
            "predicted_time_us": f"{time * 1e6:.6g}",
            "predicted_algorithm": predictions.algorithm[place],
            "predicted_protocol": predictions.protocol[place],
            "error_pct": f"{(time / row.time_s - 1.0) * 100.0:.4g}",
        }
    write_appended(path, table, extra, found, reasons)


def validate_collectives(
    path: Path, constants: CollectiveConstants, *, out: Path | None = None, choice: Choice = "tuner"
) -> dict[str, Any]:
    """Hold the collective model against a table of measurements.

    Parameters
    ----------
    path
        CSV file; see `collective_rows.REQUIRED` for the columns it must have.
    constants
        The one set of constants for all rows.
    out
        Where the table with `predicted_*` and `error_pct` goes.

    Returns
    -------
    dict
        `rows`, `mapped`, `unmapped` (reasons with counts) and the error figures, in all and under
        `large` (from 16 MiB), `small`, `by_source`, `by_platform` and `by_family` (collective).

    Raises
    ------
    InputError
        If the file cannot be used.
    """
    table = read_table(path)
    rows, reasons = map_rows(table)
    predictions = predict(rows, constants, choice)
    measured = np.array([row.time_s for row in rows])
    error = (predictions.time_s / measured - 1.0) * 100.0
    unmapped = dict(sorted(Counter(reasons.values()).items()))
    if out is not None:
        write_predictions(out, table, rows, predictions, reasons)
    return {"rows": len(table), "unmapped": unmapped, **summarize(rows, error)}
