"""One training step in lanes: what the GPUs compute, what each communication sends, where they wait.

A schematic by phase: a communication that recurs in every layer and micro-batch is drawn as one bar
of its total time, beside the phase it belongs to; its visible part stands again, in the waiting
colour, in the lane of the GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.domain.solution import CollectiveUse, WorkloadResult
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.svg import BAD, MUTED, RULE, Drawing, colour, fitted, legible_on
from planner.report.words import Words

WIDTH, LABEL, LANE, TOP = 820.0, 190.0, 26.0, 30.0
FORWARD_SHARE = 1 / 3
"""Of the computation: a backward pass takes twice the forward's products."""
WAITS = ("tp", "cp", "ep", "pp", "gather", "grad", "param", "embedding")
BEFORE = ("param",)
AFTER = ("grad", "embedding")
FORWARD_NAMES = ("tp_forward", "cp_forward", "param")
BACKWARD_NAMES = ("tp_backward", "tp_hidden", "cp_backward", "scatter")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A stretch of the GPUs' lane."""

    label: str
    seconds: float
    waiting: bool
    phase: str
    """before, forward, backward, after."""


def slots(result: WorkloadResult, w: Words) -> list[Slot]:
    """Return the GPUs' lane: its stretches add up to the step."""
    parts = result.breakdown
    compute = parts.get("compute", 0.0)
    found = list(_waits(parts, BEFORE, "before", w))
    found.append(_slot(w("lanes.forward"), compute * FORWARD_SHARE, "forward"))
    inside = [name for name in WAITS if name not in (*BEFORE, *AFTER)]
    found += _waits(parts, inside, "forward", w)
    found.append(_slot(w("lanes.backward"), compute * (1 - FORWARD_SHARE), "backward"))
    placed = {"compute", *WAITS}
    rest = [name for name in parts if name not in placed and name != "optimizer"]
    found += [_slot(w.label("part", name), parts[name], "backward") for name in rest]
    found += _waits(parts, AFTER, "after", w)
    found.append(_slot(w.label("part", "optimizer"), parts.get("optimizer", 0.0), "after"))
    return [slot for slot in found if slot.seconds > 0]


def _slot(label: str, seconds: float, phase: str) -> Slot:
    return Slot(label=label, seconds=seconds, waiting=False, phase=phase)


def _waits(
    parts: dict[str, float], names: tuple[str, ...] | list[str], phase: str, w: Words
) -> Iterator[Slot]:
    for name in names:
        label = w.label("part", name)
        yield Slot(label=label, seconds=parts.get(name, 0.0), waiting=True, phase=phase)


def lanes_drawing(result: WorkloadResult, index: int, w: Words, n: Notation) -> Drawing | None:
    """Return the lanes of one workload's step, None where it sends nothing."""
    lanes = merged(result.collectives)
    if not lanes or result.step_time_s <= 0:
        return None
    row = slots(result, w)
    texts = [f"{s.label} {n.seconds(s.seconds)}" for s in row]
    texts += [f"{w.label('part', k)} {n.seconds(total)}" for k, (total, _) in lanes.items()]
    title = w("drawing.lanes", name=plain(result.name))
    height = TOP + (1 + len(lanes)) * LANE + 24
    drawing = Drawing(WIDTH, height, title, "; ".join(texts), f"lanes-{index}")
    scale = (WIDTH - LABEL - 2) / result.step_time_s
    starts = _gpu_lane(drawing, row, scale, w, n)
    for k, (name, (total, exposed)) in enumerate(lanes.items()):
        y = TOP + (k + 1) * LANE
        drawing.text(0, y + 15, fitted(w.label("part", name), LABEL - 8, 11.5), 11.5, fill=MUTED)
        start = _start(name, total, result.step_time_s, starts)
        width = min(total, result.step_time_s - start) * scale
        x = LABEL + start * scale
        tip = f"{w.label('part', name)}: {n.seconds(total)}, {w('lanes.visible')} {n.seconds(exposed)}"
        drawing.rect(x, y + 4, max(width, 1.0), LANE - 10, tip, fill=colour(3))
        share = width * min(1.0, exposed / total) if total else 0.0
        drawing.rect(x + width - share, y + 4, share, LANE - 10, tip, fill=BAD)
    _axis(drawing, result.step_time_s, scale, height, n)
    return drawing


def merged(collectives: list[CollectiveUse]) -> dict[str, tuple[float, float]]:
    """Return total and visible seconds by purpose, in the order in which they stand."""
    found: dict[str, tuple[float, float]] = {}
    for use in collectives:
        total, exposed = found.get(use.name, (0.0, 0.0))
        found[use.name] = (total + use.total_s, exposed + use.exposed_s)
    return {name: pair for name, pair in found.items() if pair[0] > 0}


def _gpu_lane(
    drawing: Drawing, row: list[Slot], scale: float, w: Words, n: Notation
) -> dict[str, float]:
    """Draw the GPUs' lane; return where each phase begins, seconds."""
    drawing.text(0, TOP + 15, w("lanes.gpu"), 11.5, font_weight=600)
    at = 0.0
    starts: dict[str, float] = {}
    for slot in row:
        starts.setdefault(slot.phase, at)
        fill = BAD if slot.waiting else colour(0 if slot.label != w("lanes.backward") else 6)
        width = slot.seconds * scale
        tip = f"{slot.label}: {n.seconds(slot.seconds)}"
        drawing.rect(LABEL + at * scale, TOP + 2, width, LANE - 6, tip, fill=fill)
        shown = fitted(slot.label, width - 8, 11)
        if shown == slot.label:
            x = LABEL + at * scale + 4
            drawing.text(x, TOP + 16, shown, 11, fill=legible_on(fill))
        at += slot.seconds
    for phase in ("before", "forward", "backward", "after"):
        starts.setdefault(phase, at)
    return starts


def _start(name: str, total: float, step_s: float, starts: dict[str, float]) -> float:
    """Return where a communication's bar begins, seconds."""
    if name in FORWARD_NAMES:
        return starts["forward"] if name != "param" else 0.0
    if name in BACKWARD_NAMES:
        return starts["backward"]
    if name in ("grad", "replica", "embedding", "norm"):
        return max(0.0, min(starts["after"], step_s) - total)
    return starts["forward"]


def _axis(drawing: Drawing, step_s: float, scale: float, height: float, n: Notation) -> None:
    y = height - 18
    drawing.line(LABEL, y, WIDTH - 2, y, stroke=RULE)
    for k in range(5):
        seconds = step_s * k / 4
        x = LABEL + seconds * scale
        drawing.line(x, y, x, y + 4, stroke=MUTED)
        anchor = "start" if k == 0 else ("end" if k == 4 else "middle")
        drawing.text(x, y + 15, n.seconds(seconds), 11.5, fill=MUTED, text_anchor=anchor)
