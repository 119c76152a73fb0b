"""Random small instances of which some parts are owned: drawn near what a design of them needs."""

from __future__ import annotations

import random
from typing import Any

from planner.domain.instance import Instance
from planner.physics.refusal import Refusal
from planner.program.columns import switch_counts
from planner.program.market import open_market
from planner.program.monolith import grid_columns
from planner.program.place_owned import OwnedPlacer
from tests.program.random_instances import FILE, random_instance


def owned_instance(seed: int) -> Instance:
    """Return the instance of a seed with an inventory."""
    rng = random.Random(seed)
    instance = random_instance(seed).instance
    return with_owned(instance, inventory(rng, instance))


def with_owned(instance: Instance, owned: dict[str, Any]) -> Instance:
    """Return an instance that owns something."""
    fields = instance.model_dump(by_alias=True)
    return Instance.model_validate(fields | {"owned": owned})


def inventory(rng: random.Random, instance: Instance) -> dict[str, Any]:
    """Return an inventory near the needs of one design: less, as much, or more of each part."""
    market = open_market(instance, FILE)
    columns = grid_columns(market)
    if not columns:
        return {"servers": [], "switches": [], "parts": {"sn2201": 1}}
    column = rng.choice(columns)
    plan, option = column.plan, column.option
    owned: dict[str, Any] = {"servers": [], "switches": [], "parts": {}}

    def some(count: int) -> int:
        return max(0, count + rng.choice([0, 0, -1, -2, 1, 5]))

    if rng.random() < 0.7 and some(column.nodes):
        row = {"server": option.server.id, "nic": option.key, "count": max(1, some(column.nodes))}
        owned["servers"].append(row)
    for switch, count in switch_counts(plan).items():
        if rng.random() < 0.7:
            owned["switches"].append({"switch": switch, "count": max(1, some(count))})
    parts: dict[str, int] = {"sn2201": 1, "cat6a-1g-20m": column.out_of_band.ports}
    placed = OwnedPlacer(market.placer).place(column, None)
    if not isinstance(placed, Refusal):
        fibres = market.catalog.fibres
        parts |= {p: n for p, n in placed.placement.parts.items() if p not in fibres}
        rack = market.placer.rack
        parts[rack.rack] = len(placed.placement.racks)
        parts[rack.pdu] = parts[rack.rack] * rack.pdus
    for part, count in parts.items():
        if rng.random() < 0.6 and some(count):
            owned["parts"][part] = max(1, some(count))
    return owned
