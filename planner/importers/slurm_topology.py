"""Slurm's topology.conf and topology.yaml: the tree of switches, or the blocks, of a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from planner.domain.errors import Fault, InputError
from planner.importers.fabric_builder import FabricBuilder
from planner.importers.hostlist import expand_hostlist
from planner.importers.imported import Given, Imported, Notes
from planner.importers.source import Source
from planner.importers.yaml_source import parse_yaml

KIND = "slurm-topology"
MAX_LINE = 5_000_000
"""A cluster's hosts may stand in one line."""
_PAIR = re.compile(r"([A-Za-z]{2,30})\s?=\s?(\"[^\"]*\"|\S+)")
_KEYS = frozenset(("switchname", "switches", "nodes", "blockname", "blocksizes", "linkspeed"))
_YAML = re.compile(r"^\s*(?:---\s*$|-\s+topology\s*:)", re.MULTILINE)


class _Tree:
    """Switches with their children as the file names them."""

    __slots__ = ("above", "blocked", "builder", "faults", "lower", "notes", "source", "under")

    def __init__(self, source: Source, notes: Notes) -> None:
        self.source = source
        self.notes = notes
        self.builder = FabricBuilder(source, logical=True)
        self.faults: list[Fault] = []
        self.lower: dict[str, list[str]] = {}
        """Switches below a switch."""
        self.under: dict[str, str] = {}
        """Switch above a host."""
        self.blocked: dict[str, str] = {}
        """Block of a host."""
        self.above: dict[str, str] = {}

    def switch(self, name: str, switches: str, nodes: str, where: str) -> None:
        """Add a switch with the hostlists of what hangs below it."""
        if not name:
            self.faults.append(Fault(where, "a switch has no name", "write SwitchName=..."))
            return
        if name in self.lower:
            self.faults.append(Fault(where, f"switch {name[:60]} stands twice", "join the lines"))
            return
        if not switches and not nodes:
            self.notes.warn(f"switch {name[:60]} has neither switches nor nodes below it")
        self.builder.switch(name)
        self.lower[name] = expand_hostlist(switches, self.source) if switches else []
        for host in expand_hostlist(nodes, self.source) if nodes else []:
            other = self.under.setdefault(host, name)
            if other != name:
                self.notes.warn(f"{host[:60]} hangs below {other[:60]} and {name[:60]}")
            self.builder.host(host)
            self.builder.link(name, host, notes=self.notes)

    def block(self, name: str, nodes: str, where: str) -> None:
        """Add a block of hosts."""
        if not name or not nodes:
            self.faults.append(Fault(where, "a block needs a name and nodes"))
            return
        for host in expand_hostlist(nodes, self.source):
            other = self.blocked.setdefault(host, name)
            if other != name:
                self.notes.warn(f"{host[:60]} is in block {other[:60]} and {name[:60]}")
                continue
            self.builder.host(host, domain=name)

    def sizes(self, text: str, where: str) -> None:
        """Add the block sizes, a list of whole numbers."""
        for part in text.split(","):
            if part.strip().isascii() and part.strip().isdigit() and len(part.strip()) < 8:
                self.builder.block_sizes.append(int(part))
            else:
                self.faults.append(Fault(where, f"{part[:40]!r} is no block size"))

    def finish(self) -> None:
        """Join the switches; name what is undefined, joined twice or in a circle."""
        for name, children in self.lower.items():
            for child in children:
                if child not in self.lower:
                    self.notes.warn(f"{name[:60]} names switch {child[:60]}, which no line defines")
                    self.builder.switch(child)
                if self.above.setdefault(child, name) != name:
                    self.notes.warn(f"switch {child[:60]} hangs below two switches")
                self.builder.link(name, child, notes=self.notes)
        roots = [name for name in self.lower if name not in self.above]
        if self.lower and not roots:
            self.faults.append(Fault("Switches", "every switch hangs below another: a circle"))
        elif len(roots) > 1:
            shown = ", ".join(name[:40] for name in roots[:6])
            self.notes.warn(f"no common root: {len(roots)} top switches ({shown})")
        if self.faults:
            raise InputError(self.source.name, self.faults)


def read_slurm_topology(source: Source, given: Given) -> Imported:
    """Return the fabric that a topology file describes.

    Raises
    ------
    InputError
        If the file is no topology of Slurm or contradicts itself, all faults at once.
    """
    del given
    notes = Notes(warnings=list(source.notes))
    tree = _Tree(source, notes)
    if _YAML.search(source.text[:100_000]):
        _read_yaml(tree, parse_yaml(source))
    else:
        _read_conf(tree)
    tree.finish()
    return tree.builder.imported(KIND, notes)


def _logical_lines(source: Source) -> Iterator[tuple[int, str]]:
    held, first = "", 0
    for number, raw in enumerate(source.lines(MAX_LINE), 1):
        line = raw.split("#", 1)[0].rstrip()
        first = first if held else number
        if line.endswith("\\") and len(held) < MAX_LINE:
            held += line[:-1] + " "
            continue
        if (held + line).strip():
            yield first, held + line
        held = ""
    if held.strip():
        yield first, held


def _read_conf(tree: _Tree) -> None:
    seen = False
    for number, line in _logical_lines(tree.source):
        pairs = {key.lower(): value.strip('"') for key, value in _PAIR.findall(line)}
        where = f"line {number}"
        if not _KEYS & pairs.keys():
            if not seen:
                right = "give topology.conf, or topology.yaml"
                raise tree.source.refuse("is no topology of Slurm", right, where)
            tree.faults.append(Fault(where, f"{line.strip()[:60]!r} is no line of topology.conf"))
            if len(tree.faults) > 20:
                raise InputError(tree.source.name, tree.faults)
            continue
        seen = True
        if "switchname" in pairs:
            tree.switch(
                pairs["switchname"], pairs.get("switches", ""), pairs.get("nodes", ""), where
            )
        elif "blockname" in pairs:
            tree.block(pairs["blockname"], pairs.get("nodes", ""), where)
        elif "blocksizes" in pairs:
            tree.sizes(pairs["blocksizes"], where)
        else:
            tree.faults.append(Fault(where, "has no SwitchName, BlockName or BlockSizes"))
        unknown = [key for key in pairs if key not in _KEYS]
        if unknown:
            tree.notes.warn(f"{where}: {unknown[0][:30]} is not used")


def _read_yaml(tree: _Tree, data: Any) -> None:
    if not isinstance(data, list):
        raise tree.source.refuse("is no list of topologies", "write - topology: NAME")
    for number, entry in enumerate(data):
        where = f"$[{number}]"
        if not isinstance(entry, dict):
            tree.faults.append(Fault(where, "is no mapping", "write - topology: NAME"))
            continue
        for kind in ("tree", "block"):
            if kind in entry:
                part = entry[kind]
                if isinstance(part, dict):
                    (_yaml_tree if kind == "tree" else _yaml_block)(tree, part, f"{where}.{kind}")
                else:
                    right = f"put a list of {'switches' if kind == 'tree' else 'blocks'} below it"
                    what = f"a {type(part).__name__} stands where a mapping is due"
                    tree.faults.append(
                        Fault(f"{where}.{kind}", what.replace("str ", "text "), right)
                    )
        if "flat" in entry and str(entry["flat"]).lower() == "true":
            tree.notes.fact("a flat topology: no switches")


def _entries(tree: _Tree, part: Mapping[str, Any], key: str, where: str) -> Iterator[Any]:
    listed = part.get(key)
    if not isinstance(listed, list):
        tree.faults.append(Fault(f"{where}.{key}", "is no list"))
        return
    for number, entry in enumerate(listed):
        if isinstance(entry, dict):
            yield f"{where}.{key}[{number}]", entry
        else:
            tree.faults.append(Fault(f"{where}.{key}[{number}]", "is no mapping"))


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def _yaml_tree(tree: _Tree, part: Mapping[str, Any], where: str) -> None:
    for place, entry in _entries(tree, part, "switches", where):
        children = _plain(entry.get("children")) or _plain(entry.get("switches"))
        tree.switch(_plain(entry.get("switch")), children, _plain(entry.get("nodes")), place)


def _yaml_block(tree: _Tree, part: Mapping[str, Any], where: str) -> None:
    for place, entry in _entries(tree, part, "blocks", where):
        tree.block(_plain(entry.get("block")), _plain(entry.get("nodes")), place)
    if "block_sizes" in part:
        tree.sizes(_plain(part["block_sizes"]), f"{where}.block_sizes")
