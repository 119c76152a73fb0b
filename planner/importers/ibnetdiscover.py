"""The output of `ibnetdiscover`: switches, adapters and links of an InfiniBand fabric."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planner.importers.fabric_builder import FabricBuilder
from planner.importers.imported import Given, Imported, Notes
from planner.importers.infiniband_names import (
    cable_ports,
    host_of,
    is_aggregation,
    system_of,
    width_rate,
)
from planner.importers.source import Source

KIND = "ibnetdiscover"
_NODE = re.compile(
    r'^(Switch|Ca|Rt)\s+(\d{1,5})\s+"([SHR]-[0-9a-fA-F]{1,20})"\s*(?:#\s*"([^"]*)")?'
)
_PORT = re.compile(
    r"^\[(\d{1,5})\](?:\[ext \d{1,5}\])?(?:\([0-9a-fA-F]{1,20}\))?\s+"
    r'"([SHR]-[0-9a-fA-F]{1,20})"\[(\d{1,5})\](.*)$'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    device: str
    """Name in the fabric: a switch's own, or the adapter's host; empty for a reduction unit."""
    adapter: str = ""


class _Reader:
    """Two passes: names of nodes first, then the links between their ports."""

    __slots__ = ("builder", "nodes", "notes", "taken")

    def __init__(self, source: Source, notes: Notes) -> None:
        self.builder = FabricBuilder(source, family="infiniband")
        self.notes = notes
        self.nodes: dict[str, _Node] = {}
        self.taken: set[str] = set()

    def node(self, kind: str, ports: int, guid: str, name: str) -> None:
        """Take one record's head."""
        if guid in self.nodes:
            return
        if kind == "Switch":
            device = name or guid
            device = f"{device} {guid}" if device in self.taken else device
            self.taken.add(device)
            system, model = system_of(name)
            self.builder.switch(device, model=model, system=system, ports=cable_ports(ports))
            self.nodes[guid] = _Node(device=device)
        elif is_aggregation(name):
            self.nodes[guid] = _Node(device="")
        else:
            host = host_of(name, guid)
            self.builder.host(host)
            self.nodes[guid] = _Node(device=host, adapter=" ".join(name.split()[1:]) or guid)

    def port(self, owner: str, port: str, peer: str, peer_port: str, rest: str) -> None:
        """Take one line of a record's ports."""
        mine, other = self.nodes.get(owner), self.nodes.get(peer)
        if mine is None:
            return
        if other is None:
            name = re.search(r'"([^"]*)"', rest)
            kind = "Switch" if peer.startswith("S") else "Ca"
            called = name[1] if name else ""
            if not is_aggregation(called):
                self.notes.warn(f"{peer} is linked but has no record of its own")
            self.node(kind, 0, peer, called)
            if kind == "Switch":
                self.builder.switches[self.nodes[peer].device].ports = None
            other = self.nodes[peer]
        if not mine.device or not other.device:
            return
        self.builder.link(
            mine.device,
            other.device,
            a_port=f"{mine.adapter} {port}".strip(),
            b_port=f"{other.adapter} {peer_port}".strip(),
            gbps=width_rate(rest[-200:]),
            notes=self.notes,
        )


def read_ibnetdiscover(source: Source, given: Given) -> Imported:
    """Return the fabric that a discovery found.

    Raises
    ------
    InputError
        If the text is no output of ibnetdiscover, or holds no link.
    """
    del given
    notes = Notes(warnings=list(source.notes))
    reader = _Reader(source, notes)
    found = 0
    for line in source.lines():
        node = _NODE.match(line)
        if node:
            found += 1
            reader.node(node[1], int(node[2]), node[3], (node[4] or "").strip())
    if not found:
        right = "give the text that ibnetdiscover prints"
        raise source.refuse("has no record of ibnetdiscover", right)
    owner = ""
    for line in source.lines():
        node = _NODE.match(line)
        port = None if node else _PORT.match(line)
        if node:
            owner = node[3]
        elif port:
            reader.port(owner, port[1], port[2], port[3], port[4])
    if not reader.builder.links:
        what = f"names {found} node(s) and no link: the discovery saw no fabric behind its port"
        raise source.refuse(what, "run it as root on a host whose port is active")
    return reader.builder.imported(KIND, notes)
