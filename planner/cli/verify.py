"""`planner verify`: recount every number of a solution from its own documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.cli.regions import ANSWER
from planner.domain.errors import Fault, InputError

if TYPE_CHECKING:
    from planner.verify.violation import Violation

SHOWN = 50
"""Violations printed for a person; `--json` lists them all."""


@click.command()
@click.argument("solution", type=click.Path(path_type=Path))
@click.option(
    "--catalog",
    "overlay",
    type=click.Path(path_type=Path),
    help="Folder of tables laid over the shipped catalogue, as the instance names it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def verify(solution: Path, overlay: Path | None, as_json: bool) -> int:
    """Recount SOLUTION, a solution.json or the folder that holds one.

    Ports, cables, transceivers, rack units, watts and money are counted again from the documents;
    step times are recomputed by the same physics (consistency, not an independent check).
    Exit code 0: nothing found; 1: violations; 2: the file cannot be read.
    """
    from planner.domain.catalog import load_catalog
    from planner.domain.solution import load_solution
    from planner.verify.check import verify as run_checks

    if solution.is_dir() and (solution / ANSWER).is_file():
        return _regions(solution, overlay, as_json=as_json)
    file = solution / "solution.json" if solution.is_dir() else solution
    document = load_solution(file)
    folder = _overlay(file, document.instance.catalog, overlay)
    violations = run_checks(document, load_catalog(folder))
    if not document.seal:
        violations.append(_unsealed("document-seal"))
    devices, cables = len(document.devices), document.link_count
    done = f"Every check holds: {devices} devices and {cables} links counted again."
    return _show(violations, file, done, as_json=as_json)


def _regions(folder: Path, overlay: Path | None, *, as_json: bool) -> int:
    """Recount an answer over several sites: each site's solution, then what joins them."""
    from planner.domain.catalog import load_catalog
    from planner.domain.regions_answer import load_regions, load_sites
    from planner.verify.check import verify as run_checks
    from planner.verify.regions import verify_regions

    answer = load_regions(folder / ANSWER)
    solutions = load_sites(answer, folder)
    catalog = load_catalog(_overlay(folder / ANSWER, answer.instance.catalog, overlay))
    violations = [v for own in solutions for v in run_checks(own, catalog)]
    violations += verify_regions(answer, solutions, catalog)
    if not answer.seal:
        violations.append(_unsealed("regions-seal"))
    done = f"Every check holds: {len(solutions)} sites and what joins them counted again."
    return _show(violations, folder / ANSWER, done, as_json=as_json)


def _show(violations: list[Violation], file: Path, done: str, *, as_json: bool) -> int:
    """Print what was found and return the exit code."""
    if as_json:
        found = [violation.as_dict() for violation in violations]
        click.echo(json.dumps({"ok": not found, "violations": found}, indent=2))
    elif not violations:
        click.echo(done)
    else:
        for violation in violations[:SHOWN]:
            click.echo(f"{violation.check}: {violation}")
        more = len(violations) - SHOWN
        if more > 0:
            click.echo(f"and {more} more; --json lists them all")
        noun = "violation" if len(violations) == 1 else "violations"
        click.echo(f"{len(violations)} {noun} in {file}.")
    return 1 if violations else 0


def _unsealed(check: str) -> Violation:
    from planner.verify.violation import violation

    return violation(
        check, "$.seal", "a seal", "none",
        "the document has no seal; planner did not write it so",
    )  # fmt: skip


def _overlay(file: Path, named: str | None, given: Path | None) -> Path | None:
    """Return the folder of the user's own tables, None where the shipped catalogue was used."""
    if given is not None or named is None:
        if given is not None and not given.is_dir():
            raise InputError(str(given), [Fault("--catalog", "no such folder", "name a folder")])
        return given
    folder = next((f for f in (file.parent / named, Path(named)) if f.is_dir()), None)
    if folder is None:
        fault = Fault("$.instance.catalog", f"no folder {named!r} here", "name it by --catalog")
        raise InputError(str(file), [fault])
    return folder
