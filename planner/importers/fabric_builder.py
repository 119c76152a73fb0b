"""Putting together the fabric that exists from what any source says of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from planner.domain.existing_fabric import (
    ExistingFabric,
    ExistingHost,
    ExistingLink,
    ExistingSwitch,
)
from planner.importers.imported import Imported, Notes
from planner.importers.source import Source

MAX_DEVICES = 200_000
MAX_LINKS = 1_000_000
MAX_GBPS = 1e6


@dataclass(slots=True, kw_only=True)
class _Switch:
    system: str = ""
    model: str = ""
    ports: int | None = None


@dataclass(slots=True, kw_only=True)
class _Host:
    gpus: int | None = None
    domain: str = ""


@dataclass(slots=True)
class FabricBuilder:
    """Collects devices and links; a link that both ends report counts once."""

    source: Source
    family: Literal["infiniband", "ethernet", "unknown"] = "unknown"
    logical: bool = False
    switches: dict[str, _Switch] = field(default_factory=dict)
    hosts: dict[str, _Host] = field(default_factory=dict)
    links: dict[tuple[str, str, str, str], float | None] = field(default_factory=dict)
    block_sizes: list[int] = field(default_factory=list)
    _ports: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def switch(
        self, name: str, *, model: str = "", system: str = "", ports: int | None = None
    ) -> None:
        """Add a switch, or what is newly known of it."""
        name = name[:200]
        if not name:
            return
        self._room()
        self.hosts.pop(name, None)
        entry = self.switches.setdefault(name, _Switch())
        entry.model, entry.system = model[:200] or entry.model, system[:200] or entry.system
        entry.ports = ports if ports is not None else entry.ports

    def host(self, name: str, *, gpus: int | None = None, domain: str = "") -> None:
        """Add a host, or what is newly known of it; a switch of that name stays one."""
        name = name[:200]
        if not name or name in self.switches:
            return
        self._room()
        entry = self.hosts.setdefault(name, _Host())
        entry.gpus = gpus if gpus is not None else entry.gpus
        entry.domain = domain[:200] or entry.domain

    def _room(self) -> None:
        if len(self.switches) + len(self.hosts) > MAX_DEVICES:
            raise self.source.refuse(f"names more than {MAX_DEVICES:,} devices")

    def link(
        self,
        a: str,
        b: str,
        *,
        a_port: str = "",
        b_port: str = "",
        gbps: float | None = None,
        notes: Notes,
    ) -> None:
        """Add a link between two devices that are known or will be."""
        first, second = sorted(((a[:200], a_port[:100]), (b[:200], b_port[:100])))
        if not a or not b:
            notes.warn("a link to a device without a name is left out")
            return
        if gbps is not None and not 0 < gbps <= MAX_GBPS:
            notes.warn(f"{a[:60]} to {b[:60]}: {gbps:g} Gb/s is no rate; left open")
            gbps = None
        if a == b:
            notes.warn(f"{a[:60]} is linked to itself (ports {a_port[:20]} and {b_port[:20]})")
            return
        key = (*first, *second)
        if len(self.links) >= MAX_LINKS:
            raise self.source.refuse(f"names more than {MAX_LINKS:,} links")
        for end, other in ((first, second), (second, first)):
            known = self._ports.get(end)
            if end[1] and known is not None and known != other:
                notes.warn(f"port {end[1]} of {end[0]} is named in two links")
                return
        for end, other in ((first, second), (second, first)):
            if end[1]:
                self._ports[end] = other
        self.links[key] = gbps if gbps is not None else self.links.get(key)

    def imported(self, kind: str, notes: Notes) -> Imported:
        """Return the fabric as a document with its counts, doubts noted.

        Raises
        ------
        InputError
            If there is neither a switch nor a host.
        """
        if not self.switches and not self.hosts:
            raise self.source.refuse("names no switch and no host")
        try:
            fabric = self._fabric(notes)
        except ValidationError as error:
            item = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in item["loc"])
            raise self.source.refuse(
                f"holds what no fabric can: {item['msg']}", where=where
            ) from None
        counts = fabric.count_up()
        shown = ", ".join(
            f"{value:,} {name.replace('_', ' ')}" for name, value in counts.items() if value
        )
        notes.fact(shown)
        if self.logical:
            notes.warn("a scheduler's tree: how many cables a link stands for, and which ports "
                       "are free, it does not say")  # fmt: skip
        document: dict[str, Any] = fabric.model_dump(mode="json", exclude_defaults=True)
        document["counts"] = counts
        return notes.imported(kind, {"existing_fabric.json": document})

    def _fabric(self, notes: Notes) -> ExistingFabric:
        for a, _, b, _ in self.links:
            for end in (a, b):
                if end not in self.switches:
                    self.host(end)
        neighbours: dict[str, set[str]] = {name: set() for name in (*self.switches, *self.hosts)}
        used: Counter[str] = Counter()
        for a, _, b, _ in self.links:
            neighbours[a].add(b)
            neighbours[b].add(a)
            used[a] += 1
            used[b] += 1
        tiers = self._tiers(neighbours)
        self._doubts(neighbours, used, notes)
        return ExistingFabric(
            family=self.family,
            logical=self.logical,
            switches=[
                ExistingSwitch(
                    name=name,
                    system=entry.system,
                    model=entry.model,
                    tier=tiers.get(name),
                    ports=entry.ports,
                    ports_used=0 if self.logical else used[name],
                    ports_free=None if entry.ports is None else max(0, entry.ports - used[name]),
                )
                for name, entry in self.switches.items()
            ],
            hosts=[
                ExistingHost(name=name, links=used[name], gpus=entry.gpus, domain=entry.domain)
                for name, entry in self.hosts.items()
            ],
            links=[
                ExistingLink(a=a, a_port=a_port, b=b, b_port=b_port, gbps=gbps)
                for (a, a_port, b, b_port), gbps in self.links.items()
            ],
            block_sizes=self.block_sizes,
        )

    def _tiers(self, neighbours: dict[str, set[str]]) -> dict[str, int]:
        """Return the tier of each switch: its distance from the nearest host."""
        tiers: dict[str, int] = {}
        reach = {
            switch for host in self.hosts for switch in neighbours[host] if switch in self.switches
        }
        tier = 1
        while reach and tier <= 20:
            tiers |= dict.fromkeys(reach, tier)
            reach = {
                other
                for name in reach
                for other in neighbours[name]
                if other in self.switches and other not in tiers
            }
            tier += 1
        return tiers

    def _doubts(self, neighbours: dict[str, set[str]], used: Counter[str], notes: Notes) -> None:
        parts = _parts(neighbours)
        if len(parts) > 1 and self.links:
            alone = sum(1 for part in parts if len(part) == 1)
            larger = len(parts) - alone
            if larger > 1:
                notes.warn(f"{larger} parts of the fabric have no link to each other")
            if alone:
                notes.warn(f"{alone} devices have no link")
        for name, entry in self.switches.items():
            if entry.ports is not None and used[name] > entry.ports:
                notes.warn(f"{name} has {entry.ports} ports and {used[name]} links")
        rates = Counter(gbps for gbps in self.links.values() if gbps)
        if len(rates) > 1:
            shown = ", ".join(f"{count} at {gbps:g} Gb/s" for gbps, count in sorted(rates.items()))
            notes.fact(f"links of different rates: {shown}")


def _parts(neighbours: dict[str, set[str]]) -> list[set[str]]:
    left, parts = set(neighbours), []
    while left:
        part: set[str] = set()
        reach = {left.pop()}
        while reach:
            one = reach.pop()
            part.add(one)
            news = neighbours[one] & left
            left -= news
            reach |= news
        parts.append(part)
    return parts
