"""Sentences of the program in the reader's language, found by their template.

The solution holds English sentences, made of fixed words and parameters. `sentences_<lang>.json`
maps each template to its translation, as message catalogues do: parameters are `{0}`, `{1}` (any
text) or `{0:d}` (digits). A sentence is matched against the templates, the most specific first;
its parameters are translated by the same rules, names pass unchanged and numbers are written the
reader's way. A test reads every template out of the code that makes them, so that a new sentence
without a translation fails it.
"""

from __future__ import annotations

import json
import re
import string
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?( ?%)?")
_UNIT = re.compile(
    r"(\S+) (s|h|m|km|kg|t|U|W|kW|MW|kWh|MWh|GB|TB|GiB|Gb/s|GB/s|USD|EUR|USD/kWh|USD/m|%)"
)
_COUNT = re.compile(r"([\d,]+) x (.+)")
_CHANGE = re.compile(r"(.+?) ([+-]?[\d,.]+%?)")
_DAY = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
_CODE = re.compile(r"([a-z_]+): (.+)", re.DOTALL)
_SEPARATORS = ("; ", ", ", " + ", ": ")
_SWAP = str.maketrans(",.", ".,")
NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One template and its translation."""

    pattern: re.Pattern[str]
    fields: list[str]
    """Names of the groups in order."""
    anchor: str
    """Longest fixed stretch; a text without it cannot match."""
    fixed: int
    """Characters that are not parameters."""
    translation: str


class Sentences:
    """The sentences of one language."""

    __slots__ = ("_fixed", "_templates")

    def __init__(self, catalogue: dict[str, str]) -> None:
        self._fixed = {key.casefold(): value for key, value in catalogue.items() if "{" not in key}
        made = [_template(key, value) for key, value in catalogue.items() if "{" in key]
        self._templates = sorted(made, key=lambda t: -t.fixed)

    def translate(self, text: str) -> str | None:
        """Return the sentence in this language, None where nothing of it is known."""
        core = text.strip()
        if not core:
            return None
        found = self._whole(core) or self._split(core)
        return found and text.replace(core, found, 1)

    def quoted(self, text: str) -> str | None:
        """Return a source in this language, None for one that is quoted as it is."""
        return self._fixed.get(text.strip().casefold())

    def said(self, text: str) -> str:
        """Return the sentence in this language, itself where nothing of it is known."""
        return self.translate(text) or text

    def _whole(self, text: str) -> str | None:
        fixed = self._fixed.get(text.casefold())
        if fixed is not None:
            return fixed
        figure = number_text(text)
        if figure is not None:
            return figure
        if (match := _COUNT.fullmatch(text)) and (count := number_text(match[1])):
            return f"{count} x {self.said(match[2])}"
        for template in self._templates:
            if template.anchor in text and (match := template.pattern.fullmatch(text)):
                values = [self.said(match[name]) for name in template.fields]
                return template.translation.format(*values)
        return None

    def _split(self, text: str) -> str | None:
        """Translate a list, a limit with its reason, or a thing with a figure, part by part."""
        if text.endswith(".") and (rest := self.translate(text[:-1])):
            return f"{rest}."
        if (match := _CODE.fullmatch(text)) and (head := self._whole(match[1])):
            return f"{head}: {self.said(match[2])}"
        for separator in _SEPARATORS:
            if separator in text:
                parts = text.split(separator)
                said = [self.translate(part) for part in parts]
                if any(said):
                    pairs = zip(said, parts, strict=True)
                    return separator.join(new or old for new, old in pairs)
        if (match := _CHANGE.fullmatch(text)) and (figure := number_text(match[2])):
            head = self._whole(match[1])
            return f"{head} {figure}" if head else None
        return None


def number_text(text: str) -> str | None:
    """Return a number, with or without its unit, in Spanish notation; None for other texts."""
    if match := _NUMBER.fullmatch(text):
        digits = text.rstrip("% ")
        plain = f"{float(digits.replace(',', '')):,.0f}" if "e" in digits else digits
        return plain.translate(_SWAP) + (f"{NO_BREAK}%" if match[1] else "")
    if (match := _UNIT.fullmatch(text)) and (figure := number_text(match[1])):
        return f"{figure}{NO_BREAK}{match[2]}"
    return None


def day_text(text: str, lang: str) -> str:
    """Return an ISO date or month as the language writes it; other texts as they are."""
    match = _DAY.fullmatch(text)
    if match is None or lang == "en":
        return text
    year, month, day = match.groups()
    return f"{day}/{month}/{year}" if day else f"{month}/{year}"


@lru_cache(maxsize=4)
def sentences(lang: str) -> Sentences | None:
    """Return the sentences of a language, None for English, which the program speaks."""
    path = _FOLDER / f"sentences_{lang}.json"
    return Sentences(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


def _template(key: str, translation: str) -> Template:
    pieces, fields, anchor, fixed = [], [], "", 0
    for literal, name, spec, _ in string.Formatter().parse(key):
        pieces.append(re.escape(literal))
        anchor = max(anchor, literal, key=len)
        fixed += len(literal)
        if name is not None:
            fields.append(f"p{name}")
            pieces.append(f"(?P<p{name}>{r'[0-9,]+' if spec == 'd' else '.*?'})")
    ordered = sorted(fields, key=lambda field: int(field[1:]))
    return Template(
        pattern=re.compile("".join(pieces), re.DOTALL),
        fields=ordered,
        anchor=anchor,
        fixed=fixed,
        translation=translation,
    )
