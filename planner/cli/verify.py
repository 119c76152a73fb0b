"""`planner verify`: recount every number of a solution from its own documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner import __version__
from planner.domain.errors import Fault, InputError
from planner.domain.regions_answer import ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable

    from planner.report.files_agree import Files, FilesRead
    from planner.verify.violation import Violation

SHOWN = 50
"""Violations printed for a person; `--json` lists them all."""
SHOWN_NAMES = 3
"""Files named that are not there."""


@click.command()
@click.argument("solution", type=click.Path(path_type=Path))
@click.option(
    "--catalog",
    "overlay",
    type=click.Path(path_type=Path),
    help="Folder of tables laid over the shipped catalogue, as the instance names it.",
)
@click.option(
    "--files/--no-files",
    default=True,
    show_default=True,
    help="Also write each file of the report again and compare it with the one that lies there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def verify(solution: Path, overlay: Path | None, files: bool, as_json: bool) -> int:
    """Recount SOLUTION, a solution.json or the folder that holds one.

    Ports, cables, transceivers, rack units, watts and money are counted again from the documents;
    step times are recomputed by the same physics (consistency, not an independent check). The
    files beside solution.json (page, summary, order list, cable schedule, tables, drawings) must
    say what it says.
    Exit code 0: nothing found; 1: violations; 2: the file cannot be read.
    """
    from planner.domain.catalog import load_catalog
    from planner.domain.solution import load_solution
    from planner.report.write import SOLUTION, report_files
    from planner.verify.check import verify as run_checks

    whole = solution.parent if solution.name == ANSWER else solution
    if (whole / ANSWER).is_file():
        return _regions(whole, overlay, files=files, as_json=as_json)
    file = solution / SOLUTION if solution.is_dir() else solution
    document = load_solution(file)
    folder = _overlay(file, document.instance.catalog, overlay)
    violations = run_checks(document, load_catalog(folder))
    if not document.seal:
        violations.append(_unsealed("document-seal"))
    devices, cables = len(document.devices), document.link_count
    done = f"Every check holds: {devices} devices and {cables} links counted again"
    if files and file.name == SOLUTION:
        version = document.run.planner_version
        read = _files(
            file, lambda lang: report_files(document, lang), version, failed=bool(violations)
        )
        violations += read.violations
        done += _compared(read.read)
    return _show(violations, file, f"{done}.", as_json=as_json)


def _regions(folder: Path, overlay: Path | None, *, files: bool, as_json: bool) -> int:
    """Recount an answer over several sites: each site's solution, then what joins them."""
    from planner.domain.catalog import load_catalog
    from planner.domain.regions_answer import load_regions, load_sites
    from planner.report.regions_files import regions_files
    from planner.verify.check import verify as run_checks
    from planner.verify.regions import verify_regions

    file = folder / ANSWER
    answer = load_regions(file)
    solutions = load_sites(answer, folder)
    catalog = load_catalog(_overlay(file, answer.instance.catalog, overlay))
    violations = [v for own in solutions for v in run_checks(own, catalog)]
    violations += verify_regions(answer, solutions, catalog)
    if not answer.seal:
        violations.append(_unsealed("regions-seal"))
    done = f"Every check holds: {len(solutions)} sites and what joins them counted again"
    if files:
        read = _files(
            file, lambda lang: regions_files(answer, solutions, lang), answer.planner_version,
            failed=bool(violations),
        )  # fmt: skip
        violations += read.violations
        done += _compared(read.read)
    return _show(violations, file, f"{done}.", as_json=as_json)


def _files(
    file: Path, files_of: Callable[[str], Files], version: str, *, failed: bool
) -> FilesRead:
    """Compare the files beside an answer, and say on standard error which could not be."""
    from planner.report.files_agree import FilesRead, check_files

    nothing = FilesRead(violations=[], read=0, missing=[])
    if failed:
        click.echo(f"The files beside {file.name} were not read: it contradicts itself.", err=True)
        return nothing
    if version != __version__:
        click.echo(f"The files beside {file.name} were not read: planner {version} wrote them, "
                   f"this is {__version__}.", err=True)  # fmt: skip
        return nothing
    read = check_files(file.parent, files_of, file.name)
    if read.read and read.missing:
        names = ", ".join(read.missing[:SHOWN_NAMES])
        more = len(read.missing) - SHOWN_NAMES
        click.echo(f"Not here, so not read: {names}{f' and {more} more' if more > 0 else ''}.",
                   err=True)  # fmt: skip
    return read


def _compared(read: int) -> str:
    if not read:
        return ""
    return f"; {read} {'file beside it says' if read == 1 else 'files beside it say'} the same"


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
