"""Traces of the PyTorch profiler (Kineto), as TensorBoard and Perfetto show them.

The file is JSON of the Trace Event Format, often gzipped. Complete events (``"ph": "X"``) have
``cat``, ``name``, ``ts`` and ``dur`` in microseconds, and ``args``. GPU activities are of the
categories kernel, gpu_memcpy and gpu_memset; ProfilerStep#N marks steps. What NCCL was asked for
stands in the args of the kernel, or of the operator ``record_param_comms`` with the same
``External id``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from planner.domain.profile import StepProfile
from planner.importers.gpu_timeline import Message, NamedRange, Timeline
from planner.importers.imported import Given, Imported
from planner.importers.json_stream import JsonStream
from planner.importers.kernel_names import (
    collective_of_framework,
    element_bytes,
    is_coalesced,
)
from planner.importers.profile_document import imported_profile
from planner.importers.step_profile import About, profile_of

KIND: Literal["torch-trace"] = "torch-trace"
MAX_RECORDS = 1_000_000
"""Records of communication that are kept for kernels that carry none themselves."""
MAX_MEMBERS = 100_000

_KERNELS = ("kernel",)
_COPIES = ("gpu_memcpy", "memcpy", "gpu_memset", "memset")
_LAUNCHES = ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime")
_RANGES = ("user_annotation", "gpu_user_annotation", "python_user_annotation")
_RANKS = re.compile(r"\d+")
_CHROME = "write it with export_chrome_trace or tensorboard_trace_handler of torch.profiler"


@dataclass(slots=True)
class _Reader:
    """What has been read so far."""

    timeline: Timeline
    device: str = ""
    rank: int | None = None
    world_size: int | None = None
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    records: dict[int, tuple[Message, str]] = field(default_factory=dict)
    """By external id: message and name of its group."""
    waiting: dict[int, int] = field(default_factory=dict)
    """External id by place of a communication without a message of its own."""
    group_of: dict[int, str] = field(default_factory=dict)
    interned: dict[Message, Message] = field(default_factory=dict)
    threads: dict[tuple[str, str], int] = field(default_factory=dict)
    events: int = 0
    odd: int = 0


def read_torch_trace(path: Path, given: Given) -> Imported:
    """Return the profile of a trace file; `given` may name ``step`` and ``device``.

    Raises
    ------
    InputError
        If the file is no such trace, cut off, or shows no kernels.
    """
    device = given.number("device", 0, 1e15)
    wanted = given.text("step")
    profile = torch_profile(path, None if device is None else int(device), wanted)
    return imported_profile(KIND, profile)


def torch_profile(path: Path, device: int | None = None, wanted: str | None = None) -> StepProfile:
    """Return the profile of a trace file; raises InputError as `read_torch_trace`."""
    reader = _Reader(timeline=Timeline(file=str(path)))
    with JsonStream(path) as stream:
        _read(stream, reader)
    _join(reader)
    notes = []
    if reader.odd:
        notes.append(f"{reader.odd:,} entries are no usable events and were passed over")
    about = About(
        tool=KIND,
        device=reader.device,
        rank=reader.rank,
        world_size=reader.world_size,
        notes=tuple(notes),
    )
    return profile_of(reader.timeline, about, device=device, wanted=wanted)


def _read(stream: JsonStream, reader: _Reader) -> None:
    """Read the whole file: an object with traceEvents, or the bare array of events."""
    first = stream.peek()
    if first == "[":
        _events(stream, reader)
    elif first == "{":
        stream.take("{")
        seen = False
        while stream.peek() != "}":
            key = stream.value()
            stream.take(":")
            if key == "traceEvents" and stream.peek() == "[":
                seen = True
                _events(stream, reader)
            else:
                _about(reader, key, stream.value())
            if stream.peek() != "}":
                stream.take(",")
        if not seen:
            raise stream.refuse("has no traceEvents", _CHROME)
    else:
        raise stream.refuse("is no JSON", _CHROME)
    if not reader.events:
        raise stream.refuse("holds no trace events", _CHROME)


def _events(stream: JsonStream, reader: _Reader) -> None:
    for event in stream.entries():
        if not isinstance(event, dict):
            reader.odd += 1
        elif event.get("ph") == "X":
            reader.events += 1
            _event(reader, event)


def _about(reader: _Reader, key: Any, value: Any) -> None:
    """Keep what the file says about GPU, rank and groups."""
    if key == "deviceProperties" and isinstance(value, list) and value:
        name = value[0].get("name") if isinstance(value[0], dict) else None
        reader.device = name[:200] if isinstance(name, str) else ""
    if key != "distributedInfo" or not isinstance(value, dict):
        return
    reader.rank = _whole(value.get("rank"))
    size = _whole(value.get("world_size"))
    reader.world_size = size if size else None
    groups = value.get("pg_config")
    for group in groups if isinstance(groups, list) else []:
        ranks = group.get("ranks") if isinstance(group, dict) else None
        if isinstance(ranks, list) and 0 < len(ranks) <= MAX_MEMBERS:
            members = tuple(rank for rank in map(_whole, ranks) if rank is not None)
            if len(members) == len(ranks):
                reader.groups[str(group.get("pg_name"))[:200]] = members


def _whole(value: Any) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000_000
    return value if good else None


def _identifier(value: Any) -> int:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**63
    return value if good else 0


def _span(event: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return start and end in nanoseconds, None if they are no moments."""
    moments = []
    for key in ("ts", "dur"):
        value = event.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if not math.isfinite(value) or not -1e14 < value < 9e15:
            return None
        moments.append(round(value * 1000.0) if isinstance(value, float) else value * 1000)
    if moments[1] < 0 or moments[0] + moments[1] >= 2**63:
        return None
    return moments[0], moments[0] + moments[1]


def _event(reader: _Reader, event: dict[str, Any]) -> None:
    category, name = event.get("cat"), event.get("name")
    if not isinstance(category, str) or not isinstance(name, str):
        return
    kind = category.lower()
    step = name.startswith("ProfilerStep")
    if kind in _KERNELS or kind in _COPIES:
        _activity(reader, event, name, copy=kind in _COPIES)
    elif kind in _RANGES or step:
        _range(reader, event, name, on_gpu=kind == "gpu_user_annotation")
    elif kind in _LAUNCHES:
        span = _span(event)
        args = event.get("args")
        correlation = _identifier(args.get("correlation")) if isinstance(args, dict) else 0
        if span is not None and correlation:
            reader.timeline.add_launch(correlation, span[0])
    elif name == "record_param_comms":
        args = event.get("args")
        if isinstance(args, dict) and len(reader.records) < MAX_RECORDS:
            external = _identifier(args.get("External id"))
            record = _message(reader, args)
            if external and record is not None:
                reader.records[external] = record


def _activity(reader: _Reader, event: dict[str, Any], name: str, *, copy: bool) -> None:
    span = _span(event)
    if span is None:
        reader.odd += 1
        return
    given = event.get("args")
    args: dict[str, Any] = given if isinstance(given, dict) else {}
    number = args.get("device", event.get("pid"))
    device = _whole(number)
    correlation = _identifier(args.get("correlation"))
    place = reader.timeline.add(
        name[:500], *span, 0 if device is None else device, correlation, copy=copy
    )
    if copy or reader.timeline.kinds[place] != 1:
        return
    record = _message(reader, args)
    if record is not None:
        reader.timeline.messages[place], reader.group_of[place] = record
    elif external := _identifier(args.get("External id")):
        reader.waiting[place] = external


def _range(reader: _Reader, event: dict[str, Any], name: str, *, on_gpu: bool) -> None:
    span = _span(event)
    if span is None:
        reader.odd += 1
        return
    key = (str(event.get("pid"))[:50], str(event.get("tid"))[:50])
    thread = (
        reader.threads.setdefault(key, len(reader.threads)) if len(reader.threads) < 10**5 else -1
    )
    reader.timeline.add_range(
        NamedRange(name=name[:200], start=span[0], end=span[1], on_gpu=on_gpu, thread=thread)
    )


def _message(reader: _Reader, args: Mapping[str, Any]) -> tuple[Message, str] | None:
    """Return what args say of a communication and its group's name, None if they say nothing."""
    asked = args.get("Collective name")
    if not isinstance(asked, str):
        return None
    counts = [n for n in (args.get("In msg nelems"), args.get("Out msg nelems"))
              if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 10**14]  # fmt: skip
    dtype = str(args.get("dtype", ""))[:40]
    size = float(max(counts, default=0) * element_bytes(dtype))
    ranks = _whole(args.get("Group size")) or 0
    message = Message(
        collective=collective_of_framework(asked),
        size_bytes=0.0 if is_coalesced(asked) else size,
        dtype=dtype,
        ranks=max(ranks, 1),
        members=_members(args, ranks),
    )
    message = reader.interned.setdefault(message, message)
    return message, str(args.get("Process Group Name", ""))[:200]


def _members(args: Mapping[str, Any], ranks: int) -> tuple[int, ...]:
    """Return the group's global ranks where the args list all of them."""
    listed = args.get("Process Group Ranks")
    if isinstance(listed, str) and len(listed) < 10**6:
        found = tuple(int(text) for text in _RANKS.findall(listed) if len(text) < 8)
    elif isinstance(listed, list):
        found = tuple(n for n in map(_whole, listed) if n is not None)
    else:
        found = ()
    if ranks and len(found) == ranks:
        return found
    start, stride = _whole(args.get("Global rank start")), _whole(args.get("Global rank stride"))
    if start is None or not stride or not 1 < ranks <= MAX_MEMBERS:
        return ()
    members = range(start, start + stride * ranks, stride)
    return tuple(members) if members[-1] < 10_000_000 else ()


def _join(reader: _Reader) -> None:
    """Give kernels the messages of their operators, and messages the members of their groups."""
    messages = reader.timeline.messages
    for place, external in reader.waiting.items():
        if external in reader.records:
            messages[place], reader.group_of[place] = reader.records[external]
    for place, group in reader.group_of.items():
        message = messages[place]
        members = reader.groups.get(group, ())
        if not message.members and members and len(members) == message.ranks:
            full = replace(message, members=members)
            messages[place] = reader.interned.setdefault(full, full)
