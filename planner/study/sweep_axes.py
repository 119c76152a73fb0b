"""What a sweep varies: ``KEY=VALUES`` texts, and a document with one value at a JSON path."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from planner.domain.errors import InputError, UsageError
from planner.domain.json_file import parse_json

INSTANCE = "instance"
"""The key whose values are instance files, each in place of the swept one."""
MAX_VALUES = 1_000_000
_STEP = re.compile(r"(\.?[A-Za-z_$][\w$-]*)|\[(\d+)\]|\[\*\]|\[(\"[^\"]*\"|[^\]\d*\"][^\]\"]*)\]")
Path = tuple[str | int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One key and the values that it takes."""

    key: str
    values: tuple[Any, ...]


def parse_axis(text: str) -> Axis:
    """Return the axis that ``KEY=VALUES`` states.

    VALUES is a list of JSON values (``1,2.5,null,{"racks": 4}``), where a bare word stands for
    itself, or a range with both ends: ``START:STOP:STEP``, or ``START:STOP:xFACTOR`` to multiply.

    Raises
    ------
    UsageError
        If the text has no key or no values, or the range does not lead from start to stop.
    """
    key, sign, values = text.partition("=")
    key = key.strip()
    if not sign or not key or not values.strip():
        raise UsageError(f"--vary {text!r}: write KEY=VALUES, for instance site.racks=2,4,8")
    if key != INSTANCE:
        parse_path(key)
    found = _range(values.strip()) or _listed(values)
    if len({json.dumps(value, sort_keys=True) for value in found}) < len(found):
        raise UsageError(f"--vary {key}: a value stands twice")
    return Axis(key=key, values=tuple(found))


def _listed(values: str) -> list[Any]:
    try:
        whole = parse_json(f"[{values}]", "--vary")
    except InputError:
        return [_value(part.strip()) for part in values.split(",")]
    return list(whole)


def _value(text: str) -> Any:
    if not text:
        raise UsageError("--vary: an empty value; quote it or leave the comma out")
    try:
        return parse_json(text, "--vary")
    except InputError:
        return text


def _range(text: str) -> list[Any]:
    parts = text.split(":")
    if len(parts) != 3:
        return []
    factor = parts[2].startswith("x")
    try:
        start, stop, step = (Decimal(p) for p in (*parts[:2], parts[2].removeprefix("x")))
    except InvalidOperation:
        return []
    if not all(d.is_finite() for d in (start, stop, step)):
        raise UsageError(f"--vary range {text}: the numbers must be finite")
    ends = (factor and step > 1 and 0 < start <= stop) or (
        not factor and step != 0 and (stop - start) / step >= 0
    )
    if not ends:
        raise UsageError(f"--vary range {text} does not lead from {start} to {stop}")
    values: list[Any] = []
    value = start
    while (value <= stop) if (factor or step > 0) else (value >= stop):
        if len(values) == MAX_VALUES:
            raise UsageError(f"--vary range {text} has more than {MAX_VALUES:,} values")
        values.append(int(value) if value == value.to_integral_value() else float(value))
        value = value * step if factor else value + step
    return values


def parse_path(key: str) -> Path:
    """Return a JSON path's parts: names, list places, and None for every entry (``[*]``).

    ``workloads[0].network``, ``workloads[pretrain].step_time_s``, ``quotes["hgx-h100-8"].usd``.

    Raises
    ------
    UsageError
        If the key is not such a path.
    """
    text = key.removeprefix("$.")
    parts: list[str | int | None] = []
    place = 0
    while place < len(text):
        found = _STEP.match(text, place)
        dotted = found is not None and found.group(1) is not None
        if found is None or (dotted and (place == 0) == found.group(1).startswith(".")):
            raise UsageError(f"--vary {key}: not a path such as workloads[0].step_time_s")
        name, number, inner = found.groups()
        if name is not None:
            parts.append(name.removeprefix("."))
        elif number is not None:
            parts.append(int(number))
        else:
            parts.append(None if inner is None else inner.strip('"'))
        place = found.end()
    if not parts or not isinstance(parts[0], str):
        raise UsageError(f"--vary {key}: begin with a key of the instance")
    return tuple(parts)


def with_value(document: Any, path: Sequence[str | int | None], value: Any, key: str) -> Any:
    """Return a copy of a JSON document with one value replaced; absent objects are made.

    Raises
    ------
    UsageError
        If the path leads through something that is no object or list, or past a list's end.
    """
    if not path:
        return value
    part, rest = path[0], path[1:]
    if isinstance(document, list):
        places = _places(document, part, key)
        return [
            with_value(entry, rest, value, key) if place in places else entry
            for place, entry in enumerate(document)
        ]
    if document is None:
        document = {}
    if not isinstance(document, dict) or not isinstance(part, str):
        raise UsageError(f"--vary {key}: {json.dumps(part)} is not inside an object")
    return {**document, part: with_value(document.get(part), rest, value, key)}


def _places(entries: list[Any], part: str | int | None, key: str) -> set[int]:
    """Return which entries of a list a part of a path means: a place, a name or all."""
    if part is None:
        return set(range(len(entries)))
    if isinstance(part, int):
        if part >= len(entries):
            raise UsageError(f"--vary {key}: [{part}] is past the last of {len(entries)} entries")
        return {part}
    found = {i for i, e in enumerate(entries) if isinstance(e, dict) and e.get("name") == part}
    if not found:
        raise UsageError(f"--vary {key}: no entry is named {part!r}")
    return found
