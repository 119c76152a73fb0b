"""Placement as a program of whole numbers for CP-SAT, written from the problem's data alone.

Servers of a unit, leafs, spines and out-of-band switches are counted by rack, as many as units,
watts and weight allow; every link costs what its route and medium say, modules what the devices
need. It shares only the problem, the media and the room's routes with the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any


@dataclass(frozen=True)
class Interval:
    """What CP-SAT proved of one problem, cents."""

    bound: int
    cents: int | None
    """Cost of the best placement found, None where there is none."""

    @property
    def proved(self) -> bool:
        return self.bound == self.cents


def applies(problem: Any) -> bool:
    """Return whether every leaf meets every spine evenly and no rack is tied to a unit."""
    plan = problem.plan
    tied = plan.joint_links or plan.leafs_beside or problem.server.whole_rack
    return bool(plan.leafs and problem.even and not plan.parted and not tied)


def size_of(problem: Any) -> int:
    """Return about how many flows the program has."""
    racks, plan = problem.room.racks, problem.plan
    return racks * racks * (sum(u.servers + 1 for u in plan.units) + plan.spines + 1)


def by_cp_sat(problem: Any, work: float) -> Interval:
    """Return bound and best cost over all media, each with so much deterministic work."""
    ups = problem.leaf_spine if problem.plan.spines else (None,)
    found = [
        _solved(problem, down, up, work)
        for down, up in product(problem.node_leaf, ups)
        if _cages_hold(problem, down, up)
    ]
    cents = [one.cents for one in found if one.cents is not None]
    return Interval(min(one.bound for one in found), min(cents, default=None))


def _modules(problem: Any, unit: Any, down: Any, up: Any) -> dict[str, tuple[int, int, int]]:
    """Return, by module of one leaf, links, links of a cage, and cents of one module."""
    plan = problem.plan
    found: dict[str, tuple[int, int, int]] = {}
    if down.optic:
        links = unit.servers * plan.links_per_server_leaf
        found[down.module_b] = (links, down.links_b, down.module_b_cents)
    if up is not None and up.optic:
        links = found.get(up.module_a, (0, 0, 0))[0] + plan.uplinks_per_leaf
        found[up.module_a] = (links, up.links_a, up.module_a_cents)
    return found


def _cages_hold(problem: Any, down: Any, up: Any) -> bool:
    return all(
        sum(-(-n // q) for n, q, _ in _modules(problem, unit, down, up).values())
        <= problem.leaf_cages
        for unit in problem.plan.units
    )


def _optics(problem: Any, down: Any, up: Any) -> int:
    """Return the cost of all modules if every link were optical."""
    plan, total = problem.plan, 0
    for unit in plan.units:
        modules = _modules(problem, unit, down, up).values()
        total += unit.leafs * sum(-(-n // q) * cents for n, q, cents in modules)
    if down.optic:
        total += plan.servers * -(-plan.links_per_server // down.links_a) * down.module_a_cents
    if up is not None and up.optic:
        each = plan.leafs * plan.uplinks_per_leaf // plan.spines
        total += plan.spines * -(-each // up.links_b) * up.module_b_cents
    return total


def _wire(medium: Any, links: int, fixed: int, step: int) -> int | None:
    """Return the least cost of links of one route beyond their modules, None if none reaches.

    At most `fixed` assemblies carry some of them; each spares the modules at both its ends.
    """
    fibre, copper = medium.fibre[step], medium.fixed[step]
    ways = [links * fibre.cents] if fibre else []
    if copper and fixed:
        n = medium.assembly_links
        spared = n // medium.links_a * medium.module_a_cents
        spared += n // medium.links_b * medium.module_b_cents
        rest = links - fixed * n
        if not rest or fibre:
            ways.append(fixed * (copper.cents - spared) + (rest * fibre.cents if rest else 0))
    return min(ways, default=None) if links else 0


def _fixed(links_of_one: int, ends: int, medium: Any) -> int:
    """Return how many assemblies fit: at every server only whole cages."""
    return ends * (links_of_one // medium.links_a * medium.links_a) // medium.assembly_links


class _Program:
    def __init__(self, problem: Any, down: Any, up: Any) -> None:
        from ortools.sat.python import cp_model

        self.cp, self.problem, self.down, self.up = cp_model.CpModel(), problem, down, up
        self.racks = range(problem.room.racks)
        self.cost: list[Any] = []
        plan, cp = problem.plan, self.cp
        self.servers = [
            [self._hot(unit.servers, f"x{u}_{k}") for k in self.racks]
            for u, unit in enumerate(plan.units)
        ]
        self.leafs = [
            [cp.new_int_var(0, unit.leafs, f"y{u}_{k}") for k in self.racks]
            for u, unit in enumerate(plan.units)
        ]
        self.spines = [self._hot(plan.spines, f"z{k}") for k in self.racks]
        others = problem.oob_count if problem.oob else 0
        self.oob = [cp.new_int_var(0, others, f"o{k}") for k in self.racks]
        for u, unit in enumerate(plan.units):
            cp.add(sum(map(_count, self.servers[u])) == unit.servers)
            cp.add(sum(self.leafs[u]) == unit.leafs)
        cp.add(sum(map(_count, self.spines)) == plan.spines)
        cp.add(sum(self.oob) == others)

    def _hot(self, most: int, name: str) -> list[Any]:
        row = [self.cp.new_bool_var(f"{name}_{n}") for n in range(most + 1)]
        self.cp.add_exactly_one(row)
        return row

    def limits(self) -> None:
        """Units, watts and kilograms of every rack, and its price if anything stands there."""
        problem, room, units = self.problem, self.problem.room, range(len(self.leafs))
        for k in self.racks:
            stand = room.stands[k] if room.stands else None
            held = [
                (problem.server, sum(_count(self.servers[u][k]) for u in units)),
                (problem.leaf, sum(self.leafs[u][k] for u in units)),
                (problem.spine, _count(self.spines[k])),
                (problem.oob, self.oob[k]),
            ]
            used = self.cp.new_bool_var(f"used{k}")
            most = (
                (room.rack_units, room.rack_w, room.rack_kg)
                if stand is None
                else (stand.free_units, stand.free_w, stand.free_kg)
            )
            here = [(box, n) for box, n in held if box is not None]
            for box, n in here:
                if stand is not None and box.cooling == "liquid" and stand.cooling != "liquid":
                    self.cp.add(n == 0)
            self.cp.add(sum(box.units * n for box, n in here) <= most[0] * used)
            for field, limit in (("max_w", most[1]), ("weight_kg", most[2])):
                load = sum(round(1000 * getattr(box, field)) * n for box, n in here)
                self.cp.add(load <= round(1000 * limit) * used)
            cents = problem.rack_cents_in[k] if problem.rack_cents_in else problem.rack_cents
            self.cost.append(cents * used)

    def link(self, hubs: list[Any], hot: list[list[Any]], most: int, prices: Any) -> None:
        """Add the cost of links between leafs and what is counted one-hot, rack by rack."""
        for k, j in product(self.racks, self.racks):
            flows = []
            step = self._step(k, j)
            for n, chosen in enumerate(hot[k]):
                flow = self.cp.new_int_var(0, most, "")
                cents = prices(n, step)
                self.cp.add(flow <= (0 if cents is None else most * chosen))
                flows.append(flow)
                self.cost.append((cents or 0) * flow)
            self.cp.add(sum(flows) == hubs[j])

    def _step(self, k: int, j: int) -> int:
        room = self.problem.room
        return int(room.lengths_m.index(room.route_m(k, j)))


def _count(hot: list[Any]) -> Any:
    return sum(n * v for n, v in enumerate(hot) if n)


def _solved(problem: Any, down: Any, up: Any, work: float) -> Interval:
    from ortools.sat.python import cp_model

    plan, program = problem.plan, _Program(problem, down, up)
    program.limits()
    each = plan.links_per_server_leaf
    for u, unit in enumerate(plan.units):
        program.link(
            program.leafs[u],
            program.servers[u],
            unit.leafs,
            lambda n, step: _wire(down, n * each, _fixed(each, n, down), step),
        )
    if plan.spines:
        links = plan.links_per_leaf_spine
        full = links // up.assembly_links
        pair = [_wire(up, links, full, s) for s in range(len(problem.room.lengths_m))]
        total = [sum(leafs[k] for leafs in program.leafs) for k in program.racks]
        program.link(
            total,
            program.spines,
            plan.leafs,
            lambda n, step: 0 if not n else None if pair[step] is None else n * pair[step],
        )
    base = _optics(problem, down, up)
    program.cp.minimize(sum(program.cost) + base)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = work
    status = solver.solve(program.cp)
    if status == cp_model.INFEASIBLE:
        return Interval(10**18, None)
    cents = round(solver.objective_value) if status != cp_model.UNKNOWN else None
    return Interval(round(solver.best_objective_bound), cents)
