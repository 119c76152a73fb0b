"""Whether the files beside a solution still say what it says: each is written again and compared."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from planner.report.words import LANGUAGES
from planner.report.workbook_agree import workbook_difference
from planner.verify.violation import Violation, violation

Files = Iterable[tuple[str, str | bytes]]
SPARE_BYTES = 1 << 20
"""What somebody may have added to a file before it is taken for another one."""
SHOWN = 60
"""Characters of a difference that are quoted."""
_SVG = re.compile(r"<svg\b[^>]*>.*?</svg>", re.DOTALL)
_CHART = '<g fill="none" stroke-miterlimit="10"'
"""By which a drawing of the chart library is known."""
_WORDS = re.compile(r"<(text|title|desc)\b[^>]*>(.*?)</\1>", re.DOTALL)
_LANG = re.compile(r'<html lang="([a-z]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesRead:
    """What became of the files of a report."""

    violations: list[Violation]
    read: int
    """Files that were compared."""
    missing: list[str]
    """Files that a report has and this folder has not."""


def check_files(folder: Path, files_of: Callable[[str], Files], known: str) -> FilesRead:
    """Compare every file of a report with what the solution beside it gives.

    A table may be saved again with other line ends, and a workbook with quotes filled in; every
    figure and word that planner wrote must stand where it stood. Of charts the words and figures are
    compared where the bytes differ, for another version of their library draws other paths. Files
    of others are not read.

    Parameters
    ----------
    folder
        The report.
    files_of
        Gives the path and content of every file in a language.
    known
        The file that all others were written from, which is not compared with itself.
    """
    language = _language(folder)
    tries = [language] if language else list(LANGUAGES)
    return min((_read(folder, files_of(lang), known) for lang in tries), key=_faults)


def _faults(seen: FilesRead) -> int:
    return len(seen.violations)


def _language(folder: Path) -> str | None:
    """Return the language that the page states, None where there is no page."""
    try:
        with (folder / "index.html").open("rb") as file:
            head = file.read(4096).decode(errors="replace")
    except OSError:
        return None
    found = _LANG.search(head)
    return found[1] if found and found[1] in LANGUAGES else None


def _read(folder: Path, files: Files, known: str) -> FilesRead:
    violations: list[Violation] = []
    missing: list[str] = []
    read = 0
    for name, content in files:
        if name == known:
            continue
        path = folder / name
        if not path.exists():
            missing.append(name)
            continue
        read += 1
        wanted = content.encode() if isinstance(content, str) else content
        violations.extend(_differences(path, name, wanted))
    return FilesRead(violations=violations, read=read, missing=missing)


def _differences(path: Path, name: str, wanted: bytes) -> Iterator[Violation]:
    """Yield the first difference of a file."""
    limit = 4 * len(wanted) + SPARE_BYTES
    try:
        if not path.is_file():
            yield _differs(name, "a file", "something else", "cannot be read")
            return
        with path.open("rb") as file:
            found = file.read(limit + 1)
    except OSError as error:
        yield _differs(name, "a file", error.strerror or "an error", "cannot be read")
        return
    if found == wanted:
        return
    if len(found) > limit:
        yield _differs(name, f"{len(wanted)} bytes", "far more", "is another file")
    elif name.endswith(".xlsx"):
        place = workbook_difference(wanted, found)
        if place is not None:
            yield _differs(name, place.wanted, place.found, f"{place.where} differs")
    else:
        yield from _text_difference(name, wanted.decode("utf-8-sig"), found)


def _text_difference(name: str, wanted: str, data: bytes) -> Iterator[Violation]:
    try:
        found = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield _differs(name, "UTF-8 text", "other bytes", "cannot be read")
        return
    if name.endswith(".csv"):
        yield from _row_difference(name, wanted, found)
        return
    if name.endswith((".html", ".svg")):
        wanted, found = _undrawn(wanted), _undrawn(found)
    lines = itertools.zip_longest(wanted.splitlines(), found.splitlines(), fillvalue="")
    for number, (ours, theirs) in enumerate(lines, 1):
        if ours != theirs:
            at = max(0, _common(ours, theirs) - SHOWN // 2)
            yield _differs(name, ours[at : at + SHOWN], theirs[at : at + SHOWN],
                           f"line {number} differs")  # fmt: skip
            return


def _undrawn(text: str) -> str:
    """Return a page or drawing with charts reduced to their words and figures.

    Another version of the chart library draws the same figures by other paths.
    """
    return _SVG.sub(
        lambda match: "\n".join(said for _, said in _WORDS.findall(match[0]))
        if _CHART in match[0] else match[0], text,
    )  # fmt: skip


def _row_difference(name: str, wanted: str, found: str) -> Iterator[Violation]:
    """Yield the first cell that differs; how lines end and cells are quoted says nothing."""
    ours, theirs = (csv.reader(io.StringIO(text, newline="")) for text in (wanted, found))
    header: list[str] = []
    try:
        none: list[str] = []
        pairs = itertools.zip_longest(ours, theirs, fillvalue=none)
        for number, (a, b) in enumerate(pairs, 1):
            header = header or a
            if a == b:
                continue
            cells = itertools.zip_longest(a, b, fillvalue="")
            for place, (mine, other) in enumerate(cells):
                if mine != other:
                    column = header[place] if place < len(header) else f"column {place + 1}"
                    yield _differs(name, mine[:SHOWN], other[:SHOWN],
                                   f"row {number}, {column} differs")  # fmt: skip
                    return
            yield _differs(name, f"{len(a)} cells", f"{len(b)} cells", f"row {number} differs")
            return
    except csv.Error as error:
        yield _differs(name, "a table", str(error), "cannot be read")


def _common(a: str, b: str) -> int:
    """Return how many characters two lines begin with alike."""
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)


def _differs(name: str, wanted: str, found: str, what: str) -> Violation:
    sentence = f"{what}; the file is not what solution.json gives"
    return violation("report-file", name, wanted or "nothing", found or "nothing", sentence)
