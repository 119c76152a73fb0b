"""Where the steps of a profiled run begin and end on the GPU."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.importers.gpu_timeline import Activities, NamedRange, Timeline

FoundBy = Literal["annotation", "pattern", "window"]

MAX_STEPS = 10_000
APART = 0.05
"""Ranges further apart than this share of a step do not follow one another."""
SAME = 0.95
"""Share of kernels that recur in place for a pattern to be one."""
LEAST_KERNELS = 4
"""Kernels of the shortest pattern."""
TRIED = 50
"""Names of kernels that are tried as the mark of a step."""

_NUMBER = re.compile(r"[\s_#:=\-]*\d+(?:\s*/\s*\d+)?$")
_STEP_NAMES = (
    re.compile(r"profilerstep\*?", re.IGNORECASE),
    re.compile(
        r"(?:train(?:ing)?|global|optimi[sz]er)?[\s_\-]*(?:step|iteration|iter|batch)",
        re.IGNORECASE,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step on the GPU, nanoseconds."""

    name: str
    start: int
    end: int
    closed: bool = True
    """Whether the start of the next step ends it, rather than its own last activity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The steps of a profile, in order and disjoint."""

    steps: tuple[Step, ...]
    found_by: FoundBy
    notes: tuple[str, ...] = ()


def find_steps(timeline: Timeline, activities: Activities, wanted: str | None) -> Steps:
    """Return the steps: as the program marked them, as kernels recur, or all as one.

    Parameters
    ----------
    wanted
        What the names of the ranges that are steps begin with, where they are not called steps.

    Raises
    ------
    InputError
        If no range has the wanted name.
    """
    ranges = _step_ranges(timeline.ranges, wanted)
    if wanted is not None and not ranges:
        names = sorted({_base(entry.name) for entry in timeline.ranges})
        shown = ", ".join(repr(name[:40]) for name in names[:12]) or "none"
        raise timeline.refuse(f"no range is called {wanted[:60]!r}", f"its ranges: {shown}")
    if ranges:
        found, notes = _on_gpu(ranges[: MAX_STEPS + 1], activities)
        if found:
            return Steps(steps=found[:MAX_STEPS], found_by="annotation", notes=notes)
    found = _recurring(activities)
    if found:
        note = (
            f"no step is marked; {len(found)} were told by kernels that recur in the same order"
            " (give --set step=NAME if a range marks them)"
        )
        return Steps(steps=found[:MAX_STEPS], found_by="pattern", notes=(note,))
    whole = Step(
        name="whole profile", start=int(activities.start[0]), end=int(activities.end.max())
    )
    note = "no step is marked and no kernels recur: the whole profile counts as one step"
    return Steps(steps=(whole,), found_by="window", notes=(note,))


def _base(name: str) -> str:
    return _NUMBER.sub("", name).strip()


def _step_ranges(ranges: list[NamedRange], wanted: str | None) -> list[NamedRange]:
    """Return the ranges that mark steps, of the kind and the place that say it best."""
    if wanted is not None:
        return _one_place([entry for entry in ranges if entry.name.startswith(wanted)])
    for pattern in _STEP_NAMES:
        chosen = [entry for entry in ranges if pattern.fullmatch(_base(entry.name))]
        names = Counter(_base(entry.name) for entry in chosen)
        for name, _ in sorted(names.items(), key=lambda item: (-item[1], item[0])):
            found = _one_place([entry for entry in chosen if _base(entry.name) == name])
            if found:
                return found
    return []


def _one_place(ranges: list[NamedRange]) -> list[NamedRange]:
    """Return ranges on the GPU if there are any, else those of the busiest thread, outermost."""
    gpu = [entry for entry in ranges if entry.on_gpu]
    if gpu:
        joined: dict[str, NamedRange] = {}
        for entry in gpu:
            other = joined.get(entry.name, entry)
            joined[entry.name] = NamedRange(
                name=entry.name,
                start=min(entry.start, other.start),
                end=max(entry.end, other.end),
                on_gpu=True,
                thread=0,
            )
        ranges = list(joined.values())
    else:
        threads = Counter(entry.thread for entry in ranges)
        if len(threads) > 1:
            busiest = min(threads, key=lambda thread: (-threads[thread], thread))
            ranges = [entry for entry in ranges if entry.thread == busiest]
    kept: list[NamedRange] = []
    for entry in sorted(ranges, key=lambda entry: (entry.start, -entry.end)):
        if entry.end > entry.start and (not kept or entry.on_gpu or entry.start >= kept[-1].end):
            kept.append(entry)
    return kept


def _on_gpu(
    ranges: list[NamedRange], activities: Activities
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """Return the steps on the GPU: from a step's first kernel to that of the next."""
    known = activities.launched >= 0
    by_launch = not ranges[0].on_gpu and bool(known.mean() > 0.5)
    notes: list[str] = []
    if not ranges[0].on_gpu and not by_launch:
        notes.append(
            "the profile does not say when kernels were launched: steps are cut where the"
            " processor marked them, though the GPU runs behind it"
        )
    moments = activities.launched if by_launch else activities.start
    order = np.argsort(moments, kind="stable")
    sorted_moments = moments[order]
    begins: list[int] = []
    ends: list[int] = []
    empty = 0
    held: list[NamedRange] = []
    for entry in ranges:
        first, last = np.searchsorted(sorted_moments, [entry.start, entry.end])
        own = order[first:last]
        if not len(own):
            empty += 1
            continue
        held.append(entry)
        marked = not by_launch and not entry.on_gpu
        begins.append(entry.start if marked else int(activities.start[own].min()))
        ends.append(entry.end if marked else int(activities.end[own].max()))
    if empty:
        notes.append(f"{empty} marked steps hold no kernel and are left out")
    steps: list[Step] = []
    for k, entry in enumerate(held):
        end, follows = ends[k], False
        if k + 1 < len(held):
            apart = held[k + 1].start - entry.end
            follows = apart <= APART * (entry.end - entry.start)
            end = begins[k + 1] if follows else min(end, begins[k + 1])
        if end > begins[k] and (not steps or begins[k] >= steps[-1].end):
            name = entry.name[:200]
            steps.append(Step(name=name, start=begins[k], end=end, closed=follows))
    return tuple(steps), tuple(notes)


def _recurring(activities: Activities) -> tuple[Step, ...]:
    """Return steps told by the rarest kernels that recur at one distance with all between them."""
    sequence = activities.name
    names, counts = np.unique(sequence, return_counts=True)
    order = sorted(
        (int(count), int(name)) for count, name in zip(counts, names, strict=True) if count >= 2
    )
    for _, name in order[:TRIED]:
        places = np.flatnonzero(sequence == name)
        period = int(np.median(np.diff(places)))
        if period < LEAST_KERNELS or len(sequence) < 2 * period:
            continue
        if float((sequence[period:] == sequence[:-period]).mean()) < SAME:
            continue
        starts = activities.start[places]
        regular = np.abs(np.diff(places) - period) <= max(1, period // 100)
        kept = [int(start) for start in starts[np.concatenate(([True], regular))]]
        if len(kept) >= 2 and all(np.diff(kept) > 0):
            return tuple(
                Step(name=f"step {k + 1}", start=kept[k], end=kept[k + 1])
                for k in range(len(kept) - 1)
            )
    return ()
