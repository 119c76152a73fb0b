"""The planned fabric as a Slurm topology (topology.conf of the tree plugin, topology.yaml)."""

from __future__ import annotations

import re

from planner.domain.errors import UsageError
from planner.domain.solution import Solution

MOST_NAME = 64
"""Slurm refuses longer switch names."""


def slurm_text(solution: Solution, *, yaml: bool = False) -> str:
    """Return the tree: one switch line for each group of servers that share leafs, one above.

    Slurm's tree plugin counts a server below one switch, so the leafs of a group stand as one.

    Raises
    ------
    UsageError
        If the answer has no design.
    """
    if solution.design is None:
        raise UsageError("the answer has no design, so there is no topology")
    groups: dict[int, list[str]] = {}
    for device in solution.devices:
        if device.kind == "node":
            groups.setdefault(device.group, []).append(device.id)
    units = {f"unit{group:03d}"[:MOST_NAME]: nodes for group, nodes in sorted(groups.items())}
    return _yaml(units) if yaml else _conf(units)


def _conf(units: dict[str, list[str]]) -> str:
    lines = [f"SwitchName={name} Nodes={hostlist(nodes)}" for name, nodes in units.items()]
    if len(units) > 1:
        lines.append(f"SwitchName=spine Switches={hostlist(list(units))}")
    return "\n".join(lines) + "\n"


def _yaml(units: dict[str, list[str]]) -> str:
    lines = ["---", "- topology: planned", "  cluster_default: true", "  tree:", "    switches:"]
    if len(units) > 1:
        lines += ["      - switch: spine", f"        children: {hostlist(list(units))}"]
    for name, nodes in units.items():
        lines += [f"      - switch: {name}", f"        nodes: {hostlist(nodes)}"]
    return "\n".join(lines) + "\n"


def hostlist(names: list[str]) -> str:
    """Return names as Slurm writes them: node-[001-004,007]; names of one prefix and width."""
    parsed = [re.fullmatch(r"(.*?)(\d+)", name) for name in names]
    kept = [m for m in parsed if m is not None]
    shapes = {(m[1], len(m[2])) for m in kept}
    if len(kept) != len(names) or len(shapes) != 1 or len(names) == 1:
        return ",".join(names)
    prefix, width = next(iter(shapes))
    numbers = sorted(int(m[2]) for m in kept)
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    parts = [f"{a:0{width}d}" if a == b else f"{a:0{width}d}-{b:0{width}d}" for a, b in ranges]
    return f"{prefix}[{','.join(parts)}]"
