"""`planner calibrate`: constants of the physics from a user's own measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.log_options import log_options
from planner.cli.plain_table import plain_table

if TYPE_CHECKING:
    from planner.domain.calibration import Calibration


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("logs", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Calibration file for 'planner solve --calibration'.",
)
@log_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def calibrate(
    logs: tuple[Path, ...],
    output: Path | None,
    collective: str | None,
    ranks: int | None,
    as_json: bool,
    **facts: Any,
) -> None:
    """Fit latency and bandwidth to LOGS of nccl-tests, or to tables (CSV) of their figures.

    Runs inside one host calibrate the scale-up links, runs over several hosts the network.
    """
    from planner.domain.physics_constants import shipped_collective_constants
    from planner.study import calibrate as study

    table, labels = _table(logs, collective, ranks, facts)
    rows = _mapped(logs, table)
    found = study.calibrate(rows, labels, shipped_collective_constants())
    document = found.model_dump(mode="json")
    if output is not None:
        output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        click.echo(f"Calibration written to {output}", err=True)
    click.echo(json.dumps(document, indent=2) if as_json else show(found))


def _table(
    logs: tuple[Path, ...], collective: str | None, ranks: int | None, facts: dict[str, Any]
) -> tuple[list[dict[str, str]], list[str]]:
    """Return the rows of all logs, and the log of each."""
    from planner.importers.nccl_table import Facts, table_rows
    from planner.importers.nccl_tests import read_nccl_log
    from planner.study.collective_rows import read_table

    table: list[dict[str, str]] = []
    labels: list[str] = []
    for log in logs:
        if log.suffix.lower() == ".csv":
            rows = read_table(log)
        else:
            runs = read_nccl_log(log, collective, ranks)
            for run in runs:
                for note in run.notes:
                    click.echo(f"{log}: {note}", err=True)
            rows = [row for run in runs for row in table_rows(run, Facts(**facts))]
        table += rows
        labels += [str(log)] * len(rows)
    return table, labels


def _mapped(logs: tuple[Path, ...], table: list[dict[str, str]]) -> list[Any]:
    from collections import Counter

    from planner.domain.errors import Fault, InputError
    from planner.study.validate_collectives import map_rows

    rows, reasons = map_rows(table)
    counts = Counter(reasons.values())
    if not rows:
        faults = [Fault("rows", f"{count} cannot be used: {why}") for why, count in counts.items()]
        raise InputError(", ".join(str(log) for log in logs), faults)
    for why, count in counts.items():
        click.echo(f"{count} rows not used: {why}", err=True)
    return rows


def show(found: Calibration) -> str:
    """Return a calibration as text: factors, residuals, and where it extrapolates."""
    lines = []
    for part in found.collectives:
        name = (
            f"network {part.network}"
            if part.level == "network"
            else f"{part.architecture} over {part.scale_up}"
        )
        before, after, p90 = part.error_before_pct, part.error_after_pct, part.p90_after_pct
        lines += [
            f"{name}: {part.rows} rows",
            f"  latency x {part.latency_factor:.3g}" + ("" if part.latency_fitted else " (not fitted)"),
            f"  bandwidth x {part.bandwidth_factor:.3g}"
            + ("" if part.bandwidth_fitted else " (not fitted)"),
            f"  median error {before:.1f} % before, {after:.1f} % after (90th percentile {p90:.1f} %)",
            "  extrapolates to " + "; ".join(part.extrapolates),
            "",
            plain_table(
                ("collective", "ranks", "bytes", "measured us", "predicted us", "error %"),
                [
                    (r.collective, r.ranks, r.bytes, round(r.measured_us, 2),
                     round(r.predicted_us, 2), round(r.error_pct, 1))
                    for r in part.residuals
                ],
            ),
            "",
        ]  # fmt: skip
    return "\n".join(lines).rstrip()
