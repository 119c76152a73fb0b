"""Cells of a row of measured steps, read strictly."""

from __future__ import annotations

import math


class UnmappedRowError(ValueError):
    """A row that cannot be mapped; the text is the reason."""


def number(row: dict[str, str], key: str, *, least: float = 0.0) -> float:
    """Return a number; a blank, malformed or too small cell is the reason not to map."""
    text = row.get(key, "")
    if not text:
        raise UnmappedRowError(f"{key} is blank")
    try:
        value = float(text)
    except ValueError:
        raise UnmappedRowError(f"{key} is no number") from None
    if not math.isfinite(value) or value < least:
        raise UnmappedRowError(f"{key} is below {least:g} or not finite")
    return value


def optional(row: dict[str, str], key: str, default: float) -> float:
    """Return a number, the default where the cell is blank."""
    return number(row, key) if row.get(key, "") else float(default)


def integer(row: dict[str, str], key: str) -> int:
    """Return a positive whole number."""
    value = number(row, key, least=1.0)
    if value != int(value):
        raise UnmappedRowError(f"{key} is no whole number")
    return int(value)


def flag(row: dict[str, str], key: str, *, default: bool = False) -> bool:
    """Return a truth value, the default where the cell is blank."""
    text = row.get(key, "").lower()
    return text in ("true", "1", "yes") if text else default


def choice(row: dict[str, str], key: str, known: tuple[str, ...], default: str) -> str:
    """Return one of some names, the default where the cell is blank."""
    text = row.get(key, "").lower() or default
    if text not in known:
        raise UnmappedRowError(f"{key} {text[:30]!r} is not modelled")
    return text
