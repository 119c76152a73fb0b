"""Finding the catalogue's product that a line of a price list means."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.domain.catalog import Catalog
    from planner.domain.price import Price

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9./-]{4,40}")
_CODE = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9./-]{6,}")


def squeezed(text: str) -> str:
    """Return letters and digits alone, in lower case."""
    return re.sub(r"[^a-z0-9]", "", text[:300].lower())


class Items:
    """Products of a catalogue by id, part number and model."""

    __slots__ = ("_by_name", "_codes", "_ids", "_prices")

    def __init__(self, catalog: Catalog) -> None:
        from planner.domain.catalog_load import TABLES
        from planner.domain.hardware import HardwareRow

        self._ids: list[str] = []
        self._by_name: dict[str, set[str]] = {}
        self._codes: dict[str, set[str]] = {}
        self._prices: dict[str, Price | None] = {}
        for table in TABLES:
            for row_id, row in catalog.table(table).items():
                if not isinstance(row, HardwareRow):
                    continue
                self._ids.append(row_id)
                self._prices[row_id] = row.price
                model = str(getattr(row, "model", ""))
                vendor = str(getattr(row, "vendor", ""))
                for name in (row_id, model, f"{vendor} {model}"):
                    if squeezed(name):
                        self._by_name.setdefault(squeezed(name), set()).add(row_id)
                for code in _CODE.findall(str(getattr(row, "part_number", ""))):
                    self._codes.setdefault(squeezed(code), set()).add(row_id)

    def find(self, *texts: str) -> str | None:
        """Return the id that one of the texts means; None if none or more than one."""
        for text in texts:
            name = squeezed(text)
            for known in (self._by_name, self._codes):
                if len(known.get(name, ())) == 1:
                    return next(iter(known[name]))
        for text in texts:
            hits: set[str] = set()
            for token in _TOKEN.findall(text[:500]):
                hits |= self._codes.get(squeezed(token), set())
            if len(hits) == 1:
                return next(iter(hits))
        return None

    def nearest(self, text: str) -> list[str]:
        """Return up to three ids that look alike."""
        names = difflib.get_close_matches(squeezed(text)[:60], list(self._by_name), n=3, cutoff=0.6)
        return list(
            dict.fromkeys(row_id for name in names for row_id in sorted(self._by_name[name]))
        )[:3]

    def price(self, row_id: str) -> float | None:
        """Return the catalogue's price of a product, None if it has none."""
        price = self._prices[row_id]
        return None if price is None else price.usd
