"""One chart in two widths, as SVG that stands alone.

Altair makes the specification and vl-convert draws it on this machine. What a mark means on hover
is its `<title>`, as in our own drawings, so that the page needs no script for it; the narrow form
is shown on phones by the page's style sheet.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import defusedxml.ElementTree
from markupsafe import Markup

from planner.domain.address_space import DRAWING_BYTES, address_space_bytes
from planner.report.plain import wrap
from planner.report.svg import FONT, INK, MUTED, RULE, SVG, legal, text_width
from planner.report.view import View

if TYPE_CHECKING:
    import altair as alt

WIDE, NARROW = 860, 330
"""Pixels of a chart on a desk and on a phone, labels included."""

DRAWN_FONT = "Liberation Sans, Arial, sans-serif"
"""What labels are measured in, of the same widths as the fonts they are drawn in."""

_NOTE_SIZE = 12
_LOCALES: dict[str, Any] = {"en": "en-US", "es": "es-ES"}
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart with its title and its figures in words."""

    name: str
    title: str
    description: str
    wide: ET.Element
    narrow: ET.Element

    def markup(self) -> Markup:
        """Return both widths for a page; safe, as the tree has escaped every text."""
        both = (("wide-chart", self.wide), ("narrow-chart", self.narrow))
        parts = [f'<div class="{kind}">{_text(root)}</div>' for kind, root in both]
        return Markup("".join(parts))  # noqa: S704

    def file_text(self) -> str:
        """Return the wide form as a file of its own."""
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{_text(self.wide)}\n'


def money_axis(largest: float) -> dict[str, str]:
    """Return how an axis of money is labelled: in millions, thousands or units, as people say."""
    for unit, sign in ((1e6, "M"), (1e3, "k")):
        if largest >= unit:
            return {"labelExpr": f"format(datum.value / {unit:.0f}, ',~f') + ' {sign}'"}
    return {"format": ",~f"}


def chart(
    make: Callable[[int], alt.TopLevelMixin], name: str, title: str, description: str, view: View
) -> Chart:
    """Return a chart.

    Parameters
    ----------
    make
        Returns Altair's chart for a width in pixels, everything included.
    name
        Distinct inside one page; a chart of a name is drawn once for a view.
    title, description
        What it shows, and its figures in words for who cannot see it.
    view
        Whose language the axes speak.
    """
    if name in view.drawn:
        return view.drawn[name]
    forms = {}
    for kind, width in (("wide", WIDE), ("narrow", NARROW)):
        room = address_space_bytes() >= DRAWING_BYTES
        svg = _drawn(make(width).to_dict(validate=False), view) if room else _not_drawn(width, view)
        forms[kind] = _mended(svg, f"{name}-{kind}", title, description)
    made = Chart(name=name, title=title, description=description, **forms)
    view.drawn[name] = made
    return made


def _not_drawn(width: int, view: View) -> str:
    """Return a drawing that says why there is no chart: its engine would end the process."""
    lines = wrap(view.w("chart.not_drawn"), int(width / text_width("x", _NOTE_SIZE)), 6)
    step = 1.5 * _NOTE_SIZE
    size = {"width": f"{width}", "height": f"{step * (len(lines) + 1):g}"}
    root = ET.Element("svg", {"xmlns": SVG, **size})
    for place, line in enumerate(lines, 1):
        place_of = {"x": "2", "y": f"{step * place:g}", "font-size": f"{_NOTE_SIZE}", "fill": MUTED}
        ET.SubElement(root, "text", place_of).text = legal(line)
    return _text(root)


def _drawn(specification: dict[str, Any], view: View) -> str:
    import vl_convert

    specification["config"] = _CONFIG
    specification["background"] = None
    specification["autosize"] = {"type": "pad", "contains": "padding"}
    specification["padding"] = 2
    return str(
        vl_convert.vegalite_to_svg(specification, format_locale=_LOCALES.get(view.n.lang, "en-US"))
    )


def _mended(svg: str, name: str, title: str, description: str) -> ET.Element:
    """Name the drawing and its clip paths, and turn the marks' labels into titles."""
    root: ET.Element = defusedxml.ElementTree.fromstring(svg)
    for element in list(root.iter()):
        label = element.attrib.pop("aria-label", None)
        for key in [k for k in element.attrib if k.startswith("aria-") or k in ("role", "class")]:
            del element.attrib[key]
        if element.get("id"):
            element.set("id", f"{name}-{element.get('id')}")
        for key, value in element.attrib.items():
            if "url(#" in value:
                element.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
        if element.tag == "text":
            element.set("font-family", FONT)
        if label is not None and element.tag in ("path", "rect"):
            ET.SubElement(element, "title").text = legal(label)
    root.set("xmlns", SVG)
    root.set("role", "img")
    root.set("aria-labelledby", f"drawing-{name}-title drawing-{name}-desc")
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        made = ET.Element(tag, {"id": f"drawing-{name}-{tag}"})
        made.text = legal(text)
        root.insert(place, made)
    return root


def _text(root: ET.Element) -> str:
    return ET.tostring(root, encoding="unicode")


_CONFIG: dict[str, Any] = {
    "font": DRAWN_FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
        "labelColor": INK, "titleColor": MUTED, "domain": False, "ticks": False,
        "gridColor": RULE, "labelPadding": 6,
    },
    "axisY": {"grid": False},
    "legend": {
        "labelFontSize": 12, "labelColor": INK, "title": None, "orient": "top", "symbolType": "square",
        "symbolSize": 110, "columnPadding": 16, "rowPadding": 4, "symbolStrokeWidth": 0, "offset": 8, "labelLimit": 230,
    },
    "title": {"fontSize": 13, "anchor": "start", "color": INK, "fontWeight": 600, "offset": 4},
    "concat": {"spacing": 14},
    "text": {"fontSize": 11.5, "color": INK},
}  # fmt: skip
