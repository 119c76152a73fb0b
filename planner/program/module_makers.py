"""Transceivers in switches of another maker, which may refuse them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planner.domain.catalog import Catalog
from planner.domain.solution import Assumption, Cable, CableGroup, Device


def foreign_modules(
    devices: Iterable[Device], links: Iterable[Cable | CableGroup], catalog: Catalog
) -> Iterator[Assumption]:
    """Yield a line for every switch model that takes modules of another maker, with their names.

    Parameters
    ----------
    devices
        All devices of the design.
    links
        Its cables, and its groups of links.
    catalog
        Where the makers stand.
    """
    part = {device.id: device.part for device in devices}
    inside: dict[str, set[str]] = {}
    for link in links:
        ends = (
            ((link.a_first, link.a_module), (link.b_first, link.b_module))
            if isinstance(link, CableGroup)
            else ((link.a, link.a_module), (link.b, link.b_module))
        )
        for device, module in ends:
            if module and part.get(device) in catalog.switches:
                inside.setdefault(part[device], set()).add(module)
    for switch, modules in sorted(inside.items()):
        maker = catalog.switches[switch].vendor
        foreign = sorted(m for m in modules if not _same(catalog.transceivers[m].vendor, maker))
        if foreign:
            names = ", ".join(f"{m} ({catalog.transceivers[m].vendor})" for m in foreign)
            yield Assumption(
                what=f"modules in {switch}",
                value=f"{names}: check with the vendor that a switch of {maker} takes them",
                kind="default",
                source="own rule",
            )


def _same(a: str, b: str) -> bool:
    """Return whether two makers have a name in common; several are parted by a slash."""
    return not {name.casefold() for name in a.split("/")}.isdisjoint(
        name.casefold() for name in b.split("/")
    )
