"""The sections in reading order: a new one is added here and nowhere else."""

from __future__ import annotations

from planner.domain.solution import Solution
from planner.report.sections import (
    alternatives,
    assumptions,
    bill,
    cabling,
    combinations,
    cost,
    floor,
    frontier,
    goodput,
    growth,
    limits,
    owned,
    portfolio,
    proof,
    racks,
    sensitivity,
    services,
    step_time,
    topology,
    traffic,
)
from planner.report.sections.section import Section

SECTIONS: tuple[Section, ...] = (
    alternatives.SECTION,
    combinations.SECTION,
    portfolio.SECTION,
    growth.SECTION,
    step_time.SECTION,
    traffic.SECTION,
    goodput.SECTION,
    cost.SECTION,
    frontier.SECTION,
    sensitivity.SECTION,
    topology.SECTION,
    services.SECTION,
    racks.SECTION,
    floor.SECTION,
    owned.SECTION,
    bill.SECTION,
    cabling.SECTION,
    limits.SECTION,
    assumptions.SECTION,
    proof.SECTION,
)


def shown_sections(solution: Solution) -> list[Section]:
    """Return the sections that have something to show."""
    return [section for section in SECTIONS if section.shown(solution)]
