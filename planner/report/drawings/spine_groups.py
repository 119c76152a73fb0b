"""Spines as they are grouped: by pod below cores, by plane where no switch joins the planes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planner.domain.solution import Solution
from planner.report.words import Words

MOST_PLANES = 8
"""Planes that are drawn apart; more are one bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpineGroup:
    """A box of spines over some of the slots that the drawn units stand in."""

    label: str
    spines: int
    left: float
    """Share of the width at which it begins."""
    right: float


def spine_groups(
    solution: Solution, units: Sequence[int], slots: Sequence[int], wide: int, w: Words
) -> list[SpineGroup]:
    """Return the groups of spines to draw, left to right; empty where all stand together.

    Parameters
    ----------
    units
        Numbers of the units that are drawn.
    slots
        The slot of each.
    wide
        Slots in all.
    """
    spines = [device for device in solution.devices if device.kind == "spine"]
    pods = Counter(device.pod for device in spines)
    if len(pods) > 1 and -1 not in pods:
        pod_of = {d.group: d.pod for d in solution.devices if d.kind == "leaf"}
        spans: dict[int, list[int]] = {}
        for unit, slot in zip(units, slots, strict=True):
            spans.setdefault(pod_of.get(unit, -1), []).append(slot)
        return [
            SpineGroup(label=w("topology.pod", pod=pod + 1), spines=pods[pod],
                       left=min(held) / wide, right=(max(held) + 1) / wide)
            for pod, held in spans.items() if pod in pods
        ]  # fmt: skip
    planes = Counter(device.plane for device in spines)
    if 1 < len(planes) <= MOST_PLANES and -1 not in planes:
        each = 1 / len(planes)
        return [
            SpineGroup(label=w("topology.plane", plane=plane + 1), spines=planes[plane],
                       left=k * each, right=(k + 1) * each)
            for k, plane in enumerate(sorted(planes))
        ]  # fmt: skip
    return []
