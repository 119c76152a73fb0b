"""A cluster model of topograph (YAML): switches, blocks of nodes, NVLink domains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.importers.fabric_builder import FabricBuilder
from planner.importers.hostlist import expand_hostlist
from planner.importers.imported import Given, Imported, Notes
from planner.importers.source import Source
from planner.importers.yaml_source import parse_yaml

KIND = "topograph"


def read_topograph(source: Source, given: Given) -> Imported:
    """Return the fabric that a model describes.

    Raises
    ------
    InputError
        If the file is no such model.
    """
    del given
    notes = Notes(warnings=list(source.notes))
    data = parse_yaml(source)
    if not isinstance(data, dict) or not isinstance(data.get("switches"), dict):
        raise source.refuse("is no cluster model", "give a file with 'switches:' and 'blocks:'")
    builder = FabricBuilder(source, logical=True)
    for name, entry in data["switches"].items():
        builder.switch(str(name))
        for child in _texts(_inner(entry).get("switches")):
            builder.switch(child)
            builder.link(str(name), child, notes=notes)
        _nodes(builder, str(name), _inner(entry).get("nodes"), "", notes)
    blocks = data.get("blocks", [])
    for number, raw in enumerate(blocks if isinstance(blocks, list) else []):
        block = _inner(raw)
        switch = block.get("switch") or block.get("name")
        if not isinstance(switch, str) or not switch:
            notes.warn(f"block {number} names no switch; left out")
            continue
        builder.switch(switch)
        _nodes(builder, switch, block.get("nodes"), _domain(block), notes)
    return builder.imported(KIND, notes)


def _inner(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _domain(block: Mapping[str, Any]) -> str:
    """Return the NVLink domain that a block's annotations or `nvlink` name."""
    for key, value in _inner(block.get("annotations")).items():
        if str(key).endswith("domain") and isinstance(value, str):
            return value
    nvlink = block.get("nvlink") or block.get("accelerator")
    return nvlink if isinstance(nvlink, str) else ""


def _nodes(builder: FabricBuilder, switch: str, nodes: Any, domain: str, notes: Notes) -> None:
    for text in _texts(nodes) or _texts([nodes]):
        for host in expand_hostlist(text, builder.source):
            builder.host(host, domain=domain)
            builder.link(switch, host, notes=notes)
