"""Sections that are sentences and one table: they need no template of their own."""

from __future__ import annotations

from collections.abc import Callable

from planner.domain.solution import Solution
from planner.report.extra import Extra
from planner.report.markdown_table import table
from planner.report.plain import markdown
from planner.report.sections.section import Section
from planner.report.view import View


def table_section(
    *,
    key: str,
    title: str,
    shown: Callable[[Solution], bool],
    make: Callable[[View], Extra],
) -> Section:
    """Return a section whose page and summary follow from one `Extra`."""

    def text(view: View) -> list[str]:
        extra = make(view)
        lines = ["", *(f"- {markdown(line)}" for line in extra.lines)] if extra.lines else []
        if not extra.rows:
            return lines
        rows = [[markdown(cell) for cell in row] for row in extra.rows]
        right = "l" + "r" * (len(extra.heads) - 1)
        return [*lines, "", extra.caption, *table(extra.heads, rows, right)]

    return Section(
        key=key,
        title=title,
        shown=shown,
        context=lambda view: {"part": make(view), "key": key},
        markdown=text,
        template="table_section",
    )
