"""The calendar of the star schema: whole years around a run's start and its time in service."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable

from planner.domain.solution import Solution
from planner.export.keys import started
from planner.export.table import Column, Row, Table

LAST_YEAR = 9998
"""The years before and after a calendar must exist too."""


def _years(solution: Solution) -> range:
    """Return the years from the first known day to the end of service, empty if none is known."""
    moment, service = started(solution), solution.instance.finance.in_service
    days = [day for day in (moment.date() if moment else None, service) if day is not None]
    if not days:
        return range(0)
    last = max(days).year + (math.ceil(solution.instance.finance.years) if service else 0)
    return range(min(days).year, min(last, LAST_YEAR) + 1)


def _days(solution: Solution) -> Iterable[Row]:
    for year in _years(solution):
        first = datetime.date(year, 1, 1)
        for ahead in range((datetime.date(year + 1, 1, 1) - first).days):
            day = first + datetime.timedelta(days=ahead)
            quarter = (day.month + 2) // 3
            yield (
                day.isoformat(), year, f"{year}-Q{quarter}", day.month, f"{year}-{day.month:02d}",
                day.isocalendar().week, day.isoweekday(),
            )  # fmt: skip


DIM_DATE = Table(
    "dim_date",
    "one day",
    (
        Column("date_key", "date", "Day"),
        Column("year", "integer", "Year"),
        Column("quarter", "text", "Year and quarter, 2026-Q3"),
        Column("month", "integer", "Month of the year, 1 to 12"),
        Column("year_month", "text", "Year and month, 2026-09"),
        Column("iso_week", "integer", "Week of the year, ISO 8601"),
        Column("weekday", "integer", "Day of the week, 1 is Monday"),
    ),
    _days,
    ("date_key",),
)
