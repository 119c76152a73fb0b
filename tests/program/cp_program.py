"""The placement program for CP-SAT, written from the problem's data alone.

Servers of a unit, leafs, spines and out-of-band switches are counted by rack, as many as units,
watts and weight allow; every link costs what its route and medium say, modules what the devices
need. It shares only the problem, the media and the room's routes with the program.

A link's cost is a product: servers of a rack times leafs of another. One factor is one-hot, and the
other's share of each number is a flow; that all servers of a unit meet each of its leafs, and all
its leafs each server, holds for the flows too, so that the relaxation pays for every link. Equal
units of one leaf whose links cost the same each are not told apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.program.cp_contents import contents_of, inside_cents, load_of
from tests.program.cp_prices import optics, server_links, spine_links

MOST_FLOWS = 20_000
"""Flows between racks for each number of spines, above which their digits are taken instead."""
Price = Callable[[int, int], int | None]
"""Cents of the links of one leaf with so many boxes at a length; None where no link reaches."""


@dataclass(frozen=True)
class Stood:
    """Boxes of a placement by rack; servers and leafs by unit first."""

    servers: tuple[tuple[int, ...], ...]
    leafs: tuple[tuple[int, ...], ...]
    spines: tuple[int, ...]
    oob: tuple[int, ...]


class Program:
    """Boxes by rack and links between racks of one pair of media."""

    def __init__(
        self, problem: Any, down: Any, up: Any, *, merged: bool = True, digits: bool = False
    ) -> None:
        from ortools.sat.python import cp_model

        self.cp, self.problem, self.down, self.up = cp_model.CpModel(), problem, down, up
        self.racks = range(problem.room.racks)
        self.cost: list[Any] = []
        self.inside: dict[int, list[Any]] = defaultdict(list)
        plan = problem.plan
        self.hot: dict[Any, dict[int, Any]] = {}
        self.groups = self._groups(merged=merged)
        self.servers = [self._row(n * s, problem.server) for n, s, _ in self.groups]
        self.leafs = [self._row(n * g, problem.leaf) for n, _, g in self.groups]
        most = self._most(problem.spine) if problem.spine else 0
        self.digits = problem.room.racks**2 * min(most, plan.spines) > MOST_FLOWS or digits
        self.spines = self._row(plan.spines, problem.spine, digits=self.digits)
        self.oob = self._row(problem.oob_count if problem.oob else 0, problem.oob)
        self._stand_within()
        self._join()
        self.total = sum(self.cost) + optics(problem, down, up)
        self.cp.minimize(self.total)

    def _groups(self, *, merged: bool) -> list[tuple[int, int, int]]:
        """Return units, servers and leafs of a unit: equal ones in one where links are alike."""
        plain = [(1, unit.servers, unit.leafs) for unit in self.problem.plan.units]
        if self.down is None or not merged or not self._alike():
            return plain
        many: dict[tuple[int, int], int] = defaultdict(int)
        for _, servers, leafs in plain:
            many[servers, leafs] += 1
        if any(leafs != 1 for _, leafs in many):
            return plain
        return [(n, servers, leafs) for (servers, leafs), n in many.items()]

    def _alike(self) -> bool:
        """Return whether the links of n servers cost n times those of one, wherever they lead."""
        most = self._most(self.problem.server)
        for step in range(len(self.problem.room.lengths_m)):
            one = server_links(self.problem, self.down, 1, step)
            for n in range(2, most + 1):
                all_of_them = server_links(self.problem, self.down, n, step)
                if all_of_them != (None if one is None else n * one):
                    return False
        return True

    def _most(self, box: Any, rack: int | None = None, beside: Any = None) -> int:
        """Return how many of a box fit a rack, all racks if none is named, beside another box."""
        if rack is None:
            return max(self._most(box, k, beside) for k in self.racks)
        limits, liquid = self._limits(rack)
        if box.cooling == "liquid" and not liquid:
            return 0
        fits = self.problem.plan.servers + self.problem.plan.leafs + self.problem.plan.spines
        fits += self.problem.oob_count
        for need, more, have in zip(
            load_of(box), load_of(beside) if beside else (0, 0, 0), limits, strict=True
        ):
            if need:
                fits = min(fits, max(0, have - more) // need)
        return int(fits)

    def _limits(self, rack: int) -> tuple[tuple[int, int, int], bool]:
        """Return units, milliwatts and grams that a rack offers, and whether it has liquid."""
        room = self.problem.room
        if not room.stands:
            free = (room.rack_units, room.rack_w, room.rack_kg)
            liquid = True  # the whole room; a server that cannot stand there is no column
        else:
            stand = room.stands[rack]
            free = (stand.free_units, stand.free_w, stand.free_kg)
            liquid = stand.cooling == "liquid"
        return (free[0], round(1000 * free[1]), round(1000 * free[2])), liquid

    def _row(self, total: int, box: Any, *, digits: bool = False) -> list[Any]:
        """Return how many of a box stand in each rack; all of them stand.

        Behind each number stand binaries: one-hot, or its digits where prices are linear in it.
        """
        if box is None or not total:
            return [0 for _ in self.racks]
        row = []
        for k in self.racks:
            most = min(total, self._most(box, k))
            number = self.cp.new_int_var(0, most, "")
            sizes = [2**b for b in range(most.bit_length())] if digits else range(1, most + 1)
            hot = {n: self.cp.new_bool_var("") for n in sizes}
            self.cp.add(sum(n * v for n, v in hot.items()) == number)
            if not digits:
                self.cp.add_at_most_one(hot.values())
            self.hot[number.index] = hot
            row.append(number)
        self.cp.add(sum(row) == total)
        return row

    def _stand_within(self) -> None:
        """Units, watts and kilograms of every rack, and its price if anything stands there."""
        problem = self.problem
        self.used = [self.cp.new_bool_var("") for _ in self.racks]
        for k, used in zip(self.racks, self.used, strict=True):
            held = [(problem.server, row[k]) for row in self.servers]
            held += [(problem.leaf, row[k]) for row in self.leafs]
            held += [(problem.spine, self.spines[k]), (problem.oob, self.oob[k])]
            here = [(load_of(box), n) for box, n in held if box is not None]
            for resource, limit in enumerate(self._limits(k)[0]):
                self.cp.add(sum(load[resource] * n for load, n in here) <= limit * used)
            cents = problem.rack_cents_in[k] if problem.rack_cents_in else problem.rack_cents
            self.cost.append(cents * used)

    def _join(self) -> None:
        """Add the cost of all links of both tiers."""
        plan, problem = self.problem.plan, self.problem
        if self.down is None:
            return

        def down(n: int, step: int) -> int | None:
            return server_links(problem, self.down, n, step)

        for (n, servers, leafs), xs, ys in zip(self.groups, self.servers, self.leafs, strict=True):
            if n > 1:
                self._carry(ys, xs, servers, down)
            else:
                self._multiply(ys, xs, problem.server, (leafs, servers), down)
        if not plan.spines:
            return
        join = [spine_links(problem, self.up, step) for step in range(len(problem.room.lengths_m))]
        total = [sum(row[k] for row in self.leafs) for k in self.racks]

        def up(n: int, step: int) -> int | None:
            one = join[step]
            return None if one is None else n * one

        self._multiply(
            total,
            self.spines,
            problem.spine,
            (plan.leafs, plan.spines),
            up,
            one_hot=not self.digits,
        )

    def _carry(self, hubs: list[Any], boxes: list[Any], each: int, price: Price) -> None:
        """Add links of boxes that go to any hub, so many to each: equal units of one leaf."""
        into: list[list[Any]] = [[] for _ in self.racks]
        for k, box in enumerate(boxes):
            out = []
            for j, hub in enumerate(hubs):
                one = price(1, self._step(k, j))
                fits = self._most(self.problem.server, k, self.problem.leaf if k == j else None)
                flow = self.cp.new_int_var(0, 0 if one is None else self.problem.plan.servers, "")
                self.cp.add(flow <= min(each, fits) * hub)
                out.append(flow)
                into[j].append(flow)
                self._pay(k, j, (one or 0) * flow)
            self.cp.add(sum(out) == box)
        for flows, hub in zip(into, hubs, strict=True):
            self.cp.add(sum(flows) == each * hub)

    def _multiply(
        self,
        hubs: list[Any],
        boxes: list[Any],
        box: Any,
        totals: tuple[int, int],
        price: Price,
        *,
        one_hot: bool = True,
    ) -> None:
        """Add the cost of links between every hub and every box, rack by rack."""
        met: list[list[Any]] = [[] for _ in self.racks]
        for k in self.racks:
            if isinstance(boxes[k], int):
                continue
            chosen = self.hot[boxes[k].index]
            most, beside = self._most(box, k), self._most(box, k, self.problem.leaf)
            out: dict[int, list[Any]] = {n: [] for n in chosen}
            for j in self.racks:
                here = []
                for n in chosen:
                    cents = price(n, self._step(k, j)) if k != j or n <= beside else None
                    flow = self.cp.new_int_var(0, 0 if cents is None else totals[0], "")
                    here.append(flow)
                    out[n].append(flow)
                    met[j].append(n * flow)
                    self._pay(k, j, (cents or 0) * flow)
                if one_hot:
                    self.cp.add(sum(here) <= hubs[j])
                    continue
                for flow in here:
                    self.cp.add(flow <= hubs[j])
                self.cp.add(sum(n * f for n, f in zip(chosen, here, strict=True)) <= most * hubs[j])
            for n, flows in out.items():
                self.cp.add(sum(flows) == totals[0] * chosen[n])
        for j in self.racks:
            self.cp.add(sum(met[j]) == totals[1] * hubs[j])

    def _pay(self, k: int, j: int, cost: Any) -> None:
        """Add the cost of links between two racks; what stays in a rack is remembered too."""
        self.cost.append(cost)
        if k == j:
            self.inside[k].append(cost)

    def contents(self) -> None:
        """Tie all that stands in racks to the least that links inside racks may cost.

        So many racks of equal ones have each content (leafs, spines, servers) that fits. Follows
        from the rest, and tightens the relaxation, which else puts shares of all beside all.
        """
        plan, problem = self.problem.plan, self.problem
        kinds = [(plan.leafs, problem.leaf), (plan.spines, problem.spine)]
        kinds.append((plan.servers, problem.server))
        loads = [(n if box else 0, load_of(box)) for n, box in kinds]
        fits = contents_of(loads, self._limits(0)[0])
        racks = {held: self.cp.new_int_var(0, len(self.racks), "") for held in fits}
        self.held = racks
        self.cp.add(sum(racks.values()) == len(self.racks))
        for axis, (total, _) in enumerate(loads):
            self.cp.add(sum(held[axis] * n for held, n in racks.items()) == total)
        self.cp.add(sum(self.used) >= sum(n for held, n in racks.items() if any(held)))
        media = (self.down, self.up)
        least = sum(
            inside_cents(problem, media, self.groups, held, self._step(0, 0)) * n
            for held, n in racks.items()
        )
        self.cp.add(sum(sum(costs) for costs in self.inside.values()) >= least)

    @staticmethod
    def holds_switches(problem: Any) -> bool:
        """Return whether one rack has room for all leafs and spines."""
        room, plan = problem.room, problem.plan
        limits = (room.rack_units, round(1000 * room.rack_w), round(1000 * room.rack_kg))
        boxes = ((plan.leafs, load_of(problem.leaf)), (plan.spines, load_of(problem.spine)))
        return all(sum(n * load[r] for n, load in boxes) <= limits[r] for r in range(3))

    def with_hub(self, rack: int) -> None:
        """Let all leafs and spines stand in one rack."""
        for k in self.racks:
            if k != rack:
                for row in (*self.leafs, self.spines):
                    self.cp.add(row[k] == 0)

    def without_hub(self) -> None:
        """Let no rack hold all leafs and spines."""
        plan = self.problem.plan
        full = [n for h, n in self.held.items() if h[:2] == (plan.leafs, plan.spines)]
        self.cp.add(sum(full) == 0)

    def _step(self, k: int, j: int) -> int:
        room = self.problem.room
        return int(room.lengths_m.index(room.route_m(k, j)))

    def compact(self) -> None:
        """Rows and columns in use begin with the first: no route is longer without empty ones."""
        room = self.problem.room
        for axis in range(2):
            lines: dict[int, list[Any]] = defaultdict(list)
            for k in self.racks:
                lines[room.cell(k)[axis]].append(self.used[k])
            before = None
            for line in sorted(lines):
                now = self.cp.new_bool_var("")
                self.cp.add_max_equality(now, lines[line])
                if before is not None:
                    self.cp.add(now <= before)
                before = now

    def stand(self, stood: Stood) -> None:
        """Let boxes stand where a placement has them."""
        kinds = [(self.spines, stood.spines), (self.oob, stood.oob)]
        kinds += zip(self.servers, stood.servers, strict=True)
        kinds += zip(self.leafs, stood.leafs, strict=True)
        for row, said in kinds:
            for variable, number in zip(row, said, strict=True):
                self.cp.add(variable == number)
