"""The first screen: what to buy, what it costs, whether it is in time, how sure that is."""

from __future__ import annotations

from typing import Any

from planner.report import decision
from planner.report.alternatives import runner_up, verdict
from planner.report.binding import binding_text, shown_bindings, unbound_text
from planner.report.confidence import confidence_lines, headline_risk
from planner.report.drawings.strip import step_strip
from planner.report.inventory import inventory_text
from planner.report.markdown_table import table
from planner.report.plain import markdown, plain
from planner.report.sections.cost import COST_KEYS
from planner.report.sections.section import Section
from planner.report.targets import hours_text, margin_text, run_text, targets
from planner.report.view import View

MOST_JOBS = 6
"""Workloads on the first screen; all of them stand under step time."""


def _context(view: View) -> dict[str, Any]:
    solution, w, n = view.solution, view.w, view.n
    best = runner_up(solution)
    return {
        "headline": decision.headline(solution, w, n),
        "fabric": decision.sentence(decision.fabric_text(solution, w, n)),
        "place": decision.place_text(solution, w, n),
        "owned": inventory_text(solution, w, n),
        "risk": headline_risk(solution, w, n),
        "jobs": _jobs(view),
        "most_jobs": MOST_JOBS,
        "margin": margin_text(solution, w, n),
        "hours": hours_text(solution, w, n),
        "runner_up": best and best.model_dump() | {"verdict": verdict(solution, best, w, n)},
        "unbound": unbound_text(solution, w),
        "bindings": [
            {"limit": w.said(b.limit), "note": w.said(plain(b.note)), "text": binding_text(b, w, n)}
            for b in shown_bindings(solution)
        ],
        "confidence_lines": confidence_lines(solution, w, n, headlined=True),
    }


def _jobs(view: View) -> list[dict[str, Any]]:
    return [
        {
            "result": target.result,
            "met": target.met,
            "spare_share": target.spare_share,
            "repeat_days": target.repeat_days,
            "finish": target.finish,
            "run": run_text(target, view.w, view.n),
            "strip": step_strip(target, f"strip-{k}", view.w, view.n),
        }
        for k, target in enumerate(targets(view.solution), 1)
    ]


def _markdown(view: View) -> list[str]:
    solution, w, n = view.solution, view.w, view.n
    status, headline = decision.status(solution, w, n), decision.headline(solution, w, n)
    lines = [f"**{status}.** {markdown(headline)}."]
    texts = (decision.fabric_text(solution, w, n), decision.place_text(solution, w, n))
    for text in (*texts, inventory_text(solution, w, n)):
        lines += [f"- {markdown(text)}"] if text else []
    risk = headline_risk(solution, w, n)
    lines += ["", f"**{markdown(risk)}**"] if risk else []
    if solution.reasons:
        lines += ["", f"## {w('reasons.title')}", ""]
        lines += [f"- {markdown(w.said(plain(reason)))}" for reason in solution.reasons]
    note = plain(solution.instance.note)
    lines += ["", f"> {markdown(note)}"] if note else []
    return [*lines, *_money(view), *_in_time(view), *_bindings(view), *_second(view), *_sure(view)]


def _money(view: View) -> list[str]:
    w, n, cost = view.w, view.n, view.solution.cost
    if cost is None:
        return []
    amounts = [n.money(getattr(cost, f"{key}_usd")) for key in COST_KEYS]
    title = w("cost.title", years=n.short(cost.years, 1))
    return ["", f"## {title}", *table([w(f"cost.{key}") for key in COST_KEYS], [amounts], "rrrrr")]


def _in_time(view: View) -> list[str]:
    w, n = view.w, view.n
    lines = []
    for target in targets(view.solution):
        result = target.result
        text = w(
            "step.sentence",
            name=markdown(result.name),
            time=n.seconds(result.step_time_s),
            limit=n.seconds(result.limit_s),
            target=n.seconds(result.target_s),
            met=w("step.met" if target.met else "step.missed"),
            spare=w("step.to_spare", share=n.percent(target.spare_share)),
        )
        finish = f", {w('step.finish', date=n.date(target.finish))}" if target.finish else ""
        lines.append(f"- {text}{finish}")
    hours = hours_text(view.solution, w, n)
    lines += [f"- {hours}"] if hours else []
    return ["", f"## {w('step.against')}", "", *lines] if lines else []


def _bindings(view: View) -> list[str]:
    solution, w, n = view.solution, view.w, view.n
    if not solution.binding:
        return []
    lines = [
        f"- {markdown(w.said(item.limit))}: {markdown(binding_text(item, w, n))}"
        for item in shown_bindings(solution)
    ]
    title = w("binding.title" if solution.design else "binding.fails")
    return ["", f"## {title}", "", *(lines or [markdown(unbound_text(solution, w))])]


def _second(view: View) -> list[str]:
    solution, w, n = view.solution, view.w, view.n
    best = runner_up(solution)
    if best is None:
        return []
    text = f"**{markdown(w.said(best.name))}**: {verdict(solution, best, w, n)}"
    reason = markdown(w.said(plain(best.reason)))
    return ["", f"## {w('runner_up.title')}", "", f"{text}; {reason}." if reason else f"{text}."]


def _sure(view: View) -> list[str]:
    lines = [
        f"- {markdown(line)}"
        for line in confidence_lines(view.solution, view.w, view.n, headlined=True)
    ]
    return ["", f"## {view.w('confidence.title')}", "", *lines]


SECTION = Section(
    key="decision",
    title="page.kicker",
    shown=lambda _: True,
    context=_context,
    markdown=_markdown,
)
