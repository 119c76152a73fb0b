"""What an importer hands back: documents, what was understood, what is doubtful, what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.domain.errors import Fault, InputError

MAX_NOTES = 100
DECIMAL_COMMA = re.compile(r"^(\d+),(\d{1,2}|\d{4,})$")
"""1,08 is a number in half of Europe; 1,080 may be a thousand and is not guessed."""
"""Notes of one kind that are kept; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Something that the file does not say, and the key that would."""

    what: str
    key: str
    """As ``--set`` takes it, or a key of the file."""

    def __str__(self) -> str:
        """Return it as one clause."""
        return f"{self.what}: give it with --set {self.key}=..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of reading one foreign file."""

    kind: str
    documents: Mapping[str, Mapping[str, Any]]
    """JSON documents by file name; the first is the answer, the others lie beside it."""
    facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def document(self) -> Mapping[str, Any]:
        """The answer."""
        return next(iter(self.documents.values()))


@dataclass(slots=True)
class Notes:
    """Collects what is said beside the documents; repeats and floods are cut."""

    facts: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    def warn(self, sentence: str) -> None:
        """Keep a warning once."""
        _keep(self.warnings, sentence)

    def fact(self, sentence: str) -> None:
        """Keep a fact once."""
        _keep(self.facts, sentence)

    def lack(self, what: str, key: str) -> None:
        """Keep something missing once."""
        entry = Missing(what=what, key=key)
        if entry not in self.missing:
            self.missing.append(entry)

    def imported(self, kind: str, documents: Mapping[str, Mapping[str, Any]]) -> Imported:
        """Return the result with everything noted."""
        return Imported(
            kind=kind,
            documents=documents,
            facts=tuple(self.facts),
            warnings=tuple(self.warnings),
            missing=tuple(self.missing),
        )


def _keep(notes: list[str], sentence: str) -> None:
    if sentence in notes:
        return
    if len(notes) < MAX_NOTES:
        notes.append(sentence)
    elif len(notes) == MAX_NOTES:
        notes.append(f"more than {MAX_NOTES} notes of this kind; the others are left out")


class Given:
    """Values that the user adds on the command line, each used once or refused as unknown."""

    __slots__ = ("_seen", "_values")

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})
        self._seen: set[str] = set()

    @classmethod
    def parse(cls, pairs: Iterable[str]) -> Given:
        """Return the values of ``KEY=VALUE`` arguments.

        Raises
        ------
        InputError
            If an argument has no equals sign or a key stands twice.
        """
        values: dict[str, str] = {}
        for pair in pairs:
            key, sign, value = pair.partition("=")
            if not sign or not key.strip():
                fault = Fault(pair[:60], "is no KEY=VALUE", "write for example world_size=64")
                raise InputError("--set", [fault])
            if key.strip() in values:
                raise InputError("--set", [Fault(key.strip()[:60], "stands twice", "keep one")])
            values[key.strip()] = value.strip()
        return cls(values)

    def text(self, key: str) -> str | None:
        """Return a value as text, None if not given."""
        self._seen.add(key)
        return self._values.get(key)

    def number(self, key: str, low: float = 0.0, high: float = 1e18) -> float | None:
        """Return a value as a number from `low` to `high`, None if not given.

        Raises
        ------
        InputError
            If it is no number or out of range.
        """
        value = self.text(key)
        if value is None:
            return None
        try:
            number = float(DECIMAL_COMMA.sub(r"\1.\2", value.replace("_", "")))
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            right = f"give a number from {low:g} to {high:g}"
            raise InputError("--set", [Fault(key, f"{value[:40]!r} is not usable", right)])
        return number

    def count(self, key: str, high: float = 1e7) -> int | None:
        """Return a value as a whole number of at least 1; raises InputError as `number`."""
        value = self.number(key, 1, high)
        if value is None:
            return None
        if value != int(value):
            raise InputError("--set", [Fault(key, f"{value:g} is not a whole number")])
        return int(value)

    def everything(self) -> Mapping[str, str]:
        """Return all values, for a reader that takes any key."""
        self._seen.update(self._values)
        return self._values

    def accept(self, *keys: str) -> None:
        """Take keys as known even where this file does not need them."""
        self._seen.update(keys)

    def check_used(self, kind: str) -> None:
        """Raise InputError for keys that the importer of this kind never asks for."""
        faults = [
            Fault(
                key[:60],
                f"is no key of {kind}",
                f"known keys: {', '.join(sorted(self._seen)) or 'none'}",
            )
            for key in self._values
            if key not in self._seen
        ]
        if faults:
            raise InputError("--set", faults)
