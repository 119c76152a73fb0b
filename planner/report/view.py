"""What every part of a report is made from: a solution, the words and the notation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planner.domain.solution import Solution
from planner.report.notation import Notation, notation
from planner.report.words import Words, words

if TYPE_CHECKING:
    from planner.report.charts.chart import Chart


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A solution as one language and currency shows it."""

    solution: Solution
    w: Words
    n: Notation
    drawn: dict[str, Chart] = field(default_factory=dict, compare=False, repr=False)
    """Charts by name, drawn once for the page and for their files."""


def view(solution: Solution, lang: str) -> View:
    """Return the view of a solution.

    Raises
    ------
    UsageError
        If the language is unknown.
    """
    n = notation(lang, solution.instance)
    return View(solution=solution, w=words(lang, n), n=n)
