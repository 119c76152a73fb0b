"""The placement problems that an answer rests on, and what stands where in a found placement."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest import mock

from planner.domain.instance import load_instance
from planner.program import placement
from planner.program.placement import Placement
from planner.program.rack_layout import rack_name
from planner.study.decide import DecideOptions, decide
from planner.study.regions import decide_regions
from tests.program.cp_program import Stood


def asked(name: str) -> list[Any]:
    """Return every placement problem that is asked while a shipped instance is decided, once."""
    found: dict[Any, None] = {}
    search = placement._found

    def spy(problem: Any, work_limit: int) -> Any:
        found[problem] = None
        return search(problem, work_limit)

    instance, file = load_instance(name)
    with mock.patch.object(placement, "_found", spy):
        if instance.regions is not None:
            decide_regions(instance, file)
        else:
            decide(instance, file, DecideOptions(alternatives=False), lambda _: None)
    return list(found)


def stood(problem: Any, placed: Placement) -> Stood:
    """Return the boxes of a placement by rack."""
    racks = [rack_name(problem.room, k) for k in range(problem.room.racks)]
    held = Counter((d.kind, d.group, d.rack) for d in placed.devices)
    units = range(len(problem.plan.units))

    def row(kind: str, group: int = -1) -> tuple[int, ...]:
        return tuple(held[kind, group, rack] for rack in racks)

    return Stood(
        servers=tuple(row("node", u) for u in units),
        leafs=tuple(row("leaf", u) for u in units),
        spines=row("spine"),
        oob=row("oob"),
    )
