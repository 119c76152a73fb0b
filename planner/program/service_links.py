"""How the links of services are built: by the route of each, of the cheapest parts that reach.

All optical links of one kind have the same pair of modules (`service_alike`); on each route a fixed
cable is taken where it costs no more than the modules and fibres whose place it takes. The length
is that of the route, rounded up to what is in stock (`service_reach`). Modules at a device are
counted device by device (`service_modules`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.program.link_prices import FORBIDDEN, IMPOSSIBLE, Choice, Medium

StepOf = Callable[[int, int], int]
"""Index of the length of a route between two racks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Links of one kind: whom they join, and what may join them."""

    network: str
    """storage_network, in_band_network or fabric_manager; also the component of their cost."""
    ends: str
    """server, appliance, uplink or manager."""
    appliance: str = ""
    joins: tuple[tuple[str, str], ...]
    """Devices at end a and end b of every link; those of one pair of switches together."""
    media: tuple[Medium, ...]
    """By index into the lengths of the whole room."""
    links_b: int
    """Links of one cage at end b."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidKind:
    """The links of a kind with the part of each."""

    kind: Kind
    medium: Medium
    choices: tuple[Choice, ...]
    """By link."""
    assemblies: tuple[int, ...]
    """Number of the fixed cable of every link, -1 for an optical one."""
    parts: Counter[str]
    """Units by catalogue id."""
    cables: int
    modules_a: int
    modules_b: int
    cents: int


def parts_of(kind: Kind) -> Iterator[str]:
    """Yield every part of which a kind may be built."""
    for medium in kind.media:
        yield from (choice.part for choice in (*medium.fibre, *medium.fixed) if choice)
        if medium.optic:
            yield from (medium.module_a, medium.module_b)


def lay_kind(
    kind: Kind,
    steps: Sequence[int],
    unit_cents: Mapping[str, int],
    half_open: Callable[[str, str], int],
) -> LaidKind | None:
    """Return a kind as it is built over the routes of its links; None if nothing reaches them.

    Parameters
    ----------
    kind
        Links and media.
    steps
        Index of the length of every link's route.
    unit_cents
        Present value of one unit by catalogue id.
    half_open
        Links that a device's modules of a kind still take, by device and module.
    """
    found = (_built(kind, medium, steps, unit_cents, half_open) for medium in kind.media)
    laid = [one for one in found if one is not None]
    return min(
        laid, key=lambda one: (one.cents, one.medium.module_a, one.medium.module_b), default=None
    )


def _built(
    kind: Kind,
    medium: Medium,
    steps: Sequence[int],
    unit_cents: Mapping[str, int],
    half_open: Callable[[str, str], int],
) -> LaidKind | None:
    choices: list[Choice] = []
    numbers: list[int] = []
    start = cables = 0
    while start < len(kind.joins):
        end = start
        while end < len(kind.joins) and kind.joins[end] == kind.joins[start]:
            end += 1
        step, each = steps[start], medium.assembly_links
        whole = (end - start) // each
        fixed = whole if medium.uses_assemblies(end - start, whole, step) else 0
        for k in range(end - start):
            thick = k // each < fixed
            choice = medium.fixed[step] if thick else medium.fibre[step]
            if choice is None:
                return None
            choices.append(choice)
            numbers.append(cables + k // each if thick else -1)
        cables += fixed
        start = end
    glass = [join for join, number in zip(kind.joins, numbers, strict=True) if number < 0]
    below, above = Counter(a for a, _ in glass), Counter(b for _, b in glass)
    modules_a = sum(-(-n // medium.links_a) for n in below.values())
    modules_b = sum(
        max(0, -(-(n - half_open(b, medium.module_b)) // medium.links_b)) for b, n in above.items()
    )
    parts = Counter(
        choice.part for choice, number in zip(choices, numbers, strict=True) if number < 0
    )
    thick_parts = {n: c.part for c, n in zip(choices, numbers, strict=True) if n >= 0}
    parts.update(thick_parts.values())
    if glass:
        parts[medium.module_a] += modules_a
        parts[medium.module_b] += modules_b
    return LaidKind(
        kind=kind,
        medium=medium,
        choices=tuple(choices),
        assemblies=tuple(numbers),
        parts=Counter({part: n for part, n in sorted(parts.items()) if n}),
        cables=cables + len(glass),
        modules_a=modules_a,
        modules_b=modules_b,
        cents=sum(unit_cents[part] * n for part, n in parts.items()),
    )


def least_cents(
    kind: Kind, rack_of: Mapping[str, int], most_in: Mapping[int, int], step: StepOf, free: int = 0
) -> int:
    """Return a bound on the cost of a kind whose end a, or b, stands wherever placement puts it.

    Every device that is not placed yet may stand in its cheapest rack, within what a rack holds
    (`service_bound`).

    Parameters
    ----------
    kind
        Links between servers and leafs of services, or between managers and leafs of the fabric.
    rack_of
        Racks of the devices of services.
    most_in
        Devices that each rack may hold.
    step
        Route lengths.
    free
        Modules at end b that may be there already.
    """
    return min(_least(kind, m, rack_of, most_in, step, free) for m in kind.media)


def _least(
    kind: Kind,
    medium: Medium,
    rack_of: Mapping[str, int],
    most_in: Mapping[int, int],
    step: StepOf,
    free: int,
) -> int:
    single = medium.assembly_links == 1
    modules = 0
    if not single:
        below, above = Counter(a for a, _ in kind.joins), Counter(b for _, b in kind.joins)
        at_b = sum(-(-n // medium.links_b) for n in above.values()) - free
        modules = at_b * medium.module_b_cents
        modules += sum(-(-n // medium.links_a) for n in below.values()) * medium.module_a_cents
    anchors: dict[str, list[int]] = {}
    for a, b in kind.joins:
        loose, stands = (a, b) if b in rack_of else (b, a)
        anchors.setdefault(loose, []).append(rack_of[stands])
    groups = Counter(tuple(racks) for racks in anchors.values())
    prices = {
        group: {r: sum(_link_cents(medium, step(r, at)) for at in group) for r in most_in}
        for group in groups
    }
    apart = sum(_filled(prices[group], most_in, count) for group, count in groups.items())
    cheapest = {r: min(prices[group][r] for group in groups) for r in most_in}
    return modules + max(apart, _filled(cheapest, most_in, len(anchors)))


def _link_cents(medium: Medium, step: int) -> int:
    """Return the cost of one link: all of it, or its fibre alone where links share modules."""
    fibre = medium.fibre[step]
    optical = FORBIDDEN if fibre is None else fibre.cents
    if medium.assembly_links > 1:
        return optical
    fixed = medium.fixed[step]
    optical += medium.assembly_module_cents
    return optical if fixed is None else min(fixed.cents, optical)


def _filled(cents: Mapping[int, int], most_in: Mapping[int, int], count: int) -> int:
    """Return the cost of so many devices in the cheapest racks, each as full as it may be."""
    total = 0
    for rack in sorted(cents, key=lambda r: (cents[r], r)):
        here = min(count, most_in[rack])
        total += here * cents[rack]
        count -= here
        if not count:
            return total
    return total + count * IMPOSSIBLE
