"""Stacked bars: the cost by component and the step time by part."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import Solution
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.svg import BAD, INK, MUTED, RULE, Drawing, colour, fitted, legible_on
from planner.report.targets import targets
from planner.report.words import Words

WIDTH, LEFT = 820.0, 1.0


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


def step_bars(solution: Solution, w: Words, n: Notation) -> list[Bar]:
    """Return one bar a workload: the parts of its step, its limit and its target."""
    fills: dict[str, str] = {}
    bars = []
    for target in targets(solution):
        result = target.result
        segments = []
        for part, seconds in target.parts:
            fill = fills.setdefault(part, colour(len(fills)))
            segments.append(Segment(label=w.label("part", part), value=seconds,
                                    figures=n.seconds(seconds), fill=fill))  # fmt: skip
        limit = f"{w('step.limit')} {n.seconds(result.limit_s)}"
        demand = f"{w('step.target')} {n.seconds(result.target_s)}"
        bars.append(Bar(label=plain(result.name), figures=n.seconds(result.step_time_s),
                        segments=segments,
                        marks=[(limit, result.limit_s), (demand, result.target_s)]))  # fmt: skip
    return bars


def cost_bars(solution: Solution, w: Words, n: Notation) -> list[Bar]:
    """Return one bar for each kind of cost, by component; resale takes from its component."""
    cost = solution.cost
    if cost is None:
        return []
    bars = []
    for key in ("capex", "energy", "support", "other"):
        segments = []
        for k, line in enumerate(cost.components):
            usd = getattr(line, f"{key}_usd")
            if usd > 0:
                segments.append(Segment(label=w.label("component", line.component), value=usd,
                                        figures=n.money(usd), fill=colour(k)))  # fmt: skip
        if segments:
            bars.append(Bar(label=w(f"cost.{key}"), figures=n.money(getattr(cost, f"{key}_usd")),
                            segments=segments, marks=[]))  # fmt: skip
    return bars


def bars_drawing(bars: list[Bar], title: str, name: str, *, own_scale: bool) -> Drawing | None:
    """Return the bars with their figures and a legend, None without bars.

    Parameters
    ----------
    bars
        What to draw.
    title
        Title of the drawing.
    name
        Name of the drawing, distinct inside a page.
    own_scale
        Whether each bar has a scale of its own, as step times of different jobs need.
    """
    if not bars:
        return None
    legend = list(dict.fromkeys((s.label, s.fill) for bar in bars for s in bar.segments))
    rows = _legend_rows(legend)
    marked = any(bar.marks for bar in bars)
    pitch = 76.0 if marked else 58.0
    top = 14 + len(rows) * 20
    text = "; ".join(
        f"{bar.label} {bar.figures}: " + ", ".join(f"{s.label} {s.figures}" for s in bar.segments)
        for bar in bars
    )
    drawing = Drawing(WIDTH, top + len(bars) * pitch + 8, title, text, name)
    for k, row in enumerate(rows):
        for x, label, fill in row:
            drawing.rect(x, 6 + k * 20, 11, 11, fill=fill)
            drawing.text(x + 16, 16 + k * 20, label, 12)
    widest = max(bar.span for bar in bars)
    for k, bar in enumerate(bars):
        scale = (WIDTH - 2 * LEFT) / ((bar.span if own_scale else widest) or 1.0)
        _bar(drawing, bar, top + k * pitch, scale)
    return drawing


def _legend_rows(legend: list[tuple[str, str]]) -> list[list[tuple[float, str, str]]]:
    rows: list[list[tuple[float, str, str]]] = [[]]
    x = LEFT
    for label, fill in legend:
        width = 16 + len(label) * 6.7 + 22
        if x + width > WIDTH and rows[-1]:
            rows.append([])
            x = LEFT
        rows[-1].append((x, label, fill))
        x += width
    return rows


def _bar(drawing: Drawing, bar: Bar, y: float, scale: float) -> None:
    drawing.text(LEFT, y + 16, fitted(f"{bar.label} · {bar.figures}", 560, 13), 13, font_weight=600)
    x = LEFT
    for segment in bar.segments:
        width = segment.value * scale
        tip = f"{segment.label}: {segment.figures}"
        drawing.rect(x, y + 24, width, 24, tip, fill=segment.fill)
        if fitted(segment.figures, width - 10, 11) == segment.figures:
            drawing.text(x + 5, y + 40, segment.figures, 11, fill=legible_on(segment.fill))
        x += width
    drawing.line(LEFT, y + 48, WIDTH - LEFT, y + 48, stroke=RULE)
    for k, (label, value) in enumerate(bar.marks):
        # One mark's label stands below the bar and the next above, so that they never collide.
        at = LEFT + value * scale
        drawing.line(at, y + 20, at, y + 52, stroke=INK if k else BAD, stroke_width=2)
        anchor = "end" if at > WIDTH / 2 else "start"
        drawing.text(at, y + 16 if k else y + 65, label, 11.5, fill=MUTED, text_anchor=anchor)
