"""Names that are safe in every output (CSV, XLSX, HTML, DAX, file names) by construction."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, StringConstraints, WithJsonSchema

NAME_SIGNS = " ._/+-"
"""What a name may hold beside letters and digits of any language."""
NAME_LENGTH = 80
MOST_MARKS = 3
"""Accents in a row on one letter; more are drawn over other lines."""
NAME_RULE = (
    "is not a name; begin with a letter or digit, then letters, digits, space and ._/+- only"
)
NAME_SHAPE = (
    r"^[^\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9]"
    r"[^\u0000-\u001f\u0021-\u002a\u002c\u003a-\u0040\u005b-\u005e\u0060\u007b-\u00a9"
    r"\u2000-\u206f\ufe00-\ufe0f\ufeff]*$"
)
"""What an editor checks: the signs that are refused below, as every dialect of patterns reads them."""
INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
"""Letters and marks that show nothing: Unicode's default ignorable ones that are no controls."""

FOLDER_BYTES = 120
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that Windows keeps for devices, with any ending."""


def name_of(text: str) -> str:
    """Return a name in Unicode's composed form, in which equal names are equal texts.

    Letters, accents and digits of any language may stand in it. Control characters, marks that turn
    the direction of writing, invisible letters and symbols may not, so that what is shown is what
    is there, and no output needs to repair a name.

    Raises
    ------
    ValueError
        If it is no name.
    """
    name = unicodedata.normalize("NFC", text).rstrip(" ")
    if not 1 <= len(name) <= NAME_LENGTH:
        raise ValueError(f"is not a name; give 1 to {NAME_LENGTH} characters")
    if not _letter_or_digit(name[0]):
        raise ValueError(NAME_RULE)
    marks = 0
    for char in name:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Mc") else 0
        if marks > MOST_MARKS or not (marks or _letter_or_digit(char) or char in NAME_SIGNS):
            raise ValueError(NAME_RULE)
        if char in INVISIBLE:
            raise ValueError(NAME_RULE)
    return name


def _letter_or_digit(char: str) -> bool:
    return unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")


def folder_name(name: str) -> str:
    """Return a name as one folder: no separators, no dots ahead, none that a system reserves.

    Long names are cut to what every file system takes and told apart by a hash.
    """
    kept = "".join(
        c if c.isalnum() or unicodedata.combining(c) or c in "._+-" else "-" for c in name
    )
    kept = kept.strip(".-")
    if _RESERVED.fullmatch(kept):
        kept = f"report-{kept}"
    data = kept.encode()
    if len(data) > FOLDER_BYTES:
        ending = hashlib.sha256(data).hexdigest()[:8]
        kept = f"{data[: FOLDER_BYTES - 9].decode(errors='ignore').rstrip('.-')}-{ending}"
    return kept or "report"


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=4 * NAME_LENGTH),
    AfterValidator(name_of),
    WithJsonSchema(
        {"type": "string", "minLength": 1, "maxLength": NAME_LENGTH, "pattern": NAME_SHAPE}
    ),
]
"""A name: begins with a letter or digit; letters, digits, space and ``._/+-`` only."""

Prose = Annotated[str, StringConstraints(max_length=4000)]
"""Free text, escaped where it is shown."""
