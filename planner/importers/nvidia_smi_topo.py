"""`nvidia-smi topo -m` as people paste it: tabs or spaces, colours, wrapped and glued cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from planner.domain.errors import Fault, InputError
from planner.importers.imported import Given, Imported, Notes
from planner.importers.server_wiring import MAX_DEVICES, PATHS, Device, Wiring, describe
from planner.importers.source import Source

KIND = "nvidia-smi-topo"
_CELL = re.compile(r"X|NV\d{1,3}|PIX|PXB|PHB|NODE|SYS|SOC")
_GLUED = re.compile(r"(?:NV\d{1,3}|PIX|PXB|PHB|NODE|SYS|SOC|X){1,40}")
_PREFIX = re.compile(r"^\s*(?:\[\d+(?:,\d+)?\]<std(?:out|err)>:|\d{1,5}:\s|[|>#$]+)\s?")
_GPU = re.compile(r"GPU\d{1,4}")
_DEVICE = re.compile(r"GPU\d{1,4}|NIC\d{1,4}|mlx\d+_\d+|ibp\S{1,20}|roce\S{1,20}|bnxt\S{1,20}|"
                     r"rdma\S{1,20}|irdma\S{0,20}|hfi\S{1,20}|eth\d+|en[a-z0-9]{2,20}")  # fmt: skip
_LEGEND = re.compile(r"^\s*(NIC\d{1,4})\s*:\s*(\S{1,60})")
_NUMA = re.compile(r"\d{1,4}(?:-\d{1,4})?")
_OTHERS = (
    (r"\b(OK|CNS|TNS|NS|GNS|DR)\b.{0,80}\bOK\b", "is the peer-to-peer matrix (topo -p2p)",
     "give the output of 'nvidia-smi topo -m'"),
    (r"NVIDIA-SMI\s+\d|Persistence-M|MIG M\.", "is nvidia-smi's status table",
     "give the output of 'nvidia-smi topo -m'"),
    (r"(?i)ROCm System Management|Weight between two GPUs|Hops between two GPUs",
     "is the output of rocm-smi", "give RCCL's topology (NCCL_TOPO_DUMP_FILE) as nccl-topology"),
    (r"(?i)NVIDIA System Management|Link \d+: \d+(\.\d+)? GB/s", "is the list of NVLinks of each GPU",
     "give the output of 'nvidia-smi topo -m'"),
    (r"(?i)command not found|NVIDIA-SMI has failed|couldn't communicate", "holds an error message",
     "run 'nvidia-smi topo -m' where the driver works"),
)  # fmt: skip


@dataclass(slots=True)
class _Matrix:
    """Cells by row and column, with what else the rows say."""

    columns: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    """Headings after the devices: CPU Affinity, NUMA Affinity, GPU NUMA ID."""
    cells: dict[tuple[str, str], str] = field(default_factory=dict)
    numa: dict[str, str] = field(default_factory=dict)
    legend: dict[str, str] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)


def read_nvidia_smi_topo(source: Source, given: Given) -> Imported:
    """Return the server that a matrix describes.

    Rows that are missing are completed by symmetry, glued cells are split, both with a warning.

    Raises
    ------
    InputError
        If there is no such matrix, or it contradicts itself.
    """
    del given
    notes = Notes(warnings=list(source.notes))
    matrix = _read(source, notes)
    _complete(matrix, source, notes)
    wiring = _wiring(matrix)
    return notes.imported(KIND, {"server.json": describe(wiring, notes)})


def _lines(source: Source) -> Iterator[str]:
    for line in source.lines():
        yield _PREFIX.sub("", line[:8000], count=1)


def _read(source: Source, notes: Notes) -> _Matrix:
    matrix = _Matrix()
    current: list[str] = []
    for line in _lines(source):
        legend = _LEGEND.match(line)
        tokens = line.replace("|", " ").split()
        if legend:
            matrix.legend[legend[1]] = legend[2]
        elif not tokens or tokens[0] == "Legend:" or tokens[:2] == ["X", "="]:
            _row(matrix, current, source, notes)
            current = []
        elif not matrix.columns:
            _header(matrix, tokens, source)
        elif tokens[0] in matrix.columns and _begins_row(tokens):
            _row(matrix, current, source, notes)
            current = tokens
        elif current:
            current += tokens[: 2 * MAX_DEVICES - len(current)]
        elif not matrix.rows:
            _header_continued(matrix, tokens)
    _row(matrix, current, source, notes)
    if not matrix.rows:
        raise _refusal(source)
    return matrix


def _refusal(source: Source) -> InputError:
    head = source.text[:20_000]
    for pattern, what, right in _OTHERS:
        if re.search(pattern, head):
            return source.refuse(what, right)
    return source.refuse("has no topology matrix", "give the output of 'nvidia-smi topo -m'")


def _begins_row(tokens: list[str]) -> bool:
    return len(tokens) > 1 and _GLUED.fullmatch(tokens[1]) is not None


def _header(matrix: _Matrix, tokens: list[str], source: Source) -> None:
    if "GPU0" not in tokens or any(_CELL.fullmatch(token) for token in tokens):
        return
    start = tokens.index("GPU0")
    words = iter(tokens[start:])
    for word in words:
        if not _DEVICE.fullmatch(word):
            matrix.extra = [word, *words]
            break
        matrix.columns.append(word)
    if len(matrix.columns) > MAX_DEVICES or len(set(matrix.columns)) != len(matrix.columns):
        raise source.refuse("names a device twice, or too many", "give one matrix")


def _header_continued(matrix: _Matrix, tokens: list[str]) -> None:
    """Take the rest of a header that a narrow terminal wrapped."""
    for place, word in enumerate(tokens):
        if not _DEVICE.fullmatch(word) or matrix.extra:
            matrix.extra += tokens[place:]
            return
        if len(matrix.columns) < MAX_DEVICES and word not in matrix.columns:
            matrix.columns.append(word)


def _row(matrix: _Matrix, tokens: list[str], source: Source, notes: Notes) -> None:
    if not tokens:
        return
    name, place, glued = tokens[0], 1, False
    cells: list[str] = []
    while place < len(tokens) and len(cells) < len(matrix.columns):
        token = tokens[place]
        if _CELL.fullmatch(token):
            cells.append(token)
        elif _GLUED.fullmatch(token):
            cells += _CELL.findall(token)
            glued = True
        elif token in ("OK", "CNS", "NS", "TNS", "GNS"):
            raise _refusal(source)
        else:
            break
        place += 1
    if glued:
        notes.warn(f"row {name}: cells stuck together were split")
    if len(cells) != len(matrix.columns):
        what = f"has {len(cells)} cells for {len(matrix.columns)} devices"
        raise InputError(
            source.name, [Fault(f"row {name}", what, "paste the whole matrix, unwrapped")]
        )
    if name in matrix.rows:
        raise InputError(source.name, [Fault(f"row {name}", "stands twice", "give one matrix")])
    matrix.rows.append(name)
    for column, cell in zip(matrix.columns, cells, strict=True):
        matrix.cells[name, column] = "SYS" if cell == "SOC" else cell
    _tail(matrix, name, tokens[place:])


def _tail(matrix: _Matrix, name: str, tail: list[str]) -> None:
    """Read the NUMA node after the cells: the CPU list before it may be empty."""
    headings = " ".join(matrix.extra)
    if "GPU NUMA ID" in headings and tail:
        tail = tail[:-1]
    if "NUMA Affinity" in headings and tail and _NUMA.fullmatch(tail[-1]):
        matrix.numa[name] = tail[-1]


def _complete(matrix: _Matrix, source: Source, notes: Notes) -> None:
    """Fill cells by symmetry and refuse contradictions."""
    faults = []
    for (row, column), cell in list(matrix.cells.items()):
        if (cell == "X") != (row == column):
            what = f"the cell under {column} is {cell}"
            faults.append(Fault(f"row {row}", what, "only a device's own cell is X"))
        other = matrix.cells.setdefault((column, row), cell)
        if other != cell and len(faults) < 20:
            what = f"{row} to {column} is {cell}, the other way {other}"
            faults.append(Fault(f"row {row}", what, "the matrix must be symmetric"))
    if faults:
        raise InputError(source.name, faults)
    gpus = [name for name in matrix.columns if _GPU.fullmatch(name)]
    absent = [name for name in gpus if name not in matrix.rows]
    if absent:
        notes.warn(f"the rows of {', '.join(absent)} are missing: what they share with others is "
                   "taken from the other rows, what they share among themselves is unknown")  # fmt: skip
        _guess(matrix, absent)


def _guess(matrix: _Matrix, absent: list[str]) -> None:
    """Give missing GPU pairs the links that all known pairs have, if they all agree."""
    known = {
        cell
        for (a, b), cell in matrix.cells.items()
        if _GPU.fullmatch(a) and _GPU.fullmatch(b) and a != b
    }
    if len(known) == 1:
        cell = known.pop()
        for a in absent:
            for b in absent:
                if a != b:
                    matrix.cells.setdefault((a, b), cell)


def _wiring(matrix: _Matrix) -> Wiring:
    gpus: list[Device] = []
    nics: list[Device] = []
    for name in matrix.columns:
        device = Device(
            name=name, numa=matrix.numa.get(name, ""), label=matrix.legend.get(name, "")
        )
        (gpus if _GPU.fullmatch(name) else nics).append(device)
    paths, links = {}, {}
    for pair, cell in matrix.cells.items():
        if cell in PATHS:
            paths[pair] = cell
        elif cell.startswith("NV"):
            links[pair] = int(cell[2:])
    each = max(links.values(), default=0)
    return Wiring(
        gpus=tuple(gpus),
        nics=tuple(nics),
        paths=paths,
        links=links,
        link_gbytes_per_s=25.0 if 0 < each <= 12 else None,  # NVLink 2 and 3; 18 is 4 or 5
    )
