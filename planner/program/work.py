"""A limit of work of one search: unlike time, it gives the same answer on every machine."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class _Done(Protocol):
    numbers: int
    """Numbers of servers that were opened."""
    evaluated: int
    """Columns whose step times were computed."""


class _Next(Protocol):
    @property
    def column(self) -> object | None: ...
    @property
    def cabled(self) -> bool: ...


class Work(NamedTuple):
    """What a search may do at most."""

    numbers: int
    """Numbers of servers to open."""
    columns: int
    """Columns to time and place; 0 for a bound alone."""

    def spent(self, done: _Done, entry: _Next) -> bool:
        """Return whether opening an entry would go beyond the limit."""
        if entry.column is None:
            return done.numbers >= self.numbers
        return entry.cabled and done.evaluated >= self.columns
