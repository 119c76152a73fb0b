"""`planner import`: files that people already hold, each kind a command of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from planner.cli.log_options import log_options


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def import_() -> None:
    """Read files that you already hold."""


@import_.command("nccl-tests", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file for 'planner validate collectives' and 'planner calibrate'.",
)
@log_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def nccl_tests(
    files: tuple[Path, ...],
    output: Path | None,
    collective: str | None,
    ranks: int | None,
    as_json: bool,
    **facts: Any,
) -> None:
    """Read logs of nccl-tests or rccl-tests as a table of measured collectives."""
    from planner.importers.nccl_table import Facts, table_rows
    from planner.importers.nccl_tests import read_nccl_log

    runs = [run for file in files for run in read_nccl_log(file, collective, ranks)]
    rows = [row for run in runs for row in table_rows(run, Facts(**facts))]
    for run in runs:
        for note in run.notes:
            click.echo(f"{run.file}: {note}", err=True)
    if as_json:
        click.echo(json.dumps({"runs": len(runs), "rows": rows}, indent=2))
    if output is not None:
        with output.open("w", encoding="utf-8", newline="") as handle:
            _write(handle, rows)
        click.echo(f"{len(rows)} rows of {len(runs)} runs in {output}", err=True)
    elif not as_json:
        _write(sys.stdout, rows)


def _write(handle: Any, rows: list[dict[str, str]]) -> None:
    import csv

    from planner.importers.nccl_table import COLUMNS

    writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
