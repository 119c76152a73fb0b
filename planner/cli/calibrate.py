"""`planner calibrate`: constants of the physics from a user's own measurements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.log_options import log_options
from planner.cli.plain_table import plain_table

if TYPE_CHECKING:
    from planner.domain.calibration import Calibration, ComputeCalibration


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("logs", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Calibration file for 'planner solve --calibration'.",
)
@click.option(
    "--instance",
    metavar="FILE",
    help="With profiles: the instance that fixes server and fabric, and pins the strategy.",
)
@click.option("--workload", metavar="NAME", help="Which of its workloads was profiled.")
@log_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def calibrate(
    logs: tuple[Path, ...],
    output: Path | None,
    instance: str | None,
    workload: str | None,
    collective: str | None,
    ranks: int | None,
    as_json: bool,
    **facts: Any,
) -> None:
    """Fit the model to LOGS of nccl-tests, tables (CSV) of their figures, or profiles of a step.

    Runs inside one host calibrate the scale-up links, runs over several hosts the network.
    Profiles (traces of the PyTorch profiler, SQLite exports of Nsight Systems, or what 'planner
    import' made of them) calibrate how long the job computes, which needs --instance, and by
    their messages the collectives.
    """
    from planner.cli.calibrate_profiles import Profiles
    from planner.domain.calibration import Calibration
    from planner.domain.physics_constants import shipped_collective_constants
    from planner.importers.profile_files import is_profile
    from planner.study import calibrate as study

    profiles = Profiles.read([log for log in logs if is_profile(log)], instance, workload, facts)
    table, labels = _table([log for log in logs if not is_profile(log)], collective, ranks, facts)
    rows = _mapped(logs, table) if table else []
    rows += profiles.rows(labels)
    compute = profiles.compute()
    profiles.check(rows)
    found = study.calibrate(rows, labels, shipped_collective_constants()) if rows else Calibration()
    names = sorted({*found.logs, *(r.log for part in compute for r in part.residuals)})
    found = found.model_copy(update={"compute": compute, "logs": tuple(names)})
    document = found.model_dump(mode="json")
    if output is not None:
        from planner.export.text_file import write_text

        write_text(output, json.dumps(document, indent=2) + "\n")
        click.echo(f"Calibration written to {output}", err=True)
    click.echo(json.dumps(document, indent=2) if as_json else show(found))


def _table(
    logs: Sequence[Path], collective: str | None, ranks: int | None, facts: dict[str, Any]
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
    lines = [line for part in found.compute for line in _compute(part)]
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


def _compute(part: ComputeCalibration) -> list[str]:
    before, after = part.error_before_pct, part.error_after_pct
    return [
        f"compute of {part.family} networks on {part.accelerator}, by profiles: {len(part.residuals)}",
        f"  time of kernels x {part.factor:.3g}",
        f"  median error {before:.1f} % before, {after:.1f} % after",
        "  extrapolates to " + "; ".join(part.extrapolates),
        "",
        plain_table(
            ("profile", "strategy", "GPUs", "measured s", "predicted s", "error %"),
            [
                (r.log, r.strategy, r.gpus, float(f"{r.measured_s:.4g}"),
                 float(f"{r.predicted_s:.4g}"), round(r.error_pct, 1))
                for r in part.residuals
            ],
        ),
        "",
    ]  # fmt: skip
