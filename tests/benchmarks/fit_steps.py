"""Fit the sustained rates to a table of measured steps, and the margins that follow.

    python -m tests.benchmarks.fit_steps STEPS.csv            the best factor of each rate
    python -m tests.benchmarks.fit_steps STEPS.csv --margins  write step_margins.json

The factor of an accelerator and kernel family is the one with the least median absolute error over
its sources, each weighing the same. A rate belongs to a part, never to a source; what the script
prints is adopted by hand, so that no figure of another part worsens unseen.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from planner.domain.catalog import load_catalog
from planner.domain.compute_constants import shipped_constants
from planner.domain.resources import data_root
from planner.study.collective_rows import read_table
from planner.study.error_figures import weighted_quantile
from planner.study.leave_one_out import (
    FACTORS,
    group_of,
    leave_one_source_out,
    times_by_factor,
)
from planner.study.step_rows import REQUIRED, StepRow
from planner.study.validate_steps import map_rows

MARGINS = data_root() / "models" / "hardware" / "step_margins.json"
SOURCES_NEEDED = 2
"""With fewer sources a family's error on unseen ones cannot be stated."""


def factors(rows: list[StepRow]) -> None:
    """Print each rate's best factor, its error there and as shipped."""
    constants = shipped_constants()
    measured = np.array([row.step_time_s for row in rows])
    error = np.abs(times_by_factor(rows, constants) / measured[:, None] - 1.0) * 100.0
    owners = np.array([row.source for row in rows])
    groups = [group_of(row, constants.compute) for row in rows]
    shipped = int(np.argmin(np.abs(FACTORS - 1.0)))
    for group in sorted(set(groups)):
        inside = np.array([g == group for g in groups])
        _, place, counts = np.unique(owners[inside], return_inverse=True, return_counts=True)
        weights = 1.0 / counts[place]
        medians = [weighted_quantile(column, weights, 0.5) for column in error[inside].T]
        best = int(np.argmin(medians))
        print(
            f"{group[0]} {group[1]}: {inside.sum()} rows of {len(counts)} sources, factor "
            f"{FACTORS[best]:.2f} ({medians[best]:.1f} %), shipped 1.00 ({medians[shipped]:.1f} %)"
        )


def margins(rows: list[StepRow]) -> None:
    """Write the margin of each family with at least two sources."""
    found = leave_one_source_out(rows, shipped_constants())["by_family"]
    document: dict[str, Any] = json.loads(MARGINS.read_text(encoding="utf-8"))
    for family, figures in found.items():
        entry = document["families"].setdefault(family, {})
        entry |= {"rows": figures["mapped"], "sources": figures["sources"],
                  "median_abs_error_pct": round(figures["median_abs_error_pct"], 1)}  # fmt: skip
        if figures["sources"] >= SOURCES_NEEDED:
            entry["margin"] = round(figures["margin"], 3)
    MARGINS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Fit, or write the margins."""
    rows, _ = map_rows(read_table(Path(sys.argv[1]), REQUIRED), load_catalog())
    margins(rows) if "--margins" in sys.argv else factors(rows)


if __name__ == "__main__":
    main()
