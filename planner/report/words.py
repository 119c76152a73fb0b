"""The report's phrases in each language."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from planner.domain.errors import UsageError
from planner.export.sentences import day_text, sentences
from planner.report.sentence_money import in_currency

if TYPE_CHECKING:
    from planner.report.notation import Notation

LANGUAGES = ("en", "es")
_FOLDER = Path(__file__).with_name("phrases")


class Words:
    """Phrases of one language, looked up by key."""

    __slots__ = ("_n", "_phrases", "lang")

    def __init__(self, lang: str, phrases: dict[str, str], n: Notation | None = None) -> None:
        self.lang = lang
        self._phrases = phrases
        self._n = n

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
        """Return a sentence of the program in this language, itself where it is not known.

        Its amounts are in the report's currency, if the words are those of a report.
        """
        known = sentences(self.lang)
        said = known.said(text) if known is not None else text
        return said if self._n is None else in_currency(said, self._n)

    def source(self, text: str) -> str:
        """Return a source: our own words in this language, a quoted title as it is."""
        known = sentences(self.lang)
        return (known.quoted(text) if known is not None else None) or text

    def foreign(self, text: str) -> bool:
        """Whether a source is quoted in English in a report of another language."""
        known = sentences(self.lang)
        return known is not None and known.quoted(text) is None

    def day(self, text: str) -> str:
        """Return an ISO date or month as this language writes it."""
        return day_text(text, self.lang)

    def names(self) -> frozenset[str]:
        """Return all keys."""
        return frozenset(self._phrases)


@lru_cache(maxsize=len(LANGUAGES))
def _phrases_of(lang: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((_FOLDER / f"{lang}.json").read_text(encoding="utf-8"))
    return found


def words(lang: str, n: Notation | None = None) -> Words:
    """Return the phrases of a language; with a notation, sentences speak its currency.

    Raises
    ------
    UsageError
        If the language is not one of `LANGUAGES`.
    """
    if lang not in LANGUAGES:
        raise UsageError(f"no report in language {lang!r}; choose one of {', '.join(LANGUAGES)}")
    return Words(lang, _phrases_of(lang), n)
