"""A small SVG builder: every text and attribute goes through an XML tree, never through strings."""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

from markupsafe import Markup

SVG = "http://www.w3.org/2000/svg"
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
"""Fonts of one width each, so that what is measured here is what is drawn there."""
INK, MUTED, RULE, PAPER, ACCENT, BAD = (
    "#1a2530", "#55606b", "#cfd6dc", "#ffffff", "#1f4e79", "#a3312b",
)  # fmt: skip
PALETTE = (
    "#1f4e79", "#c08a3e", "#79a07a", "#7f9fc0", "#8d6a8a", "#b5bd89", "#4f7d87", "#c9a3a0",
    "#a3937b", "#a9b4bd",
)  # fmt: skip
"""Fills of categories; every figure also stands in words, so colour is never the only sign."""

_CHAR_EM = 0.56
"""Mean width of a character in the font's size; wide enough for digits and capitals."""


def colour(index: int) -> str:
    """Return the fill of a category."""
    return PALETTE[index % len(PALETTE)]


def luminance(fill: str) -> float:
    """Return the relative luminance of ``#rrggbb`` as WCAG 2 defines it, 0 to 1."""
    parts = (int(fill[k : k + 2], 16) / 255 for k in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    """Return the contrast ratio of two colours as WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def legible_on(fill: str) -> str:
    """Return ink or paper, whichever stands out more on a fill."""
    return max((PAPER, INK), key=lambda ink: contrast(ink, fill))


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is drawn: Chinese and alike fill a square, accents nothing."""
    if text.isascii():
        return len(text) * size * _CHAR_EM
    return sum(_em(char) for char in text) * size


def _em(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(char) in ("W", "F") else _CHAR_EM


def fitted(text: str, width: float, size: float) -> str:
    """Return text cut to a width, the cut shown by an ellipsis; empty where not even that fits."""
    if text_width(text, size) <= width:
        return text
    room = int(width / (size * _CHAR_EM)) - 1
    if not text.isascii():
        left = width - size * _CHAR_EM
        room = sum(1 for end in range(1, len(text)) if text_width(text[:end], size) <= left)
    return text[:room].rstrip() + "…" if room >= 2 else ""


def legal(text: str) -> str:
    """Return text without characters that XML forbids or that reverse the reading direction."""
    kept = (" " if char.isspace() else char for char in text)
    return "".join(c for c in kept if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Cn"))


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text if text not in ("", "-0") else "0"


@dataclass(slots=True)
class Drawing:
    """One drawing in its own coordinates, with a title and a description for who cannot see it."""

    width: float
    height: float
    title: str
    description: str
    name: str
    """Distinct inside one page: names the title and description elements."""
    root: ET.Element = field(init=False)

    def __post_init__(self) -> None:
        """Make the root with title and description."""
        self.root = ET.Element(
            "svg",
            {
                "xmlns": SVG,
                "viewBox": f"0 0 {_number(self.width)} {_number(self.height)}",
                "width": _number(self.width),
                "height": _number(self.height),
                "role": "img",
                "aria-labelledby": f"drawing-{self.name}-title drawing-{self.name}-desc",
                "font-family": FONT,
            },
        )
        for tag, text in (("title", self.title), ("desc", self.description)):
            element = ET.SubElement(self.root, tag, {"id": f"drawing-{self.name}-{tag}"})
            element.text = legal(text)

    def element(
        self, tag: str, parent: ET.Element | None = None, tip: str = "", /, **attributes: object
    ) -> ET.Element:
        """Add an element, below the root if no parent is given; `tip` is shown on hover.

        Underscores in attribute names become hyphens.
        """
        made = ET.SubElement(self.root if parent is None else parent, tag)
        for key, value in attributes.items():
            if value is not None:
                shown = _number(value) if isinstance(value, int | float) else legal(str(value))
                made.set(key.rstrip("_").replace("_", "-"), shown)
        if tip:
            ET.SubElement(made, "title").text = legal(tip)
        return made

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        tip: str = "",
        /,
        **attributes: object,
    ) -> ET.Element:
        """Add a rectangle."""
        return self.element("rect", None, tip, x=x, y=y, width=width, height=height, **attributes)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, /, **attributes: object
    ) -> ET.Element:
        """Add a line."""
        attributes.setdefault("stroke", MUTED)
        return self.element("line", None, "", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)

    def text(
        self, x: float, y: float, text: str, size: float = 12, /, **attributes: object
    ) -> ET.Element:
        """Add one line of text."""
        attributes.setdefault("fill", INK)
        made = self.element("text", None, "", x=x, y=y, font_size=size, **attributes)
        made.text = legal(text)
        return made

    def markup(self) -> Markup:
        """Return the drawing for a page; safe, as the tree has escaped every text."""
        return Markup(ET.tostring(self.root, encoding="unicode"))  # noqa: S704

    def file_text(self) -> str:
        """Return the drawing as a file of its own."""
        head = '<?xml version="1.0" encoding="UTF-8"?>\n'
        return head + ET.tostring(self.root, encoding="unicode") + "\n"
