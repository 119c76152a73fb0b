"""Everything an algorithm's time depends on but the message: span, links and hops of a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.domain.physics_constants import CollectiveConstants
from planner.physics.collectives.hops import Hops, hops_of
from planner.physics.collectives.links import Links, links_of
from planner.physics.collectives.span import Span, span_of
from planner.physics.wiring import FloatArray, Group, Wiring


@dataclass(frozen=True, slots=True)
class Line:
    """Time over the message: `latency_s + s_per_byte * size + fill_s * size / (size + fill_bytes)`.

    The last term is the filling of the pipeline: chunks grow with the message up to the size of a
    buffer slot, so the time until the last rank is busy grows too and then stays. `latency_s` and `s_per_byte` have the shape of the group. `allowed` is None where every group
    may use the algorithm, else a boolean array.
    """

    latency_s: FloatArray
    s_per_byte: FloatArray
    allowed: NDArray[np.bool_] | None = None
    fill_s: FloatArray | None = None
    fill_bytes: FloatArray | None = None
    """Message at which half of the filling is reached; given with `fill_s`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A group on a wiring, with the constants that hold there."""

    wiring: Wiring
    constants: CollectiveConstants
    span: Span
    links: Links
    hops: Hops

    @classmethod
    def of(cls, group: Group, wiring: Wiring, constants: CollectiveConstants) -> Cluster:
        """Return the cluster of a group."""
        span = span_of(group, wiring)
        return cls(
            wiring=wiring,
            constants=constants,
            span=span,
            links=links_of(wiring, constants, span),
            hops=hops_of(wiring, constants, span),
        )
