"""`summary.md`: the decision in Markdown, the same facts as the page."""

from __future__ import annotations

from planner.domain.solution import Solution
from planner.report import decision
from planner.report.plain import markdown
from planner.report.sections import decision as first
from planner.report.sections.order import shown_sections
from planner.report.view import view


def summary_markdown(solution: Solution, lang: str = "en") -> str:
    """Return the summary.

    Raises
    ------
    UsageError
        If the language is unknown.
    """
    seen = view(solution, lang)
    blocks = [[f"# {markdown(decision.title(solution))}"], first.SECTION.markdown(seen)]
    for section in shown_sections(solution):
        lines = section.markdown(seen)
        if lines:
            blocks.append([f"## {seen.w(section.title)}", *lines])
    return "\n\n".join("\n".join(lines).strip() for lines in blocks) + "\n"
