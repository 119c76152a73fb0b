"""Strict JSON: no NaN, no duplicate keys, a size cap, faults named instead of tracebacks."""

from __future__ import annotations

import difflib
import json
import math
import re
import unicodedata
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from planner.domain.errors import Fault, InputError
from planner.domain.plain_messages import plain_message

MAX_BYTES = 10 * 1024 * 1024
MAX_DEPTH = 60

Model = TypeVar("Model", bound=BaseModel)


class _JsonFaultError(ValueError):
    """A fault found while parsing."""


def _refuse_constant(name: str) -> NoReturn:
    raise _JsonFaultError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _JsonFaultError(f"number {text[:20]} is too large")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if len({unicodedata.normalize("NFC", key) for key, _ in pairs}) == len(pairs):
        return dict(pairs)
    for name, value in pairs:
        key = unicodedata.normalize("NFC", name)
        if key in result:
            raise _JsonFaultError(f"key {key[:60]!r} stands twice in one object")
        result[key] = value
    return result


def _integer(text: str) -> int:
    if len(text) > 40:
        raise _JsonFaultError(f"integer with {len(text)} digits is too large")
    return int(text)


def _depth_within(text: str) -> bool:
    depth = 0
    inside = False
    escaped = False
    for char in text:
        if inside:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return False
        elif char in "]}":
            depth -= 1
    return True


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return a text file's content.

    Raises
    ------
    InputError
        If the file is missing, unreadable, larger than `max_bytes` or not UTF-8.
    """
    try:
        if path.is_dir():
            raise InputError(str(path), [Fault("$", "this is a folder", "name a file")])
        size = path.stat().st_size
        if size > max_bytes:
            limit = f"at most {max_bytes // 1024} KiB are read"
            raise InputError(str(path), [Fault("$", f"the file has {size // 1024} KiB", limit)])
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise InputError(str(path), [Fault("$", reason)]) from None
    except (UnicodeDecodeError, ValueError):
        raise InputError(str(path), [Fault("$", "the file is not UTF-8 text")]) from None


def parse_json(text: str, file: str) -> Any:
    """Return the parsed document.

    Raises
    ------
    InputError
        If the text is no strict JSON: syntax, NaN, duplicate keys, nesting over 60 levels.
    """
    if not text.strip():
        raise InputError(file, [Fault("$", "the file is empty", "write one JSON object in {}")])
    if not _depth_within(text):
        raise InputError(file, [Fault("$", f"nested deeper than {MAX_DEPTH} levels")])
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_integer,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(file, [Fault(where, error.msg)]) from None
    except (_JsonFaultError, RecursionError) as error:
        raise InputError(file, [Fault("$", str(error))]) from None


_WAY = re.compile(r"(?:constrained-)?(?:int|str|float|bool)|list\[.*\]")
"""What the validator adds to a location where a field takes one value or a list of them."""


def _path(location: tuple[int | str, ...]) -> str:
    text = "$"
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text


def _fields(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Return the field names of the object that holds the last part of a location."""
    current: Any = model
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        found = getattr(current, "model_fields", {}).get(part)
        if found is None:
            return []
        current = _model_inside(found.annotation)
    return sorted(getattr(current, "model_fields", {}))


def _model_inside(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        inner = _model_inside(argument)
        if inner is not None:
            return inner
    return None


def _of_other_way(error: ErrorDetails, data: Any) -> bool:
    """Return whether a fault is of a list where one value is given, or the other way round."""
    found = data
    for part in error["loc"]:
        if _WAY.fullmatch(str(part)):
            return str(part).startswith("list[") != isinstance(found, list)
        try:
            found = found[part]
        except (LookupError, TypeError):
            return False
    return False


def _fault(error: ErrorDetails, model: type[BaseModel]) -> Fault:
    location = tuple(part for part in error["loc"] if not _WAY.fullmatch(str(part)))
    where = _path(location)
    if error["type"] == "extra_forbidden":
        names = _fields(model, location)
        near = difflib.get_close_matches(str(location[-1]), names, n=1, cutoff=0.5)
        right = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(names)}"
        return Fault(where, f"unknown key {str(location[-1])[:60]!r}", right)
    if error["type"] == "missing":
        return Fault(where, "is missing", "add it")
    message = plain_message(error) or error["msg"].removeprefix("Value error, ")
    what, _, right = message.partition("; ")
    shown = repr(error["input"])
    if len(shown) <= 60 and not isinstance(error["input"], dict | list):
        what = f"{what} (got {shown})"
    return Fault(where, what[0].lower() + what[1:], right)


def validate(model: type[Model], data: Any, file: str) -> Model:
    """Return `data` as `model`.

    Raises
    ------
    InputError
        With every fault: the JSON path, what is wrong, what would be right.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        items = error.errors(include_url=False)
        kept = [item for item in items if not _of_other_way(item, data)] or items
        faults = [_fault(item, model) for item in kept]
        raise InputError(file, faults) from None


def read_json(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return a file's strict JSON document; raises InputError as `read_text` and `parse_json`."""
    return parse_json(read_text(path, max_bytes), str(path))
