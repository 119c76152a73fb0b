"""What a field may hold, in a buyer's words instead of a validator's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

OBJECT = "must be an object; write its keys in braces {}"
LIST = "must be a list; write it in brackets []"
NUMBER = "must be a number; write it without quotes"
WHOLE = "must be a whole number; write it without quotes and without a fraction"
BROKEN = "must be a whole number; write it without a fraction"
TEXT = "must be text; write it in quotes"
CHARACTERS = "holds half a character; write the text again"
TRUTH = "must be true or false; write it without quotes"
BY_TYPE = {
    "dict_type": OBJECT, "model_type": OBJECT, "model_attributes_type": OBJECT,
    "list_type": LIST, "tuple_type": LIST,
    "float_type": NUMBER, "float_parsing": NUMBER,
    "int_type": WHOLE, "int_parsing": WHOLE, "int_from_float": BROKEN,
    "string_type": TEXT, "string_unicode": CHARACTERS, "bool_type": TRUTH, "bool_parsing": TRUTH,
}  # fmt: skip
BY_PATTERN = {
    r"^[A-Z]{3}$": "is not a currency; write three capital letters such as EUR",
}
PATTERN = "is not written as this key needs it; `planner schema instance` describes it"


def plain_message(error: ErrorDetails) -> str | None:
    """Return what is wrong and what would be right, split by a semicolon; None to keep its own."""
    kind = error["type"]
    if kind == "string_pattern_mismatch":
        pattern = str(error.get("ctx", {}).get("pattern", ""))
        if r"\d{4}" in pattern:
            return "is not a date; write a year, a month or a day: 2026, 2026-09 or 2026-09-22"
        return BY_PATTERN.get(pattern, PATTERN)
    return BY_TYPE.get(kind)
