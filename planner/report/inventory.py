"""What is owned in the report: used, bought beside it, idle, and how the existing fabric is joined."""

from __future__ import annotations

from planner.domain.solution import OwnedUse, Solution
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.words import Words


def part_text(use: OwnedUse) -> str:
    """Return a part in words."""
    return plain(use.description or use.part)


def inventory_text(solution: Solution, w: Words, n: Notation) -> str:
    """Return one sentence on servers and switches; empty where nothing is owned."""
    inventory = solution.inventory
    if inventory is None or solution.design is None:
        return ""
    shown = [use for use in inventory.uses if use.component in ("servers", "switches")]
    parts = [
        w(
            "owned.used",
            used=n.number(use.used),
            owned=n.number(use.owned),
            part=w.said(part_text(use)),
            bought=n.number(use.bought),
        )
        for use in shown
    ]
    return w("owned.text", parts="; ".join(parts)) if parts else ""


def inventory_lines(solution: Solution, w: Words, n: Notation) -> list[str]:
    """Return what a buyer must know of what is owned, one sentence a line."""
    inventory = solution.inventory
    if inventory is None or solution.design is None:
        return []
    lines = []
    if inventory.joining:
        lines.append(w(f"owned.{inventory.joining}", links=n.number(inventory.moved_links)))
    for use in inventory.uses:
        if use.component == "servers" and use.used < use.owned:
            other = use.part != solution.design.platform.server
            key = "owned.other_model" if other else "owned.idle"
            idle = n.number(use.owned - use.used)
            lines.append(w(key, idle=idle, part=w.said(part_text(use))))
    lines.append(w("owned.places"))
    return lines
