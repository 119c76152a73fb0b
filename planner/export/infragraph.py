"""The fabric as an InfraGraph infrastructure (Keysight, schema 2): devices, instances, edges.

Each product is a device with so many `port` components; each kind of box an instance with a count;
each link one edge between two ports, numbered from 0 in the order of the cable schedule. Where a
name of ours has become a number, `description` of the instance says which.
"""

from __future__ import annotations

import json
import re
from typing import Any

from planner.domain.solution import Device, Solution
from planner.export.keys import links
from planner.export.tier_rates import tier_rate

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_-]+")


def infragraph_text(solution: Solution) -> str:
    """Return the JSON document."""
    return json.dumps(infragraph(solution), indent=1) + "\n"


def infragraph(solution: Solution) -> dict[str, Any]:
    """Return the infrastructure as the schema has it."""
    wires = links(solution)
    number, groups = _numbers(solution.devices)
    ports: dict[str, dict[str, int]] = {}
    for cable in wires:
        for device, port in ((cable.a, cable.a_port), (cable.b, cable.b_port)):
            own = ports.setdefault(device, {})
            own.setdefault(port, len(own))
    tiers = list(dict.fromkeys(cable.tier for cable in wires))
    return {
        "name": _name(solution.instance.name),
        "description": f"planner run {solution.run.run_id}",
        "devices": [_device(part, members, ports) for (_, part), members in groups.items()],
        "links": [
            {
                "name": tier,
                "physical": {
                    "bandwidth": {
                        "choice": "gigabits_per_second",
                        "gigabits_per_second": tier_rate(solution, tier)[1],
                    }
                },
            }
            for tier in tiers
        ],
        "instances": [
            {
                "name": _alias(groups, (kind, part)),
                "description": ", ".join(device.id for device in members),
                "device": _name(f"{kind}-{part}"),
                "count": len(members),
            }
            for (kind, part), members in groups.items()
        ],
        "edges": [
            {
                "ep1": {
                    "instance": f"{number[cable.a]}",
                    "component": f"port[{ports[cable.a][cable.a_port]}]",
                },
                "ep2": {
                    "instance": f"{number[cable.b]}",
                    "component": f"port[{ports[cable.b][cable.b_port]}]",
                },
                "scheme": "one2one",
                "link": cable.tier,
            }
            for cable in wires
        ],
    }


def _numbers(
    devices: list[Device],
) -> tuple[dict[str, str], dict[tuple[str, str], list[Device]]]:
    """Return every device's endpoint, such as node[3], and the devices by kind and part."""
    groups: dict[tuple[str, str], list[Device]] = {}
    for device in devices:
        groups.setdefault((device.kind, device.part), []).append(device)
    number = {
        device.id: f"{_alias(groups, key)}[{k}]"
        for key, members in groups.items()
        for k, device in enumerate(members)
    }
    return number, groups


def _alias(groups: dict[tuple[str, str], list[Device]], key: tuple[str, str]) -> str:
    """Return the name of an instance: the kind, with the part where a kind has several."""
    several = sum(kind == key[0] for kind, _ in groups) > 1
    return _name("-".join(key)) if several else key[0]


def _device(part: str, members: list[Device], ports: dict[str, dict[str, int]]) -> dict[str, Any]:
    most = max((len(ports.get(device.id, {})) for device in members), default=0)
    return {
        "name": _name(f"{members[0].kind}-{part}"),
        "description": part,
        "components": [
            {"name": "port", "description": "fabric ports in use", "count": most, "choice": "port"}
        ],
        "links": [],
        "edges": [],
    }


def _name(text: str) -> str:
    return _FORBIDDEN.sub("-", text)
