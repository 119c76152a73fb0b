"""The points of a frontier as a table on the terminal, with what is proved of them."""

from __future__ import annotations

from planner.domain.frontier import Frontier, FrontierPoint
from planner.report.plain import plain
from planner.report.sections.frontier import proof_text
from planner.report.view import View

KEYS = ("workload", "limit", "step", "cost", "proof", "design")


def frontier_lines(view: View, traced: Frontier) -> tuple[list[str], list[list[str]], str]:
    """Return head, rows and the line below them, in the reader's language and currency."""
    w, n = view.w, view.n
    heads = [w(f"frontier.{key}") for key in KEYS]
    heads[3] = f"{heads[3]}, {n.currency}"
    rows = [_row(view, point) for point in traced.points]
    end = w("frontier.complete" if traced.complete else "frontier.open")
    count = w.count("frontier.points", len(rows))
    note = f" {w.said(plain(traced.note))}" if traced.note else ""
    foot = f"{count}, {w('frontier.tick', tick=n.percent(traced.tick))}. {end}{note}"
    return [*heads, ""], rows, foot


def _row(view: View, point: FrontierPoint) -> list[str]:
    w, n = view.w, view.n
    step, cost = point.step_time_s, point.objective_usd
    return [
        plain(point.workload),
        n.seconds(point.limit_s),
        "" if step is None else n.seconds(step),
        "" if cost is None else n.amount(cost, 0),
        w("frontier.proved") if point.status == "optimal" else proof_text(point, view),
        w.said(plain(point.summary)),
        w("frontier.decision") if point.chosen else "",
    ]
