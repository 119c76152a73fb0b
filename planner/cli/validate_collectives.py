"""`planner validate collectives`: predicted against measured collective times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import click

from planner.cli.plain_table import plain_table

_FIGURES = (
    ("median %", "median_abs_error_pct"),
    ("p90 %", "p90_abs_error_pct"),
    ("worst %", "max_abs_error_pct"),
    ("mean %", "mean_abs_error_pct"),
    ("bias %", "bias_pct"),
    ("macro median %", "macro_median_abs_error_pct"),
    ("macro p90 %", "macro_p90_abs_error_pct"),
)


def _line(name: str, figures: Mapping[str, Any]) -> list[object]:
    values = [figures.get(key) for _, key in _FIGURES]
    return [name, figures["mapped"], *(None if v is None else round(v, 1) for v in values)]


def show(result: Mapping[str, Any]) -> str:
    """Return the result as text."""
    lines = [f"{result['mapped']} of {result['rows']} rows predicted."]
    for reason, count in result["unmapped"].items():
        lines.append(f"  {count} not predicted: {reason}")
    if not result["mapped"]:
        return "\n".join(lines)
    header = ["", "rows", *(name for name, _ in _FIGURES)]
    classes = [("all", result), ("from 16 MiB", result["large"]), ("below", result["small"])]
    lines += ["", "Absolute error of time (macro: each platform weighs the same)"]
    lines.append(plain_table(header, [_line(n, f) for n, f in classes if f["mapped"]]))
    for title, key in (
        ("By collective", "by_family"),
        ("By platform", "by_platform"),
        ("By source", "by_source"),
    ):
        parts = sorted(result[key].items(), key=lambda item: -item[1]["median_abs_error_pct"])
        table = plain_table(header[:-2], [_line(name, part)[:-2] for name, part in parts])
        lines += ["", title, table]
    return "\n".join(lines)


@click.command("collectives", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the table with predicted_* and error_pct appended.",
)
@click.option(
    "--choice",
    type=click.Choice(["tuner", "best"]),
    default="tuner",
    show_default=True,
    help="Take NCCL's own choice of algorithm and protocol, or the fastest allowed.",
)
@click.option(
    "--calibration",
    type=click.Path(path_type=Path),
    help="Constants fitted to your own logs by 'planner calibrate'.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def collectives(
    file: Path,
    output: Path | None,
    choice: Literal["tuner", "best"],
    calibration: Path | None,
    as_json: bool,
) -> None:
    """Predict every row of FILE (CSV, one nccl-tests figure a row) and show the errors."""
    from planner.domain.calibration import calibrated, read_calibration
    from planner.domain.physics_constants import shipped_collective_constants
    from planner.study.validate_collectives import validate_collectives

    constants = shipped_collective_constants()
    if calibration is not None:
        constants = calibrated(constants, read_calibration(calibration))
    result = validate_collectives(file, constants, out=output, choice=choice)
    click.echo(json.dumps(result, indent=2, allow_nan=False) if as_json else show(result))
