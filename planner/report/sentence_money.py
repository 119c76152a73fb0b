"""Amounts inside the program's sentences, which are in US dollars, in the report's currency."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.report.notation import Notation

_SWAP = str.maketrans(",.", ".,")
_FIGURE = r"[+-]?\d(?:[\d.,]*\d)?"
_AMOUNT = re.compile(rf"(?<![\w.,])({_FIGURE})([ \u00a0])USD(?![\w/])")
_LIST = re.compile(r"(.*\b(?:in|en) )USD(: )(.*)", re.DOTALL)
_CHANGE = re.compile(r"(?<![\w.,])[+-]\d(?:[\d.,]*\d)?")


def in_currency(text: str, n: Notation) -> str:
    """Return a sentence with its amounts in the report's currency.

    Amounts are numbers before ``USD`` and the changes of a list that says it is in USD. A text
    that is nothing but an amount states an input as it was given and stays.
    """
    if "USD" not in text or (n.currency == "USD" and n.usd_per_unit == 1):
        return text
    if _AMOUNT.fullmatch(text):
        return text
    if (match := _LIST.fullmatch(text)) is not None:
        changes = _CHANGE.sub(lambda m: _converted(m[0], n), match[3])
        return f"{match[1]}{n.currency}{match[2]}{changes}"
    return _AMOUNT.sub(lambda m: f"{_converted(m[1], n)}{m[2]}{n.currency}", text)


def _converted(figure: str, n: Notation) -> str:
    """Return a figure converted, with the decimals and the sign it had."""
    plain = figure.translate(_SWAP) if n.lang == "es" else figure
    digits = len(plain.partition(".")[2])
    sign = "+" if figure.startswith("+") else ""
    return sign + n.amount(float(plain.replace(",", "")), digits)
