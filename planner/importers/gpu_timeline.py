"""What ran on one GPU, when and on what behalf: compact, so that millions of kernels fit."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planner.domain.errors import Fault, InputError
from planner.importers.intervals import Intervals
from planner.importers.kernel_names import collective_of_kernel, kind_of

MAX_ACTIVITIES = 5_000_000
MAX_NAMES = 200_000
MAX_RANGES = 500_000
MAX_LAUNCHES = 20_000_000
COMPUTE, NETWORK, COPY = 0, 1, 2
_CODES = {"compute": COMPUTE, "network": NETWORK, "copy": COPY}
LONGEST_NS = 10**16
"""Moments are kept within this distance of the first: about four months."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a framework recorded of one collective call."""

    collective: str
    size_bytes: float
    """0 where unknown."""
    dtype: str
    ranks: int
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRange:
    """A range that the program marked on the processor or, copied, on the GPU."""

    name: str
    start: int
    end: int
    on_gpu: bool
    thread: int
    """Ranges of one thread nest."""


@dataclass(slots=True)
class Timeline:
    """Activities of GPUs, moments in nanoseconds; filled by a reader, then cut to one GPU."""

    file: str
    names: list[str] = field(default_factory=list)
    starts: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    name_of: array[int] = field(default_factory=lambda: array("l"))
    kinds: array[int] = field(default_factory=lambda: array("b"))
    devices: array[int] = field(default_factory=lambda: array("q"))
    correlations: array[int] = field(default_factory=lambda: array("q"))
    messages: dict[int, Message] = field(default_factory=dict)
    """By place of the activity."""
    ranges: list[NamedRange] = field(default_factory=list)
    launch_ids: array[int] = field(default_factory=lambda: array("q"))
    launch_starts: array[int] = field(default_factory=lambda: array("q"))
    _ids: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of activities."""
        return len(self.starts)

    def refuse(self, what: str, right: str = "") -> InputError:
        """Return the error that says why this profile cannot be used."""
        return InputError(self.file, [Fault("profile", what, right)])

    def add(
        self, name: str, start: int, end: int, device: int, correlation: int, *, copy: bool = False
    ) -> int:
        """Keep one activity and return its place.

        Raises
        ------
        InputError
            If there are more activities or names than are kept.
        """
        if len(self.starts) >= MAX_ACTIVITIES:
            right = "profile fewer steps: two or three say all"
            raise self.refuse(f"has more than {MAX_ACTIVITIES:,} GPU activities", right)
        known = self._ids.get(name)
        if known is None:
            if len(self.names) >= MAX_NAMES:
                raise self.refuse(f"has more than {MAX_NAMES:,} names of kernels")
            known = self._ids[name] = len(self.names)
            self.names.append(name)
        self.starts.append(start)
        self.ends.append(end)
        self.name_of.append(known)
        self.kinds.append(COPY if copy else _CODES[kind_of(name)])
        self.devices.append(device)
        self.correlations.append(correlation)
        return len(self.starts) - 1

    def add_range(self, entry: NamedRange) -> None:
        """Keep one range; beyond `MAX_RANGES` they are left out."""
        if len(self.ranges) < MAX_RANGES:
            self.ranges.append(entry)

    def add_launch(self, correlation: int, start: int) -> None:
        """Keep when the processor launched something; beyond `MAX_LAUNCHES` none is kept."""
        if len(self.launch_ids) < MAX_LAUNCHES:
            self.launch_ids.append(correlation)
            self.launch_starts.append(start)

    def device_counts(self) -> dict[int, int]:
        """Return the number of activities by device, in the devices' order."""
        return dict(sorted(Counter(self.devices).items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Activities:
    """The activities of one GPU by their start; arrays of shape (activities,)."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    name: NDArray[np.int64]
    kind: NDArray[np.int8]
    launched: NDArray[np.int64]
    """When the processor launched it; -1 where unknown."""
    names: list[str]
    messages: dict[int, Message]
    """By place in these arrays."""

    def of(self, kind: int) -> Intervals:
        """Return the intervals of one kind, as they are, overlaps included."""
        chosen = self.kind == kind
        return np.column_stack((self.start[chosen], self.end[chosen]))

    def collective(self, place: int) -> str:
        """Return what a communication does: as recorded, or as its kernel's name says."""
        message = self.messages.get(place)
        told = message.collective if message is not None else ""
        return told or collective_of_kernel(self.names[int(self.name[place])])


def activities_of(timeline: Timeline, device: int) -> Activities:
    """Return one GPU's activities in the order of their start.

    Raises
    ------
    InputError
        If moments lie so far apart that they are no moments.
    """
    devices = np.frombuffer(timeline.devices, dtype=np.int64)
    chosen = np.flatnonzero(devices == device)
    start = np.frombuffer(timeline.starts, dtype=np.int64)[chosen]
    order = np.argsort(start, kind="stable")
    chosen, start = chosen[order], start[order]
    end = np.frombuffer(timeline.ends, dtype=np.int64)[chosen]
    if len(start) and (int(end.max()) - int(start.min()) > LONGEST_NS):
        raise timeline.refuse("its moments lie months apart", "export the profile again")
    place_of = np.full(len(timeline), -1, dtype=np.int64)
    place_of[chosen] = np.arange(len(chosen))
    correlation = np.frombuffer(timeline.correlations, dtype=np.int64)[chosen]
    return Activities(
        start=start,
        end=end,
        name=np.frombuffer(timeline.name_of, dtype=f"i{timeline.name_of.itemsize}")[chosen].astype(
            np.int64
        ),
        kind=np.frombuffer(timeline.kinds, dtype=np.int8)[chosen],
        launched=_launched(timeline, correlation),
        names=timeline.names,
        messages={int(place_of[k]): m for k, m in timeline.messages.items() if place_of[k] >= 0},
    )


def _launched(timeline: Timeline, correlation: NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(timeline.launch_ids):
        return np.full(len(correlation), -1, dtype=np.int64)
    ids = np.frombuffer(timeline.launch_ids, dtype=np.int64)
    when = np.frombuffer(timeline.launch_starts, dtype=np.int64)
    order = np.argsort(ids, kind="stable")
    ids, when = ids[order], when[order]
    place = np.minimum(np.searchsorted(ids, correlation), len(ids) - 1)
    return np.where((ids[place] == correlation) & (correlation > 0), when[place], -1)
