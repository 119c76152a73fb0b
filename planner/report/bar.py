"""Bars to draw: segments of one length, and marks across it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One part of a bar."""

    label: str
    value: float
    figures: str
    fill: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar; marks are lines across it with a label, for instance a limit."""

    label: str
    figures: str
    segments: list[Segment]
    marks: list[tuple[str, float]]

    @property
    def total(self) -> float:
        """Length of the bar."""
        return sum(segment.value for segment in self.segments)

    @property
    def span(self) -> float:
        """Length that must be shown, marks included."""
        return max([self.total, *(value for _, value in self.marks)])
