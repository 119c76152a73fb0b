"""A narrow strip for one job: its step's parts against limit and target, without words."""

from __future__ import annotations

from planner.report.notation import Notation
from planner.report.svg import BAD, INK, Drawing, colour
from planner.report.targets import Target
from planner.report.words import Words

WIDTH, HEIGHT = 600.0, 14.0


def step_strip(target: Target, name: str, w: Words, n: Notation) -> Drawing:
    """Return the strip; it stretches to the width of its place."""
    result = target.result
    parts = ", ".join(f"{w.label('part', p)} {n.seconds(s)}" for p, s in target.parts)
    title = f"{result.name}: {n.seconds(result.step_time_s)}"
    drawing = Drawing(WIDTH, HEIGHT, title, parts, name)
    drawing.root.set("class", "strip")
    drawing.root.set("preserveAspectRatio", "none")
    longest = max(result.step_time_s, result.limit_s, result.target_s) or 1.0
    scale = (WIDTH - 3) / longest
    drawing.rect(0, 3, WIDTH, 8, fill="#eceff1")
    x = 0.0
    for k, (part, seconds) in enumerate(target.parts):
        tip = f"{w.label('part', part)}: {n.seconds(seconds)}"
        drawing.rect(x, 3, seconds * scale, 8, tip, fill=colour(k))
        x += seconds * scale
    drawing.rect(result.limit_s * scale, 0, 2, HEIGHT, w("step.limit"), fill=BAD)
    drawing.rect(result.target_s * scale, 0, 2, HEIGHT, w("step.target"), fill=INK)
    return drawing
