"""Positions in the monolithic program: boxes counted by rack, active only for the column in use.

Identical boxes are counted. The number of servers of a unit in a rack, and of spines, is one-hot,
so that what a leaf's links to them cost, which is not linear in that number, is exact; products of
leaf counts with these are flows. Constraint ids are those of ``models/formulation/monolith.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planner.program.box import Load, load_in, rack_load_in
from planner.program.placement_counts import Arrangement
from planner.program.placement_problem import PlacementProblem
from planner.program.tier_menu import TierMenu


@dataclass(slots=True)
class Positions:
    """Variables of one column."""

    name: str
    """Ending of all names: c and the column's number."""
    problem: PlacementProblem
    use: Any
    """Binary of the selection, or 1."""
    servers: dict[tuple[int, int], list[Any]] = field(default_factory=dict)
    """By unit and rack: one binary for each number from 0."""
    leafs: dict[tuple[int, int], Any] = field(default_factory=dict)
    """By unit and rack."""
    spines: list[list[Any]] = field(default_factory=list)
    """By rack: one binary for each number from 0."""
    oob: list[Any] = field(default_factory=list)
    served: dict[tuple[int, int, int], list[Any]] = field(default_factory=dict)
    """By unit, rack of servers, rack of leafs: leafs there if so many servers stand here."""
    paired: dict[tuple[int, int], list[Any]] = field(default_factory=dict)
    """By rack of leafs, rack of spines: leafs there if so many spines stand here."""
    joined: dict[tuple[int, int], Any] = field(default_factory=dict)
    """By the racks of the two leafs of a pair, the lower first: binary."""

    @property
    def racks(self) -> range:
        """Racks of the room."""
        return range(self.problem.room.racks)


def add_positions(lp: Any, name: str, problem: PlacementProblem, use: Any) -> Positions:
    """Add the boxes of one column to a program and return their variables."""
    at = Positions(name=name, problem=problem, use=use)
    _servers(lp, at)
    _leafs(lp, at)
    _spines(lp, at)
    oob = problem.oob_count if problem.oob else 0
    at.oob = [lp.add_variable(f"oob_{name}_k{k}", 0, oob, cat="Integer") for k in at.racks]
    _all_of(lp, at, at.oob, oob, "oob")
    _served(lp, at)
    _paired(lp, at)
    _joined(lp, at)
    _together(lp, at)
    return at


def _one_hot(lp: Any, at: Positions, name: str, most: int) -> list[Any]:
    """Add `monolith_one_count`: exactly one number of boxes of a kind in a rack."""
    import pulp

    row = [lp.add_variable(f"{name}_n{n}", cat="Binary") for n in range(most + 1)]
    lp += (pulp.lpSum(row) - at.use == 0, f"monolith_one_count_{name}")
    return row


def _all_of(lp: Any, at: Positions, terms: list[Any], count: int, kind: str) -> None:
    """Add `monolith_all_boxes`: as many of a kind stand somewhere as the column has."""
    import pulp

    lp += (pulp.lpSum(terms) - count * at.use == 0, f"monolith_all_boxes_{at.name}_{kind}")


def _servers(lp: Any, at: Positions) -> None:
    room, server = at.problem.room, at.problem.server
    mosts = [rack_load_in(room, k).most(load_in(server, room, k)) for k in at.racks]
    for u, unit in enumerate(at.problem.plan.units):
        terms = []
        for k in at.racks:
            name = f"servers_{at.name}_u{u}_k{k}"
            at.servers[u, k] = _one_hot(lp, at, name, min(unit.servers, mosts[k]))
            terms += [n * v for n, v in enumerate(at.servers[u, k]) if n]
        _all_of(lp, at, terms, unit.servers, f"servers_u{u}")


def _leafs(lp: Any, at: Positions) -> None:
    for u, unit in enumerate(at.problem.plan.units):
        if not unit.leafs:
            continue
        for k in at.racks:
            name = f"leafs_{at.name}_u{u}_k{k}"
            at.leafs[u, k] = lp.add_variable(name, 0, unit.leafs, cat="Integer")
        _all_of(lp, at, [at.leafs[u, k] for k in at.racks], unit.leafs, f"leafs_u{u}")


def _spines(lp: Any, at: Positions) -> None:
    count = at.problem.plan.spines
    if not count:
        return
    at.spines = [_one_hot(lp, at, f"spines_{at.name}_k{k}", count) for k in at.racks]
    terms = [n * v for row in at.spines for n, v in enumerate(row) if n]
    _all_of(lp, at, terms, count, "spines")


def _product(lp: Any, name: str, count: Any, most: int, hot: list[Any]) -> list[Any]:
    """Add `monolith_product`: a count, kept under the number that is chosen of a one-hot row."""
    import pulp

    row = [lp.add_variable(f"{name}_n{n}", 0, most) for n in range(len(hot))]
    lp += (pulp.lpSum(row) - count == 0, f"monolith_product_{name}")
    return row


def _whole(
    lp: Any, name: str, racks: range, flows: dict[tuple[int, int], list[Any]], most: int, hot: Any
) -> None:
    """Add `monolith_whole`: over all racks of leafs the products add up to all leafs.

    That puts each product to zero under the numbers that are not chosen.
    """
    import pulp

    for a in racks:
        for n, chosen in enumerate(hot(a)):
            total = pulp.lpSum(flows[a, b][n] for b in racks)
            lp += (total - most * chosen == 0, f"monolith_whole_{name}_k{a}_n{n}")


def _reached(
    lp: Any, name: str, racks: range, flows: dict[tuple[int, int], list[Any]], count: int, of: Any
) -> None:
    """Add `monolith_reached`: every leaf is joined to all boxes of the other kind.

    Follows from the others for whole numbers; it makes the relaxation tight.
    """
    import pulp

    for b in racks:
        met = pulp.lpSum(n * flow for a in racks for n, flow in enumerate(flows[a, b]) if n)
        lp += (met - count * of(b) == 0, f"monolith_reached_{name}_k{b}")


def _served(lp: Any, at: Positions) -> None:
    for u, unit in enumerate(at.problem.plan.units):
        if not unit.leafs:
            continue
        flows: dict[tuple[int, int], list[Any]] = {}
        for a in at.racks:
            for b in at.racks:
                name = f"served_{at.name}_u{u}_k{a}_k{b}"
                row = _product(lp, name, at.leafs[u, b], unit.leafs, at.servers[u, a])
                flows[a, b] = at.served[u, a, b] = row
        name = f"served_{at.name}_u{u}"
        _whole(lp, name, at.racks, flows, unit.leafs, lambda a, u=u: at.servers[u, a])
        _reached(lp, name, at.racks, flows, unit.servers, lambda b, u=u: at.leafs[u, b])


def _paired(lp: Any, at: Positions) -> None:
    import pulp

    plan = at.problem.plan
    if not plan.spines:
        return
    leafs = [pulp.lpSum(at.leafs[u, a] for u in range(len(plan.units))) for a in at.racks]
    flows: dict[tuple[int, int], list[Any]] = {}
    for a in at.racks:
        for b in at.racks:
            name = f"paired_{at.name}_k{a}_k{b}"
            flows[b, a] = at.paired[a, b] = _product(lp, name, leafs[a], plan.leafs, at.spines[b])
    name = f"paired_{at.name}"
    _whole(lp, name, at.racks, flows, plan.leafs, lambda b: at.spines[b])
    _reached(lp, name, at.racks, flows, plan.spines, lambda a: leafs[a])


def _joined(lp: Any, at: Positions) -> None:
    """Add `monolith_joint`: the racks of both leafs of a joined pair, as one choice."""
    import pulp

    if not at.problem.plan.joint_links:
        return
    for a in at.racks:
        for b in range(a, len(at.racks)):
            at.joined[a, b] = lp.add_variable(f"joined_{at.name}_k{a}_k{b}", cat="Binary")
    for k in at.racks:
        here = pulp.lpSum(
            ((a == k) + (b == k)) * var for (a, b), var in at.joined.items() if k in (a, b)
        )
        lp += (here - at.leafs[0, k] == 0, f"monolith_joint_{at.name}_k{k}")


def _together(lp: Any, at: Positions) -> None:
    """Add `monolith_together`: a unit fills one rack with its leafs, and no other unit stands there."""
    import pulp

    plan = at.problem.plan
    if not plan.leafs_beside:
        return
    for k in at.racks:
        here = [at.servers[u, k][-1] for u in range(len(plan.units))]
        for u, unit in enumerate(plan.units):
            whole = len(at.servers[u, k]) > unit.servers
            chosen = here[u] if whole else 0
            name = f"monolith_together_{at.name}_u{u}_k{k}"
            lp += (at.leafs[u, k] - unit.leafs * chosen == 0, name)
            parts = at.servers[u, k][1 : unit.servers]
            lp += (pulp.lpSum(parts) <= 0, f"{name}_parts")
        one = pulp.lpSum(hot for u, hot in enumerate(here) if len(at.servers[u, k]) > 1)
        lp += (one - at.use <= 0, f"monolith_together_{at.name}_k{k}")


def add_rack_rows(lp: Any, everyone: list[Positions]) -> list[Any]:
    """Add the limits of every rack over all columns; return whether each rack is bought.

    Builds `monolith_units`, `monolith_power` and `monolith_weight`. A server that is delivered as a
    rack fills its place, and no cabinet is bought for it.
    """
    import pulp

    room = everyone[0].problem.room
    used = [lp.add_variable(f"rack_used_k{k}", cat="Binary") for k in range(room.racks)]
    for k, open_rack in enumerate(used):
        rack = rack_load_in(room, k)
        boxes = [pair for at in everyone for pair in _boxes(at, k)]
        for name, of in (("units", "units"), ("power", "milliwatts"), ("weight", "grams")):
            limit = max(1, getattr(rack, of))
            terms = [getattr(load, of) / limit * count for count, load in boxes]
            lp += (pulp.lpSum(terms) - open_rack <= 0, f"monolith_{name}_k{k}")
    return [open_rack - pulp.lpSum(_brought(everyone, k)) for k, open_rack in enumerate(used)]


def _brought(everyone: list[Positions], k: int) -> list[Any]:
    """Return the servers in a rack that bring it."""
    return [
        n * variable
        for at in everyone
        if at.problem.server.whole_rack
        for u in range(len(at.problem.plan.units))
        for n, variable in enumerate(at.servers[u, k])
        if n
    ]


def _boxes(at: Positions, k: int) -> list[tuple[Any, Load]]:
    """Return what stands in a rack as (count, load of one)."""
    p, room = at.problem, at.problem.room
    server, leaf, spine, oob = (load_in(b, room, k) for b in (p.server, p.leaf, p.spine, p.oob))
    found: list[tuple[Any, Load]] = [(at.oob[k], oob)]
    for u in range(len(p.plan.units)):
        found += [(n * v, server) for n, v in enumerate(at.servers[u, k]) if n]
        if (u, k) in at.leafs:
            found.append((at.leafs[u, k], leaf))
    if at.spines:
        found += [(n * v, spine) for n, v in enumerate(at.spines[k]) if n]
    return found


def down_terms(at: Positions, menu: TierMenu) -> dict[int, tuple[list[Any], list[Any]]]:
    """Return links and assemblies between servers and leafs, by index of the route's length."""
    room, each = at.problem.room, at.problem.plan.links_per_server_leaf
    found: dict[int, tuple[list[Any], list[Any]]] = {}
    for (_, a, b), row in at.served.items():
        links, whole = found.setdefault(room.lengths_m.index(room.route_m(a, b)), ([], []))
        for n, flow in enumerate(row):
            if n:
                links.append(n * each * flow)
                carried = n * (each // menu.links_a * menu.links_a) // menu.assembly_links
                if carried:
                    whole.append(carried * flow)
    return found


def up_terms(at: Positions, menu: TierMenu) -> dict[int, tuple[list[Any], list[Any]]]:
    """Return links and assemblies between switches, by index of the route's length."""
    room, each = at.problem.room, at.problem.plan.links_per_leaf_spine
    joint = at.problem.plan.joint_links
    found: dict[int, tuple[list[Any], list[Any]]] = {}
    for (a, b), row in at.paired.items():
        links, whole = found.setdefault(room.lengths_m.index(room.route_m(a, b)), ([], []))
        for n, flow in enumerate(row):
            if n:
                links.append(n * each * flow)
                if each >= menu.assembly_links:
                    whole.append(n * (each // menu.assembly_links) * flow)
    for (a, b), chosen in at.joined.items():
        links, whole = found.setdefault(room.lengths_m.index(room.route_m(a, b)), ([], []))
        links.append(joint * chosen)
        if joint >= menu.assembly_links:
            whole.append(joint // menu.assembly_links * chosen)
    return found


def arrangement(at: Positions, values: dict[str, float]) -> Arrangement:
    """Return where the boxes of the chosen column stand."""
    units = range(len(at.problem.plan.units))

    def chosen(row: list[Any]) -> int:
        return max(range(len(row)), key=lambda n: values[row[n].name])

    def leafs(u: int, k: int) -> int:
        return round(values[at.leafs[u, k].name]) if (u, k) in at.leafs else 0

    return Arrangement(
        servers=tuple(tuple(chosen(at.servers[u, k]) for u in units) for k in at.racks),
        leafs=tuple(tuple(leafs(u, k) for u in units) for k in at.racks),
        spines=tuple(chosen(at.spines[k]) if at.spines else 0 for k in at.racks),
        oob=tuple(round(values[v.name]) for v in at.oob),
    )
