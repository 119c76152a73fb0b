"""SQLite exports of Nsight Systems (``nsys export --type sqlite``), opened read-only.

Used are CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET and _RUNTIME (``start`` and ``end`` in
nanoseconds, ``deviceId``, ``globalPid``, ``correlationId``; names are ids of StringIds),
NVTX_EVENTS (``text`` or ``textId``; push-pop ranges are events of type 59, start-end ranges of
type 60) and TARGET_INFO_GPU. Tables are created lazily, so that each but the first may be absent.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from planner.domain.errors import Fault, InputError
from planner.domain.profile import StepProfile
from planner.importers.gpu_timeline import MAX_RANGES, NamedRange, Timeline
from planner.importers.imported import Given, Imported
from planner.importers.profile_document import imported_profile
from planner.importers.step_profile import About, profile_of

KIND: Literal["nsys"] = "nsys"
SIGNATURE = b"SQLite format 3\0"
MAX_BYTES = 8 * 1024**3
MAX_TEXT = 1 << 16
"""Bytes of one value."""
MAX_TICKS = 5_000
"""Calls of the progress handler, each after `OPERATIONS` of the database's machine."""
OPERATIONS = 100_000
KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES = (("CUPTI_ACTIVITY_KIND_MEMCPY", "memcpy"), ("CUPTI_ACTIVITY_KIND_MEMSET", "memset"))
NAME_COLUMNS = ("demangledName", "shortName", "mangledName", "name")
MAX_GPUS = 4096
LAUNCHES = "CUPTI_ACTIVITY_KIND_RUNTIME"
RANGE_TYPES = (59, 60)
_PID_SHIFT = 24
"""Bits of a serialized thread id below the process: hardware and virtual machine, pid, tid."""
_EXPORT = "export it: nsys export --type sqlite FILE.nsys-rep"


class _Database:
    """A foreign database: real tables only, bounded work, errors as one sentence."""

    def __init__(self, path: Path) -> None:
        self.file = str(path)
        self._check(path)
        try:
            address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
            self._link = sqlite3.connect(address, uri=True)
            self._link.text_factory = lambda data: data.decode("utf-8", errors="replace")
            self._link.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT)
            self._link.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            self._link.execute("PRAGMA trusted_schema = OFF")
            self._link.execute("PRAGMA cell_size_check = ON")
        except (sqlite3.Error, ValueError) as error:
            raise self._broken(error) from None
        self._worked = 0
        self._link.set_progress_handler(self._tick, OPERATIONS)
        self.tables = {
            str(name): self._columns(str(name))
            for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        }

    def _check(self, path: Path) -> None:
        try:
            if path.is_dir():
                raise self.refuse("this is a folder", "name a file")
            size = path.stat().st_size
            with path.open("rb") as handle:
                head = handle.read(len(SIGNATURE))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "cannot be read"
            raise self.refuse(str(reason).lower()) from None
        if not size:
            raise self.refuse("the file is empty")
        if head != SIGNATURE:
            raise self.refuse("is no SQLite export of Nsight Systems", _EXPORT)
        if size > MAX_BYTES:
            raise self.refuse("the file is too large", f"at most {MAX_BYTES // 2**30} GiB are read")

    def refuse(self, what: str, right: str = "") -> InputError:
        """Return the error that says why this file cannot be used."""
        return InputError(self.file, [Fault("$", what, right)])

    def _broken(self, error: Exception) -> InputError:
        text = str(error)
        if "interrupted" in text:
            return self.refuse("takes too long to read", "export it again, or profile less")
        if isinstance(error, sqlite3.DataError) or "too big" in text:
            return self.refuse("holds a value that is too long to be one of a profile")
        return self.refuse("the database is cut off or broken", _EXPORT)

    def _tick(self) -> int:
        self._worked += 1
        return int(self._worked > MAX_TICKS)

    def _columns(self, table: str) -> frozenset[str]:
        if not table.replace("_", "").isalnum() or len(table) > 80:
            return frozenset()
        return frozenset(str(row[1]) for row in self.rows(f"PRAGMA table_info({table})"))

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query; raises InputError if the database cannot answer."""
        try:
            yield from self._link.execute(query, values)
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise self._broken(error) from None

    def select(
        self, table: str, columns: Sequence[str], *, distinct: bool = False
    ) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a known table; one that it lacks is 0 in every row."""
        known = self.tables[table]
        asked = ", ".join(f'"{name}"' if name in known else "0" for name in columns)
        yield from self.rows(f"SELECT {'DISTINCT ' * distinct}{asked} FROM {table}")  # noqa: S608 (names are this module's own)

    def has(self, table: str, *columns: str) -> bool:
        """Return whether a table has some columns."""
        return set(columns) <= self.tables.get(table, frozenset())

    def close(self) -> None:
        """Close the database."""
        self._link.close()


def read_nsys(path: Path, given: Given) -> Imported:
    """Return the profile of an export; `given` may name ``step`` and ``device``.

    ``device`` is the place of the GPU among those that the profile shows, from 0.

    Raises
    ------
    InputError
        If the file is no such export, broken, or shows no kernels.
    """
    device = given.number("device", 0, MAX_GPUS)
    profile = nsys_profile(path, None if device is None else int(device), given.text("step"))
    return imported_profile(KIND, profile)


def nsys_profile(path: Path, device: int | None = None, wanted: str | None = None) -> StepProfile:
    """Return the profile of an export; raises InputError as `read_nsys`."""
    database = _Database(path)
    try:
        timeline = Timeline(file=str(path))
        owners = _activities(database, timeline)
        chosen = 0 if device is None else device
        pids = [pid for pid, _ in owners]
        pid = pids[chosen] if chosen < len(pids) else None
        if pid is not None:
            _ranges(database, timeline, pid)
            _launches(database, timeline, pid)
        name = _device_name(database, owners[chosen][1] if chosen < len(owners) else 0)
    finally:
        database.close()
    return profile_of(timeline, About(tool=KIND, device=name), device=device, wanted=wanted)


def _activities(database: _Database, timeline: Timeline) -> list[tuple[int, int]]:
    """Read kernels and copies; return process and device of each GPU in the order of their keys."""
    if not database.has(KERNELS, "start", "end"):
        what = "has no table of kernels with start and end"
        raise database.refuse(what, "profile with nsys profile --trace=cuda,nvtx")
    owners: dict[tuple[int, int], int] = {}
    naming = next((c for c in NAME_COLUMNS if database.has(KERNELS, c)), "")
    idents = {row[0] for row in database.select(KERNELS, [naming], distinct=True)}
    names = _strings(database, idents)
    for table, label in ((KERNELS, ""), *COPIES):
        if not database.has(table, "start", "end"):
            continue
        columns = ("start", "end", "globalPid", "deviceId", "correlationId", naming)
        for start, end, pid, number, correlation, ident in database.select(table, columns):
            if not _moments(start, end):
                continue
            key = (pid if isinstance(pid, int) else 0, number if isinstance(number, int) else 0)
            if key not in owners and len(owners) >= MAX_GPUS:
                raise database.refuse(f"shows more than {MAX_GPUS:,} GPUs")
            owner = owners.setdefault(key, len(owners))
            text = label or (ident if isinstance(ident, str) else names.get(ident, ""))
            known = correlation if isinstance(correlation, int) and correlation > 0 else 0
            timeline.add(text[:500], start, end, owner, known, copy=bool(label))
    ordered = sorted(owners)
    place = {owners[key]: k for k, key in enumerate(ordered)}
    for k, owner in enumerate(timeline.devices):
        timeline.devices[k] = place[owner]
    return ordered


def _strings(database: _Database, wanted: Collection[Any]) -> dict[Any, str]:
    """Return the texts of some ids."""
    if not wanted or not database.has("StringIds", "id", "value"):
        return {}
    found = database.select("StringIds", ("id", "value"))
    return {ident: value for ident, value in found if ident in wanted and isinstance(value, str)}


def _moments(start: Any, end: Any) -> bool:
    return isinstance(start, int) and isinstance(end, int) and -(2**60) < start <= end < 2**60


def _ranges(database: _Database, timeline: Timeline, pid: int) -> None:
    """Read the ranges that a process marked."""
    table = "NVTX_EVENTS"
    if not database.has(table, "start", "end"):
        return
    typed = database.has(table, "eventType")
    columns = ("start", "end", "text", "textId", "globalTid", "eventType")
    marked: list[tuple[int, int, Any, Any, Any]] = []
    for start, end, text, ident, thread, kind in database.select(table, columns):
        if not _moments(start, end) or (typed and kind not in RANGE_TYPES):
            continue
        if len(marked) < MAX_RANGES and _same_process(thread, pid):
            marked.append((start, end, text, ident, thread))
    names = _strings(database, {row[3] for row in marked if not isinstance(row[2], str)})
    for start, end, text, ident, thread in marked:
        name = text if isinstance(text, str) and text else names.get(ident, "")
        owner = thread if isinstance(thread, int) else 0
        if name:
            timeline.add_range(
                NamedRange(name=name[:200], start=start, end=end, on_gpu=False, thread=owner)
            )


def _same_process(thread: Any, pid: int) -> bool:
    """Return whether a thread's id is one of a process; ids that are absent count as such."""
    if not pid or not isinstance(thread, int) or not thread:
        return True
    return thread >> _PID_SHIFT == pid >> _PID_SHIFT


def _launches(database: _Database, timeline: Timeline, pid: int) -> None:
    """Read when a process launched what, where ranges can make use of it."""
    if not timeline.ranges or not database.has(LAUNCHES, "start", "correlationId"):
        return
    columns = ("start", "correlationId", "globalTid")
    for start, correlation, owner in database.select(LAUNCHES, columns):
        if isinstance(start, int) and isinstance(correlation, int) and _same_process(owner, pid):
            timeline.add_launch(correlation, start)


def _device_name(database: _Database, number: int) -> str:
    if not database.has("TARGET_INFO_GPU", "id", "name"):
        return ""
    found = dict(itertools.islice(database.select("TARGET_INFO_GPU", ("id", "name")), 1024))
    name = found.get(number) or next(iter(found.values()), "")
    return name if isinstance(name, str) else ""
