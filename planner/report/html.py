"""`index.html`: one self-contained page, English or Spanish, that works offline and on paper."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from planner.domain.solution import Binding, Solution
from planner.domain.units import CENTS_PER_USD, cents
from planner.report import decision
from planner.report.alternatives import delta_usd, losers, runner_up, verdict
from planner.report.binding import binding_text, quantity, shown_bindings, unit_text, use_share
from planner.report.cabling import cable_lines
from planner.report.confidence import confidence, confidence_lines
from planner.report.drawings.plates import plates
from planner.report.drawings.strip import step_strip
from planner.report.extra import extras
from planner.report.inventory import inventory_lines, inventory_text
from planner.report.markdown import COST_KEYS
from planner.report.notation import Notation, conversion_text, notation
from planner.report.outcomes import constraint_text
from planner.report.plain import plain
from planner.report.targets import busy_share, margin_text, run_text, targets
from planner.report.words import Words, words

MOST_JOBS = 6
"""Workloads on the first screen; all of them stand under step time."""

TEMPLATES = Path(__file__).with_name("templates")
PART_TITLES = {
    "alternatives": "alternatives.title",
    "step_time": "step.title",
    "goodput": "goodput.title",
    "cost": "cost.short_title",
    "topology": "topology.title",
    "racks": "racks.title",
    "floor": "floor.title",
    "owned": "owned.title",
    "bill": "bill.title",
    "cabling": "cabling.title",
    "limits": "limits.title",
    "assumptions": "assumptions.title",
    "proof": "proof.title",
}


def page_html(solution: Solution, lang: str = "en") -> str:
    """Return the page.

    Raises
    ------
    UsageError
        If the language is unknown.
    """
    w, n = words(lang), notation(lang, solution.instance)
    style, script = _asset("report.css"), _asset("tables.js")
    context = {
        "s": solution,
        "n": n,
        "w": w,
        "style": style,
        "style_hash": _source_hash(style),
        "script": script,
        "script_hash": _source_hash(script),
        "parts": _parts(solution),
        "part_titles": PART_TITLES,
        "plates": plates(solution, w, n),
        "cost_keys": COST_KEYS,
        "part_name": decision.part_name,
        "most_jobs": MOST_JOBS,
        "extras": {extra.key: extra for extra in extras(solution, w, n)},
    }
    context |= _sentences(solution, w, n) | _lists(solution, w, n)
    return _environment().get_template("page.html.j2").render(context)


def _parts(solution: Solution) -> list[str]:
    """Return the sections that have something to show, in reading order."""
    shown = {
        "alternatives": bool(solution.alternatives),
        "step_time": bool(solution.workloads),
        "goodput": any(result.goodput for result in solution.workloads),
        "cost": solution.cost is not None,
        "topology": solution.design is not None,
        "racks": bool(solution.racks),
        "floor": bool(solution.racks),
        "owned": solution.inventory is not None,
        "bill": bool(solution.bill_of_materials),
        "cabling": bool(solution.link_count),
        "limits": bool(solution.binding),
        "assumptions": bool(solution.assumptions),
        "proof": True,
    }
    return [part for part in PART_TITLES if shown[part]]


def _sentences(solution: Solution, w: Words, n: Notation) -> dict[str, Any]:
    missing = solution.cost.not_priced if solution.cost else []
    return {
        "title": decision.title(solution),
        "status": decision.status(solution, w, n),
        "headline": decision.headline(solution, w, n),
        "fabric": decision.sentence(decision.fabric_text(solution, w, n)),
        "place": decision.place_text(solution, w, n),
        "owned": inventory_text(solution, w, n),
        "owned_lines": inventory_lines(solution, w, n),
        "proof": decision.sentence(decision.proof_text(solution, w, n)),
        "margin": margin_text(solution, w, n),
        "busy": busy_share(solution),
        "conversion": conversion_text(solution.instance, w, n),
        "not_priced": ", ".join(w.said(plain(item)) for item in missing),
        "confidence": confidence(solution),
        "confidence_lines": confidence_lines(solution, w, n),
    }


def _lists(solution: Solution, w: Words, n: Notation) -> dict[str, Any]:
    best = runner_up(solution)
    chosen = [item for item in solution.alternatives if item.status == "chosen"]
    bill_cents = sum(cents(line.total_usd) for line in solution.bill_of_materials)
    return {
        "jobs": [
            {
                "result": target.result,
                "met": target.met,
                "spare_share": target.spare_share,
                "repeat_days": target.repeat_days,
                "finish": target.finish,
                "run": run_text(target, w, n),
                "strip": step_strip(target, f"strip-{k}", w, n),
            }
            for k, target in enumerate(targets(solution), 1)
        ],
        "runner_up": best and best.model_dump() | {"verdict": verdict(solution, best, w, n)},
        "bindings": [
            {"limit": w.said(b.limit), "note": w.said(plain(b.note)), "text": binding_text(b, w, n)}
            for b in shown_bindings(solution)
        ],
        "limits": [_limit(item, w, n) for item in solution.binding],
        "alternatives": [
            item.model_dump()
            | {"verdict": verdict(solution, item, w, n), "delta_usd": delta_usd(solution, item)}
            for item in [*chosen, *losers(solution)]
        ],
        "bill_total": bill_cents / CENTS_PER_USD,
        "outcomes": [
            (constraint_text(solution, code, w), count)
            for code, count in solution.scan.outcomes.items()
        ],
        "beyond_bill": _beyond_bill(solution, bill_cents, w, n),
        "cables": cable_lines(solution),
    }


def _beyond_bill(solution: Solution, bill_cents: int, w: Words, n: Notation) -> str:
    """Return what the purchase holds beyond the bill's lines, such as quoted storage."""
    rest = cents(solution.cost.capex_usd) - bill_cents if solution.cost else 0
    return w("bill.beyond", amount=n.money(rest / CENTS_PER_USD, 2)) if rest else ""


def _limit(item: Binding, w: Words, n: Notation) -> dict[str, Any]:
    return item.model_dump() | {
        "limit": w.said(item.limit),
        "used_text": quantity(item.used, item.unit, n),
        "available_text": quantity(item.available, item.unit, n),
        "note": w.said(plain(item.note)),
        "unit": unit_text(item.unit, w, n),
        "use": use_share(item),
    }


@lru_cache(maxsize=1)
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["plain"] = plain
    return found


@lru_cache(maxsize=4)
def _asset(name: str) -> Markup:
    """Return one of our own files, which goes into the page as it is."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))  # noqa: S704


def _source_hash(text: str) -> Markup:
    """Return the hash source by which the page's policy admits exactly this text."""
    digest = hashlib.sha256(text.encode()).digest()
    return Markup(f"'sha256-{base64.b64encode(digest).decode()}'")  # noqa: S704
