"""Every link with both its ends: ports, assemblies, modules, stocked lengths, counts of parts.

The rules stand in ``models/formulation/cabling.md``: one optic a tier (`cabling_one_optic`), one
medium a bundle (`cabling_one_medium`), links that fill no assembly stay optical
(`cabling_odd_link`), fixed plugs take whole cages (`cabling_cages`), the cheapest part that
reaches (`cabling_length`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from planner.domain.cable_groups import PREFIX
from planner.domain.solution import Cable
from planner.program.link_prices import Choice, Medium
from planner.program.placement_bound import assemblies
from planner.program.placement_counts import Counts
from planner.program.ports import PortBook
from planner.program.rack_layout import Spot
from planner.program.switch_pairs import Pair, leaf_spine_pairs, spine_core_pairs

TierName = Literal["node_leaf", "leaf_leaf", "leaf_spine", "spine_core"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One link before it has ports."""

    a: Spot
    b: Spot
    needed_m: float
    choice: Choice
    assembly: int
    """Number of the fixed assembly that carries it, -1 for an optical link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """All cables and the parts that they take."""

    cables: list[Cable]
    parts: dict[str, int]
    """Quantities by catalogue id: cables, fibres, transceivers; in order of id."""


@dataclass(slots=True)
class _Wiring:
    counts: Counts
    cables: list[Cable] = field(default_factory=list)
    parts: Counter[str] = field(default_factory=Counter)
    books: dict[str, PortBook] = field(default_factory=dict)
    assemblies: int = 0


def cable(counts: Counts, spots: list[Spot]) -> Harness:
    """Return the cables between placed devices.

    Parameters
    ----------
    counts
        The problem with the media of both tiers.
    spots
        Devices in the order of their names.
    """
    wiring = _Wiring(counts)
    if counts.down is not None:
        _connect(wiring, "node_leaf", counts.down, list(_node_leaf(wiring, spots)))
    plan = counts.problem.plan
    leafs, spines, cores = (
        [s for s in spots if s.kind == kind] for kind in ("leaf", "spine", "core")
    )
    if counts.up is not None and plan.joint_links:
        wires = _switches(wiring, counts.up, [(0, 1, plan.joint_links)], leafs, leafs)
        _connect(wiring, "leaf_leaf", counts.up, list(wires))
    elif counts.up is not None:
        wires = _switches(wiring, counts.up, leaf_spine_pairs(plan), leafs, spines)
        _connect(wiring, "leaf_spine", counts.up, list(wires))
    if counts.top is not None:
        wires = _switches(wiring, counts.top, spine_core_pairs(plan), spines, cores)
        _connect(wiring, "spine_core", counts.top, list(wires))
    for book in wiring.books.values():
        wiring.parts.update(book.modules)
    return Harness(cables=wiring.cables, parts=dict(sorted(wiring.parts.items())))


def _node_leaf(wiring: _Wiring, spots: list[Spot]) -> Iterator[Wire]:
    """Yield the links of every server, leaf by leaf of its unit: with rails NIC r on leaf r (`cabling_rails`).

    With planes the ports of a NIC go to different planes by turns (`cabling_planes`), those of a
    server with a joined pair to its two leafs (`cabling_pair`): cage by cage where each NIC has one.
    """
    counts, down = wiring.counts, wiring.counts.down
    assert down is not None
    each = counts.problem.plan.links_per_server_leaf
    nodes = [s for s in spots if s.kind == "node"]
    leafs: dict[int, list[Spot]] = {}
    for spot in spots:
        if spot.kind == "leaf":
            leafs.setdefault(spot.group, []).append(spot)
    bundles: dict[tuple[int, int], list[Spot]] = {}
    for node in nodes:
        bundles.setdefault((node.group, node.rack), []).append(node)
    carried: dict[tuple[str, str], list[int]] = {}
    for (group, _), members in bundles.items():
        for leaf in leafs[group]:
            numbers = _node_assemblies(wiring, down, members, leaf, each)
            for k, node in enumerate(members):
                carried[node.id, leaf.id] = numbers[k * each : (k + 1) * each]
    for node in nodes:
        ends = [(k, leaf) for leaf in leafs[node.group] for k in range(each)]
        if counts.problem.plan.by_turns:
            turn = down.links_a if counts.problem.whole_cages else 1
            ends.sort(key=lambda end: end[0] // turn)
        for k, leaf in ends:
            yield _wire(wiring, down, node, leaf, carried[node.id, leaf.id][k])


def _node_assemblies(
    wiring: _Wiring, down: Medium, members: list[Spot], leaf: Spot, each: int
) -> list[int]:
    """Return the assembly number of every link of a bundle, server by server, -1 if optical."""
    numbers = [-1] * (len(members) * each)
    count = assemblies(down, len(members), each)
    step = wiring.counts.step(members[0].rack, leaf.rack)
    if not down.uses_assemblies(len(numbers), count, step):
        return numbers
    whole = each // down.links_a * down.links_a
    ends = [k * each + j for k in range(len(members)) for j in range(whole)]
    for index, position in enumerate(ends[: count * down.assembly_links]):
        numbers[position] = wiring.assemblies + index // down.assembly_links
    wiring.assemblies += count
    return numbers


def _switches(
    wiring: _Wiring, medium: Medium, pairs: Iterable[Pair], lower: list[Spot], upper: list[Spot]
) -> Iterator[Wire]:
    """Yield the links between two tiers of switches, pair by pair."""
    counts = wiring.counts
    for below, above, links in pairs:
        a, b = lower[below], upper[above]
        count = links // medium.assembly_links
        fixed = count if medium.uses_assemblies(links, count, counts.step(a.rack, b.rack)) else 0
        for k in range(links):
            number = k // medium.assembly_links
            yield _wire(wiring, medium, a, b, wiring.assemblies + number if number < fixed else -1)
        wiring.assemblies += fixed


def _wire(wiring: _Wiring, medium: Medium, a: Spot, b: Spot, number: int) -> Wire:
    room = wiring.counts.problem.room
    step = wiring.counts.step(a.rack, b.rack)
    choice = medium.fixed[step] if number >= 0 else medium.fibre[step]
    assert choice is not None
    return Wire(a=a, b=b, needed_m=room.lengths_m[step], choice=choice, assembly=number)


def _connect(wiring: _Wiring, tier: TierName, medium: Medium, wires: list[Wire]) -> None:
    """Give every link its ports and count its parts."""
    ends_a = _ports(wiring, medium.links_a, medium.module_a, [(w.a, w.assembly) for w in wires])
    ends_b = _ports(wiring, medium.links_b, medium.module_b, [(w.b, w.assembly) for w in wires])
    width = max(4, len(str(len(wires))))
    prefix = PREFIX[tier]
    seen: set[int] = set()
    for number, (wire, a_port, b_port) in enumerate(zip(wires, ends_a, ends_b, strict=True), 1):
        name = f"{prefix}-{number:0{width}d}"
        optical = wire.assembly < 0
        if optical or wire.assembly not in seen:
            wiring.parts[wire.choice.part] += 1
            seen.add(wire.assembly)
        wiring.cables.append(
            Cable(
                id=name,
                tier=tier,
                a=wire.a.id,
                a_port=a_port,
                b=wire.b.id,
                b_port=b_port,
                needed_m=wire.needed_m,
                length_m=wire.choice.length_m,
                part=wire.choice.part,
                assembly=name if optical else f"asm-{wire.assembly + 1:05d}",
                a_module=medium.module_a if optical else "",
                b_module=medium.module_b if optical else "",
            )
        )


def _ports(wiring: _Wiring, links: int, module: str, ends: list[tuple[Spot, int]]) -> Iterator[str]:
    """Yield the port of every link's end: whole cages for a fixed cable, shared ones for modules."""
    plugs: dict[tuple[str, int], list[str]] = {}
    for spot, assembly in ends:
        book = wiring.books.get(spot.id)
        if book is None:
            book = PortBook(links, prefix="nic" if spot.kind == "node" else "")
            wiring.books[spot.id] = book
        if assembly < 0:
            yield book.module(module)
            continue
        free = plugs.get((spot.id, assembly))
        if not free:
            free = book.plug(1)
            plugs[spot.id, assembly] = free
        yield free.pop(0)
