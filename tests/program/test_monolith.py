"""The monolithic program: its page and its rows agree, and it refuses what it cannot hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planner.domain.errors import UsageError
from planner.physics.refusal import Refusal
from planner.program.market import open_market
from planner.program.monolith import (
    build_monolith,
    grid_columns,
    monolith_candidates,
    solve_monolith,
)
from planner.program.placement_program import capex_of, value_of
from planner.program.scan import scan
from tests.program.test_market import FILE, instance

PAGE = Path(__file__).parents[2] / "models" / "formulation" / "monolith.md"
CODE = ("monolith", "monolith_placement", "monolith_cabling", "placement_program")


def documented() -> set[str]:
    """Return the ids of the page's table."""
    return set(re.findall(r"^\| `(monolith_\w+)` \|", PAGE.read_text(encoding="utf-8"), re.M))


def two_tiers() -> object:
    """Return the rows of a program with spines, a pair, racks as units, a budget, an owned rack."""
    market = open_market(
        instance(
            site={"racks": 2, "rack_kw": 9.5},
            fix={"server": "l40s-8-pcie", "switch": "sn3700", "nics_per_node": 2,
                 "family": "roce", "topology": ["rail_optimised", "joined_pair", "top_of_rack"]},
            grid={"min_nodes": 3, "max_nodes": 3, "oversubscription": [4.0]},
            budget={"capex_usd": 10_000_000},
            workload={"step_time_s": 9.0},
            owned={"parts": {"rack-48u-800": 1}},
        ),
        FILE,
    )  # fmt: skip
    columns = grid_columns(market)
    candidates = monolith_candidates(market, columns)
    kept = [columns[one.key] for one in candidates]
    return build_monolith(market, kept, candidates).model.problem


def test_every_rule_of_the_page_is_built_and_no_other() -> None:
    """Names of rows begin with ids of the page, and code names exactly those ids."""
    folder = Path(__file__).parents[2] / "planner" / "program"
    text = "".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in CODE)
    ids = documented()
    named = set(re.findall(r"`(monolith_[a-z_]+)`", text)) - set(CODE)
    assert named == ids
    names = [row.name for row in two_tiers().constraints()]  # type: ignore[attr-defined]
    own = [name for name in names if name.startswith("monolith_")]
    built = {
        rule for rule in ids if any(name.startswith(f"{rule}_") or name == rule for name in own)
    }
    assert built >= ids - {"monolith_odd_link"}
    assert all(any(name.startswith(rule) for rule in ids) for name in own)


def test_a_large_instance_is_refused() -> None:
    """Beyond its size the program says so instead of running for ever."""
    large = instance(site={"racks": 60, "rack_kw": 24}, grid={"min_nodes": 1, "max_nodes": 200})
    with pytest.raises(UsageError, match="at most"):
        solve_monolith(open_market(large, FILE))


def test_the_design_is_counted_again_in_whole_cents() -> None:
    """Cost and price of the result are those of its column and of its laid placement."""
    market = open_market(instance(), FILE)
    found = solve_monolith(market)
    assert found.column is not None
    assert found.placement is not None
    value, price = (
        value_of(market.placer, found.placement),
        capex_of(market.placer, found.placement),
    )
    assert found.cost_cents == found.column.fixed.total + value
    assert found.capex_cents == found.column.fixed.capex + price
    assert not isinstance(market.place(found.column), Refusal)


def test_a_room_of_different_racks_costs_the_same_both_ways() -> None:
    """Scan and monolith agree where racks differ, one is in use and one place is blocked."""
    floor = {
        "kinds": {"dense": {"rack": "rack-52u-800", "rack_kw": 18}},
        "cross_trays_m": [3.0],
        "places": [
            {"row": 1, "columns": [1], "used_units": 20, "used_kw": 4},
            {"row": 1, "columns": [2], "blocked": True},
            {"row": 2, "columns": [1], "kind": "dense"},
        ],
    }
    market = open_market(
        instance(
            site={"racks": 4, "racks_per_row": 2, "rack_kw": 8, "floor": floor},
            fix={"server": "l40s-8-pcie", "switch": "sn3700", "nics_per_node": 2,
                 "family": "roce", "topology": "rail_optimised"},
            grid={"min_nodes": 3, "max_nodes": 3, "oversubscription": [4.0]},
            workload={"step_time_s": 9.0},
        ),
        FILE,
    )  # fmt: skip
    best = scan(market).best
    whole = solve_monolith(market)
    assert best is not None
    assert not isinstance(whole, Refusal)
    assert whole.cost_cents == best.placed.cost_cents
    assert any(rack.partly_used for rack in best.placed.placement.racks)
