"""Single lines of nccl-tests logs: data rows, rank lines, headers, whatever stands around them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_ROW = re.compile(r"(?<![\d.:])(\d{1,20})\s+(\d{1,20})\s+([a-z][a-z0-9_]{2,15})\s+(\S.*)$")
_TYPES = re.compile(
    r"u?int(8|16|32|64)?|char|half|float|double|float(16|32|64|8)|b?float16|bf16|fp?(8|16|32|64)"
    r"(_?e\dm\d\w*)?|f(8|16|32|64)(e\dm\d\w*)?|uint8|short|long"
)
_RANK_INSIDE = re.compile(r"\[\d{1,6}\]")
_RANK_LINE = re.compile(
    r"\bRank\s+(\d{1,7})\b.{0,200}?\bon\s+(\S{1,255})\s+device\s+(\d{1,4})\s+\[([^\]]{1,40})\]\s+(.{1,120})$"
)
_HEADER = re.compile(r"\b(size|bytes)\s+(count|N)\s+type\b")
_TEST = re.compile(
    r"\b(all_reduce|all_gather|reduce_scatter|broadcast|reduce|alltoall|sendrecv)_perf\b"
)
_VERSION = re.compile(r"NCCL version (\d+\.\d+(\.\d+)?)|compiled with NCCL (\d+\.\d+(\.\d+)?)")
_LIBRARY = re.compile(r"nccl-library=(\d{4,6})")
_NOT_A_VALUE = ("N/A", "n/a", "-")
MAX_LINE = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRow:
    """One data row as printed; times in the log's own unit."""

    size_bytes: int
    count: int
    redop: str
    root: int | None
    values: tuple[float | None, ...]
    """Time, algbw, busbw (and error) out of place, then the same in place; None if masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankLine:
    """One line of the rank list."""

    rank: int
    host: str
    device: int
    bus: str
    name: str


def _value(token: str) -> float | None:
    try:
        value = float(token)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _is_value(token: str) -> bool:
    return _value(token) is not None or token in _NOT_A_VALUE or set(token) <= set("X.x*#")


def parse_row(line: str) -> RawRow | None:
    """Return the data row in a line, None if there is none.

    Prefixes of launchers, a leading ``#`` and rank marks inside the row are passed over.
    """
    if len(line) > MAX_LINE or "NCCL INFO" in line or "NCCL WARN" in line:
        return None
    found = _ROW.search(_RANK_INSIDE.sub(" ", line))
    if found is None or not _TYPES.fullmatch(found[3]):
        return None
    tokens = found[4].split()
    redop = ""
    if tokens and re.fullmatch(r"[a-z]{3,10}", tokens[0]):
        redop = tokens.pop(0)
    root = None
    if tokens and tokens[0] in ("-1", "0"):
        root = int(tokens.pop(0))
    if len(tokens) < 3 or not all(_is_value(token) for token in tokens[:3]):
        return None
    return RawRow(
        size_bytes=int(found[1]),
        count=int(found[2]),
        redop=redop,
        root=root,
        values=tuple(_value(token) for token in tokens[:8]),
    )


def parse_rank(line: str) -> RankLine | None:
    """Return the entry of the rank list in a line, None if there is none."""
    if len(line) > MAX_LINE:
        return None
    found = _RANK_LINE.search(line.rstrip())
    if found is None:
        return None
    return RankLine(
        rank=int(found[1]), host=found[2], device=int(found[3]), bus=found[4], name=found[5].strip()
    )


def is_header(line: str) -> bool:
    """Return whether a line is the header of a table of rows."""
    return len(line) <= MAX_LINE and _HEADER.search(line) is not None


def tested_collective(line: str) -> str | None:
    """Return the collective that a line says is tested, None if it says nothing."""
    found = _TEST.search(line[:MAX_LINE])
    return None if found is None else found[1]


def library_version(line: str) -> str | None:
    """Return the version of NCCL that a line states, None if none."""
    line = line[:MAX_LINE]
    found = _VERSION.search(line)
    if found is not None:
        return found[1] or found[3]
    number = _LIBRARY.search(line)
    if number is None:
        return None
    value = int(number[1])
    if value >= 10000:
        return f"{value // 10000}.{value // 100 % 100}.{value % 100}"
    return f"{value // 1000}.{value // 100 % 10}.{value % 100}"
