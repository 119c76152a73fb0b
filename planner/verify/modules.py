"""Physical cables and transceivers: which links may share one, and how many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.domain.fabric_parts import CableAssembly
from planner.domain.solution import Cable
from planner.verify.links import cage_for, carried, fits, link_gbps, nic_option
from planner.verify.plugs import assemblies, module_counts, plug_sides
from planner.verify.record import Record
from planner.verify.violation import Violation, violation


def check_modules(record: Record) -> Iterator[Violation]:
    """Yield assemblies that carry too much or branch too often, and a wrong count of modules."""
    for name, links in assemblies(record).items():
        yield from _alike(name, links)
        part = record.catalog.cables.get(links[0].part)
        if part is not None:
            yield from _shared(record, name, links, part)
        elif len(links) > 1:
            yield violation(
                "assembly-links", name, 1, len(links), "a fibre jumper carries one link"
            )
    design = record.solution.design
    if design is not None:
        counted = sum(
            count for (component, _), count in module_counts(record).items()
            if component == "transceivers"
        )  # fmt: skip
        if counted != design.fabric.transceivers:
            yield violation(
                "transceiver-count", "$.design.fabric.transceivers", counted,
                design.fabric.transceivers, "is not what the links listed need",
            )  # fmt: skip


def _alike(name: str, links: list[Cable]) -> Iterator[Violation]:
    first = links[0]
    for link in links[1:]:
        if (link.part, link.length_m, link.tier) != (first.part, first.length_m, first.tier):
            yield violation(
                "assembly-part", name, f"{first.part} of {first.length_m:g} m",
                f"{link.part} of {link.length_m:g} m", f"{link.id} shares a cable of another kind",
            )  # fmt: skip


def _shared(
    record: Record, name: str, links: list[Cable], part: CableAssembly
) -> Iterator[Violation]:
    limit = carried(part, link_gbps(record, links[0]))
    if not limit:
        return
    if len(links) > limit:
        yield violation(
            "assembly-links", name, f"at most {limit}", len(links),
            f"more links than {part.id} carries",
        )  # fmt: skip
    share = limit // part.ends_b
    sides = plug_sides(links)
    ways = [(a, b) for a, b in (sides, sides[::-1]) if _branches(a, b, part.ends_b, share)]
    if not ways:
        yield violation(
            "assembly-ends", name,
            f"one plug and at most {part.ends_b}, {share} links each",
            " and ".join(_words(side) for side in sides), f"{part.id} does not branch like this",
        )  # fmt: skip
    elif links[0].tier != "oob" and not any(_plugged(record, links[0], part, *w) for w in ways):
        yield violation(
            "assembly-trunk", name, f"{part.connector_a} to {part.connector_b}",
            " and ".join(_words(side) for side in sides),
            f"{part.id} has its plug with all links at the wrong end",
        )  # fmt: skip


def _branches(
    trunk: Counter[tuple[str, str]], branches: Counter[tuple[str, str]], most: int, share: int
) -> bool:
    return len(trunk) == 1 and len(branches) <= most and max(branches.values()) <= share


def _plugged(
    record: Record,
    link: Cable,
    part: CableAssembly,
    trunk: Counter[tuple[str, str]],
    branches: Counter[tuple[str, str]],
) -> bool:
    """Tell whether both ends fit the cages of their devices, unknown devices aside."""
    option = nic_option(record)
    ends = ((trunk, part.connector_a), (branches, part.connector_b))
    for side, plug in ends:
        for device, _ in side:
            cage = cage_for(record, device, link, option)
            if cage is not None and not fits(record, cage.connector, plug):
                return False
    return True


def _words(side: Counter[tuple[str, str]]) -> str:
    return ", ".join(f"{device} {cage} ({count})" for (device, cage), count in sorted(side.items()))
