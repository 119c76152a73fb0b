"""Amounts, currencies and dates as people write them in English and Spanish."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

_SPACES = re.compile(r"[\s\u00a0\u202f\u2009'’]")
_AMOUNT = re.compile(r"\d[\d.,]*")
_GROUPED = {sign: re.compile(rf"\d{{1,3}}(?:{re.escape(sign)}\d{{3}})+") for sign in ".,"}
BARE_DOLLAR = "$"
"""Dollars or pesos of a country that is not named."""
_SYMBOLS: tuple[tuple[str, str], ...] = (
    ("us$", "USD"),
    ("u$s", "USD"),
    ("mx$", "MXN"),
    ("$", BARE_DOLLAR),
    ("€", "EUR"),
    ("£", "GBP"),
)
CURRENCIES = frozenset(
    ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "MXN", "ARS", "CLP", "COP", "PEN", "BRL", "CAD",
     "AUD", "INR", "KRW", "SEK", "NOK", "DKK", "PLN", "CZK", "SGD", "TWD", "AED", "SAR", "UYU")
)  # fmt: skip
_WORDS = {"dolares": "USD", "dollars": "USD", "euros": "EUR", "euro": "EUR"}
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_PARTS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_MONTH = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")
_NAMED = re.compile(r"(\d{1,2})(?:\s+de)?[\s-]+([a-z]{3,10})\.?(?:\s+del?)?,?[\s-]+(\d{4})")
_AMERICAN = re.compile(r"([a-z]{3,10})\.?\s+(\d{1,2}),?\s+(\d{4})")
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jan ene", "feb", "mar", "apr abr", "may", "jun", "jul", "aug ago", "sep set", "oct",
         "nov", "dec dic"), 1
    )
    for name in names.split()
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A sum of money; `ambiguous` where one separator before three digits could mean either."""

    value: float
    ambiguous: bool = False


def decimal_sign(text: str) -> str | None:
    """Return the decimal sign that an amount shows beyond doubt, None if it does not."""
    found = _AMOUNT.search(_SPACES.sub("", text[:200]))
    if found is None:
        return None
    digits = found[0]
    dot, comma = digits.rfind("."), digits.rfind(",")
    if dot >= 0 and comma >= 0:
        return "." if dot > comma else ","
    sign = "." if dot >= 0 else ","
    if digits.count(sign) > 1:
        return "," if sign == "." else "."
    if digits.count(sign) == 1 and len(digits.rsplit(sign, 1)[1]) != 3:
        return sign
    return None


def parse_amount(text: str, decimal: str | None) -> Amount | None:
    """Return an amount, None if the text is none.

    Parameters
    ----------
    decimal
        The sign that other amounts of the column show; without it, a single separator before
        three digits groups thousands, and the amount is marked ambiguous.
    """
    plain = _SPACES.sub("", text[:200])
    found = _AMOUNT.search(plain)
    if found is None or len(found[0]) > 30 or "-" in plain[: found.start()] or "%" in plain:
        return None
    if any(char.isdigit() for char in plain[found.end() :]) or plain.startswith("("):
        return None
    digits = found[0].rstrip(".,")
    own = decimal_sign(digits)
    ambiguous = own is None and any(sign in digits for sign in ".,")
    if ambiguous and digits.startswith("0"):
        own, ambiguous = ("." if "." in digits else ","), False
    sign = own or decimal
    if sign is None:
        sign = "," if "." in digits else "."
    else:
        ambiguous = ambiguous and decimal is None
    group = "," if sign == "." else "."
    whole, _, cents = digits.partition(sign)
    if group in cents or (group in whole and not _GROUPED[group].fullmatch(whole)):
        return None
    number = whole.replace(group, "") + (f".{cents}" if cents else "")
    try:
        return Amount(value=float(number), ambiguous=ambiguous)
    except ValueError:
        return None


def find_currency(text: str) -> str:
    """Return the currency that a text names by code, sign or word; empty if none, $ if bare."""
    lower = text[:200].lower()
    words: dict[str, str] = _WORDS
    for word in re.findall(r"[A-Za-z]{3,8}", text[:200]):
        if str(word).upper() in CURRENCIES:
            return str(word).upper()
        if words.get(word.lower()):
            return words[word.lower()]
    return next((code for sign, code in _SYMBOLS if sign in lower), "")


def parse_date(text: str, *, day_first: bool) -> str | None:
    """Return a date as ``YYYY-MM-DD``, ``YYYY-MM`` or ``YYYY``, None if the text is none."""
    plain = text.strip().lower()[:60]
    if _MONTH.fullmatch(plain):
        return plain
    found = _ISO.match(plain)
    if found:
        return _iso(int(found[1]), int(found[2]), int(found[3]))
    found = _PARTS.match(plain)
    if found:
        first, second, year = int(found[1]), int(found[2]), int(found[3])
        if second > 12 or (not day_first and first <= 12):
            first, second = second, first
        return _iso(year, second, first)
    found = _NAMED.match(plain)
    if found and found[2][:3] in _MONTHS:
        return _iso(int(found[3]), _MONTHS[found[2][:3]], int(found[1]))
    found = _AMERICAN.match(plain)
    if found and found[1][:3] in _MONTHS:
        return _iso(int(found[3]), _MONTHS[found[1][:3]], int(found[2]))
    return None


def date_is_ambiguous(text: str) -> bool:
    """Return whether day and month of a date could be swapped."""
    found = _PARTS.match(text.strip())
    return bool(found) and found is not None and int(found[1]) <= 12 and int(found[2]) <= 12


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return None
