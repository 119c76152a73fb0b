"""NetQ's JSON: the topology graph with its ports, or the list of NVLink compute nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.domain.json_file import parse_json
from planner.importers.fabric_builder import FabricBuilder
from planner.importers.imported import Given, Imported, Notes
from planner.importers.source import Source

KIND = "netq"


def read_netq(source: Source, given: Given) -> Imported:
    """Return the fabric that a graph, or the hosts that a list of compute nodes describes.

    Raises
    ------
    InputError
        If the document is neither.
    """
    del given
    notes = Notes(warnings=list(source.notes))
    data = parse_json(source.text, source.name)
    entries = data if isinstance(data, list) else [data]
    objects = [entry for entry in entries if isinstance(entry, dict)]
    builder = FabricBuilder(source, family="ethernet")
    if any("links" in entry and "nodes" in entry for entry in objects):
        for entry in objects:
            _graph(builder, entry, notes)
    elif any("GpuIDList" in entry for entry in objects):
        builder.family = "unknown"
        for entry in objects:
            _compute_node(builder, entry)
        notes.warn("a list of compute nodes: it names NVLink domains, no switch and no link")
    else:
        right = "give the topology graph (links, nodes) or the compute nodes"
        raise source.refuse("is no document of NetQ that is known", right)
    return builder.imported(KIND, notes)


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _graph(builder: FabricBuilder, entry: Mapping[str, Any], notes: Notes) -> None:
    names: dict[str, str] = {}
    taken: set[str] = set()
    nodes = _objects(entry.get("nodes"))
    inner = [part for node in nodes for part in _objects(node.get("compounded_nodes"))]
    for node in [*nodes, *inner]:
        if node.get("compounded_nodes"):
            continue
        key, name = node.get("id"), node.get("name")
        if not isinstance(key, str) or not key:
            continue
        # several devices may carry one name: the id tells them apart
        names[key] = name if isinstance(name, str) and name and name not in taken else key
        taken.add(names[key])
        if str(node.get("device_type", "")).lower() in ("switch", "router"):
            builder.switch(names[key])
        else:
            builder.host(names[key])
    for link in _objects(entry.get("links")):
        for cable in _objects(link.get("compounded_links")) or [link]:
            ends = _objects(cable.get("interfaces"))
            keys = [end.get("node") for end in ends]
            if len(ends) != 2 or not all(isinstance(key, str) and key for key in keys):
                notes.warn("a link without two ends is left out")
                continue
            a, b = (names.get(str(key), str(key)) for key in keys)
            ports = [str(end.get("interface") or "")[:80] for end in ends]
            builder.link(a, b, a_port=ports[0], b_port=ports[1], notes=notes)


def _compute_node(builder: FabricBuilder, entry: Mapping[str, Any]) -> None:
    name, gpus = entry.get("Name") or entry.get("ID"), entry.get("GpuIDList")
    if isinstance(name, str) and name:
        count = len(gpus) if isinstance(gpus, list) else None
        domain = entry.get("DomainUUID")
        builder.host(name, gpus=count, domain=domain if isinstance(domain, str) else "")
