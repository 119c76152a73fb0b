"""Physical cables and transceivers: which links may share one, and how many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.domain.solution import Cable
from planner.verify.links import cage_of, carried, fits, link_gbps, nic_option
from planner.verify.plugs import assemblies, module_counts
from planner.verify.record import SCALE_OUT, Record
from planner.verify.violation import Violation, violation


def check_modules(record: Record) -> Iterator[Violation]:
    """Yield assemblies that carry too much or branch too often, and a wrong count of modules."""
    for name, links in assemblies(record).items():
        yield from _alike(name, links)
        yield from _shared(record, name, links)
    design = record.solution.design
    if design is not None:
        counted = sum(_scale_out_modules(record).values())
        if counted != design.fabric.transceivers:
            yield violation(
                "transceiver-count", "$.design.fabric.transceivers", counted,
                design.fabric.transceivers, "is not what the links listed need",
            )  # fmt: skip


def _scale_out_modules(record: Record) -> Counter[tuple[str, str]]:
    kinds = ("node", "leaf", "spine", "core")
    counted = module_counts(record)
    return Counter({key: n for key, n in counted.items() if record.kind(key[0]) in kinds})


def _alike(name: str, links: list[Cable]) -> Iterator[Violation]:
    first = links[0]
    for link in links[1:]:
        if (link.part, link.length_m, link.tier) != (first.part, first.length_m, first.tier):
            yield violation(
                "assembly-part", name, f"{first.part} of {first.length_m:g} m",
                f"{link.part} of {link.length_m:g} m", f"{link.id} shares a cable of another kind",
            )  # fmt: skip


def _shared(record: Record, name: str, links: list[Cable]) -> Iterator[Violation]:
    part = record.catalog.cables.get(links[0].part)
    if part is None:
        if len(links) > 1:
            yield violation(
                "assembly-links", name, 1, len(links), "a fibre jumper carries one link"
            )
        return
    limit = carried(part, link_gbps(record, links[0]))
    if limit and len(links) > limit:
        yield violation(
            "assembly-links", name, f"at most {limit}", len(links),
            f"more links than {part.id} carries",
        )  # fmt: skip
    sides = [Counter(c.a for c in links), Counter(c.b for c in links)]
    branches = sorted(len(ends) for ends in sides)
    if branches[0] > 1 or branches[1] > part.ends_b:
        yield violation(
            "assembly-ends", name, f"one device and at most {part.ends_b}",
            " and ".join(str(n) for n in branches), f"{part.id} does not branch like this",
        )  # fmt: skip
    if part.ends_b > 1 and limit:
        yield from _branch(record, name, links, limit // part.ends_b)


def _branch(record: Record, name: str, links: list[Cable], share: int) -> Iterator[Violation]:
    """Check that the plug with all links stands where its connector fits.

    The side whose links meet at one device takes connector a; where both do, either may.
    """
    part = record.catalog.cables[links[0].part]
    gbps = link_gbps(record, links[0])
    option = nic_option(record)
    sides = [sorted({c.a for c in links}), sorted({c.b for c in links})]
    for trunk, other in (sides, sides[::-1]):
        if len(trunk) != 1:
            continue
        cages = [cage_of(record, device, gbps, option) for device in (trunk[0], other[0])]
        if any(cage is None for cage in cages) or links[0].tier not in SCALE_OUT:
            return
        near, far = (cage.connector if cage else "" for cage in cages)
        if fits(record, near, part.connector_a) and fits(record, far, part.connector_b):
            return
    yield violation(
        "assembly-trunk", name, f"{part.connector_a} at one device", "no such end",
        f"{part.id} has its plug with all links ({share} a branch) at the wrong end",
    )  # fmt: skip
