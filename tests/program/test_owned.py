"""What is owned: three ways to the same optimum, and laws that hold whatever is owned."""

from __future__ import annotations

import random

import pytest

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.program.market import open_market
from planner.program.monolith import solve_monolith
from planner.program.scan import scan
from planner.study.decide import DecideOptions, confirm
from tests.program.brute_force import brute_force
from tests.program.owned_instances import owned_instance, with_owned
from tests.program.random_instances import FILE, random_instance

QUICK, ALL, BATCH = 24, 96, 6
NEVER = 10**15


@pytest.mark.parametrize("first", range(0, QUICK, BATCH))
def test_three_ways_agree_beside_an_inventory(first: int) -> None:
    """Scan with its program, one program, and brute force find the same cents."""
    check_three_ways(first)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, ALL, BATCH))
def test_three_ways_agree_beside_many_inventories(first: int) -> None:
    """The same on more instances."""
    check_three_ways(first)


def check_three_ways(first: int) -> None:
    """Solve a batch of instances three ways."""
    for seed in range(first, first + BATCH):
        instance = owned_instance(seed)
        market = open_market(instance, FILE)
        result = scan(market)
        confirm(market, result, DecideOptions())
        best = result.best.placed.cost_cents if result.best else None
        single = solve_monolith(open_market(instance, FILE))
        force = brute_force(instance)
        assert (best, single.cost_cents) == (force.cents, force.cents), (seed, result.proved)


def cost(instance: Instance) -> int:
    """Return the least cost, cents; a large number where nothing meets the limits."""
    best = scan(open_market(instance, FILE)).best
    return NEVER if best is None else best.placed.cost_cents


@pytest.mark.parametrize("seed", range(100, 112))
def test_owning_more_never_costs_more(seed: int) -> None:
    """A column's cost never rises with the stock, and no limit gets tighter: nor does the least."""
    rng = random.Random(seed)
    instance = owned_instance(seed)
    owned = instance.owned.model_dump(exclude={"fabric", "bill"})
    base = cost(instance)
    assert base <= cost(instance.model_copy(update={"owned": None}))
    for rows in (owned["servers"], owned["switches"]):
        for row in rows:
            row["count"] += rng.randint(0, 4)
    owned["parts"] = {part: count + rng.randint(0, 9) for part, count in owned["parts"].items()}
    assert cost(with_owned(instance, owned)) <= base


@pytest.mark.parametrize("seed", range(200, 210))
def test_owning_what_nothing_needs_changes_nothing(seed: int) -> None:
    """Parts that no design of the grid takes leave design, cables and cost as they are."""
    instance = random_instance(seed).instance
    plain = scan(open_market(instance, FILE)).best
    useless = {"servers": [{"server": "gb300-nvl72", "count": 4}], "parts": {"rack-52u-800": 3}}
    spare = scan(open_market(with_owned(instance, useless), FILE)).best
    assert (plain is None) == (spare is None)
    if plain is not None and spare is not None:
        assert plain.placed.cost_cents == spare.placed.cost_cents
        assert plain.column.key == spare.column.key
        assert plain.placed.placement.parts == spare.placed.placement.parts


def test_what_is_out_of_sale_serves_as_far_as_it_is_owned() -> None:
    """Four old servers may be used, a fifth cannot be had, and the sentence says so."""
    instance = Instance.model_validate({
        "name": "old", "site": {"racks": 8, "rack_kw": 40}, "grid": {"max_nodes": 6},
        "fix": {"server": "a100-pcie80-8", "topology": ["single", "direct"]},
        "owned": {"servers": [{"server": "a100-pcie80-8", "count": 4}]},
        "workloads": [{"name": "a", "network": "gpt2-xl", "sequence_length": 1024,
                       "global_batch": 64, "step_time_s": 1e6}],
    })  # fmt: skip
    market = open_market(instance, FILE)
    found = scan(market).best
    assert found is not None
    assert found.placed.placement is not None
    assert market.server_limit(found.column.option, 4) is None
    refusal = market.server_limit(found.column.option, 5)
    assert refusal is not None
    assert refusal.limit == "owned_out_of_sale"
    assert "4 are owned" in refusal.reason


def test_every_faulty_name_is_said_at_once() -> None:
    """Unknown servers, cards, switches and parts are named with the nearest known."""
    owned = {
        "servers": [{"server": "hgx-h100-9", "count": 1},
                    {"server": "hgx-h100-8", "nic": "cx9", "count": 1}],
        "switches": [{"switch": "qm9701", "count": 1}],
        "parts": {"dac-5m": 1, "el-default-us": 1},
    }  # fmt: skip
    with pytest.raises(InputError) as caught:
        open_market(with_owned(random_instance(0).instance, owned), FILE)
    assert [fault.where for fault in caught.value.faults] == [
        "$.owned.servers[0].server", "$.owned.servers[1].nic", "$.owned.switches[0].switch",
        "$.owned.parts.dac-5m", "$.owned.parts.el-default-us",
    ]  # fmt: skip
