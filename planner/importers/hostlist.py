"""Hostlists as Slurm and others write them: ``node[01-04,10]``, ``rack[1-2]n[1-8]``, lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from planner.importers.source import Source

MAX_HOSTS = 200_000
_RANGE = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


def expand_hostlist(text: str, source: Source) -> list[str]:
    """Return the names that a hostlist means, in order.

    Raises
    ------
    InputError
        If brackets do not match, a range is none, or there are more than `MAX_HOSTS` names.
    """
    names: list[str] = []
    for part in _parts(text, source):
        names += _expand(part, MAX_HOSTS - len(names), source)
    return names


def _parts(text: str, source: Source) -> Iterator[str]:
    """Yield the members of a list whose commas may also stand inside brackets."""
    start, inside = 0, False
    for place, char in enumerate(text):
        if char == "[":
            if inside:
                raise _broken(text, source)
            inside = True
        elif char == "]":
            if not inside:
                raise _broken(text, source)
            inside = False
        elif char == "," and not inside:
            if text[start:place].strip():
                yield text[start:place].strip()
            start = place + 1
    if inside:
        raise _broken(text, source)
    if text[start:].strip():
        yield text[start:].strip()


def _broken(text: str, source: Source) -> Exception:
    return source.refuse(f"{text[:60]!r} is no hostlist", "write node[01-04,10]", "hostlist")


def _expand(part: str, room: int, source: Source) -> list[str]:
    pieces = _BRACKETS.split(part)
    if len(pieces) > 11:
        raise _broken(part, source)
    choices: list[list[str]] = []
    size = 1
    for place, piece in enumerate(pieces):
        values = [piece] if place % 2 == 0 else _numbers(piece, room, source)
        size *= len(values)
        if size > room:
            raise source.refuse(f"names more than {MAX_HOSTS:,} hosts", where="hostlist")
        choices.append(values)
    return ["".join(letters) for letters in product(*choices)]


def _numbers(text: str, room: int, source: Source) -> list[str]:
    values: list[str] = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        if found is None:
            raise _broken(f"[{text}]", source)
        first, last = found[1], found[2] or found[1]
        if int(last) < int(first) or int(last) - int(first) >= room:
            raise _broken(f"[{text}]", source)
        width = len(first) if first.startswith("0") or len(first) == len(last) else 0
        values += [str(number).zfill(width) for number in range(int(first), int(last) + 1)]
    return values
