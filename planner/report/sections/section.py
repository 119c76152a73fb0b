"""What a section of the report is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planner.domain.solution import Solution
from planner.report.view import View


def _nothing(_: View) -> dict[str, Any]:
    return {}


def _silent(_: View) -> list[str]:
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section, on the page and in the summary.

    The page renders `templates/<template>.html.j2` with what `context` returns; the summary shows the
    lines of `markdown` below the title.
    """

    key: str
    """Its id on the page."""
    title: str
    """Phrase of its title."""
    shown: Callable[[Solution], bool]
    """Whether a solution holds anything for it."""
    context: Callable[[View], dict[str, Any]] = _nothing
    markdown: Callable[[View], list[str]] = _silent
    template: str = ""
    """Name of its template, its key if empty."""
