"""The report's phrases in each language."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from planner.domain.errors import UsageError

LANGUAGES = ("en", "es")
_FOLDER = Path(__file__).with_name("phrases")


class Words:
    """Phrases of one language, looked up by key."""

    __slots__ = ("_phrases", "lang")

    def __init__(self, lang: str, phrases: dict[str, str]) -> None:
        self.lang = lang
        self._phrases = phrases

    def __call__(self, key: str, **values: object) -> str:
        """Return the phrase of a key, its ``{placeholders}`` filled."""
        phrase = self._phrases[key]
        return phrase.format(**values) if values else phrase

    def count(self, key: str, number: int, shown: str | None = None) -> str:
        """Return the singular or plural phrase of a key, ``{n}`` filled."""
        form = "one" if number == 1 else "other"
        return self._phrases[f"{key}.{form}"].format(n=shown if shown is not None else number)

    def label(self, group: str, code: str) -> str:
        """Return the label of a code such as a component or a part of the step time.

        A code that has no phrase shows itself, so that a new one is never lost.
        """
        found = self._phrases.get(f"{group}.{code.casefold()}")
        return found if found is not None else code.replace("_", " ")

    def said(self, text: str) -> str:
        """Return a sentence of the program in this language; one it does not know as it is.

        The program speaks English. "X of Y" is looked up as "X of", so that names pass unchanged.
        """
        found = self._phrases.get(f"said.{text.casefold()}")
        if found is not None:
            return found
        head, middle, tail = text.partition(" of ")
        pattern = self._phrases.get(f"said.{head.casefold()} of") if middle else None
        return pattern.format(tail) if pattern is not None else text

    def names(self) -> frozenset[str]:
        """Return all keys."""
        return frozenset(self._phrases)


@lru_cache(maxsize=len(LANGUAGES))
def words(lang: str) -> Words:
    """Return the phrases of a language.

    Raises
    ------
    UsageError
        If the language is not one of `LANGUAGES`.
    """
    if lang not in LANGUAGES:
        raise UsageError(f"no report in language {lang!r}; choose one of {', '.join(LANGUAGES)}")
    return Words(lang, json.loads((_FOLDER / f"{lang}.json").read_text(encoding="utf-8")))
