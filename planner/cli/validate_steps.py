"""`planner validate steps`: predicted against measured step times."""

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
    classes = [
        ("all", result),
        ("no decisive cell guessed", result["strict"]),
        ("some cell guessed", result["guessed"]),
    ]
    lines += ["", "Absolute error of step time (macro: each source weighs the same)"]
    lines.append(plain_table(header, [_line(n, f) for n, f in classes if f["mapped"]]))
    for title, key in (
        ("By family", "by_family"),
        ("By source", "by_source"),
        ("By platform", "by_platform"),
    ):
        parts = sorted(result[key].items(), key=lambda item: -item[1]["median_abs_error_pct"])
        table = plain_table(header[:-2], [_line(name, part)[:-2] for name, part in parts])
        lines += ["", title, table]
    memory = result["memory"]
    if memory["mapped"]:
        lines += ["", "Memory of the fullest GPU against measured peaks"]
        lines.append(plain_table(header[:-2], [_line("all", memory)[:-2]]))
    left_out = result.get("left_out")
    if left_out:
        parts = [("all", left_out), *left_out["by_family"].items()]
        table = plain_table(
            [*header, "margin"],
            [[*_line(name, part), round(part["margin"], 3)] for name, part in parts],
        )
        lines += ["", "Each source predicted with rates fitted on the others", table]
    lines.append(f"{memory['called_infeasible']} rows that ran are predicted not to fit.")
    return "\n".join(lines)


@click.command("steps", context_settings={"help_option_names": ["-h", "--help"]})
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
    "--leave-one-out",
    is_flag=True,
    help="Also predict each source with rates fitted on the others (minutes).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def steps(
    file: Path,
    output: Path | None,
    choice: Literal["tuner", "best"],
    leave_one_out: bool,
    as_json: bool,
) -> None:
    """Predict every row of FILE (CSV, one training run a row) and show the errors."""
    from planner.domain.compute_constants import shipped_constants
    from planner.study.validate_steps import validate_steps

    result = validate_steps(
        file, shipped_constants(), out=output, choice=choice, leave_one_out=leave_one_out
    )
    click.echo(json.dumps(result, indent=2, allow_nan=False) if as_json else show(result))
