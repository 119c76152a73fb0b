"""Write the report folder: all files into a sibling first, then one swap."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from planner.domain.errors import UsageError
from planner.domain.solution import Solution
from planner.export.lists import bill_of_materials_csv, cable_schedule_csv
from planner.export.star import star_files
from planner.export.xlsx.book import MISSING
from planner.export.xlsx.workbook import WORKBOOK, can_write, workbook
from planner.report.document import solution_json
from planner.report.drawings.plates import plates
from planner.report.html import page_of
from planner.report.markdown import summary_markdown
from planner.report.view import view
from planner.report.words import words

SOLUTION = "solution.json"
OWN = ("bi", "drawings", "pools", WORKBOOK)
"""What a new report replaces or removes, even if it does not write it again."""


def report_files(solution: Solution, lang: str) -> Iterator[tuple[str, str | bytes]]:
    """Yield each file's path inside the report and its content, in writing order.

    The workbook is left out where XlsxWriter is not installed.
    """
    seen = view(solution, lang)
    yield SOLUTION, solution_json(solution)
    yield "index.html", page_of(seen)
    yield "summary.md", summary_markdown(solution, lang)
    yield "bill_of_materials.csv", bill_of_materials_csv(solution)
    if can_write():
        yield WORKBOOK, workbook(solution, lang)
    yield "cable_schedule.csv", cable_schedule_csv(solution)
    for name, text in star_files(solution):
        yield f"bi/{name}", text
    for document in solution.pools:
        for name, content in report_files(document, lang):
            yield f"pools/{document.instance.name}/{name}", content
    for name, drawing in plates(seen).items():
        yield f"drawings/{name}.svg", drawing.file_text()


def write_report(solution: Solution, folder: Path, lang: str = "en") -> list[Path]:
    """Write the whole report and return its files.

    Everything is written into a hidden sibling folder, which then takes the place of `folder`; an
    interrupted run leaves the old report whole. Files of others in an old report are kept.

    Parameters
    ----------
    solution
        The answer.
    folder
        The report's folder: absent, empty, or an older report.
    lang
        One of `words.LANGUAGES`.

    Raises
    ------
    UsageError
        If the folder cannot be written, holds something other than a report, or the language is
        unknown.
    """
    words(lang)
    target = Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100  resolve() follows links
    if target.is_symlink():
        target = target.resolve()
    new, old = target.with_name(f".{target.name}.new"), target.with_name(f".{target.name}.old")
    try:
        _prepare(target, new, old)
        names = [_write(new, name, content) for name, content in report_files(solution, lang)]
        _keep_foreign(target, new, names)
        _swap(target, new, old)
    except OSError as error:
        shutil.rmtree(new, ignore_errors=True)
        reason = error.strerror or "cannot be written"
        raise UsageError(f"{folder}: {reason}; name a folder that can be written") from error
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if WORKBOOK not in names:
        sys.stderr.write(f"{WORKBOOK} is left out; {MISSING}\n")
    return [folder / name for name in names]


def _prepare(target: Path, new: Path, old: Path) -> None:
    """Finish what an interrupted run left, check the place, make the empty sibling."""
    if old.is_dir():
        if target.exists():
            shutil.rmtree(old)
        else:
            old.rename(target)
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target}: this is a file; name a folder for the report")
    if target.is_dir() and not (target / SOLUTION).is_file() and any(target.iterdir()):
        raise UsageError(
            f"{target}: holds files but no report; name an empty or a new folder for the report"
        )
    if new.exists():
        shutil.rmtree(new)
    new.mkdir(parents=True)


def _write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def _keep_foreign(target: Path, new: Path, names: list[str]) -> None:
    """Copy what others put beside an old report, so that the swap does not lose it."""
    own = {name.partition("/")[0] for name in names} | set(OWN)
    for entry in sorted(target.iterdir()) if target.is_dir() else ():
        if entry.name in own:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, new / entry.name, symlinks=True)
        else:
            shutil.copy2(entry, new / entry.name, follow_symlinks=False)


def _swap(target: Path, new: Path, old: Path) -> None:
    """Put the new folder in the place of the old one; put the old one back if that fails."""
    if not target.exists():
        new.rename(target)
        return
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
