"""What the answer rests on beside the instance, with its source."""

from __future__ import annotations

from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View


def _markdown(view: View) -> list[str]:
    w = view.w
    heads = [w(f"assumptions.{key}") for key in ("what", "value", "kind", "source")]
    rows = [
        [
            markdown(w.said(item.what)),
            markdown(w.said(plain(item.value))),
            w.label("assumption_kind", item.kind),
            markdown(w.source(plain(item.source))),
        ]
        for item in view.solution.assumptions
    ]
    return table(heads, rows)


SECTION = Section(
    key="assumptions",
    title="assumptions.title",
    shown=lambda solution: bool(solution.assumptions),
    markdown=_markdown,
)
