"""The cables of services once everything stands: both ends of each, ports, parts, their cost.

Kinds of links have cages of their own at a switch of services (`service_cages`); the managers' links
first fill the modules of a leaf that have a free half (`service_manager_modules`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from planner.domain.cable_groups import PREFIX, expand
from planner.domain.solution import Cable
from planner.physics.costs import UnitCost
from planner.physics.refusal import Refusal
from planner.program.placement import Placement
from planner.program.ports import PortBook
from planner.program.prices import PriceBook
from planner.program.rack_layout import rack_name
from planner.program.room import Room
from planner.program.service_design import ServiceDesign
from planner.program.service_links import Kind, LaidKind, lay_kind, parts_of

MANAGER = "fabric_manager"
FRONT_END = "fe"
"""Ports of a server beside those of the fabric begin with this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidServices:
    """All cables of services beside a placed design."""

    cables: list[Cable]
    kinds: tuple[LaidKind, ...]
    cost: UnitCost
    """Cables, fibres and modules."""

    @property
    def quantities(self) -> list[tuple[str, str, int]]:
        """(part, component, units), in order of networks and ids."""
        found: Counter[tuple[str, str]] = Counter()
        for laid in self.kinds:
            for part, count in laid.parts.items():
                found[part, laid.kind.network] += count
        return [(part, component, n) for (part, component), n in found.items()]

    @property
    def longest_m(self) -> float:
        """Longest route."""
        return max((cable.needed_m for cable in self.cables), default=0.0)


@dataclass(slots=True)
class _Laying:
    """Ports that are taken, and numbers that are given."""

    half: Mapping[tuple[str, str], int]
    books: dict[str, PortBook] = field(default_factory=dict)
    numbers: Counter[str] = field(default_factory=Counter)
    assemblies: int = 0

    def half_open(self, device: str, module: str) -> int:
        """Return the links that a leaf's modules still take."""
        return self.half.get((device, module), 0)


def lay_services(
    design: ServiceDesign, placement: Placement, room: Room, book: PriceBook
) -> LaidServices | Refusal:
    """Return the cables of services between the devices of a placement and their own.

    Parameters
    ----------
    design
        Links by kind, racks of their devices.
    placement
        Servers and fabric as they stand, with their cables.
    room
        The whole room.
    book
        Prices.
    """
    number = {rack_name(room, rack): rack for rack in range(room.racks)}
    devices = (*placement.devices, *design.devices)
    rack_of = {device.id: number[device.rack] for device in devices}
    index = {length: k for k, length in enumerate(room.lengths_m)}
    leafs = {b for kind in design.kinds if kind.network == MANAGER for _, b in kind.joins}
    links = _links(placement) if leafs else []
    half, books = _taken(links, leafs, design.leaf_links)
    laying = _Laying(half=half, books=books)
    found: list[LaidKind] = []
    cables: list[Cable] = []
    for kind in design.kinds:
        steps = [index[room.route_m(rack_of[a], rack_of[b])] for a, b in kind.joins]
        prices = {part: book.unit(part, component=kind.network).total for part in parts_of(kind)}
        laid = lay_kind(kind, steps, prices, laying.half_open)
        if laid is None:
            return Refusal(
                limit="work_limit",
                reason=f"in the placement that was found no part joins all links of {kind.network} "
                "over their routes; whether it does in another stayed open",
            )
        found.append(laid)
        cables += _cables(laying, laid, [room.lengths_m[step] for step in steps])
    cost = UnitCost()
    for laid in found:
        for part, count in laid.parts.items():
            cost += book.unit(part, component=laid.kind.network).times(count)
    return LaidServices(cables=cables, kinds=tuple(found), cost=cost)


def _links(placement: Placement) -> Iterable[Cable]:
    return placement.cables or expand(placement.cable_groups, [d.id for d in placement.devices])


def _taken(
    links: Iterable[Cable], leafs: set[str], each: int
) -> tuple[dict[tuple[str, str], int], dict[str, PortBook]]:
    """Return the links that the modules of some leafs still take, and their ports handed out."""
    ends: dict[tuple[str, str], set[str]] = {}
    module: dict[tuple[str, str], str] = {}
    for cable in links:
        for device, port, plug in (
            (cable.a, cable.a_port, cable.a_module), (cable.b, cable.b_port, cable.b_module),
        ):  # fmt: skip
            if device in leafs:
                cage = port.partition("/")[0]
                ends.setdefault((device, cage), set()).add(port)
                module[device, cage] = plug
    half: Counter[tuple[str, str]] = Counter()
    books = {leaf: PortBook(each) for leaf in sorted(leafs)}
    for (device, cage), ports in ends.items():
        book = books[device]
        book.cages = max(book.cages, int(cage))
        free = [f"{cage}/{k}" for k in range(1, each + 1) if f"{cage}/{k}" not in ports]
        if module[device, cage] and each > 1 and free:
            book.reopen(module[device, cage], free)
            half[device, module[device, cage]] += len(free)
    return dict(half), books


def _cables(laying: _Laying, laid: LaidKind, routes_m: list[float]) -> Iterator[Cable]:
    """Yield the cables of a kind with their ports."""
    kind, medium = laid.kind, laid.medium
    if kind.network != MANAGER:
        for name in {name for join in kind.joins for name in join}:
            if name in laying.books:
                laying.books[name].close()
    plugs: dict[tuple[str, int], list[str]] = {}
    prefix = PREFIX[kind.network]
    width = 4
    rows = zip(kind.joins, laid.choices, laid.assemblies, routes_m, strict=True)
    for (a, b), choice, assembly, needed_m in rows:
        laying.numbers[kind.network] += 1
        name = f"{prefix}-{laying.numbers[kind.network]:0{width}d}"
        optical = assembly < 0
        ports = []
        for device, each, module in ((a, _each_a(kind, medium.links_a), medium.module_a),
                                     (b, kind.links_b, medium.module_b)):  # fmt: skip
            front = FRONT_END if kind.ends == "server" and device == a else ""
            book = laying.books.setdefault(device, PortBook(each, prefix=front))
            if optical:
                ports.append(book.module(module))
                continue
            if not plugs.get((device, assembly)):
                plugs[device, assembly] = book.plug(1)
            ports.append(plugs[device, assembly].pop(0))
        yield Cable.model_validate(
            {
                "id": name,
                "tier": kind.network,
                "a": a,
                "a_port": ports[0],
                "b": b,
                "b_port": ports[1],
                "needed_m": needed_m,
                "length_m": choice.length_m,
                "part": choice.part,
                "assembly": name
                if optical
                else f"{prefix}-asm-{laying.assemblies + assembly + 1:05d}",
                "a_module": medium.module_a if optical else "",
                "b_module": medium.module_b if optical else "",
            }
        )
    laying.assemblies += 1 + max(laid.assemblies, default=-1)


def _each_a(kind: Kind, links_a: int) -> int:
    return links_a if kind.ends == "uplink" else 1
