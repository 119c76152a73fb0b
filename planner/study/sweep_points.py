"""The instances of a sweep: every combination of the axes' values, each validated and keyed."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from planner import __version__
from planner.domain.errors import Fault, InputError, UsageError
from planner.domain.instance import Instance, instance_path
from planner.domain.json_file import read_json, validate
from planner.domain.resources import data_root, find_data
from planner.study.sweep_axes import INSTANCE, Axis, parse_path, with_value

MAX_POINTS = 1_000_000
SHOWN_FAULTS = 20
READ_SUFFIXES = (".csv", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One instance of a sweep."""

    number: int
    """From 1, the last axis running fastest."""
    values: tuple[Any, ...]
    """One value an axis."""
    file: str
    """The instance file, absolute; its networks and tables are looked up beside it."""
    key: str
    """Hash of everything that decides the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to sweep; documents are made when asked for, so that thousands take no memory."""

    instance: str
    axes: tuple[Axis, ...]
    question: str
    """Text that names the options of the solves."""
    calibration: str = ""
    """Text of the calibration, if any."""

    def __len__(self) -> int:
        """Return the number of instances."""
        return math.prod(len(axis.values) for axis in self.axes)

    def document(self, values: Sequence[Any]) -> tuple[Any, str]:
        """Return the instance for one value an axis, and its file.

        Raises
        ------
        InputError, UsageError
            If the file cannot be read, or an axis leads nowhere in it.
        """
        chosen = dict(zip((axis.key for axis in self.axes), values, strict=True))
        name = chosen.pop(INSTANCE, self.instance)
        if not isinstance(name, str):
            raise UsageError(f"--vary {INSTANCE}: {json.dumps(name)} is not the name of a file")
        document, file = _read(name)
        for key, value in chosen.items():
            document = with_value(document, parse_path(key), value, key)
        return document, file

    def points(self) -> list[Point]:
        """Return every point, validated.

        Raises
        ------
        UsageError
            If two axes have one key, or there are more than a million points.
        InputError
            With the first faults of the varied instances.
        """
        keys = [axis.key for axis in self.axes]
        double = sorted({key for key in keys if keys.count(key) > 1})
        if double:
            raise UsageError(f"--vary {double[0]} is given twice; list all its values once")
        if len(self) > MAX_POINTS:
            raise UsageError(f"the axes make {len(self):,} instances, at most {MAX_POINTS:,}")
        faults: list[Fault] = []
        points = []
        for number, values in enumerate(itertools.product(*(a.values for a in self.axes)), 1):
            point, wrong = self._point(number, values)
            faults += wrong
            if point is not None:
                points.append(point)
        if faults:
            kept = list(dict.fromkeys(faults))
            more = [Fault("$", f"and {len(kept) - SHOWN_FAULTS} more faults")]
            raise InputError(
                self.instance, kept[:SHOWN_FAULTS] + (more if len(kept) > SHOWN_FAULTS else [])
            )
        return points

    def _point(self, number: int, values: tuple[Any, ...]) -> tuple[Point | None, list[Fault]]:
        document, file = self.document(values)
        try:
            instance = validate(Instance, document, file)
        except InputError as error:
            return None, [Fault(f.where, f.what, f.right) for f in error.faults]
        key = content_key(instance, Path(file), self.question, self.calibration)
        return Point(number=number, values=values, file=file, key=key), []


@lru_cache(maxsize=256)
def _read(name: str) -> tuple[Any, str]:
    path = instance_path(name)
    return read_json(path), str(path.absolute())


def content_key(instance: Instance, file: Path, question: str, calibration: str) -> str:
    """Return a hash of an instance, of every file that it rests on, of options and version."""
    text = hashlib.sha256()
    near = file.parent
    parts = [__version__, question, calibration, instance.model_dump_json(by_alias=True)]
    parts.append(_files(data_root() / "models" / "hardware"))
    if instance.catalog is not None:
        parts.append(_files(near / instance.catalog))
    for workload in instance.workloads:
        found = find_data("models/networks", workload.network, near=near)
        parts.append("" if found is None else _file(found))
    for part in parts:
        text.update(f"{len(part)}:".encode())
        text.update(part.encode())
    return text.hexdigest()[:32]


def _file(path: Path) -> str:
    try:
        state = path.stat()
        return _content(path, state.st_mtime_ns, state.st_size)
    except OSError:
        return "unreadable"


@lru_cache(maxsize=4096)
def _content(path: Path, changed_ns: int, size: int) -> str:
    del changed_ns, size  # a file that changes is read again
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(folder: Path) -> str:
    return "".join(
        f"{path.name}={_file(path)};"
        for path in sorted(folder.glob("*"))
        if path.suffix in READ_SUFFIXES
    )
