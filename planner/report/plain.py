"""Free text made fit for a line of plain text or a Markdown cell."""

from __future__ import annotations

import re
import textwrap
import unicodedata

_DROPPED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Cn")
_MARKDOWN = re.compile(r"([\\`*_\[\]{}#~|!$])")


def plain(text: str) -> str:
    """Return text on one line, without control, direction or unassigned characters.

    Terminal escape sequences, line breaks and right-to-left overrides of a hostile name cannot
    reach a terminal through it.
    """
    spaced = (" " if char.isspace() else char for char in text)
    kept = (c for c in spaced if unicodedata.category(c) not in _DROPPED_CATEGORIES)
    return " ".join("".join(kept).split())


def clip(text: str, width: int) -> str:
    """Return text cut to `width` characters, the cut shown by three dots."""
    return text if len(text) <= width else text[: max(width - 3, 0)].rstrip() + "..."


def wrap(text: str, width: int, lines: int, indent: str = "") -> list[str]:
    """Return text in at most `lines` lines of `width`, later lines indented."""
    found = textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=True, break_on_hyphens=False
    )
    if len(found) > lines:
        found = [*found[: lines - 1], clip(found[lines - 1] + " ...", width)]
    return found


def markdown(text: str) -> str:
    """Return text that Markdown shows as it is: no markup, no HTML, no table break."""
    safe = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", safe)
