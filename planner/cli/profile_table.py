"""A profile as people read it: the parts of a step, its collectives, and where it waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.cli.plain_table import plain_table
from planner.domain.profile import StepParts, StepProfile, WaitPeak

SHOWN_STEPS = 12
SHOWN_MESSAGES = 12
KERNEL_WIDTH = 48


def profile_table(document: Mapping[str, Any]) -> str:
    """Return the document of a profile as plain tables, times in milliseconds."""
    profile = StepProfile.model_validate(document)
    blocks = [_head(profile), _parts(profile.mean), _steps(profile)]
    if profile.collectives:
        blocks.append(_collectives(profile))
    if profile.messages:
        blocks.append(_messages(profile))
    if profile.peaks:
        blocks.append(_peaks("Longest waits for the network", profile.peaks))
    if profile.gaps:
        blocks.append(_peaks(f"Longest gaps; a step has {profile.gap_count:,.1f}", profile.gaps))
    return "\n\n".join(blocks)


def _ms(seconds: float) -> float:
    return round(seconds * 1e3, 3)


def _percent(part: float, whole: float) -> float:
    return round(100.0 * part / whole, 1) if whole > 0 else 0.0


def _head(profile: StepProfile) -> str:
    counted = sum(step.counted for step in profile.steps)
    where = "" if profile.rank is None else f", rank {profile.rank}"
    size = "" if profile.world_size is None else f" of {profile.world_size:,}"
    gpu = profile.device or "GPU"
    return f"{gpu}{where}{size}: mean of {counted} steps, told by {profile.steps_found_by}"


def _parts(mean: StepParts) -> str:
    rows = [
        ("compute", mean.compute_s),
        ("network waited for", mean.exposed_network_s),
        ("copies waited for", mean.exposed_copy_s),
        ("nothing runs", mean.idle_s),
        ("step", mean.wall_s),
    ]
    table = plain_table(
        ("part of a step", "ms", "% of step"),
        [(name, _ms(seconds), _percent(seconds, mean.wall_s)) for name, seconds in rows],
    )
    hidden = f"communication {_ms(mean.network_s):g} ms, {mean.overlap_share:.1%} of it hidden"
    return f"{table}\n{hidden}; copies {_ms(mean.copy_s):g} ms"


def _steps(profile: StepProfile) -> str:
    rows: list[Sequence[object]] = [
        (s.name, _ms(s.wall_s), _ms(s.compute_s), _ms(s.exposed_network_s), _ms(s.idle_s),
         "yes" if s.counted else "no")
        for s in profile.steps[:SHOWN_STEPS]
    ]  # fmt: skip
    heads = ("step", "ms", "compute", "network waited for", "nothing runs", "counted")
    more = len(profile.steps) - SHOWN_STEPS
    return plain_table(heads, rows) + (f"\nand {more:,} more" if more > 0 else "")


def _collectives(profile: StepProfile) -> str:
    rows = [
        (c.collective, round(c.calls, 1), None if c.bytes is None else round(c.bytes / 1e6, 2),
         _ms(c.total_s), _ms(c.exposed_s), _percent(c.exposed_s, profile.mean.wall_s))
        for c in profile.collectives
    ]  # fmt: skip
    heads = ("collective", "calls a step", "MB a step", "total ms", "waited for ms", "% of step")
    return plain_table(heads, rows)


def _messages(profile: StepProfile) -> str:
    rows = [
        (m.collective, m.dtype, round(m.size_bytes), m.ranks, m.calls, round(m.shortest_s * 1e6, 1),
         round(m.median_s * 1e6, 1), round(m.longest_s * 1e6, 1))
        for m in profile.messages[:SHOWN_MESSAGES]
    ]  # fmt: skip
    heads = ("message", "type", "bytes", "ranks", "calls", "shortest us", "median us", "longest us")
    more = len(profile.messages) - SHOWN_MESSAGES
    return plain_table(heads, rows) + (f"\nand {more:,} more" if more > 0 else "")


def _peaks(title: str, peaks: Sequence[WaitPeak]) -> str:
    rows = [
        (p.step, _ms(p.at_s), _ms(p.duration_s), p.collective, p.kernel[:KERNEL_WIDTH])
        for p in peaks
    ]
    heads = ("in step", "at ms", "lasts ms", "collective", "kernel")
    width = 5 if peaks[0].kernel else 3
    return f"{title}\n{plain_table(heads[:width], [row[:width] for row in rows])}"
