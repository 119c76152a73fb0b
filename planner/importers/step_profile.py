"""From what ran on a GPU to what a step consists of: interval arithmetic over its streams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.domain.profile import (
    CollectiveProfile,
    MessageProfile,
    ProfiledStep,
    StepParts,
    StepProfile,
    WaitPeak,
)
from planner.importers.gpu_timeline import (
    COMPUTE,
    COPY,
    NETWORK,
    Activities,
    Message,
    Timeline,
    activities_of,
)
from planner.importers.intervals import Intervals, clip, difference, length, union, window
from planner.importers.profile_steps import Step, Steps, find_steps

NS = 1e-9
PEAKS = 10
MAX_MESSAGES = 2000
LONG = 1.5
"""Steps longer than this times the median are not counted: warm-up, checkpoints, evaluation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a profile says about itself."""

    tool: Literal["torch-trace", "nsys"]
    device: str = ""
    rank: int | None = None
    world_size: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Busy:
    """When one GPU does what; sets of moments."""

    compute: Intervals
    network: Intervals
    copy: Intervals
    waiting: Intervals
    """Communication and no computation."""
    copying: Intervals
    """Copies alone."""
    anything: Intervals

    @classmethod
    def of(cls, activities: Activities) -> _Busy:
        compute, network, copy = (union(activities.of(k)) for k in (COMPUTE, NETWORK, COPY))
        working = union(np.concatenate((compute, network)))
        return cls(
            compute=compute,
            network=network,
            copy=copy,
            waiting=difference(network, compute),
            copying=difference(copy, working),
            anything=union(np.concatenate((working, copy))),
        )


def profile_of(
    timeline: Timeline, about: About, *, device: int | None = None, wanted: str | None = None
) -> StepProfile:
    """Return what the steps of one GPU consist of.

    Parameters
    ----------
    device
        Which of the timeline's GPUs; the first if None.
    wanted
        As `find_steps`.

    Raises
    ------
    InputError
        If the profile shows no activity on that GPU, or no range with the wanted name.
    """
    counts = timeline.device_counts()
    notes = list(about.notes)
    if not counts:
        right = "profile with CUDA activities: ProfilerActivity.CUDA, or nsys --trace=cuda"
        raise timeline.refuse("no kernel ran on a GPU in it", right)
    known = list(counts)
    if device is not None and device not in counts:
        shown = ", ".join(str(name) for name in known[:16])
        raise timeline.refuse(f"it has no device {device}", f"its devices: {shown}")
    chosen = known[0] if device is None else device
    if len(known) > 1 and device is None:
        notes.append(
            f"it shows {len(known)} GPUs; this is device {chosen}, --set device=... takes another"
        )
    activities = activities_of(timeline, chosen)
    steps = find_steps(timeline, activities, wanted)
    return _profile(timeline, about, activities, steps, (*notes, *steps.notes))


def _profile(
    timeline: Timeline, about: About, activities: Activities, steps: Steps, notes: tuple[str, ...]
) -> StepProfile:
    busy = _Busy.of(activities)
    parts = [_parts(busy, step) for step in steps.steps]
    counted = _counted(steps, parts)
    kept = [step for step, keep in zip(steps.steps, counted, strict=True) if keep]
    begin = steps.steps[0].start
    told = list(notes)
    if not all(counted):
        told.append(
            f"{counted.count(False)} of {len(counted)} steps are not counted: far longer than the"
            " median, or without a next step that would show their trailing gap"
        )
    gaps = [
        (s, difference(window(s.start, s.end), clip(busy.anything, s.start, s.end))) for s in kept
    ]
    messages = _messages(activities, kept)
    if len(busy.network) and not messages:
        told.append(
            "the profile holds no sizes of messages: it cannot calibrate collectives,"
            " logs of nccl-tests can"
        )
    return StepProfile(
        tool=about.tool,
        file=timeline.file[-500:],
        device=about.device[:500],
        rank=about.rank,
        world_size=about.world_size,
        steps_found_by=steps.found_by,
        mean=_mean([part for part, keep in zip(parts, counted, strict=True) if keep]),
        steps=tuple(
            ProfiledStep(
                name=step.name, start_s=(step.start - begin) * NS, counted=keep, **dict(part)
            )
            for step, part, keep in zip(steps.steps, parts, counted, strict=True)
        ),
        collectives=_collectives(activities, busy, kept),
        messages=messages,
        peaks=_peaks([(s, clip(busy.waiting, s.start, s.end)) for s in kept], activities),
        gaps=_peaks(gaps, None),
        gap_count=sum(len(found) for _, found in gaps) / len(kept),
        notes=tuple(told),
    )


def _parts(busy: _Busy, step: Step) -> StepParts:
    def seconds(moments: Intervals) -> float:
        return length(clip(moments, step.start, step.end)) * NS

    wall = step.end - step.start
    return StepParts(
        wall_s=wall * NS,
        compute_s=seconds(busy.compute),
        network_s=seconds(busy.network),
        exposed_network_s=seconds(busy.waiting),
        copy_s=seconds(busy.copy),
        exposed_copy_s=seconds(busy.copying),
        idle_s=(wall - length(clip(busy.anything, step.start, step.end))) * NS,
    )


def _counted(steps: Steps, parts: list[StepParts]) -> list[bool]:
    """Return which steps are in the mean: whole ones that are not far longer than the others."""
    some = any(step.closed for step in steps.steps)
    whole = [step.closed or not some for step in steps.steps]
    middle = float(np.median([p.wall_s for p, keep in zip(parts, whole, strict=True) if keep]))
    return [
        keep and (sum(whole) < 3 or part.wall_s <= LONG * middle)
        for part, keep in zip(parts, whole, strict=True)
    ]


def _mean(parts: list[StepParts]) -> StepParts:
    names = StepParts.model_fields
    return StepParts(**{n: sum(getattr(p, n) for p in parts) / len(parts) for n in names})


def _within(activities: Activities, steps: Iterable[Step]) -> np.ndarray:
    """Return for each activity whether it begins inside a counted step."""
    chosen = np.zeros(len(activities.start), dtype=np.bool_)
    for step in steps:
        first, last = np.searchsorted(activities.start, [step.start, step.end])
        chosen[first:last] = True
    return chosen


def _collectives(
    activities: Activities, busy: _Busy, steps: list[Step]
) -> tuple[CollectiveProfile, ...]:
    """Return every collective of the counted steps, the longest wait first."""
    places: dict[str, list[int]] = defaultdict(list)
    for place in np.flatnonzero((activities.kind == NETWORK) & _within(activities, steps)):
        places[activities.collective(int(place))].append(int(place))
    count = len(steps)
    found = []
    for name, members in places.items():
        spans = np.column_stack((activities.start[members], activities.end[members]))
        alone = difference(union(spans), busy.compute)
        sizes = [m.size_bytes for k in members if (m := activities.messages.get(k)) is not None]
        known = len(sizes) == len(members) and all(size > 0 for size in sizes)
        found.append(
            CollectiveProfile(
                collective=name,
                calls=len(members) / count,
                total_s=float((spans[:, 1] - spans[:, 0]).sum()) * NS / count,
                exposed_s=length(alone) * NS / count,
                bytes=sum(sizes) / count if known else None,
            )
        )
    return tuple(sorted(found, key=lambda c: (-c.exposed_s, -c.total_s, c.collective)))


def _messages(activities: Activities, steps: list[Step]) -> tuple[MessageProfile, ...]:
    """Return the messages with known sizes, the longest in total first."""
    within = _within(activities, steps)
    times: dict[Message, list[int]] = defaultdict(list)
    for place, message in activities.messages.items():
        if message.size_bytes > 0 and message.collective and within[place]:
            times[message].append(int(activities.end[place] - activities.start[place]))
    ordered = sorted(
        times.items(),
        key=lambda item: (-sum(item[1]), item[0].collective, item[0].size_bytes, item[0].members),
    )
    return tuple(
        MessageProfile(
            collective=message.collective,
            size_bytes=message.size_bytes,
            dtype=message.dtype,
            ranks=message.ranks,
            members=message.members,
            calls=len(spans),
            shortest_s=min(spans) * NS,
            median_s=float(np.median(spans)) * NS,
            longest_s=max(spans) * NS,
        )
        for message, spans in ordered[:MAX_MESSAGES]
    )


def _peaks(
    found: list[tuple[Step, Intervals]], activities: Activities | None
) -> tuple[WaitPeak, ...]:
    """Return the longest stretches, with the communication that fills most of each."""
    spans = [
        (int(end - start), step, int(start), int(end))
        for step, stretches in found
        for start, end in stretches[np.argsort(stretches[:, 0] - stretches[:, 1])[:PEAKS]]
    ]
    spans.sort(key=lambda span: (-span[0], span[2]))
    peaks = []
    for duration, step, start, end in spans[:PEAKS]:
        collective, kernel = ("", "") if activities is None else _cause(activities, start, end)
        peaks.append(
            WaitPeak(
                step=step.name,
                at_s=(start - step.start) * NS,
                duration_s=duration * NS,
                collective=collective,
                kernel=kernel[:200],
            )
        )
    return tuple(peaks)


def _cause(activities: Activities, start: int, end: int) -> tuple[str, str]:
    chosen = np.flatnonzero(
        (activities.kind == NETWORK) & (activities.start < end) & (activities.end > start)
    )
    if not len(chosen):
        return "", ""
    shared = np.minimum(activities.end[chosen], end) - np.maximum(activities.start[chosen], start)
    place = int(chosen[int(np.argmax(shared))])
    return activities.collective(place), activities.names[int(activities.name[place])]
