"""How numbers, money and dates are written in one language and currency."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from planner.domain.instance import Instance
from planner.domain.units import CENTS_PER_USD
from planner.report.plain import plain
from planner.report.words import Words

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SWAP = str.maketrans(",.", ".,")
NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """Writes figures; amounts of money come in US dollars and are converted once, here."""

    lang: str
    currency: str = "USD"
    usd_per_unit: float = 1.0

    def number(self, value: float, digits: int = 0) -> str:
        """Return a number with grouped thousands and so many decimals."""
        text = f"{value:,.{digits}f}"
        if text.strip("-0.,") == "":
            text = text.lstrip("-")
        return text.translate(_SWAP) if self.lang == "es" else text

    def short(self, value: float, digits: int = 3) -> str:
        """Return a number with at most so many decimals, none of them an idle zero."""
        text = f"{value:.{digits}f}"
        kept = len(text.rstrip("0").partition(".")[2]) if "." in text else 0
        return self.number(value, kept)

    def percent(self, share: float, digits: int = 1) -> str:
        """Return a share (1 is all) in percent."""
        text = self.number(share * 100, digits)
        return f"{text}{NO_BREAK}%" if self.lang == "es" else f"{text}%"

    def converted(self, usd: float) -> float:
        """Return an amount in the report's currency."""
        return usd / self.usd_per_unit

    def amount(self, usd: float, digits: int = 2) -> str:
        """Return an amount in the report's currency, without its code."""
        return self.number(self.converted(usd), digits)

    def shown(self, cents: int) -> str:
        """Return cents of the report's currency as an amount."""
        return self.number(cents / CENTS_PER_USD, 2)

    def money(self, usd: float, digits: int = 0) -> str:
        """Return an amount with the code of the report's currency."""
        return self._coded(self.amount(usd, digits))

    def shown_money(self, cents: int) -> str:
        """Return cents of the report's currency as an amount with its code."""
        return self._coded(self.shown(cents))

    def _coded(self, text: str) -> str:
        before = self.lang == "en"
        return f"{self.currency}{NO_BREAK}{text}" if before else f"{text}{NO_BREAK}{self.currency}"

    def signed_money(self, usd: float, digits: int = 0) -> str:
        """Return a difference of money, with its sign."""
        return ("+" if usd > 0 else "") + self.money(usd, digits)

    def seconds(self, value: float) -> str:
        """Return a duration in seconds with four significant digits at most."""
        size = abs(value)
        digits = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3
        if 0 < size < 0.1:
            digits = 4 if size >= 0.01 else 5
        return f"{self.number(value, digits)}{NO_BREAK}s"

    def date(self, day: datetime.date) -> str:
        """Return a date: in words in English, day/month/year in Spanish."""
        if self.lang == "es":
            return f"{day:%d/%m/%Y}"
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    def moment(self, text: str) -> str:
        """Return an ISO 8601 moment as date and time of day; another text as it is."""
        try:
            moment = datetime.datetime.fromisoformat(text)
        except ValueError:
            return plain(text)
        zone = " UTC" if moment.utcoffset() == datetime.timedelta(0) else ""
        return f"{self.date(moment.date())} {moment:%H:%M}{zone}"


def notation(lang: str, instance: Instance) -> Notation:
    """Return the notation that an instance asks for."""
    finance = instance.finance
    return Notation(lang=lang, currency=finance.report_currency, usd_per_unit=finance.usd_per_unit)


def conversion_text(instance: Instance, w: Words, n: Notation) -> str:
    """Return at what rate amounts were converted, empty where they stay in US dollars."""
    if n.currency == "USD" and n.usd_per_unit == 1:
        return ""
    day = instance.finance.rate_date
    date = f" ({n.date(day)})" if day is not None else ""
    return w("cost.currency", rate=n.short(n.usd_per_unit, 6), currency=n.currency, date=date)
