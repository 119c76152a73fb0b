"""`index.html` of an answer over several sites, from which each site's own page is reached."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from planner.domain.regions_answer import RegionsAnswer
from planner.report.html import asset, environment, source_hash
from planner.report.notation import conversion_text, notation
from planner.report.regions import headline, region_parts
from planner.report.words import words


def regions_page(answer: RegionsAnswer, folders: Mapping[str, str], lang: str = "en") -> str:
    """Return the page.

    Parameters
    ----------
    answer
        The answer.
    folders
        Folder of each site's own report, by the site's name, relative to the page.
    lang
        One of `words.LANGUAGES`.
    """
    n = notation(lang, answer.instance)
    w = words(lang, n)
    style, script = asset("report.css"), asset("tables.js")
    parts = region_parts(answer, w, n)
    context = {
        "a": answer, "w": w, "n": n, "parts": parts,
        "title": answer.instance.title or answer.instance.name,
        "headline": headline(answer, w, n),
        "currency": conversion_text(answer.instance, w, n),
        "folders": dict(folders),
        "style": style, "style_hash": source_hash(style),
        "script": script, "script_hash": source_hash(script),
    }  # fmt: skip
    return str(Markup(environment().get_template("regions.html.j2").render(context)))  # noqa: S704
