"""How the servers are joined, and what care in it costs and saves."""

from __future__ import annotations

from typing import Any

from planner.report.decision import fabric_text, sentence
from planner.report.drawings.topology import topology_drawing
from planner.report.plain import markdown, plain
from planner.report.sections.section import Section
from planner.report.view import View

DEALT_TOLD = 1e-4
"""Share of a step below which dealt ranks are not worth a line."""


def care_lines(view: View) -> list[str]:
    """Return what the even spread costs, and what a careless placement would."""
    design, w, n = view.solution.design, view.w, view.n
    if design is None:
        return []
    lines, fabric, careless = [], design.fabric, design.careless
    if fabric.even_spread_spines:
        spines, cost = n.number(fabric.even_spread_spines), n.money(fabric.even_spread_usd)
        lines.append(w("topology.even", spines=spines, cost=cost))
    if careless is None:
        return lines
    if careless.careless_links_usd is None:
        lines.append(w("topology.careless_far"))
    else:
        saved = careless.careless_links_usd - careless.links_usd
        lines.append(
            w(
                "topology.careless",
                careless=n.money(careless.careless_links_usd),
                ours=n.money(careless.links_usd),
                saved=n.signed_money(saved),
                far=n.short(careless.careless_longest_m, 1),
                near=n.short(careless.longest_m, 1),
            )
        )
    told = (
        ("topology.careless_step", careless.careless_step_times_s, 1.0),
        ("topology.dealt_step", careless.dealt_step_times_s, 1.0 + DEALT_TOLD),
    )
    for phrase, times, told_from in told:
        for result in view.solution.workloads:
            slow = times.get(result.name)
            if slow is not None and slow >= result.step_time_s * told_from:
                lines.append(
                    w(
                        phrase,
                        name=plain(result.name),
                        careless=n.seconds(slow),
                        ours=n.seconds(result.step_time_s),
                        share=n.percent(slow / result.step_time_s - 1, 2),
                    )
                )
    return lines


def _context(view: View) -> dict[str, Any]:
    solution, w, n = view.solution, view.w, view.n
    return {
        "fabric": sentence(fabric_text(solution, w, n)),
        "care": care_lines(view),
        "drawing": topology_drawing(solution, w, n),
    }


def _markdown(view: View) -> list[str]:
    lines = [markdown(line) for line in care_lines(view)]
    return ["", *(f"- {line}" for line in lines)] if lines else []


SECTION = Section(
    key="topology",
    title="topology.title",
    shown=lambda solution: solution.design is not None,
    context=_context,
    markdown=_markdown,
)
