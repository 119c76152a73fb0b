"""The page of a comparison: one self-contained file in the report's style."""

from __future__ import annotations

from planner import __version__
from planner.domain.comparison import Comparison
from planner.report.comparison import figure_rows, verdicts
from planner.report.html import asset, environment, source_hash
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.words import Words


def comparison_page(found: Comparison, w: Words, n: Notation) -> str:
    """Return the page; the templates escape every text."""
    style, script = asset("report.css"), asset("tables.js")
    names = [plain(side.name) for side in found.sides]
    totals = [sum(row.cells[k].total_cents for row in found.parts) for k in range(len(names))]
    sums = [
        (sum(row.by_quantity_cents[k] for row in found.parts),
         sum(row.by_price_cents[k] for row in found.parts))
        for k in range(len(names))
    ]  # fmt: skip
    return environment().get_template("compare.html.j2").render(
        c=found, w=w, n=n, names=names, version=__version__, title=", ".join(names),
        verdicts=verdicts(found, w, n), figures=figure_rows(found, w, n), totals=totals, sums=sums,
        style=style, style_hash=source_hash(style), script=script, script_hash=source_hash(script),
    )  # fmt: skip
