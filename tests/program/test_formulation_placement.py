"""The pages of placement and cabling and the code name the same rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planner.program.link_prices import FORBIDDEN
from planner.program.module_base import media_pairs
from planner.program.placement_counts import Counts
from planner.program.rack_fill import RackFill
from planner.program.rack_fill_mip import RackFillMip
from tests.program.random_rooms import random_case

ROOT = Path(__file__).parents[2]
CODE = (
    "physics/fabric", "physics/rack_units", "program/rack_units", "physics/links", "physics/planes", "physics/pods", "program/box", "program/cabling", "program/floor_region",
    "program/leaf_racks", "program/parted_bound", "program/link_prices", "program/media_search", "program/module_base",
    "program/placement", "program/placement_bound", "program/rack_fill", "program/rack_fill_mip",
    "program/rack_layout", "program/spread", "program/ports", "program/rack_contents",
    "program/stands",
)  # fmt: skip
NOT_RULES = {
    "fabric_manager",
    "placement_problem",
    "placement_counts",
    "placement_bound",
    "fabric_parts",
}


def page_ids() -> set[str]:
    """Return the ids in the first columns of both pages' tables."""
    pages = (ROOT / "models" / "formulation" / name for name in ("placement.md", "cabling.md"))
    return {
        found
        for page in pages
        for found in re.findall(
            r"^\| `((?:placement|cabling|fabric)_\w+)` \|", page.read_text(), re.M
        )
    }


def code_ids() -> set[str]:
    """Return the ids that code names: in quotes, or as the prefix of a constraint's name."""
    text = "".join((ROOT / "planner" / f"{name}.py").read_text() for name in CODE)
    found = re.findall(r"[`\"]((?:placement|cabling|fabric)_[a-z_]+)", text)
    names = {re.sub(r"(_[uk])+$|_$", "", name) for name in found}
    return {name for name in names if name not in NOT_RULES and not name.endswith("_cents")}


def test_pages_and_code_name_the_same_rules():
    """Every rule of the pages is built somewhere, and the code builds no rule without a page."""
    assert page_ids() == code_ids()


@pytest.mark.parametrize("batch", range(4))
def test_integer_program_fills_racks_as_the_tables_do(batch):
    """For given leaf racks HiGHS and the dynamic program find the same cost."""
    compared = 0
    for seed in range(4000 + batch, 4060, 4):
        problem = random_case(seed, 600).problem
        for down, up in media_pairs(problem):
            places = tuple(range(problem.room.racks))
            counts = Counts(problem=problem, down=down, up=up, places=places)
            for leafs in leaf_rows(counts):
                table = RackFill(counts).solve(leafs)
                program = RackFillMip(counts).solve(leafs)
                assert (table is None) == (program is None), seed
                if table is not None and program is not None:
                    assert table[0] == program[0] == counts.cost(table[1]), seed
                    assert counts.cost(program[1]) < FORBIDDEN
                    compared += 1
    assert compared >= 5


def leaf_rows(counts: Counts) -> list[tuple[tuple[int, ...], ...]]:
    """Return two ways to put the leafs: all in the first rack, and unit by unit from the last."""
    units = len(counts.unit_servers)
    first = [(counts.group,) * units] + [(0,) * units] * (counts.racks - 1)
    spread = [[0] * units for _ in range(counts.racks)]
    for unit in range(units):
        spread[-1 - unit % counts.racks][unit] = counts.group
    rows = [tuple(first), tuple(tuple(row) for row in spread)]
    return [row for row in rows if all(counts.most_servers(sum(r)) >= 0 for r in row)]


def test_constraint_names_begin_with_ids():
    """Names in an exported program begin with an id of the page."""
    case = next(c for c in map(random_case, range(50)) if len(c.problem.plan.units) > 1)
    problem = case.problem
    down, up = media_pairs(problem)[0]
    places = tuple(range(problem.room.racks))
    counts = Counts(problem=problem, down=down, up=up, places=places)
    leafs = leaf_rows(counts)[-1]
    names = RackFillMip(counts).model(leafs).problem.constraints()
    ids = page_ids()
    assert names
    assert all(any(row.name.startswith(rule) for rule in ids) for row in names)
