"""Ports of one device handed out link by link: fixed plugs fill whole cages, modules fill up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class PortBook:
    """Cages of one device in the order in which links take them (`cabling_cages`).

    A port is named cage/link ("12/1") where cages carry several links, else by its cage.
    """

    links: int
    """Links of one cage."""
    prefix: str = ""
    cages: int = 0
    modules: Counter[str] = field(default_factory=Counter)
    """Cages that hold a transceiver, by catalogue id."""
    _open: dict[str, list[str]] = field(default_factory=dict)

    def plug(self, plugs: int) -> list[str]:
        """Return the ports of a fixed cable's plugs, each in a cage of its own."""
        return [port for _ in range(plugs) for port in self._cage()]

    def module(self, part: str) -> str:
        """Return the next port behind a module of a kind, in a new cage when the last is full."""
        ports = self._open.get(part)
        if not ports:
            ports = self._cage()
            self._open[part] = ports
            self.modules[part] += 1
        return ports.pop(0)

    def reopen(self, part: str, ports: list[str]) -> None:
        """Give back ports behind a module that is there already."""
        self._open.setdefault(part, []).extend(ports)

    def close(self) -> None:
        """Leave the free ports of modules in use alone: the next module takes a new cage."""
        self._open.clear()

    def _cage(self) -> list[str]:
        self.cages += 1
        name = f"{self.prefix}{self.cages}"
        if self.links == 1:
            return [name]
        return [f"{name}/{k}" for k in range(1, self.links + 1)]
