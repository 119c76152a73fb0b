"""Random small instances on the shipped catalogue, seeded: at most 6 servers and 5 racks.

A draft without limits is drawn first; then targets, budget, power and racks are set near what some
design of it needs, so that they bind, sometimes by a hair. Which design is cheapest is not asked
here: the three ways to solve an instance have to find that out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from planner.domain.catalog import load_catalog
from planner.domain.instance import Instance
from planner.physics.refusal import Refusal
from planner.program.columns import Column
from planner.program.market import Market, open_market
from planner.program.monolith import grid_columns, size_of
from planner.program.placement_within import place_within

FILE = Path("random.json")
DAY = "2026-09"
TOPOLOGIES = ["direct", "single", "leaf_spine", "rail_optimised"]
"""Those that the brute force can size."""

SHOPS: list[dict[str, Any]] = [
    {"server": ["l40s-8-pcie"], "nic": ["cx7-200-2p"], "switch": ["sn3700", "qm8700"]},
    {"server": ["l40s-4-pcie"], "nic": ["cx6-dx-100-2p"], "switch": ["sn3700", "generic-100g-32"]},
    {"server": ["l40s-4-pcie"], "nic": ["cx6-vpi-100", "cx7-200-2p"], "switch": ["sn3700", "qm8700"]},
    {"server": ["l40s-8-pcie"], "nic": ["cx7-400-1p"], "switch": ["qm9790", "sn5600"]},
    {"server": ["l40s-8-pcie", "h100nvl-8"], "nic": ["cx7-400-1p"], "switch": ["qm9790"]},
    {"server": ["hgx-h100-8"], "switch": ["qm9790", "qm9700"]},
    {"server": ["hgx-h100-8", "mi300x-8"], "nic": ["cx7-400-1p", "thor2-400"],
     "switch": ["sn5400", "edgecore-ais800-64o"]},
    {"server": ["dgx-b200", "hgx-h200-8"], "switch": ["qm9790"]},
    {"server": ["dgx-h200"], "switch": ["qm9790", "qm9700", "sn5600"]},
    {"server": ["dgx-b200"], "switch": ["sn5600", "arista-7060x6-64pe"]},
    {"server": ["dgx-h100", "hgx-h100-8"], "switch": ["qm9790"]},
    {"server": ["h100nvl-8"], "nic": ["cx7-200-2p"], "switch": ["sn3700", "sn4600"]},
    {"server": ["ws-4x-rtx4090", "ws-4x-a6000"], "nic": ["cx6-lx-25-2p", "generic-25-2p"],
     "switch": ["generic-25g-48", "sn3700c"]},
    {"server": ["ws-4x-rtx6000ada"], "nic": ["cx6-dx-100-2p", "cx6-vpi-200"],
     "switch": ["generic-100g-32", "sn3700"]},
    {"server": ["gaudi3-8"], "switch": ["sn5600", "edgecore-ais800-64o"]},
    {"server": ["hgx-b300-8"], "switch": ["q3400-ra"]},
]  # fmt: skip
JOBS = [
    ("gpt2-xl", 1024, (32, 64, 128)), ("gpt2-xl", 512, (48, 96)), ("llama3-8b", 4096, (32, 64)),
    ("llama2-7b", 2048, (32, 64, 96)), ("bert-large", 512, (64, 256)),
]  # fmt: skip
CABLE_QUOTES = {
    "dac-200g-2m": 900, "dac-200g-3m": 900, "dac-800g-2x400-2m": 1700, "dac-800g-2x400-3m": 1800,
    "aoc-200g-10m": 150, "osfp-800g-2xsr4": 400, "rack-48u-800": 9000, "qm9700": 21000,
    "dgx-h100": 250_000,
}  # fmt: skip


@dataclass(frozen=True)
class Most:
    """How large an instance may be; larger drafts are thrown away."""

    columns: int = 20
    variables: int = 3_500
    arrangements: int = 30_000
    """Of one column; the exhaustive search tries them all."""


SMALLER = Most(columns=8, variables=500, arrangements=300)
"""Solved three ways in a third of the time."""


@dataclass(frozen=True)
class Drawn:
    """An instance and how its limits were set."""

    seed: int
    instance: Instance
    tight: str
    """Which limit was set near a design."""


def random_instance(
    seed: int, most: Most = Most(), topologies: Sequence[str] = TOPOLOGIES
) -> Drawn:
    """Return the instance of a seed, no larger than allowed."""
    rng = random.Random(seed)
    while True:
        fields = _draft(rng, topologies)
        market = open_market(Instance.model_validate(fields), FILE)
        columns = grid_columns(market)
        if not _small(market, columns, most):
            continue
        column = min(rng.choices(columns, k=2), key=lambda one: one.fixed.total)
        if not _set_targets(rng, fields, market, column):
            continue
        tight = _set_limit(rng, fields, market, column)
        return Drawn(seed, Instance.model_validate(fields), tight)


def _small(market: Market, columns: list[Column], most: Most) -> bool:
    return (
        0 < len(columns) <= most.columns
        and size_of(market, columns) <= most.variables
        and all(_arrangements(market, column) <= most.arrangements for column in columns)
    )


def _arrangements(market: Market, column: Column) -> int:
    """Return the ways to spread a column's boxes over the racks, limits not counted."""
    plan, racks = column.plan, market.instance.site.racks
    counts = [unit.servers for unit in plan.units] + [unit.leafs for unit in plan.units]
    total = 1
    for count in (*counts, plan.spines, column.out_of_band.switches):
        total *= comb(count + racks - 1, count)
    return total


def _draft(rng: random.Random, topologies: Sequence[str]) -> dict[str, Any]:
    shop = {key: list(value) for key, value in rng.choice(SHOPS).items()}
    least = rng.choice([1, 1, 2, 2, 3, 4])
    most = min(6, least + rng.choice([1, 2, 2, 3, 4]))
    fix: dict[str, Any] = dict(shop)
    if rng.random() < 0.7:
        fix["family"] = rng.choice([["infiniband"], ["roce"], ["ethernet"], ["infiniband", "roce"]])
    fix["topology"] = list(topologies)
    if topologies is TOPOLOGIES and rng.random() < 0.3:
        fix["topology"] = ["leaf_spine", "rail_optimised"]
    elif topologies is TOPOLOGIES and rng.random() < 0.5:
        fix["topology"] = rng.sample(TOPOLOGIES, 2)
    if rng.random() < 0.15:
        fix["nodes"] = sorted(rng.sample(range(1, 7), 2))
        least, most = 1, 6
    site, quotes = _site(rng), _quotes(rng)
    if rng.random() < 0.25:
        site["electricity_usd_per_kwh"] = rng.choice([5.0, 9.0])
        quotes |= _dear_copper(rng)
    return {
        "name": "random",
        "workloads": _workloads(rng),
        "site": site,
        "finance": _finance(rng),
        "grid": {
            "min_nodes": least,
            "max_nodes": most,
            "step": rng.choice([1, 1, 1, 2]),
            "mixed_tiers": rng.random() < 0.4,
            "oversubscription": rng.choice([[1.0], [1.0, 2.0], [2.0], [1.5], [4.0]]),
        },
        "fix": fix,
        "forbid": _forbid(rng, shop),
        "quotes": quotes,
        "network_price_factor": rng.choice([1.0, 1.0, 1.0, 0.5, 1.7, 0.0]),
        "congestion": rng.choice([None, None, 0.6, 0.8]),
        "tuner": rng.choice(["tuner", "tuner", "best"]),
        "budget": {},
        "storage": rng.choice(
            [None, None, None, {"capacity_tb": 100, "price_usd": 90_000.4, "power_kw": 1.5}]
        ),
    }


def _quotes(rng: random.Random) -> dict[str, Any]:
    return {
        part: {"usd": usd * rng.choice([1.0, 0.5, 1.37]), "date": DAY}
        for part, usd in rng.sample(sorted(CABLE_QUOTES.items()), rng.choice([0, 0, 1, 3, 5]))
    }


def _dear_copper(rng: random.Random) -> dict[str, Any]:
    """Return quotes under which copper is dearer to buy, and with dear power cheaper to own."""
    factor = rng.choice([4.0, 7.0, 12.0])
    return {
        cable.id: {"usd": cable.price.usd * factor, "date": DAY}
        for cable in load_catalog().cables.values()
        if cable.kind == "DAC" and cable.price is not None
    }


def _forbid(rng: random.Random, shop: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if rng.random() < 0.1:
        found["nodes"] = [rng.randint(1, 4)]
    if rng.random() < 0.15:
        found["product"] = rng.choice(
            [
                ["dac-200g-2m"],
                ["dac-800g-2x400-2m", "qm9700"],
                ["osfp-400g-sr4-ib"],
                ["cx6-vpi-100"],
            ]
        )
    if rng.random() < 0.05 and len(shop["switch"]) > 1:
        found["switch"] = [shop["switch"][0]]
    return found


def _workloads(rng: random.Random) -> list[dict[str, Any]]:
    found = []
    for index in range(rng.choice([1, 1, 1, 2, 2, 3])):
        network, length, batches = rng.choice(JOBS)
        workload: dict[str, Any] = {
            "name": f"job-{index}",
            "network": network,
            "sequence_length": length,
            "global_batch": rng.choice(batches),
            "step_time_s": 1e9,
            "margin": rng.choice([0.0, 0.05, 0.1]),
        }
        if rng.random() < 0.1:
            workload["fix"] = {"tp": [1, 2, 4]}
        if rng.random() < 0.1:
            workload["forbid"] = {"sharding": "zero3"}
        if rng.random() < 0.08:
            workload["fix"] = {"nodes": [1, 2]}
        found.append(workload)
    return found


def _site(rng: random.Random) -> dict[str, Any]:
    return {
        "racks": rng.choice([1, 2, 3, 3, 4, 5]),
        "rack_kw": rng.choice([6.0, 8.5, 11.0, 12.5, 15.0, 16.7, 22.0, 31.0, 45.0]),
        "rack": rng.choice(["rack-48u-800", "rack-42u-600"]),
        "rack_weight_kg": rng.choice([1500.0, 1500.0, 300.0, 160.0]),
        "racks_per_row": rng.choice([1, 2, 3, 12]),
        "row_pitch_m": rng.choice([1.2, 3.0]),
        "rise_m": rng.choice([0.0, 0.5, 2.0]),
        "slack_m": rng.choice([0.0, 1.0]),
        "inside_rack_m": rng.choice([1.0, 2.0, 2.5]),
        "electricity_usd_per_kwh": rng.choice([None, 0.05, 0.2, 4.0]),
        "pue": rng.choice([None, 1.1, 1.7]),
        "space_usd_per_kw_month": rng.choice([None, None, 150.0]),
    }


def _finance(rng: random.Random) -> dict[str, Any]:
    return {
        "years": rng.choice([5, 3, 4.5, 1]),
        "discount_rate": rng.choice([0.08, 0.0, 0.12]),
        "resale_share": rng.choice([0.0, 0.0, 0.15]),
        "installation_share": rng.choice([None, None, 0.03]),
        "freight_share": rng.choice([None, None, 0.013]),
        "software_usd_per_gpu_year": rng.choice([None, None, 900.0]),
    }


def _set_targets(
    rng: random.Random, fields: dict[str, Any], market: Market, column: Column
) -> bool:
    """Set every workload's target near what it takes on a design; False where one does not fit."""
    lengths = market.placer.room.lengths_m
    kinds = [rng.choice(["step", "tokens", "repeat"]) for _ in fields["workloads"]]
    share = rng.uniform(0.5, 1.15) / len(kinds)  # together near all hours that there are
    for index, (workload, kind) in enumerate(zip(fields["workloads"], kinds, strict=True)):
        near = market.oracle.fastest(index, column, lengths[0])
        far = market.oracle.fastest(index, column, lengths[-1])
        if near is None or far is None:
            return False
        seconds = near.step_time_s * rng.choice([0.97, 1.003, 1.02, 1.05, 1.3, 1.3, 2.0])
        if rng.random() < 0.15 and far.step_time_s > near.step_time_s:
            part = rng.uniform(0.2, 0.8)
            seconds = near.step_time_s * (1 - part) + far.step_time_s * part
        seconds *= 1 + workload["margin"]
        if kind == "step":
            workload["step_time_s"] = seconds
            if len(kinds) > 1:
                workload["hours_per_day"] = round(24 * share, 3)
            continue
        del workload["step_time_s"]
        workload["availability"] = 0.9
        days = rng.choice([1.0, 7.0, 30.0])
        workload["deadline_days"] = days
        steps = days * 86400 * 0.9 / seconds
        workload["tokens"] = steps * workload["global_batch"] * workload["sequence_length"]
        if kind == "repeat" or len(kinds) > 1:
            workload["repeat_days"] = days / share if share < 1 else days
    return True


def _set_limit(rng: random.Random, fields: dict[str, Any], market: Market, column: Column) -> str:
    """Set one limit near what a design needs; return its name."""
    kind = rng.choice(["capex", "capex", "capex", "power", "gpus", "rack_kw", "none", "site_power"])
    budget, site = fields["budget"], fields["site"]
    if kind == "capex":
        cents = column.fixed.capex + market.storage.capex + _cables_cents(rng, market, column)
        cents += rng.choice([0, 0, 0, 0, -1, -30_000, 25_000, 150_000, 400_000, 9_000_000])
        budget["capex_usd"] = max(1, cents) / 100
    elif kind in ("power", "site_power"):
        kilowatts = (
            column.max_power_w + market.storage_kw * 1000 + rng.choice([0, -1, 900])
        ) / 1000
        if kind == "power":
            budget["power_kw"] = kilowatts
        else:
            site["power_kw"] = kilowatts
    elif kind == "gpus":
        budget["gpus"] = max(1, column.gpus - rng.choice([0, 0, 1]))
    elif kind == "rack_kw":
        server = column.option.server.max_power_w * rng.randint(1, 3)
        others = (column.max_power_w - column.nodes * column.option.server.max_power_w) or 112.0
        watts = server + rng.choice([0.0, 112.0, others, others, others - 1])
        site["rack_kw"] = watts / 1000
    return kind


def _cables_cents(rng: random.Random, market: Market, column: Column) -> int:
    """Return a price between the least of racks and cables and that of the cheapest to own."""
    owned = place_within(market.placer, column, None)
    bought = place_within(market.placer.weighted(0, 1), column, None)
    if isinstance(owned, Refusal) or isinstance(bought, Refusal):
        return 1_000_000
    least, most = bought.capex_cents, owned.capex_cents
    return rng.choice([least, most, rng.randint(least, most)])
