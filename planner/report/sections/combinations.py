"""Every scale-up kind with every network family and topology: what each would cost, or why not."""

from __future__ import annotations

from typing import Any

from planner.report.combinations import CombinedRow, combined_kinds, counted
from planner.report.markdown_table import table
from planner.report.plain import markdown
from planner.report.sections.section import Section
from planner.report.view import View

HEADS = ("network", "cost", "delta", "step", "why")


def _intro(view: View) -> str:
    counts = counted(view.solution)
    return view.w("combinations.intro", count=sum(counts.values()), **counts)


def _context(view: View) -> dict[str, Any]:
    heads = {key: view.w(f"combinations.{key}") for key in HEADS}
    return {"kinds": combined_kinds(view), "intro": _intro(view), "heads": heads}


def _markdown(view: View) -> list[str]:
    w, lines = view.w, ["", _intro(view)]
    heads = [w(f"combinations.{key}") for key in HEADS]
    for kind in combined_kinds(view):
        if kind.impossible:
            lines += ["", f"**{markdown(kind.name)}**: {markdown(kind.impossible)}"]
        else:
            rows = [_cells(view, row) for row in kind.rows]
            lines += ["", f"**{markdown(kind.name)}**", *table(heads, rows, "lrrr")]
    return lines


def _cells(view: View, row: CombinedRow) -> list[str]:
    design = f"{row.network}: {view.w.said(row.one.summary)}" if row.one.summary else row.network
    usd = row.one.objective_usd
    cost = "" if usd is None else view.n.amount(usd)
    return [markdown(design), cost, row.verdict, markdown(row.steps), markdown(row.reason)]


SECTION = Section(
    key="combinations",
    title="combinations.title",
    shown=lambda solution: bool(solution.combinations),
    context=_context,
    markdown=_markdown,
)
