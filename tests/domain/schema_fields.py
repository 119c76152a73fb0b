"""Every field that the published schema of instances knows, new ones too, as places in a document."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path as File
from typing import Any

ROOT = File(__file__).parents[2]
Path = tuple[str | int, ...]
DEEPEST = 8
BASE = {
    "name": "a", "site": {"racks": 2, "rack_kw": 30}, "grid": {"max_nodes": 2},
    "fix": {"server": "hgx-h100-8", "family": "roce", "topology": ["direct", "single"]},
    "workloads": [{"name": "w", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 64,
                   "step_time_s": 5}],
}  # fmt: skip
"""A small instance into which fields are put."""


@cache
def schema() -> dict[str, Any]:
    """Return the published schema."""
    return json.loads((ROOT / "instances" / "schema.json").read_text(encoding="utf-8"))


def resolved(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the alternatives of a schema's node, its references followed."""
    if "$ref" in node:
        return resolved(schema()["$defs"][node["$ref"].rsplit("/", 1)[1]])
    for key in ("anyOf", "oneOf"):
        if key in node:
            return [one for part in node[key] for one in resolved(part)]
    return [node]


def map_values(node: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a schema says of the values of a map with free keys, None where there is none."""
    for found in (node.get("additionalProperties"), *node.get("patternProperties", {}).values()):
        if isinstance(found, dict):
            return found
    return None


def fields(node: dict[str, Any] | None = None, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every field, a list's first entry and a map's entry `x` among them."""
    if len(path) > DEEPEST:
        return
    for one in resolved(schema() if node is None else node):
        inner = dict(one.get("properties", {}))
        if map_values(one):
            inner["x"] = map_values(one)
        for name, part in inner.items():
            yield (*path, name)
            yield from fields(part, (*path, name))
        if isinstance(one.get("items"), dict):
            yield (*path, 0)
            yield from fields(one["items"], (*path, 0))


def least(node: dict[str, Any]) -> Any:
    """Return a small value that a schema's node takes: what it requires and no more."""
    one = resolved(node)[0]
    if "default" in node and node["default"] is not None:
        return copy.deepcopy(node["default"])
    if "enum" in one or "const" in one:
        return one["const"] if "const" in one else one["enum"][0]
    kind = one.get("type")
    if kind == "object":
        return {name: least(one["properties"][name]) for name in one.get("required", ())}
    if kind == "array":
        return (
            [least(one["items"]) for _ in range(one.get("minItems", 0))] if "items" in one else []
        )
    if kind in ("integer", "number"):
        return max(1, one.get("minimum", 1))
    return {"boolean": True, "null": None}.get(kind, "a")


def with_value(path: Path, value: Any) -> dict[str, Any]:
    """Return the small instance with a value at a field, and around it only what is required."""
    document = copy.deepcopy(BASE)
    node: Any = document
    kinds = [schema()]
    for place, key in enumerate(path):
        kinds = [part for kind in kinds for part in entered(kind, key)]
        last = place == len(path) - 1
        if isinstance(node, list):
            while len(node) <= int(key):
                node.append(None)
            old = node[int(key)]
        else:
            old = node.get(key)
        if last:
            node[key] = value
        elif not isinstance(old, list if isinstance(path[place + 1], int) else dict):
            node[key] = around(kinds, path[place + 1])
        node = node[key]
    return document


def around(kinds: list[dict[str, Any]], key: str | int) -> Any:
    """Return the holder of a key with what it requires beside."""
    wanted = "array" if isinstance(key, int) else "object"
    found = next((kind for kind in kinds if kind.get("type") == wanted), None)
    return least(found) if found else [] if wanted == "array" else {}


def entered(node: dict[str, Any], key: str | int) -> list[dict[str, Any]]:
    """Return what a schema says of a key's value, alternatives resolved."""
    found = []
    for one in resolved(node):
        if isinstance(key, int):
            part = one.get("items")
        else:
            part = one.get("properties", {}).get(key, map_values(one))
        if isinstance(part, dict):
            found += resolved(part)
    return found
