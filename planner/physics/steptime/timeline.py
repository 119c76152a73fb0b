"""One step on the slowest stage as segments of a drawing: when it computes, when it waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Lane = Literal["compute", "communication"]

DRAWN = 8
"""Micro-batches drawn one by one; the others are drawn as one segment of each kind."""

PER_PASS = ("tp", "cp", "ep", "pp", "gather")
"""Parts whose visible communication recurs with every micro-batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One bar of the drawing."""

    lane: Lane
    name: str
    """A part of the step, or `forward`, `backward`; `wait` is the bubble."""
    start_s: float
    end_s: float
    visible: bool
    """False for communication that runs behind computation."""
    repeats: int = 1
    """Micro-batches that the bar stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassTimes:
    """One micro-batch on the slowest stage, seconds."""

    forward_s: float
    backward_s: float
    """With recomputation."""


class _Drawing:
    """Segments laid one after the other."""

    def __init__(self) -> None:
        self.now = 0.0
        self.segments: list[Segment] = []

    def add(self, lane: Lane, name: str, seconds: float, repeats: int = 1) -> None:
        if seconds > 0.0:
            end = self.now + seconds
            self.segments.append(
                Segment(
                    lane=lane, name=name, start_s=self.now, end_s=end, visible=True,
                    repeats=repeats,
                )
            )  # fmt: skip
            self.now = end

    def behind(self, name: str, seconds: float, end_s: float) -> None:
        """Draw communication that ends at a time and was hidden until then."""
        start = max(end_s - seconds, 0.0)
        if end_s > start:
            self.segments.append(
                Segment(lane="communication", name=name, start_s=start, end_s=end_s, visible=False)
            )


def timeline(
    parts_s: Mapping[str, float],
    hidden_s: Mapping[str, float],
    one: PassTimes,
    micro_batches: float,
) -> list[Segment]:
    """Return the segments of one step; the visible ones tile it without gaps.

    Parameters
    ----------
    parts_s
        Seconds by part; they add up to the step.
    hidden_s
        Seconds of communication hidden behind computation, by part.
    one
        One micro-batch's passes.
    micro_batches
        Micro-batches of the step.
    """
    drawing = _Drawing()
    late = {name: parts_s.get(name, 0.0) / micro_batches for name in PER_PASS}
    drawing.add("compute", "wait", parts_s.get("bubble", 0.0) / 2.0)
    whole = max(round(micro_batches), 1)
    single = min(whole, DRAWN)
    for index in range(single):
        rest = whole - single if index == single // 2 else 0
        if rest:
            _pass(drawing, one, late, rest)
        _pass(drawing, one, late, 1)
    drawing.behind("grad", hidden_s.get("grad", 0.0), drawing.now)
    drawing.add("compute", "wait", parts_s.get("bubble", 0.0) / 2.0)
    drawing.add("communication", "grad", parts_s.get("grad", 0.0))
    drawing.add("communication", "embedding", parts_s.get("embedding", 0.0))
    drawing.add("compute", "optimizer", parts_s.get("optimizer", 0.0))
    drawing.add("communication", "param", parts_s.get("param", 0.0))
    for name in ("overlap", "straggler", "host"):
        drawing.add("compute", name, parts_s.get(name, 0.0))
    return drawing.segments


def _pass(drawing: _Drawing, one: PassTimes, late: Mapping[str, float], repeats: int) -> None:
    """Draw a micro-batch, or several as one: forward, backward, each followed by what it waits."""
    for name, seconds in (("forward", one.forward_s), ("backward", one.backward_s)):
        drawing.add("compute", name, seconds * repeats, repeats)
        for part, visible in late.items():
            drawing.add("communication", part, visible / 2.0 * repeats, repeats)
