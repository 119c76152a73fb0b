"""Step times of rented servers computed once more: consistency, not an independent check.

No provider describes its fabric: two tiers, non-blocking, 20 m links, 32 servers a leaf are the
estimate that the answer states (models/formulation/portfolio.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.domain.catalog import Catalog
from planner.domain.cloud import CloudOffer
from planner.domain.portfolio_part import RentPart
from planner.domain.solution import Solution
from planner.domain.workload import Workload
from planner.verify.steptime import (
    ETHERNET_SHARE,
    FEC_LOW_S,
    FEC_S,
    UNKNOWN_LATENCY_S,
    close,
    job_of,
    machine_of,
    server_wiring,
)
from planner.verify.strategy_shape import check_strategy
from planner.verify.violation import Violation, violation

if TYPE_CHECKING:
    from planner.physics.wiring import Wiring

NETWORK = {"ethernet": "tcp"}
"""Families whose traffic has another name in the physics."""
WITHOUT_CONGESTION = ("infiniband", "efa")
CABLE_M = 20.0
HOSTS_PER_LEAF = 32


def check_rented_step(
    solution: Solution,
    catalog: Catalog,
    rent: RentPart,
    demand: Workload,
    offer: CloudOffer,
    where: str,
) -> Iterator[Violation]:
    """Yield step times and parts of a rent that the physics does not give again."""
    strategy = rent.strategy
    if strategy is None:
        yield violation(
            "rented-strategy",
            f"{where}.strategy",
            "a strategy",
            "none",
            "a rent names its strategy",
        )
        return
    yield from check_strategy(strategy, rent.strategy_label, f"{where}.strategy", rent.workload)
    if not close(math.fsum(rent.breakdown.values()), rent.step_time_s):
        yield violation(
            "rented-parts", f"{where}.breakdown", rent.step_time_s,
            math.fsum(rent.breakdown.values()), "the parts add up to the step",
        )  # fmt: skip
    yield from _again(solution, catalog, rent, demand, offer, where)


def _again(
    solution: Solution,
    catalog: Catalog,
    rent: RentPart,
    demand: Workload,
    offer: CloudOffer,
    where: str,
) -> Iterator[Violation]:
    from planner.domain.model_constants import model_constants
    from planner.physics.steptime import explain

    option = catalog.server_nics.get(offer.platform)
    job = None if "/" in demand.network else job_of(demand, solution.networks)
    if option is None or job is None or rent.strategy is None:
        return
    server = catalog.servers[option.server]
    hosts = (rent.instances + demand.pipeline_nodes_elsewhere) * server.hosts
    if rent.strategy.gpus > hosts * server.host_gpus:
        yield violation(
            "rented-strategy", f"{where}.strategy", f"at most {hosts * server.host_gpus} GPUs",
            rent.strategy.gpus, "the strategy takes more than is rented",
        )  # fmt: skip
        return
    alone = hosts == server.hosts
    detail = explain(
        job,
        machine_of(server, catalog.accelerators[server.accelerator], demand.precision),
        server_wiring(catalog, option) if alone else _wiring(solution, catalog, offer),
        hosts,
        rent.strategy,
        constants=model_constants(solution.calibration),
        choice="best" if solution.instance.tuner == "best" else "tuner",
    )
    figures = [("step_time_s", detail.step_time_s, rent.step_time_s)]
    for name in sorted(set(detail.parts_s) | set(rent.breakdown)):
        stated = rent.breakdown.get(name, 0.0)
        figures.append((f"breakdown.{name}", detail.parts_s.get(name, 0.0), stated))
    for field, counted, stated in figures:
        if not close(counted, stated):
            yield violation(
                "rented-steptime", f"{where}.{field}", counted, stated,
                f"{rent.workload}: the physics gives another figure for this strategy",
            )  # fmt: skip


def _wiring(solution: Solution, catalog: Catalog, offer: CloudOffer) -> Wiring:
    option = catalog.server_nics[offer.platform]
    share = solution.instance.congestion
    full = offer.family in WITHOUT_CONGESTION
    fec_s = FEC_LOW_S if offer.family == "infiniband" else FEC_S
    return replace(
        server_wiring(catalog, option),
        network=NETWORK.get(offer.family, offer.family),
        network_efficiency=1.0 if full else ETHERNET_SHARE if share is None else share,
        tiers=2,
        switch_latency_s=UNKNOWN_LATENCY_S + fec_s,
        cable_m=CABLE_M,
        hosts_per_leaf=HOSTS_PER_LEAF * catalog.servers[option.server].hosts,
    )
