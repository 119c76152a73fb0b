"""From a laid-out hall to its documents: devices with their racks, cable groups, counts of parts.

Links are grouped as they are laid, every device of one run with every device of another; the rules
are those of single cables (`planner/program/cabling.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.domain.design import FabricPlan
from planner.domain.solution import CableGroup
from planner.program.box import Box
from planner.program.hall_blocks import Block, Routes, blocks
from planner.program.hall_layout import Positions
from planner.program.hall_tiers import Media
from planner.program.link_prices import Choice, Medium
from planner.program.placement_bound import assemblies
from planner.program.placement_problem import PlacementProblem
from planner.program.rack_layout import DIGITS, Kind, Spot, names

TierName = Literal["node_leaf", "leaf_spine", "spine_core"]
TIER_NAMES: tuple[TierName, ...] = ("node_leaf", "leaf_spine", "spine_core")
ENDS: tuple[tuple[Kind, Kind], ...] = (("node", "leaf"), ("leaf", "spine"), ("spine", "core"))


def hall_spots(problem: PlacementProblem, at: Positions) -> list[Spot]:
    """Return every device of a hall with its name and rack, by kind and number."""
    plan = problem.plan
    boxes: tuple[tuple[Kind, Box | None], ...] = (
        ("node", problem.server), ("leaf", problem.leaf), ("spine", problem.spine),
        ("core", problem.core), ("oob", problem.oob),
    )  # fmt: skip
    found: list[Spot] = []
    for kind, box in boxes:
        racks = at[kind]
        if box is None:
            continue
        labels = _labels(plan, kind, len(racks))
        for name, rack, (group, rail, pod) in zip(
            names(kind, len(racks), DIGITS[kind]), racks, labels, strict=True
        ):
            found.append(
                Spot(id=name, kind=kind, box=box, rack=rack, group=group, rail=rail, pod=pod)
            )
    return found


def _labels(plan: FabricPlan, kind: Kind, count: int) -> Iterator[tuple[int, int, int]]:
    """Yield unit, rail and pod of every device of a kind, -1 where it has none."""
    rails = plan.links_per_server_leaf == 1
    if kind == "node":
        for number, unit in enumerate(plan.units):
            yield from repeat((number, -1, -1), unit.servers)
    elif kind == "leaf":
        pods = [k for k, pod in enumerate(plan.spine_groups) for _ in range(pod.units)]
        for number, unit in enumerate(plan.units):
            pod = pods[number] if plan.pods else -1
            for rail in range(unit.leafs):
                yield number, rail if rails and unit.leafs > 1 else -1, pod
    elif kind == "spine":
        for number, group in enumerate(plan.spine_groups):
            yield from repeat((-1, -1, number if plan.pods else -1), group.spines)
    else:
        yield from repeat((-1, -1, -1), count)


@dataclass(slots=True)
class HallWires:
    """All links of a hall by group, with the parts that they take."""

    groups: list[CableGroup]
    parts: dict[str, int]
    """Quantities by catalogue id: cables, fibres, transceivers; in order of id."""


def hall_wires(
    problem: PlacementProblem, at: Positions, media: Media, spots: list[Spot]
) -> HallWires:
    """Return the links of a hall built with given media."""
    wiring = _Wiring(problem, media, _ids(spots))
    for block in blocks(problem, at, Routes.of(problem)):
        medium = media[block.tier]
        assert medium is not None
        for part in _split(block, medium):
            wiring.add(*part, medium)
    return HallWires(groups=wiring.groups, parts=dict(sorted(wiring.counted().items())))


def _ids(spots: list[Spot]) -> dict[Kind, list[str]]:
    found: dict[Kind, list[str]] = {}
    for spot in spots:
        found.setdefault(spot.kind, []).append(spot.id)
    return found


def _split(block: Block, medium: Medium) -> Iterator[tuple[Block, bool]]:
    """Yield the links of a block by how they are built: fixed cables (True), then optics."""
    links = block.a_count * block.each if block.tier == 0 else block.each
    count = links // medium.assembly_links
    whole = block.each
    if block.tier == 0:
        count = assemblies(medium, block.a_count, block.each)
        whole = block.each // medium.links_a * medium.links_a
    if not medium.uses_assemblies(links, count, block.step):
        yield block, False
        return
    size = medium.assembly_links
    if block.tier:
        fixed = count * size
        yield block._replace(each=fixed), True
        if fixed < block.each:
            yield block._replace(each=block.each - fixed), False
        return
    servers = count * size // whole
    servers -= servers * whole % size and 1
    if servers:
        yield block._replace(a_count=servers, each=whole), True
        if whole < block.each:
            yield block._replace(a_count=servers, each=block.each - whole), False
    rest = block._replace(a=block.a + servers, a_count=block.a_count - servers)
    more = min(count * size - servers * whole, whole) // size * size if rest.a_count else 0
    if more:
        yield rest._replace(a_count=1, each=more), True
        if more < block.each:
            yield rest._replace(a_count=1, each=block.each - more), False
        rest = rest._replace(a=rest.a + 1, a_count=rest.a_count - 1)
    if rest.a_count:
        yield rest, False


@dataclass(slots=True)
class _Wiring:
    problem: PlacementProblem
    media: Media
    ids: dict[Kind, list[str]]
    groups: list[CableGroup] = field(default_factory=list)
    parts: Counter[str] = field(default_factory=Counter)
    optical: dict[tuple[Kind, str, int], NDArray[np.int64]] = field(default_factory=dict)
    """Optical links of every device by kind, module and links of one module."""

    def add(self, block: Block, fixed: bool, medium: Medium) -> None:
        """Add a group of links that are all built alike."""
        choice = (medium.fixed if fixed else medium.fibre)[block.step]
        assert choice is not None
        lower, upper = ENDS[block.tier]
        links = block.a_count * block.b_count * block.each
        if fixed:
            self.parts[choice.part] += links // medium.assembly_links
        else:
            self.parts[choice.part] += links
            ends = (
                (lower, medium.module_a, medium.links_a, block.a, block.a_count, block.b_count),
                (upper, medium.module_b, medium.links_b, block.b, block.b_count, block.a_count),
            )
            for kind, module, held, first, count, others in ends:
                key = kind, module, held
                if key not in self.optical:
                    self.optical[key] = np.zeros(len(self.ids[kind]), dtype=np.int64)
                self.optical[key][first : first + count] += others * block.each
        self.groups.append(self._group(block, fixed, medium, choice))

    def _group(self, block: Block, fixed: bool, medium: Medium, choice: Choice) -> CableGroup:
        lower, upper = (self.ids[kind] for kind in ENDS[block.tier])
        return CableGroup.model_construct(
            id=f"g{len(self.groups) + 1}",
            tier=TIER_NAMES[block.tier],
            a_first=lower[block.a],
            a_last=lower[block.a + block.a_count - 1],
            b_first=upper[block.b],
            b_last=upper[block.b + block.b_count - 1],
            links_each=block.each,
            links=block.a_count * block.b_count * block.each,
            needed_m=self.problem.room.lengths_m[block.step],
            length_m=choice.length_m,
            part=choice.part,
            assembly_links=medium.assembly_links if fixed else 1,
            a_cage_links=medium.links_a,
            b_cage_links=medium.links_b,
            a_module="" if fixed else medium.module_a,
            b_module="" if fixed else medium.module_b,
        )

    def counted(self) -> Counter[str]:
        """Return all parts; the last module of its kind in a device may be partly filled."""
        parts = Counter(self.parts)
        for (_, module, held), links in self.optical.items():
            parts[module] += int((-(-links // held)).sum())
        return parts
