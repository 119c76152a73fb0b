"""The step-time model against measured training steps: errors by source, platform and family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from planner.domain.catalog import Catalog, load_catalog
from planner.domain.compute_constants import ModelConstants
from planner.domain.units import GIB
from planner.physics.collectives import Choice
from planner.physics.steptime import StepDetail, explain
from planner.physics.wiring import FloatArray
from planner.study.appended_table import write_appended
from planner.study.collective_rows import read_table
from planner.study.error_figures import error_figures, figures_by, macro_figures
from planner.study.leave_one_out import leave_one_source_out
from planner.study.row_cells import UnmappedRowError
from planner.study.step_rows import REQUIRED, StepRow, map_row

TRAINING = ("transformer", "moe")
"""Families that the strict figures are stated for."""


def map_rows(table: list[dict[str, str]], catalog: Catalog) -> tuple[list[StepRow], dict[int, str]]:
    """Return the rows that can be mapped, and the reason of each other row by its place."""
    mapped: list[StepRow] = []
    reasons: dict[int, str] = {}
    for index, row in enumerate(table):
        try:
            mapped.append(map_row(index, row, catalog))
        except UnmappedRowError as error:
            reasons[index] = str(error)
    return mapped, reasons


def predict(
    rows: list[StepRow], constants: ModelConstants, choice: Choice = "tuner"
) -> list[StepDetail]:
    """Return every row's step in full, whether it fits in memory or not."""
    return [
        explain(
            row.job, row.machine, row.wiring, row.nodes, row.strategy,
            constants=constants, choice=choice,
        )
        for row in rows
    ]  # fmt: skip


def _summary(
    rows: list[StepRow], error: FloatArray, keep: Callable[[StepRow], bool]
) -> dict[str, Any]:
    chosen = np.array([keep(row) for row in rows], dtype=bool)
    if not chosen.any():
        return {"mapped": 0}
    sources = [row.source for row, kept in zip(rows, chosen, strict=True) if kept]
    part = error[chosen]
    return {**error_figures(part), **macro_figures(part, sources)}


def summarize(rows: list[StepRow], error: FloatArray) -> dict[str, Any]:
    """Return every error figure of mapped rows; `error` is signed, in per cent of the measured."""
    result = _summary(rows, error, lambda _: True)
    if not rows:
        return result
    result["strict"] = _summary(rows, error, lambda r: r.strict and r.family in TRAINING)
    result["guessed"] = _summary(rows, error, lambda r: not r.strict and r.family in TRAINING)
    result["by_source"] = figures_by(error, [row.source for row in rows])
    result["by_platform"] = figures_by(error, [row.platform for row in rows])
    result["by_family"] = figures_by(error, [row.family for row in rows])
    return result


def memory_figures(rows: list[StepRow], details: list[StepDetail]) -> dict[str, Any]:
    """Return how predicted memory compares with measured peaks, and rows called infeasible."""
    signed = [
        (sum(detail.memory_bytes.values()) / GIB / row.peak_memory_gib - 1.0) * 100.0
        for row, detail in zip(rows, details, strict=True)
        if row.peak_memory_gib
    ]
    figures: dict[str, Any] = error_figures(np.array(signed)) if signed else {"mapped": 0}
    return figures | {"called_infeasible": sum(not detail.feasible for detail in details)}


def write_predictions(
    path: Path,
    table: list[dict[str, str]],
    rows: list[StepRow],
    details: list[StepDetail],
    reasons: dict[int, str],
) -> None:
    """Write the table with predictions, errors and the reason of each unmapped row appended."""
    parts = list(details[0].parts_s) if details else []
    extra = [
        "predicted_step_time_s", "predicted_memory_gib", "predicted_fits", "predicted_mfu",
        *(f"predicted_{name}_s" for name in parts), "error_pct", "unmapped",
    ]  # fmt: skip
    found: dict[int, dict[str, str]] = {}
    for row, detail in zip(rows, details, strict=True):
        memory = sum(detail.memory_bytes.values()) / GIB
        found[row.index] = {
            "predicted_step_time_s": f"{detail.step_time_s:.6g}",
            "predicted_memory_gib": f"{memory:.4g}",
            "predicted_fits": str(detail.feasible).lower(),
            "predicted_mfu": f"{detail.mfu:.4g}",
            "error_pct": f"{(detail.step_time_s / row.step_time_s - 1.0) * 100.0:.4g}",
        } | {f"predicted_{name}_s": f"{value:.4g}" for name, value in detail.parts_s.items()}
    write_appended(path, table, extra, found, reasons)


def validate_steps(
    path: Path,
    constants: ModelConstants,
    *,
    out: Path | None = None,
    choice: Choice = "tuner",
    catalog: Catalog | None = None,
    leave_one_out: bool = False,
) -> dict[str, Any]:
    """Hold the step-time model against a table of measured steps.

    Parameters
    ----------
    path
        CSV file; see `step_rows.REQUIRED` and `step_rows.COLUMNS` for its columns.
    constants
        The one set of constants for all rows.
    out
        Where the table with `predicted_*` and `error_pct` goes.
    leave_one_out
        Also predict every source with rates fitted on the others: `left_out`.
    catalog
        Where accelerators are looked up; the shipped one if absent.

    Returns
    -------
    dict
        `rows`, `mapped`, `unmapped` (reasons with counts) and the error figures, in all and under
        `strict` (transformers and experts without guessed decisive cells), `guessed` (the other
        rows of these families), `by_source`, `by_platform`, `by_family`; `memory` against
        measured peaks.

    Raises
    ------
    InputError
        If the file cannot be used.
    """
    table = read_table(path, REQUIRED)
    rows, reasons = map_rows(table, catalog or load_catalog())
    details = predict(rows, constants, choice)
    measured = np.array([row.step_time_s for row in rows])
    error = (np.array([d.step_time_s for d in details]) / measured - 1.0) * 100.0
    unmapped = dict(sorted(Counter(reasons.values()).items()))
    if out is not None:
        write_predictions(out, table, rows, details, reasons)
    result = {"rows": len(table), "mapped": len(rows), "unmapped": unmapped}
    if not rows:
        return result
    result |= summarize(rows, error) | {"memory": memory_figures(rows, details)}
    if leave_one_out:
        result["left_out"] = leave_one_source_out(rows, constants)
    return result
