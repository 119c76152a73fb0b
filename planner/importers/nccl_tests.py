"""Logs of nccl-tests and rccl-tests: several layouts, as people hold them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from planner.domain.errors import Fault, InputError
from planner.importers.nccl_lines import (
    RankLine,
    RawRow,
    is_header,
    library_version,
    parse_rank,
    parse_row,
    tested_collective,
)

MAX_BYTES = 64 * 1024 * 1024
MAX_ROWS = 200_000
FASTEST_GBYTES_PER_S = 1900.0
"""Above any bus bandwidth that links carry: twice NVLink 5 with reduction in the switch."""

_NAMES = {"alltoall": "all_to_all", "sendrecv": "send_recv"}
_IN_FILE_NAMES = (
    ("all_reduce", r"all[-_]?reduce"),
    ("all_gather", r"all[-_]?gather"),
    ("reduce_scatter", r"reduce[-_]?scatter"),
    ("all_to_all", r"all[-_]?to[-_]?all"),
    ("send_recv", r"send[-_]?recv"),
    ("broadcast", r"broadcast|bcast"),
    ("reduce", r"(?<!all)(?<!all[-_])reduce(?![-_]?scatter)"),
)
_WHOLE = ("broadcast", "reduce", "send_recv")


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclRow:
    """One measured message."""

    size_bytes: int
    time_us: float
    algbw_gbytes_per_s: float
    busbw_gbytes_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclRun:
    """One table of a log: a collective on a group of ranks."""

    file: str
    collective: str
    ranks: int
    hosts: int | None
    """None where the log lists no ranks; so with `gpus_per_host`."""
    gpus_per_host: int | None
    device_names: tuple[str, ...]
    nccl_version: str
    rows: tuple[NcclRow, ...]
    notes: tuple[str, ...]
    """What was skipped, repaired or inferred, in sentences."""


@dataclass(slots=True)
class _Table:
    test: str = ""
    version: str = ""
    ranks: list[RankLine] = field(default_factory=list)
    rows: list[RawRow] = field(default_factory=list)


def _refuse(file: str, what: str, right: str = "") -> InputError:
    return InputError(file, [Fault("log", what, right)])


def _lines(path: Path) -> list[str]:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            limit = f"at most {MAX_BYTES // 2**20} MiB are read"
            raise _refuse(str(path), f"the log has {size // 2**20} MiB", limit)
        return path.read_bytes().decode("utf-8", errors="replace").splitlines()
    except OSError as error:
        raise _refuse(str(path), error.strerror or "cannot be read") from None


def _tables(lines: list[str], file: str) -> list[_Table]:
    """Return the tables of a log; each header or test name after rows begins another."""
    tables = [_Table()]
    for line in lines:
        name, row = tested_collective(line), parse_row(line)
        if (is_header(line) or name) and tables[-1].rows:
            last = tables[-1]
            tables.append(_Table(test=last.test, version=last.version, ranks=last.ranks))
        table = tables[-1]
        if name:
            table.test = name
        if version := library_version(line):
            table.version = version
        if rank := parse_rank(line):
            if rank.rank == 0 and table.ranks and not table.rows:
                table.ranks = []
            table.ranks.append(rank)
        elif row is not None:
            table.rows.append(row)
            if len(table.rows) > MAX_ROWS:
                raise _refuse(file, f"more than {MAX_ROWS} rows", "cut the log")
    return [table for table in tables if table.rows]


def _time_unit_us(rows: list[RawRow]) -> float:
    """Return microseconds in the log's unit of time, from the printed algorithm bandwidth."""
    votes = Counter[float]()
    for row in rows:
        time, algbw = row.values[0], row.values[1]
        if time and algbw and algbw >= 0.05:
            ratio = row.size_bytes / (algbw * 1e3) / time
            votes[1000.0 if ratio > 30.0 else 1.0] += 1
    return votes.most_common(1)[0][0] if votes else 1.0


def _ratio(rows: list[RawRow]) -> float | None:
    """Return busbw over algbw, from the rows where rounding matters least."""
    pairs = [(r.values[1], r.values[2]) for r in rows if r.values[1] and r.values[2]]
    pairs.sort(key=lambda pair: -(pair[0] or 0.0))
    shares = [busbw / algbw for algbw, busbw in pairs[:9] if algbw and busbw and algbw >= 0.5]
    return float(np.median(shares)) if shares else None


def _collective(table: _Table, file: str, asked: str | None, ratio: float | None) -> str:
    """Return the collective: as asked, as the log or the file's name says, or as the rows tell."""
    if asked:
        return asked
    if table.test:
        return _NAMES.get(table.test, table.test)
    stem = Path(file).name.lower()
    for name, pattern in _IN_FILE_NAMES:
        if re.search(pattern, stem):
            return name
    row = table.rows[-1]
    reducing = row.redop not in ("", "none")
    listed = len({line.rank for line in table.ranks})
    if reducing and row.root in (None, -1) and (ratio is None or ratio >= 1.0 or listed == 2):
        return "all_reduce"
    if reducing and ratio is not None and ratio < 1.0:
        return "reduce_scatter"
    right = "name it: all_gather, all_to_all, reduce_scatter, broadcast, reduce or send_recv"
    raise _refuse(file, "the log does not say which collective was measured", right)


def _ranks_by_ratio(collective: str, ratio: float | None) -> int | None:
    """Return the ranks that busbw over algbw tells, None if it tells nothing."""
    if ratio is None or collective in _WHOLE:
        return None
    gap = 2.0 - ratio if collective == "all_reduce" else 1.0 - ratio
    if gap <= 1e-4:
        return None
    ranks = (2.0 if collective == "all_reduce" else 1.0) / gap
    return round(ranks) if ranks >= 1.5 else None


def _ranks(table: _Table, file: str, collective: str, notes: list[str]) -> tuple[int, bool]:
    """Return the number of ranks and whether the log lists every one of them."""
    identifiers = {line.rank for line in table.ranks}
    told = _ranks_by_ratio(collective, _ratio(table.rows))
    complete = bool(identifiers) and identifiers == set(range(len(identifiers)))
    if complete:
        listed = len(identifiers)
        if told is not None and listed < 32 and told != listed:
            notes.append(
                f"the list has {listed} ranks, the bandwidths speak of {told}: {told} taken"
            )
            return told, False
        return listed, True
    if told is not None:
        if identifiers:
            notes.append(f"the list of ranks is cut; the bandwidths speak of {told} ranks")
        else:
            notes.append(f"no list of ranks; the bandwidths speak of {told} ranks")
        return told, False
    if identifiers:
        notes.append(f"the list of ranks is cut; {max(identifiers) + 1} ranks taken")
        return max(identifiers) + 1, False
    raise _refuse(file, "the number of ranks cannot be told", "keep the list of ranks in the log")


def _check_devices(table: _Table, file: str) -> None:
    """Refuse logs of one rank, and logs in which several ranks share one GPU."""
    if {line.rank for line in table.ranks} == {0} and not _ratio(table.rows):
        right = "run nccl-tests built with MPI=1, or with -g above 1"
        raise _refuse(file, "only one rank took part", right)
    seen: dict[tuple[str, int, str], int] = {}
    for line in table.ranks:
        key = (line.host, line.device, line.bus)
        if key in seen and seen[key] != line.rank and len({k.rank for k in table.ranks}) > 1:
            what = f"ranks {seen[key]} and {line.rank} share device {line.device} of {line.host}"
            raise _refuse(file, what, "give every rank a GPU of its own")
        seen[key] = line.rank


def _measured(table: _Table, file: str, notes: list[str]) -> tuple[NcclRow, ...]:
    unit = _time_unit_us(table.rows)
    if unit != 1.0:
        notes.append("times are printed in milliseconds")
    rows, masked, swapped = [], 0, 0
    for raw in table.rows:
        if raw.size_bytes == 0:
            continue
        time = raw.values[0]
        if not time or time <= 0 or raw.values[2] is None:
            masked += 1
            continue
        other = raw.values[4] if len(raw.values) > 4 else None
        algbw, busbw = raw.values[1] or 0.0, raw.values[2]
        factor = busbw / algbw if algbw > 0 else 0.0
        if other and 0.05 * time < other < 0.5 * time:
            time, swapped = other, swapped + 1
        time_us = time * unit
        exact = raw.size_bytes / time_us * 1e-3
        rows.append(
            NcclRow(
                size_bytes=raw.size_bytes,
                time_us=time_us,
                algbw_gbytes_per_s=exact,
                busbw_gbytes_per_s=exact * factor if factor else busbw,
            )
        )
    if masked:
        notes.append(f"{masked} rows without figures skipped")
    if swapped:
        notes.append(f"{swapped} rows took over twice as long out of place: in-place times taken")
    if not rows:
        raise _refuse(file, "its rows carry no figures", "give an unmasked log")
    fastest = max(row.busbw_gbytes_per_s for row in rows)
    if fastest > FASTEST_GBYTES_PER_S or fastest <= 0.0:
        what = f"its bus bandwidth of {fastest:.6g} GB/s is none that links carry"
        raise _refuse(file, what, "check that ranks were joined and did not copy to themselves")
    return tuple(rows)


def _is_local_copy(table: _Table) -> bool:
    """Return whether in-place runs do nothing: a rank that sends to itself."""
    pairs = [(r.values[0], r.values[4]) for r in table.rows if len(r.values) > 4]
    ratios = [b / a for a, b in pairs if a and b]
    return len(ratios) > 2 and float(np.median(ratios)) < 0.05


def _run(table: _Table, file: str, asked: str | None, told: int | None) -> NcclRun:
    notes: list[str] = []
    _check_devices(table, file)
    rows = _measured(table, file, notes)
    if _is_local_copy(table):
        raise _refuse(file, "ranks copied to themselves: in-place runs take no time")
    collective = _collective(table, file, asked, _ratio(table.rows))
    ranks, listed = (told, False) if told else _ranks(table, file, collective, notes)
    hosts = Counter(line.host for line in {k.rank: k for k in table.ranks}.values())
    return NcclRun(
        file=file,
        collective=collective,
        ranks=ranks,
        hosts=len(hosts) if listed else None,
        gpus_per_host=max(hosts.values()) if listed else None,
        device_names=tuple(sorted({line.name for line in table.ranks})),
        nccl_version=table.version,
        rows=rows,
        notes=tuple(notes),
    )


def read_nccl_log(
    path: Path, collective: str | None = None, ranks: int | None = None
) -> tuple[NcclRun, ...]:
    """Return every table of a log of nccl-tests or rccl-tests.

    Launcher prefixes, debug lines, both layouts of the columns (with and without ``root`` and
    ``redop``), missing in-place columns, cut rank lists and times in milliseconds are understood.

    Parameters
    ----------
    collective
        Which collective it is, where neither the log nor the file's name says.
    ranks
        How many ranks took part, where the log does not tell.

    Raises
    ------
    InputError
        With one sentence, if the log cannot be used.
    """
    lines = _lines(path)
    tables = _tables(lines, str(path))
    if any("count(elems)" in line for line in lines[:1000]):
        raise _refuse(str(path), "this is a log of nccom-test, not of nccl-tests", "it is not read")
    if not tables:
        right = "give the output of all_reduce_perf or one of its siblings"
        raise _refuse(str(path), "no row of nccl-tests is in it", right)
    return tuple(_run(table, str(path), collective, ranks) for table in tables)
