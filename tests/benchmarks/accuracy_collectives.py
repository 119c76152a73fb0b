"""Write the tables and the plot of docs/accuracy.md that concern collectives.

    python -m tests.benchmarks.accuracy_collectives

Figures with each platform left out come from the last run of `fit_collectives --leave-out`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.domain.physics_constants import shipped_collective_constants
from planner.domain.resources import data_root
from planner.physics.collectives import ALGORITHMS, PROTOCOLS, busbw_gbytes_per_s, collective_time
from planner.physics.wiring import Group, Wiring
from planner.report.svg import ACCENT, BAD, MUTED, RULE, Drawing
from planner.study.collective_rows import CollectiveRow, read_table
from planner.study.validate_collectives import LARGE_BYTES, map_rows, predict, summarize
from tests.benchmarks.fit_collectives import LEFT_OUT, TABLE

DOC = data_root() / "docs" / "accuracy.md"
PLOT = data_root() / "docs" / "accuracy_collectives.svg"
SIDE, MARGIN = 560.0, 60.0
LOW, HIGH = 0.5, 1200.0
GAINS = (
    ("4 hosts of 4 A100, 4 x 200 Gb/s", "ampere", "nvlink_mesh", 300.0, 4, 4, 200.0),
    ("4 hosts of 4 H100, 4 x 400 Gb/s", "hopper", "nvlink_mesh", 450.0, 4, 4, 400.0),
    ("2 hosts of 8 A100, 8 x 200 Gb/s", "ampere", "nvswitch", 300.0, 8, 2, 200.0),
    ("4 hosts of 8 H100, 8 x 400 Gb/s", "hopper", "nvswitch", 450.0, 8, 4, 400.0),
    ("16 hosts of 8 H100, 8 x 400 Gb/s", "hopper", "nvswitch", 450.0, 8, 16, 400.0),
)


@dataclass(frozen=True, slots=True)
class Point:
    """One mapped row with its prediction."""

    row: CollectiveRow
    predicted_s: float

    @property
    def error_pct(self) -> float:
        """Signed error of the time, per cent."""
        return (self.predicted_s / self.row.time_s - 1.0) * 100.0

    def busbw(self, time_s: float) -> float:
        """Return the bus bandwidth in GB/s that a time means."""
        row = self.row
        return float(busbw_gbytes_per_s(row.collective, row.size_bytes, time_s, row.group[0]))


def points() -> list[Point]:
    """Return every mapped row of the table, predicted with the shipped constants."""
    rows, _ = map_rows(read_table(TABLE))
    times = predict(rows, shipped_collective_constants()).time_s
    return [Point(row, float(time)) for row, time in zip(rows, times, strict=True)]


def _at(value: float) -> float:
    place = math.log(max(value, LOW) / LOW) / math.log(HIGH / LOW)
    return MARGIN + place * (SIDE - MARGIN - 20.0)


def plot(found: list[Point]) -> str:
    """Return the SVG: bus bandwidth predicted over measured, from 16 MiB, one dot per row."""
    drawing = Drawing(
        width=SIDE, height=SIDE, name="collectives",
        title="Predicted against measured bus bandwidth",
        description="One dot per measured message from 16 MiB; the band is 25 per cent wide.",
    )  # fmt: skip
    for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        place = _at(tick)
        drawing.line(place, 20, place, SIDE - MARGIN, stroke=RULE)
        drawing.line(MARGIN, SIDE - place, SIDE - 20, SIDE - place, stroke=RULE)
        drawing.text(place, SIDE - MARGIN + 16, str(tick), 11, text_anchor="middle", fill=MUTED)
        drawing.text(MARGIN - 6, SIDE - place + 4, str(tick), 11, text_anchor="end", fill=MUTED)
    for factor, dash in ((1.0, None), (1.25, "4 3"), (0.8, "4 3")):
        low, high = max(LOW, LOW / factor), min(HIGH, HIGH / factor)
        drawing.line(
            _at(low), SIDE - _at(low * factor), _at(high), SIDE - _at(high * factor),
            stroke=MUTED, stroke_dasharray=dash,
        )  # fmt: skip
    for point in found:
        if point.row.size_bytes < LARGE_BYTES:
            continue
        tip = f"{point.row.platform}, {point.row.collective}, {point.row.size_bytes:.0f} B"
        drawing.element(
            "circle", None, tip,
            cx=_at(point.busbw(point.row.time_s)), cy=SIDE - _at(point.busbw(point.predicted_s)),
            r=3, fill=BAD if abs(point.error_pct) > 25.0 else ACCENT, fill_opacity=0.55,
        )  # fmt: skip
    drawing.text(SIDE / 2, SIDE - 12, "measured bus bandwidth, GB/s", 13, text_anchor="middle")
    drawing.text(
        16, SIDE / 2, "predicted bus bandwidth, GB/s", 13, text_anchor="middle",
        transform=f"rotate(-90 16 {SIDE / 2:g})",
    )  # fmt: skip
    return drawing.file_text()


def headline(found: list[Point], left_out: dict[str, Any]) -> str:
    """Return the table of the promised and reached figures."""
    result = summarize([p.row for p in found], np.array([p.error_pct for p in found]))
    lines = [
        "| messages | figure | promised | reached | each platform left out |",
        "|---|---|---|---|---|",
    ]
    promised = {"large": (10, 25), "small": (25, 60)}
    for name, title in (("large", "from 16 MiB"), ("small", "below 16 MiB")):
        for kind, limit in zip(("median", "p90"), promised[name], strict=True):
            reached = result[name][f"macro_{kind}_abs_error_pct"]
            unseen = left_out["figures"][f"{name}_{kind}"]
            lines.append(f"| {title} | {kind} | {limit} % | {reached:.1f} % | {unseen:.1f} % |")
    return "\n".join(lines)


def _median(chosen: list[Point]) -> str:
    return f"{np.median([abs(p.error_pct) for p in chosen]):.1f}" if chosen else ""


def platforms(found: list[Point], left_out: dict[str, Any]) -> str:
    """Return the table of all platforms, the worst first."""
    lines = [
        "| platform | rows | largest message | measured GB/s | predicted GB/s | large, % | small, % | left out, % |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[Point]] = {}
    for point in found:
        groups.setdefault(point.row.platform, []).append(point)
    ordered = sorted(groups.items(), key=lambda g: -np.median([abs(p.error_pct) for p in g[1]]))
    for name, own in ordered:
        last = max(own, key=lambda p: (p.row.size_bytes, p.row.collective == "all_reduce"))
        large = [p for p in own if p.row.size_bytes >= LARGE_BYTES]
        small = [p for p in own if p.row.size_bytes < LARGE_BYTES]
        lines.append(
            f"| {name} | {len(own)} | {last.row.collective} | {last.busbw(last.row.time_s):.3g} "
            f"| {last.busbw(last.predicted_s):.3g} | {_median(large)} | {_median(small)} "
            f"| {left_out['median_abs_error_pct'].get(name, '')} |"
        )
    return "\n".join(lines)


def gains() -> str:
    """Return what the best choice saves over the tuner's, from 1 KiB to 16 GiB."""
    size = 2.0 ** np.arange(10, 34.01, 0.25)
    lines = [
        "| cluster | most saved in all-reduce | at | tuner's choice | best choice | mean |",
        "|---|---|---|---|---|---|",
    ]
    for title, architecture, scale_up, rate, each, hosts, nic in GAINS:
        wiring = Wiring(
            accelerator="", architecture=architecture, scale_up=scale_up,
            scale_up_gbytes_per_s=rate, domain_gpus=each, host_gpus=each, pcie_gen=5,
            nics_per_host=each, nic_gbps=nic, network="infiniband",
        )  # fmt: skip
        ranks, own = np.array([each * hosts]), np.array([each])
        group = Group(ranks=ranks, per_domain=own, per_host=own, nic_sharing=own // each,
                      per_leaf=ranks, per_pod=ranks)  # fmt: skip
        constants = shipped_collective_constants()
        tuner = collective_time("all_reduce", size, group, wiring, constants=constants)
        best = collective_time(
            "all_reduce", size, group, wiring, constants=constants, choice="best"
        )
        saved = (1.0 - best.time_s / tuner.time_s) * 100.0
        k = int(saved.argmax())
        names = [f"{ALGORITHMS[t.algorithm[k]]}, {PROTOCOLS[t.protocol[k]]}" for t in (tuner, best)]
        where = f"{size[k] / 1024:.0f} KiB" if size[k] < 2**20 else f"{size[k] / 2**20:.1f} MiB"
        lines.append(
            f"| {title} | {saved[k]:.0f} % | {where} | {names[0]} | {names[1]} "
            f"| {saved.mean():.1f} % |"
        )
    return "\n".join(lines)


def statuses() -> str:
    """Return how many constants are sourced, fitted, or unvalidated."""
    counts: Counter[str] = Counter()

    def count(node: Any) -> None:
        if isinstance(node, dict):
            if {"value", "status"} <= set(node):
                counts[node["status"]] += 1
            else:
                for part in node.values():
                    count(part)

    count(shipped_collective_constants().model_dump())
    return (
        f"{counts['sourced']} figures are sourced, {counts['fitted']} fitted (several share one "
        f"fitted value), {counts['unvalidated']} unvalidated."
    )


def main() -> None:
    """Replace the marked parts of the document and write the plot."""
    found = points()
    left_out = json.loads(LEFT_OUT.read_text(encoding="utf-8"))
    text = DOC.read_text(encoding="utf-8")
    for name, part in (
        ("headline", headline(found, left_out)),
        ("platforms", platforms(found, left_out)),
        ("gains", gains()),
        ("statuses", statuses()),
    ):
        begin, end = f"<!-- collectives-{name} -->", f"<!-- end collectives-{name} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"{DOC} lacks the mark {begin}")
        text = pattern.sub(lambda _, b=begin, p=part, e=end: f"{b}\n{p}\n{e}", text)
    DOC.write_text(text, encoding="utf-8")
    PLOT.write_text(plot(found), encoding="utf-8")


if __name__ == "__main__":
    main()
