"""What a careless placement would cost and how slow it would be, beside the one that was found.

The same devices in the same racks of the room, but in any order: what stands in one rack stands in
another, and servers, leafs, spines and cores of a kind change places. Several such orders are drawn
(seeds 0, 1, ...), each is wired as cheaply as it can be, and their mean is told. Step times are those
of the chosen strategies where no two servers of a group share a leaf, at the links' greatest length.
Beside it: the same placement under a launcher that deals ranks to the servers by turns, so that tensor
parallelism crosses the network (`physics/layout.py`, `Wiring.dealt`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from planner.domain.design import FabricPlan
from planner.domain.solution import CarelessPart
from planner.domain.units import CENTS_PER_USD
from planner.program.box import Box
from planner.program.cabling import Harness, cable
from planner.program.link_prices import Medium
from planner.program.market import Market
from planner.program.module_base import media_pairs
from planner.program.parted_wiring import wirings
from planner.program.placement_counts import Counts
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_layout import Spot
from planner.program.scan import Found
from planner.program.wire import wiring_of

MOST_DRAWS = 5
LINKS_DRAWN = 1000
"""Links of all draws together, beyond which one draw is taken."""


def careless_part(market: Market, best: Found) -> CarelessPart | None:
    """Return the comparison; None without switches, with owned parts, or above 20,000 links."""
    plan, placement = best.column.plan, best.placed.placement
    if not plan.leafs or placement.cable_groups or market.owned_placer.parts:
        return None
    problem = market.placer.problem(best.column)
    spots = _spots(problem, best)
    draws = max(1, min(MOST_DRAWS, LINKS_DRAWN // len(placement.cables)))
    wired = [_cheapest(market, problem, mixed(spots, seed, problem)) for seed in range(draws)]
    reached = [one for one in wired if one is not None]
    cents = [cost for cost, _ in reached]
    longest = max((_longest_m(harness) for _, harness in reached), default=0.0)
    laid = sum(market.book.unit(part).capex * n for part, n in placement.parts.items())
    return CarelessPart(
        draws=draws,
        links_usd=laid / CENTS_PER_USD,
        careless_links_usd=None
        if len(reached) < draws
        else round(sum(cents) / draws) / CENTS_PER_USD,
        longest_m=max(one.max_m for one in placement.lengths.values()),
        careless_longest_m=longest,
        careless_step_times_s=_step_times(market, best, longest),
        dealt_step_times_s=_dealt_step_times(market, best),
    )


def mixed(spots: list[Spot], seed: int, problem: PlacementProblem) -> list[Spot]:
    """Return devices in random order: every rack keeps how many of each kind it holds.

    Where all racks of the room are alike their contents change places too.
    """
    draw = random.Random(seed)  # noqa: S311 - a drawn order, no secret
    used = sorted({spot.rack for spot in spots})
    others = list(used)
    if problem.room.alike:
        draw.shuffle(others)
    moved = dict(zip(used, others, strict=True))
    racks = {kind: [s.rack for s in spots if s.kind == kind] for kind in {s.kind for s in spots}}
    for kind in sorted(racks):
        draw.shuffle(racks[kind])
    return [replace(spot, rack=moved[racks[spot.kind].pop()]) for spot in spots]


def _spots(problem: PlacementProblem, best: Found) -> list[Spot]:
    placement = best.placed.placement
    cells = {problem.room.cell(k): k for k in range(problem.room.racks)}
    place = {rack.id: cells[rack.row, rack.column] for rack in placement.racks}
    boxes: dict[str, Box | None] = {
        "node": problem.server, "leaf": problem.leaf, "spine": problem.spine,
        "core": problem.core, "oob": problem.oob,
    }  # fmt: skip
    spots = []
    for device in sorted(placement.devices, key=lambda d: d.id):
        box = boxes[device.kind]
        assert box is not None
        spots.append(
            Spot(
                id=device.id, kind=device.kind, box=box, rack=place[device.rack],
                group=device.group, rail=device.rail, pod=device.pod, plane=device.plane,
            )
        )  # fmt: skip
    return spots


def _media(
    problem: PlacementProblem,
) -> Iterator[tuple[Medium | None, Medium | None, Medium | None]]:
    if problem.plan.parted:
        yield from (wiring.media for wiring in wirings(problem))
    else:
        yield from ((down, up, None) for down, up in media_pairs(problem))


def _cheapest(
    market: Market, problem: PlacementProblem, spots: list[Spot]
) -> tuple[int, Harness] | None:
    """Return the cheapest wiring of devices in places and its purchase price, None if none reaches."""
    room, found = problem.room, []
    racks = sorted({spot.rack for spot in spots})
    steps = {room.lengths_m.index(room.route_m(a, b)) for a in racks for b in racks}
    for down, up, top in _media(problem):
        media = [medium for medium in (down, up, top) if medium is not None]
        if any(medium.fibre[step] is None for medium in media for step in steps):
            continue
        counts = Counts(problem=problem, down=down, up=up, top=top, places=tuple(range(room.racks)))
        harness = cable(counts, spots)
        cents = sum(market.book.unit(part).capex * n for part, n in harness.parts.items())
        found.append((cents, harness))
    return min(found, key=lambda item: item[0], default=None)


def _longest_m(harness: Harness) -> float:
    return max(link.needed_m for link in harness.cables)


def _scattered(plan: FabricPlan) -> FabricPlan:
    """Return a plan in which every server has a leaf of its own, below the same spines."""
    pods = tuple(replace(pod, units=1) for pod in plan.pods)
    return replace(plan, hosts_per_leaf=1, pods=pods) if plan.spines else plan


def _step_times(market: Market, best: Found, longest_m: float) -> dict[str, float]:
    column = replace(best.column, plan=_scattered(best.column.plan))
    times = {}
    for index, (workload, step) in enumerate(
        zip(market.instance.workloads, best.steps.steps, strict=True)
    ):
        if step is None:
            continue
        detail = market.oracle.detail(index, column, longest_m, step)
        times[workload.name] = max(step.step_time_s, detail.step_time_s)
    return times


def _dealt_step_times(market: Market, best: Found) -> dict[str, float]:
    """Return the steps of the chosen strategies where ranks do not follow servers, leafs and pods."""
    column = best.column
    longest_m = max(one.max_m for one in best.placed.placement.lengths.values())
    wiring = wiring_of(market.instance, market.catalog, column, longest_m)
    times = {}
    for index, (workload, step) in enumerate(
        zip(market.instance.workloads, best.steps.steps, strict=True)
    ):
        if step is not None and step.servers > 1:
            dealt = replace(wiring, dealt=True)
            detail = market.oracle.detail_on(index, column.option, dealt, step)
            times[workload.name] = detail.step_time_s
    return times
