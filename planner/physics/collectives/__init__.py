"""Collective cost model: how long NCCL's collectives take on a wiring.

`collective_time` is the door; the other modules hold one concept each.
"""

from __future__ import annotations

from planner.physics.collectives.busbw import busbw_factor, busbw_gbytes_per_s
from planner.physics.collectives.model import Choice, Timing, collective_time
from planner.physics.collectives.names import ALGORITHMS, COLLECTIVES, PROTOCOLS
from planner.physics.collectives.wires import WireBytes, wire_bytes

__all__ = [
    "ALGORITHMS",
    "COLLECTIVES",
    "PROTOCOLS",
    "Choice",
    "Timing",
    "WireBytes",
    "busbw_factor",
    "busbw_gbytes_per_s",
    "collective_time",
    "wire_bytes",
]
