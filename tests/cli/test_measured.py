"""The commands that read measurements: validate, import and calibrate."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from planner.cli.main import run

TABLE = Path(__file__).parents[1] / "data" / "collectives.csv"
ROWS = "\n".join(
    f"{size} {size // 4} float sum -1 {30 + size / 2.7e5:.2f} "
    f"{size / (30 + size / 2.7e5) / 1e3:.3f} {1.75 * size / (30 + size / 2.7e5) / 1e3:.3f} 0"
    for size in (2**power for power in range(10, 33, 2))
)
RANKS = "\n".join(
    f"# Rank {r} Group 0 Pid 1 on host0 device {r} [0x0{r}] NVIDIA H100 80GB HBM3" for r in range(8)
)


@pytest.fixture
def log(tmp_path):
    """A log of one host with eight GPUs."""
    path = tmp_path / "run.log"
    path.write_text(f"{RANKS}\n# size count type redop root time\n{ROWS}\n", encoding="utf-8")
    return path


def test_validate_prints_one_json_document_with_the_agreed_keys(capsys, tmp_path):
    """Scripts find their keys; the table lands where asked."""
    out = tmp_path / "out.csv"
    assert run(["validate", "collectives", str(TABLE), "-o", str(out), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    for key in (
        "rows", "mapped", "unmapped", "median_abs_error_pct", "p90_abs_error_pct",
        "max_abs_error_pct", "mean_abs_error_pct", "bias_pct", "macro_median_abs_error_pct",
        "macro_p90_abs_error_pct", "by_source", "by_platform", "by_family", "large", "small",
    ):  # fmt: skip
        assert key in result
    assert "median_abs_error_pct" in result["large"]
    assert out.is_file()


def test_validate_speaks_to_people_too(capsys):
    """Without --json the answer is text with every platform in it."""
    assert run(["validate", "collectives", str(TABLE)]) == 0
    text = capsys.readouterr().out
    assert "rows predicted" in text
    assert "gb200-18n72g-nvl72-bm" in text


def test_bad_tables_exit_with_two(capsys, tmp_path):
    """A file that is no table is one sentence on standard error."""
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    assert run(["validate", "collectives", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "column 'collective' is missing" in captured.err


def test_log_goes_through_import_validate_and_calibrate(capsys, tmp_path, log):
    """A log becomes a table, the table is predicted, and a calibration improves on it."""
    table, calibration = tmp_path / "rows.csv", tmp_path / "calibration.json"
    assert run(["import", "nccl-tests", str(log), "-o", str(table)]) == 0
    with table.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 12
    assert rows[0]["gpu"] == "h100-sxm"
    capsys.readouterr()
    assert run(["calibrate", str(log), "-o", str(calibration)]) == 0
    text = capsys.readouterr().out
    assert "hopper over nvswitch: 12 rows" in text
    assert "extrapolates to" in text
    errors = []
    for more in ([], ["--calibration", str(calibration)]):
        assert run(["validate", "collectives", str(table), "--json", *more]) == 0
        errors.append(json.loads(capsys.readouterr().out)["mean_abs_error_pct"])
    assert errors[1] < errors[0]


def test_calibrate_takes_tables_and_prints_json(capsys):
    """A CSV table of measurements is as good as a log."""
    assert run(["calibrate", str(TABLE), "--json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert {"scale_up", "network"} == {part["level"] for part in document["collectives"]}
    assert "rows not used" in captured.err


def test_import_without_output_prints_the_table(capsys, log):
    """The table itself is the answer on standard output."""
    assert run(["import", "nccl-tests", str(log)]) == 0
    assert capsys.readouterr().out.startswith("id,platform_key,collective,bytes")


def test_unusable_logs_exit_with_two(capsys, tmp_path):
    """A log without rows is refused in one sentence."""
    path = tmp_path / "empty.log"
    path.write_text("nothing\n", encoding="utf-8")
    for command in (["import", "nccl-tests"], ["calibrate"]):
        assert run([*command, str(path)]) == 2
        assert "no row of nccl-tests is in it" in capsys.readouterr().err
