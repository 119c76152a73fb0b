"""`index.html`: one self-contained page, English or Spanish, that works offline and on paper."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from planner.domain.solution import Solution
from planner.report import decision
from planner.report.plain import plain
from planner.report.sections import decision as first
from planner.report.sections.order import shown_sections
from planner.report.sections.section import Section
from planner.report.view import View, view

TEMPLATES = Path(__file__).with_name("templates")


def page_html(solution: Solution, lang: str = "en") -> str:
    """Return the page.

    Raises
    ------
    UsageError
        If the language is unknown.
    """
    return page_of(view(solution, lang))


def page_of(seen: View) -> str:
    """Return the page of a solution as a language and currency shows it."""
    solution = seen.solution
    style, script = asset("report.css"), asset("tables.js")
    sections = shown_sections(solution)
    context = _shared(seen) | {
        "title": decision.title(solution),
        "status": decision.status(solution, seen.w, seen.n),
        "style": style,
        "style_hash": source_hash(style),
        "script": script,
        "script_hash": source_hash(script),
        "sections": sections,
        "bodies": [_body(section, seen) for section in (first.SECTION, *sections)],
        "proof": decision.sentence(decision.proof_text(solution, seen.w, seen.n)),
    }
    return environment().get_template("page.html.j2").render(context)


def _shared(seen: View) -> dict[str, Any]:
    """Return what every template may use."""
    return {"s": seen.solution, "w": seen.w, "n": seen.n, "part_name": decision.part_name}


def _body(section: Section, seen: View) -> Markup:
    """Return a section's HTML; its template escapes every text."""
    template = environment().get_template(f"{section.template or section.key}.html.j2")
    shared = _shared(seen) | {"title": seen.w(section.title)}
    return Markup(template.render(shared | section.context(seen)))  # noqa: S704


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the templates, which escape every text."""
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
def asset(name: str) -> Markup:
    """Return one of our own files, which goes into the page as it is."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))  # noqa: S704


def source_hash(text: str) -> Markup:
    """Return the hash source by which the page's policy admits exactly this text."""
    digest = hashlib.sha256(text.encode()).digest()
    return Markup(f"'sha256-{base64.b64encode(digest).decode()}'")  # noqa: S704
