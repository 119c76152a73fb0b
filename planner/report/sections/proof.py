"""Bound, gap, solver, and what became of every design of the grid."""

from __future__ import annotations

from typing import Any

from planner.report import decision
from planner.report.outcomes import constraint_text
from planner.report.plain import markdown
from planner.report.sections.section import Section
from planner.report.view import View


def _context(view: View) -> dict[str, Any]:
    solution, w, n = view.solution, view.w, view.n
    outcomes = [
        (constraint_text(solution, code, w), count)
        for code, count in solution.scan.outcomes.items()
    ]
    return {
        "status": decision.status(solution, w, n),
        "proof": decision.sentence(decision.proof_text(solution, w, n)),
        "outcomes": outcomes,
    }


def _markdown(view: View) -> list[str]:
    solution, w, n = view.solution, view.w, view.n
    return [
        "",
        f"{markdown(decision.sentence(decision.proof_text(solution, w, n)))}.",
        "",
        identity(view),
    ]


def identity(view: View) -> str:
    """Return which run this is, safe for Markdown."""
    run = view.solution.run
    return view.w(
        "proof.identity",
        run=markdown(run.run_id),
        version=markdown(run.planner_version),
        started=markdown(view.n.moment(run.started)),
    )


SECTION = Section(
    key="proof",
    title="proof.title",
    shown=lambda _: True,
    context=_context,
    markdown=_markdown,
)
