"""Write the tables and the plot of docs/accuracy.md that concern training steps.

python -m tests.benchmarks.accuracy_steps STEPS.csv SINGLE_NODE.csv
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planner.domain.catalog import load_catalog
from planner.domain.compute_constants import shipped_constants
from planner.domain.resources import data_root
from planner.domain.units import GIB
from planner.physics.steptime import StepDetail
from planner.report.svg import ACCENT, BAD, MUTED, RULE, Drawing
from planner.study.collective_rows import read_table
from planner.study.error_figures import macro_figures
from planner.study.leave_one_out import unseen_times
from planner.study.step_rows import REQUIRED, StepRow
from planner.study.validate_steps import TRAINING, map_rows, predict

DOC = data_root() / "docs" / "accuracy.md"
PLOT = data_root() / "docs" / "accuracy_steps.svg"
SIDE, MARGIN = 560.0, 60.0
LOW, HIGH = 0.02, 2000.0
FAR_PCT = 20.0
WORST = 15


@dataclass(frozen=True, slots=True)
class Point:
    """One mapped row with its predictions."""

    row: StepRow
    detail: StepDetail
    unseen_s: float
    """Predicted with rates fitted without the row's source."""

    @property
    def error_pct(self) -> float:
        """Signed error of the step time, per cent."""
        return (self.detail.step_time_s / self.row.step_time_s - 1.0) * 100.0

    @property
    def unseen_pct(self) -> float:
        """The same of the prediction without the source."""
        return (self.unseen_s / self.row.step_time_s - 1.0) * 100.0


def points(path: Path) -> list[Point]:
    """Return every mapped row of a table."""
    constants = shipped_constants()
    rows, _ = map_rows(read_table(path, REQUIRED), load_catalog())
    unseen = unseen_times(rows, constants)
    details = predict(rows, constants)
    return [Point(r, d, float(s)) for r, d, s in zip(rows, details, unseen, strict=True)]


def _at(value: float) -> float:
    place = math.log(min(max(value, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return MARGIN + place * (SIDE - MARGIN - 20.0)


def plot(found: list[Point]) -> str:
    """Return the SVG: predicted step time over measured, one dot per row."""
    drawing = Drawing(
        width=SIDE, height=SIDE, name="steps", title="Predicted against measured step time",
        description="One dot per published run; the band is 20 per cent wide.",
    )  # fmt: skip
    for tick in (0.1, 1, 10, 100, 1000):
        place = _at(tick)
        drawing.line(place, 20, place, SIDE - MARGIN, stroke=RULE)
        drawing.line(MARGIN, SIDE - place, SIDE - 20, SIDE - place, stroke=RULE)
        drawing.text(place, SIDE - MARGIN + 16, f"{tick:g}", 11, text_anchor="middle", fill=MUTED)
        drawing.text(MARGIN - 6, SIDE - place + 4, f"{tick:g}", 11, text_anchor="end", fill=MUTED)
    for factor, dash in ((1.0, None), (1.2, "4 3"), (1 / 1.2, "4 3")):
        low, high = max(LOW, LOW / factor), min(HIGH, HIGH / factor)
        drawing.line(
            _at(low), SIDE - _at(low * factor), _at(high), SIDE - _at(high * factor),
            stroke=MUTED, stroke_dasharray=dash,
        )  # fmt: skip
    for point in found:
        tip = f"{point.row.source}, {point.row.job.network.name}, {point.row.strategy.label()}"
        drawing.element(
            "circle", None, tip,
            cx=_at(point.row.step_time_s), cy=SIDE - _at(point.detail.step_time_s),
            r=3, fill=BAD if abs(point.error_pct) > FAR_PCT else ACCENT, fill_opacity=0.5,
        )  # fmt: skip
    drawing.text(SIDE / 2, SIDE - 12, "measured step time, s", 13, text_anchor="middle")
    drawing.text(
        16, SIDE / 2, "predicted step time, s", 13, text_anchor="middle",
        transform=f"rotate(-90 16 {SIDE / 2:g})",
    )  # fmt: skip
    return drawing.file_text()


def _errors(found: list[Point], keep: Callable[[Point], bool]) -> np.ndarray:
    return np.array([p.error_pct for p in found if keep(p)])


def _of_family(found: list[Point], family: str) -> np.ndarray:
    return _errors(found, lambda p: p.row.family == family)


def _line(name: str, promised: str, value: float, unit: str = " %") -> str:
    return f"| {name} | {promised} | {value:.1f}{unit} |"


def headline(found: list[Point], single: list[Point]) -> str:
    """Return the table of the promised and reached figures."""
    strict = _errors(found, lambda p: p.row.strict and p.row.family in TRAINING)
    guessed = _errors(found, lambda p: not p.row.strict and p.row.family in TRAINING)
    vtrain = np.abs(_errors(found, lambda p: p.row.source == "vtrain-multi"))
    selene = np.abs(_errors(found, lambda p: p.row.source == "korthikanti-2022"))
    alone = np.abs(np.array([p.error_pct for p in single]))
    unseen = np.array([p.unseen_pct for p in found])
    macro = macro_figures(unseen, [p.row.source for p in found])
    peaks = [p for p in found if p.row.peak_memory_gib]
    total = [sum(p.detail.memory_bytes.values()) / GIB for p in peaks]
    memory = [
        abs(t / (p.row.peak_memory_gib or 1) - 1) * 100 for t, p in zip(total, peaks, strict=True)
    ]
    own = [p for p in peaks if p.row.source == "simumax-b200"]
    allocated = [
        abs((sum(p.detail.memory_bytes.values()) - p.detail.memory_bytes["context"]) / GIB
            / (p.row.peak_memory_gib or 1) - 1) * 100
        for p in own
    ]  # fmt: skip
    lines = [
        "| figure | promised | reached |",
        "|---|---|---|",
        _line(f"dense and expert transformers, {len(strict)} rows that state what decides: median", "8 %", float(np.median(np.abs(strict)))),
        _line("the same: 90th percentile", "20 %", float(np.percentile(np.abs(strict), 90))),
        _line("the same: bias (median signed)", "within 3 %", float(np.median(strict))),
        _line(f"the other {len(guessed)} transformer rows: median", "15 %", float(np.median(np.abs(guessed)))),
        _line("every source left out of the fit in turn: macro-median", "15 %", macro["macro_median_abs_error_pct"]),
        _line("vtrain-multi: mean", "10 %", float(vtrain.mean())),
        _line("vtrain-multi: worst", "35 %", float(vtrain.max())),
        _line("korthikanti-2022: mean", "3 %", float(selene.mean())),
        _line("korthikanti-2022: worst", "8 %", float(selene.max())),
        _line(f"small networks on one node, {len(alone)} runs: mean", "12 %", float(alone.mean())),
        _line("the same: 90th percentile", "25 %", float(np.percentile(alone, 90))),
    ]  # fmt: skip
    for family in ("cnn", "encoder", "recommender"):
        part = np.abs(_of_family(found, family))
        lines.append(_line(f"{family}, {len(part)} rows: median", "25 %", float(np.median(part))))
    lines += [
        _line(f"memory allocated, {len(own)} runs on B200: mean", "5 %", float(np.mean(allocated))),
        _line(f"memory with context, {len(peaks)} runs: mean", "10 %", float(np.mean(memory))),
        _line("runs that ran, called infeasible", "0", sum(not p.detail.feasible for p in found), ""),
    ]  # fmt: skip
    return "\n".join(lines)


def sources(found: list[Point]) -> str:
    """Return the table of all sources, the worst first."""
    lines = [
        "| source | rows | strict | median, % | p90, % | bias, % | left out: median, % |",
        "|---|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[Point]] = {}
    for point in found:
        groups.setdefault(point.row.source, []).append(point)

    def median(own: list[Point]) -> float:
        return float(np.median([abs(p.error_pct) for p in own]))

    for name, own in sorted(groups.items(), key=lambda g: -median(g[1])):
        error = np.array([p.error_pct for p in own])
        unseen = float(np.median([abs(p.unseen_pct) for p in own]))
        lines.append(
            f"| {name} | {len(own)} | {sum(p.row.strict for p in own)} | {median(own):.1f} "
            f"| {np.percentile(np.abs(error), 90):.1f} | {np.median(error):+.1f} | {unseen:.1f} |"
        )
    return "\n".join(lines)


def worst(found: list[Point]) -> str:
    """Return the table of the strict transformer rows that are furthest off."""
    chosen = [p for p in found if p.row.strict and p.row.family in TRAINING]
    chosen.sort(key=lambda p: -abs(p.error_pct))
    lines = [
        "| source | network | GPUs | strategy | measured, s | predicted, s | error, % |",
        "|---|---|---|---|---|---|---|",
    ]
    for point in chosen[:WORST]:
        row = point.row
        lines.append(
            f"| {row.source} | {row.job.network.name} | {row.strategy.gpus} "
            f"| {row.strategy.label()} | {row.step_time_s:.3g} "
            f"| {point.detail.step_time_s:.3g} | {point.error_pct:+.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Replace the marked parts of the document and write the plot."""
    found, single = (points(Path(name)) for name in sys.argv[1:3])
    text = DOC.read_text(encoding="utf-8")
    for name, part in (
        ("headline", headline(found, single)),
        ("sources", sources(found)),
        ("worst", worst(found)),
    ):
        begin, end = f"<!-- steps-{name} -->", f"<!-- end steps-{name} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"{DOC} lacks the mark {begin}")
        marked = f"{begin}\n{part}\n{end}"
        text = pattern.sub(marked.replace("\\", r"\\"), text)
    DOC.write_text(text, encoding="utf-8")
    PLOT.write_text(plot(found), encoding="utf-8")


if __name__ == "__main__":
    main()
