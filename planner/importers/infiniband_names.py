"""What InfiniBand's tools call links, hosts and switches."""

from __future__ import annotations

import re

LANE_GBPS = {
    "SDR": 2.5, "DDR": 5.0, "QDR": 10.0, "FDR10": 10.0, "FDR": 14.0, "EDR": 25.0, "HDR": 50.0,
    "NDR": 100.0, "XDR": 200.0,
}  # fmt: skip
"""Nominal rate of one lane by generation (InfiniBand Trade Association, roadmap)."""
_SIGNALLING = ((2.5, 2.5), (5.0, 5.0), (10.0, 10.0), (14.0625, 14.0), (25.78125, 25.0),
               (26.5625, 25.0), (53.125, 50.0), (106.25, 100.0), (212.5, 200.0))  # fmt: skip
_PORTS_WITH_INTERNAL = frozenset((37, 41, 65, 81, 145))
"""Port counts that include the port of the switch's own reduction unit (SHARP)."""
_AGGREGATION = re.compile(r"aggregation node|sharp", re.IGNORECASE)
_MODEL_ONLY = re.compile(r"(?i)^(MT\d+|ConnectX|Mellanox|NVIDIA|HCA|CA|0x)")


def width_rate(text: str) -> float | None:
    """Return the rate of ``4xHDR`` or ``2xNDR``, gigabit/s, None if not known."""
    found = re.search(r"\b(\d{1,2})x(FDR10|[SDQFEHNX]DR)\b", text)
    return int(found[1]) * LANE_GBPS[found[2]] if found else None


def signalled_rate(lanes: int, lane_gbps: float) -> float | None:
    """Return the nominal rate of lanes at a signalling rate, gigabit/s."""
    for signalled, nominal in _SIGNALLING:
        if abs(lane_gbps - signalled) < 0.2:
            return lanes * nominal
    return lanes * lane_gbps if lanes * lane_gbps > 0 else None


def cable_ports(ports: int) -> int:
    """Return the ports that take a cable: without the one of the reduction unit."""
    return ports - 1 if ports in _PORTS_WITH_INTERNAL else ports


def is_aggregation(name: str) -> bool:
    """Return whether a node is a switch's own reduction unit, not a host."""
    return _AGGREGATION.search(name[:200]) is not None


def host_of(name: str, guid: str) -> str:
    """Return the host of an adapter's name (``node01 mlx5_0``), its GUID where it has none."""
    words = name.split()
    if not words or _MODEL_ONLY.match(words[0]):
        return guid
    return words[0]


def system_of(name: str) -> tuple[str, str]:
    """Return box and model of a switch's name: ``MF0;sw01:MQM8700/U1`` gives sw01 and MQM8700."""
    text = name.split(";", 1)[-1]
    box, sign, model = text.partition(":")
    if not sign:
        return text.strip(), ""
    return box.strip(), model.split("/")[0].strip()
