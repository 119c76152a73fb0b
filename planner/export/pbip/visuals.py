"""Visuals of a report page in PBIR: what each shows and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SCHEMAS = "https://developer.microsoft.com/json-schemas/fabric/item/report/definition"
VISUAL_SCHEMA = f"{SCHEMAS}/visualContainer/2.0.0/schema.json"


@dataclass(frozen=True, slots=True)
class Shown:
    """A column or a measure that a visual shows."""

    table: str
    name: str
    measure: bool = False

    def field(self) -> dict[str, Any]:
        """Return the reference."""
        kind = "Measure" if self.measure else "Column"
        source = {"SourceRef": {"Entity": self.table}}
        return {kind: {"Expression": source, "Property": self.name}}

    def projection(self) -> dict[str, Any]:
        """Return the reference as a role of a visual takes it."""
        return {
            "field": self.field(),
            "queryRef": f"{self.table}.{self.name}",
            "nativeQueryRef": self.name,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Visual:
    """One visual; `roles` maps the roles of its type to what they show."""

    name: str
    type: str
    x: int
    y: int
    width: int
    height: int
    title: str = ""
    roles: dict[str, tuple[Shown, ...]] = field(default_factory=dict)
    sort_by: Shown | None = None
    descending: bool = True
    lines: tuple[tuple[str, int], ...] = ()
    """Of a text box: its lines, each with its size in points."""

    def shown(self) -> list[Shown]:
        """Return everything that the visual refers to."""
        sort = [self.sort_by] if self.sort_by is not None else []
        return [item for items in self.roles.values() for item in items] + sort


def visual_json(visual: Visual, order: int) -> dict[str, Any]:
    """Return the content of the file `visual.json`."""
    body: dict[str, Any] = {"visualType": visual.type}
    if visual.roles:
        body["query"] = _query(visual)
    if visual.lines:
        body["objects"] = {"general": [{"properties": {"paragraphs": _paragraphs(visual.lines)}}]}
    if visual.title:
        body["visualContainerObjects"] = {
            "title": [{"properties": {"show": _literal("true"), "text": text(visual.title)}}]
        }
    body["drillFilterOtherVisuals"] = True
    return {
        "$schema": VISUAL_SCHEMA,
        "name": visual.name,
        "position": {
            "x": visual.x, "y": visual.y, "z": 1000 * order, "height": visual.height,
            "width": visual.width, "tabOrder": 1000 * order,
        },
        "visual": body,
    }  # fmt: skip


def text(shown: str) -> dict[str, Any]:
    """Return a text as a property's literal."""
    return _literal("'" + shown.replace("'", "''") + "'")


def _literal(value: str) -> dict[str, Any]:
    return {"expr": {"Literal": {"Value": value}}}


def _query(visual: Visual) -> dict[str, Any]:
    state = {
        role: {"projections": [item.projection() for item in items]}
        for role, items in visual.roles.items()
    }
    query: dict[str, Any] = {"queryState": state}
    if visual.sort_by is not None:
        direction = "Descending" if visual.descending else "Ascending"
        query["sortDefinition"] = {
            "sort": [{"field": visual.sort_by.field(), "direction": direction}]
        }
    return query


def _paragraphs(lines: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    return [
        {"textRuns": [{"value": line, "textStyle": {"fontSize": f"{size}pt"}}]}
        for line, size in lines
    ]
