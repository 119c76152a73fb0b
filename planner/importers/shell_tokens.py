"""Splitting a shell script into words and operators, without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from planner.importers.source import Source

MAX_TOKENS = 200_000
_BREAKS = frozenset(";\n&|()<>")
_HERE = re.compile(r"<<-?\s{0,5}['\"\\]?([A-Za-z_]\w{0,60})['\"]?")
_CLOSERS = {"(": ")", "{": "}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word as written (quotes and dollars kept), an operator, or an array being assigned."""

    text: str
    operator: bool = False
    array: tuple[str, ...] | None = field(default=None)
    """Words of ``NAME=( ... )``; `text` is then ``NAME=`` or ``NAME+=``."""


def here_documents(source: Source) -> tuple[str, list[str]]:
    """Return the script without the texts that it writes (``<<EOT``), and these texts."""
    kept: list[str] = []
    bodies: list[str] = []
    body: list[str] = []
    mark = ""
    for line in source.text.replace("\r\n", "\n").split("\n"):
        if mark:
            if line.strip() == mark:
                bodies.append("\n".join(body))
                mark, body = "", []
            else:
                body.append(line)
            continue
        kept.append(line)
        found = None if line.lstrip().startswith("#") else _HERE.search(line)
        mark = found[1] if found else ""
    if mark:
        kept += body
    return "\n".join(kept), bodies


def tokens(source: Source) -> Iterator[Token]:
    """Yield the tokens of a script; comments are left out.

    Raises
    ------
    InputError
        If the script has more than `MAX_TOKENS` words.
    """
    text = here_documents(source)[0].replace("\\\n", " ")
    place, count = 0, 0
    while place < len(text):
        count += 1
        if count > MAX_TOKENS:
            raise source.refuse(f"has more than {MAX_TOKENS:,} words", "give the launch script")
        char = text[place]
        if char in " \t\r":
            place += 1
        elif char == "#":
            place = _line_end(text, place)
        elif char in _BREAKS:
            yield Token(text=char, operator=True)
            place += 1
        else:
            word, place = _word(text, place)
            if word.endswith("=") and place < len(text) and text[place] == "(":
                words, place = _array(text, place + 1)
                yield Token(text=word, array=words)
            else:
                yield Token(text=word)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _array(text: str, place: int) -> tuple[tuple[str, ...], int]:
    """Return the words up to the closing parenthesis and the place after it."""
    words: list[str] = []
    while place < len(text) and len(words) < MAX_TOKENS:
        char = text[place]
        if char == ")":
            return tuple(words), place + 1
        if char in " \t\r\n":
            place += 1
        elif char == "#":
            place = _line_end(text, place)
        elif char in _BREAKS:
            place += 1
        else:
            word, place = _word(text, place)
            words.append(word)
    return tuple(words), place


def _word(text: str, place: int) -> tuple[str, int]:
    """Return the word that begins here and the place after it."""
    start = place
    while place < len(text):
        char = text[place]
        if char in " \t\r" or char in _BREAKS:
            break
        place = _skip(text, place)
    return text[start : max(place, start + 1)], max(place, start + 1)


def _skip(text: str, place: int) -> int:
    """Return the place after one character, quotation or expansion."""
    char = text[place]
    if char == "\\":
        return place + 2
    if char == "'":
        end = text.find("'", place + 1)
        return len(text) if end < 0 else end + 1
    if char == '"':
        return _quoted(text, place)
    if char == "`":
        end = text.find("`", place + 1)
        return len(text) if end < 0 else end + 1
    if char == "$" and place + 1 < len(text) and text[place + 1] in _CLOSERS:
        return _nested(text, place + 1)
    return place + 1


def _quoted(text: str, place: int) -> int:
    place += 1
    while place < len(text):
        char = text[place]
        if char == "\\":
            place += 2
        elif char == '"':
            return place + 1
        elif char == "$" and place + 1 < len(text) and text[place + 1] in _CLOSERS:
            place = _nested(text, place + 1)
        else:
            place += 1
    return place


def _nested(text: str, place: int) -> int:
    """Return the place after a bracket that may hold others of its kind."""
    opener, closer, depth = text[place], _CLOSERS[text[place]], 0
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == opener:
            depth += 1
        elif text[place] == closer:
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return place
