"""Links of a large fabric from groups: who is joined to whom, by which ports, in which order.

A group joins every device a to every device b. Its links are taken b by b, then a by a; at both
ends each link takes the next port: fixed-end cables fill whole cages, optical links fill up the
last module of their kind first. Ports are named cage/link ("12/1") where a cage carries several
links, else by the cage; a server's begin with "nic".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from planner.domain.solution import Cable, CableGroup

PREFIX = {
    "node_leaf": "nl", "leaf_leaf": "ll", "leaf_spine": "ls", "spine_core": "sc",
    "storage_network": "st", "in_band_network": "ib", "fabric_manager": "fm",
}  # fmt: skip
"""What the names of links begin with, by tier."""
End = Literal["a", "b"]


@dataclass(slots=True)
class _Ports:
    """Ports of one device in the order in which its links take them."""

    prefix: str
    cages: int = 0
    free: dict[str, list[str]] = field(default_factory=dict)
    """Free ports by module, or by assembly."""

    def take(self, plug: str, links: int) -> str:
        """Return the next port behind a plug, in a new cage when the last is full."""
        ports = self.free.get(plug)
        if not ports:
            self.cages += 1
            name = f"{self.prefix}{self.cages}"
            ports = [name] if links == 1 else [f"{name}/{k}" for k in range(links, 0, -1)]
            self.free[plug] = ports
        return ports.pop()


def expand(groups: Iterable[CableGroup], devices: list[str]) -> Iterator[Cable]:
    """Yield every link of groups, in their order.

    Parameters
    ----------
    groups
        In the order of the document.
    devices
        Ids of all devices in the order of the document.

    Raises
    ------
    KeyError
        If a group names a device that is not there.
    """
    place = {name: k for k, name in enumerate(devices)}
    ports: dict[str, _Ports] = {}
    numbers = dict.fromkeys(PREFIX, 0)
    assembly = 0
    for group in groups:
        lower = devices[place[group.a_first] : place[group.a_last] + 1]
        upper = devices[place[group.b_first] : place[group.b_last] + 1]
        ends = [(a, b) for b in upper for a in lower for _ in range(group.links_each)]
        for name in (*lower, *upper):
            if name not in ports:
                ports[name] = _Ports("nic" if group.tier == "node_leaf" and name in lower else "")
        for start in range(0, len(ends), group.assembly_links):
            assembly += group.assembly_links > 1
            for a, b in ends[start : start + group.assembly_links]:
                numbers[group.tier] += 1
                number = numbers[group.tier]
                yield _link(group, a, b, number, assembly, ports)
            if group.assembly_links > 1:
                for a, b in ends[start : start + group.assembly_links]:
                    ports[a].free.pop(f"asm-{assembly}", None)
                    ports[b].free.pop(f"asm-{assembly}", None)


def _link(
    group: CableGroup, a: str, b: str, number: int, assembly: int, ports: dict[str, _Ports]
) -> Cable:
    name = f"{PREFIX[group.tier]}-{number:06d}"
    optical = group.a_module != ""
    plug = f"asm-{assembly}" if group.assembly_links > 1 else name
    return Cable.model_construct(
        id=name,
        tier=group.tier,
        a=a,
        a_port=ports[a].take(group.a_module if optical else plug, group.a_cage_links),
        b=b,
        b_port=ports[b].take(group.b_module if optical else plug, group.b_cage_links),
        needed_m=group.needed_m,
        length_m=group.length_m,
        part=group.part,
        assembly=plug,
        a_module=group.a_module,
        b_module=group.b_module,
    )
