"""What a sweep keeps on disk: an append-only journal, and one whole solution a solved instance.

A solution is written beside its name, synced and renamed, and only then named by a line of the
journal; a line cut off by a crash is passed over. So whatever the journal names is there.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from planner.domain.errors import UsageError
from planner.domain.json_file import validate
from planner.domain.solution import Solution
from planner.domain.whole_file import take_lock, write_whole

JOURNAL = "journal.jsonl"
RESULTS = "results"
LOCKS = "locks"
MARK = "sweep-id"
SCHEMA = 1

Outcome = Literal[
    "optimal", "feasible", "infeasible", "stopped", "refused", "contradicted", "error", "poison"
]
SOLVED: tuple[Outcome, ...] = ("optimal", "feasible", "infeasible", "stopped")
"""Outcomes with a solution document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What became of one instance; a line of the journal."""

    key: str
    outcome: Outcome
    reason: str = ""
    """Why there is no answer, or which limits must give."""
    cpu_s: float = 0.0
    tries: int = 1


def packed(record: Record, solution_text: str | None) -> bytes:
    """Return the result file of an instance: its record and its solution, compressed."""
    head = json.dumps(asdict(record))
    body = "null" if solution_text is None else solution_text
    return gzip.compress(f"{head}\n{body}".encode(), compresslevel=6, mtime=0)


def unpacked(data: bytes) -> tuple[Record, str]:
    """Return a result file's record and the text of its solution (``null`` if none)."""
    head, _, body = gzip.decompress(data).decode().partition("\n")
    return Record(**json.loads(head)), body


class SweepStore:
    """The folder of one sweep; one process writes it at a time."""

    def __init__(self, folder: Path) -> None:
        """Open or make the folder.

        Raises
        ------
        UsageError
            If it cannot be written, or another sweep is running in it.
        """
        self.folder = folder.absolute()
        try:
            for part in (self.folder, self.folder / RESULTS, self.folder / LOCKS):
                part.mkdir(parents=True, exist_ok=True)
            self._lock = _only_one(self.folder)
            token = self.folder / MARK
            if not token.is_file():
                write_whole(token, uuid.uuid4().hex.encode())
            self.token = token.read_text(encoding="ascii")
            for rest in (self.folder / RESULTS).glob(".part-*"):
                rest.unlink(missing_ok=True)
            self.records = self._read()
            self._journal = (self.folder / JOURNAL).open("ab")
            self._end_torn_line()
        except OSError as error:
            raise UsageError(f"{folder}: cannot be written ({error.strerror})") from None

    def result_file(self, key: str) -> Path:
        """Return where a key's result stands."""
        return self.folder / RESULTS / f"{key}.json.gz"

    def _read(self) -> dict[str, Record]:
        """Return the last record of every key whose result file is whole."""
        records: dict[str, Record] = {}
        path = self.folder / JOURNAL
        if path.is_file():
            with path.open("rb") as lines:
                for line in lines:
                    record = _record(line)
                    if record is not None:
                        records[record.key] = record
        return {
            key: record
            for key, record in records.items()
            if record.outcome not in SOLVED or self.result_file(key).is_file()
        }

    def _end_torn_line(self) -> None:
        if self._journal.tell() == 0:
            return
        with (self.folder / JOURNAL).open("rb") as file:
            file.seek(-1, os.SEEK_END)
            torn = file.read(1) != b"\n"
        if torn:
            self._journal.write(b"\n")

    def adopt(self, key: str) -> Record | None:
        """Return a result that a worker wrote and no journal line names, and journal it."""
        path = self.result_file(key)
        if not path.is_file():
            return None
        try:
            record, _ = unpacked(path.read_bytes())
        except (OSError, ValueError, EOFError, TypeError):
            path.unlink(missing_ok=True)
            return None
        self._append(record)
        return record

    def add(self, record: Record, data: bytes | None) -> None:
        """Keep one outcome: the result file first if a worker has not written it, then the line."""
        if data is not None and not self.result_file(record.key).is_file():
            write_whole(self.result_file(record.key), data)
        self._append(record)

    def _append(self, record: Record) -> None:
        line = json.dumps({"schema": SCHEMA, **asdict(record)}, separators=(",", ":"))
        self._journal.write(line.encode() + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self.records[record.key] = record

    def forget(self, key: str) -> None:
        """Drop a failure, so that its instance is tried again."""
        self.records.pop(key, None)

    def solution(self, key: str) -> Solution | None:
        """Return the solution of a key, None if it has none."""
        path = self.result_file(key)
        if not path.is_file():
            return None
        _, body = unpacked(path.read_bytes())
        document = json.loads(body)
        return None if document is None else validate(Solution, document, str(path))

    def close(self) -> None:
        """End writing; locks of instances are no longer needed."""
        for path in (self.folder / LOCKS).glob("*.lock"):
            path.unlink(missing_ok=True)
        self._journal.close()
        self._lock.close()


def _record(line: bytes) -> Record | None:
    """Return a journal line's record, None for a line cut off by a crash."""
    try:
        found = json.loads(line)
        if found.pop("schema", None) != SCHEMA:
            return None
        return Record(**found)
    except (ValueError, TypeError, AttributeError):
        return None


def _only_one(folder: Path) -> Any:
    """Hold a folder's lock until it is closed or the process ends."""
    file = (folder / LOCKS / "sweep").open("ab")
    if not take_lock(file, wait=False):
        file.close()
        raise UsageError(f"{folder}: another sweep is writing here; wait for it, or name another")
    return file


@contextlib.contextmanager
def key_lock(folder: Path, key: str) -> Iterator[None]:
    """Hold one instance of a sweep, so that no other worker solves it at the same time."""
    with (folder / LOCKS / f"{key}.lock").open("ab") as file:
        take_lock(file, wait=True)
        yield
