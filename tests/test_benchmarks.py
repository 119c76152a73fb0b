"""The table of benchmarks: its baseline is whole, and the page explains what it holds."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.suite import BASELINE, BENCHMARKS, table


def test_every_figure_has_a_baseline_and_its_explanation() -> None:
    """Same names in the script, in the baseline and on the page, with the same figures."""
    medians = json.loads(BASELINE.read_text(encoding="utf-8"))["medians"]
    assert sorted(medians) == sorted(one.name for one in BENCHMARKS)
    page = (Path(__file__).parents[1] / "docs" / "performance.md").read_text(encoding="utf-8")
    for one in BENCHMARKS:
        start = f"| {one.name} | {medians[one.name]:.3g} {one.unit} | "
        assert start in page, start


def test_ratios_say_how_many_times_as_good() -> None:
    """Twice as many a second, and half the seconds, are both twice as good."""
    lines = table({"start-up": 1.0, "strategies": 4.0}, {"start-up": 2.0, "strategies": 2.0})
    assert [line.split()[-1] for line in lines.splitlines()[1:]] == ["2.00", "2.00"]
