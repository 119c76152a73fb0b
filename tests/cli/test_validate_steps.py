"""`planner validate steps`: text and JSON of a small table."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from planner.cli.validate_steps import steps

TABLE = Path(__file__).parents[1] / "data" / "steps.csv"


def small(tmp_path, rows=6):
    """Return a file with the header and the first rows of the golden table."""
    lines = TABLE.read_text().splitlines()
    path = tmp_path / "few.csv"
    head = lines[0].split(",")
    last = lines[1].split(",")
    last[head.index("accelerator")] = "no-such-accelerator"
    path.write_text("\n".join([*lines[: rows + 1], ",".join(last)]) + "\n")
    return path


def test_text(tmp_path):
    """The text says how many rows were predicted and shows errors by family and source."""
    result = CliRunner().invoke(steps, [str(small(tmp_path))])
    assert result.exit_code == 0, result.output
    assert "6 of 7 rows predicted" in result.output
    assert "1 not predicted: accelerator" in result.output
    assert "megatron-readme-2021" in result.output


def test_json(tmp_path):
    """One JSON document carries the figures that scripts rely on."""
    out = tmp_path / "out.csv"
    arguments = [str(small(tmp_path)), "--json", "--leave-one-out", "-o", str(out)]
    result = CliRunner().invoke(steps, arguments)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.output)
    for key in (
        "rows", "mapped", "unmapped", "median_abs_error_pct", "p90_abs_error_pct",
        "max_abs_error_pct", "mean_abs_error_pct", "bias_pct", "macro_median_abs_error_pct",
        "macro_p90_abs_error_pct", "by_source", "by_platform", "by_family", "left_out", "memory",
    ):  # fmt: skip
        assert key in figures
    assert out.exists()
