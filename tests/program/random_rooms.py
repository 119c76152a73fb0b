"""Random small placement problems, seeded; part menus are made up, prices are not of this world."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

from planner.domain.design import FabricChoice, FabricPlan
from planner.physics.fabric import size_fabric
from planner.physics.links import FibreLength, FixedCable, LinkMenu, Optic
from planner.program.box import Box
from planner.program.link_prices import media
from planner.program.placement_problem import PlacementProblem
from planner.program.room import Room
from planner.program.stands import Stand


@dataclass(frozen=True)
class Ports:
    """A switch with a number of ports."""

    ports: int

    def ports_at(self, link_gbps: float) -> int:
        return self.ports


@dataclass(frozen=True)
class Case:
    """A problem with the menus that its media were priced from."""

    problem: PlacementProblem
    down: LinkMenu | None
    up: LinkMenu | None


PLANES = ("rail_only", "dual_plane")
"""Drawn with spines, where one switch a plane does not do."""
TOPOLOGIES = ("direct", "single", "leaf_spine", "rail_optimised", "leaf_spine")


def random_whole_case(seed: int, most_arrangements: int = 4000) -> Case:
    """Return a random problem whose servers are delivered as racks."""
    for k in range(10_000):
        case = random_case(1_000_000 * seed + k, most_arrangements)
        if case.problem.server.whole_rack:
            return case
    raise AssertionError("no such room in ten thousand")


def random_case(
    seed: int, most_arrangements: int = 4000, topologies: Sequence[str] = TOPOLOGIES
) -> Case:
    """Return a random problem whose arrangements can all be tried."""
    rng = random.Random(seed)
    while True:
        case = _draw(rng, topologies)
        if case is not None and _arrangements(case.problem) <= most_arrangements:
            return case


def random_uneven_case(
    seed: int, most_arrangements: int = 2500, topologies: Sequence[str] = TOPOLOGIES
) -> Case:
    """Return a random problem in a room of mixed, partly used racks with places left out."""
    rng = random.Random(f"uneven-{seed}")
    while True:
        case = _draw(rng, topologies)
        if case is None:
            continue
        room = _uneven(rng, case.problem.room)
        if room.racks < 1:
            continue
        problem = in_room(case, room)
        cents = tuple(0 if s.partly_used else rng.choice([500, 5000, 60000]) for s in room.stands)
        server = replace(problem.server, cooling=rng.choice(["air", "air", "liquid"]))
        problem = replace(problem, rack_cents_in=cents, server=server)
        if _arrangements(problem) <= most_arrangements:
            return Case(problem, case.down, case.up)


def _uneven(rng: random.Random, like: Room) -> Room:
    """Return a room whose racks differ in size, power, weight, cooling and what they hold."""
    places, per_row = rng.randint(2, 6), rng.randint(2, 4)
    gaps = [rng.choice([1.2, 2.4, 3.1]) for _ in range(places)]
    stands = []
    for row in range(-(-places // per_row)):
        left = 0.0
        for column in range(min(per_row, places - row * per_row)):
            width = rng.choice([0.6, 0.8])
            if rng.random() < 0.8:
                used = rng.random() < 0.35
                stands.append(
                    Stand(
                        row=row,
                        column=column,
                        x_m=round(left, 6),
                        y_m=round(sum(gaps[:row]), 6),
                        width_m=width,
                        model=f"rack-{width:g}",
                        units=rng.randint(6, 20),
                        taken_units=rng.randint(0, 4) if used else 0,
                        limit_w=rng.choice([3.0, 4.5, 6.0, 10.0]),
                        taken_w=rng.choice([0.0, 0.5, 2.0]) if used else 0.0,
                        limit_kg=rng.choice([40.0, 60.0, 300.0]),
                        taken_kg=rng.choice([0.0, 10.0]) if used else 0.0,
                        cooling=rng.choice(["air", "liquid", "liquid"]),
                    )
                )
            left += width
    return replace(
        like,
        racks=len(stands),
        racks_per_row=per_row,
        places=places,
        stands=tuple(stands),
        cross_m=tuple(rng.sample([0.0, 0.7, 1.5, 3.0], rng.choice([0, 0, 1, 2]))),
        rack_units=max((s.free_units for s in stands), default=0),
        rack_w=max((s.free_w for s in stands), default=0.0),
        rack_kg=max((s.free_kg for s in stands), default=0.0),
        cooling="liquid" if any(s.cooling == "liquid" for s in stands) else "air",
    )


def in_room(case: Case, room: Room) -> PlacementProblem:
    """Return the same design in another room."""
    cents = case.problem.unit_cents
    return replace(
        case.problem,
        room=room,
        node_leaf=media(case.down, cents, room, "b") if case.down else (),
        leaf_spine=media(case.up, cents, room, "a") if case.up else (),
    )


def _arrangements(problem: PlacementProblem) -> int:
    racks, plan = problem.room.racks, problem.plan
    kinds = [unit.servers for unit in plan.units] + [unit.leafs for unit in plan.units]
    product = 1
    for count in (*kinds, plan.spines, problem.oob_count):
        product *= comb(count + racks - 1, count)
    return product


def sorted_down(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return numbers so that more leafs leave no more servers."""
    return tuple(sorted(numbers, reverse=True))


def _draw(rng: random.Random, topologies: Sequence[str]) -> Case | None:
    topology = rng.choice(topologies)
    servers = 1 if topology == "direct" else rng.randint(2, 6)
    spine = "spine" if topology in PLANES else ""
    choice = FabricChoice(
        family="roce",
        topology=topology,
        spine_switch=spine,
        oversubscription=rng.choice([1.0, 1.0, 2.0, 3.0]),
    )
    switch = Ports(rng.choice([4, 6, 8, 12, 16]))
    links = rng.choice([1, 1, 2, 2, 3, 4])
    beside = tuple(rng.randint(1, 3) for _ in range(links)) if topology == "top_of_rack" else ()
    plan = size_fabric(
        choice, servers, links, 400.0, switch, switch, servers_beside=sorted_down(beside)
    )
    if not isinstance(plan, FabricPlan) or len(plan.units) > 3:
        return None
    q = rng.choice([1, 2, 2])
    room = Room(
        racks=rng.randint(1, 5),
        racks_per_row=rng.randint(1, 4),
        pitch_m=rng.choice([0.6, 0.8]),
        row_pitch_m=rng.choice([1.2, 3.0]),
        rise_m=rng.choice([0.2, 0.5, 2.0]),
        slack_m=rng.choice([0.0, 1.0]),
        inside_rack_m=rng.choice([1.0, 2.0]),
        rack_units=rng.randint(6, 20),
        rack_w=rng.choice([3.0, 4.5, 6.0, 10.0]),
        rack_kg=rng.choice([40.0, 60.0, 300.0]),
        cooling="air",
    )
    cents: dict[str, int] = {}
    down = _menu(rng, "d", rng.choice([1, 1, q]), q, cents) if plan.leafs else None
    up = _menu(rng, "u", q, q, cents) if plan.links_beyond_leaf else None
    if down and plan.by_turns and down.links_a > 1:
        down = replace(down, fixed=())
    return Case(_problem(rng, plan, room, down, up, cents, -(-switch.ports // q)), down, up)


def _problem(
    rng: random.Random,
    plan: FabricPlan,
    room: Room,
    down: LinkMenu | None,
    up: LinkMenu | None,
    cents: dict[str, int],
    cages: int,
) -> PlacementProblem:
    leaf = Box(part="leaf", units=rng.randint(1, 2), max_w=rng.choice([0.3, 0.7]), weight_kg=11.5)
    spine = Box(part="spine", units=rng.randint(1, 3), max_w=rng.choice([0.3, 1.1]), weight_kg=14.0)
    oob = Box(part="oob", units=1, max_w=0.1, weight_kg=7.4)
    return PlacementProblem(
        plan=plan,
        room=room,
        server=Box(
            part="server",
            units=rng.randint(2, 6),
            max_w=rng.choice([1.0, 1.9, 2.2]),
            weight_kg=rng.choice([15.0, 25.3]),
            whole_rack=rng.random() < 0.05,
        ),
        leaf=leaf if plan.leafs else None,
        spine=spine if plan.spines else None,
        oob=oob,
        oob_count=rng.choice([0, 0, 1]),
        rack_cents=rng.choice([0, 500, 5000, 60000]),
        unit_cents=cents,
        node_leaf=media(down, cents, room, "b") if down else (),
        leaf_spine=media(up, cents, room, "a") if up else (),
        leaf_cages=cages,
    )


def _menu(rng: random.Random, name: str, links_a: int, links_b: int, cents: Any) -> LinkMenu:
    """Return a menu between cages of so many links; the leaf module may serve both tiers."""
    size = max(links_a, links_b)
    lengths = rng.sample([1.0, 2.0, 3.0, 5.0, 7.0, 30.0], rng.randint(1, 4))
    fixed = [
        FixedCable(
            part=f"{name}-cable-{m:g}",
            length_m=m,
            links=size,
            plugs_a=size // links_a,
            plugs_b=size // links_b,
        )
        for m in sorted(lengths)
    ]
    for cable in fixed:
        cents[cable.part] = size * rng.randint(50, 900)
    optics = []
    for kind in ("m", "s")[: rng.choice([1, 1, 2])]:
        fibres = tuple(
            FibreLength(part=f"fibre-{kind}-{m:g}", length_m=m) for m in (3.0, 7.0, 10.0, 50.0)
        )[: rng.choice([3, 4, 4])]
        modules = {"d": (f"nic-{kind}", f"sw-{kind}"), "u": (f"sw-{kind}", f"sw-{kind}")}[name]
        for module in modules:
            cents.setdefault(module, rng.randint(100, 800))
        for fibre in fibres:
            cents.setdefault(fibre.part, rng.randint(10, 60) + int(3 * fibre.length_m))
        optics.append(
            Optic(
                module_a=modules[0],
                links_a=links_a,
                module_b=modules[1],
                links_b=links_b,
                reach_m=50.0,
                fibres=fibres,
            )
        )
    shape = rng.random()
    if shape < 0.15:
        fixed = []
    elif shape < 0.25 and size == 1:
        optics = []
    return LinkMenu(
        link_gbps=400.0,
        links_a=links_a,
        links_b=links_b,
        fixed=tuple(fixed),
        optics=tuple(optics),
    )
