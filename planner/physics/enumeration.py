"""All strategies worth running for a job on some nodes, in blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import prod
from typing import Any

import numpy as np

from planner.domain.strategy import DEFAULT_ORDER
from planner.physics.job import Job
from planner.physics.pipeline import counted_layers
from planner.physics.strategies import Mask, StrategyTable, concatenate, encode
from planner.physics.wiring import Wiring

BLOCK_ROWS = 1 << 16
"""Rows of one block: its columns and times stay within some tens of megabytes."""

LEAST_CONTEXT = 4096
"""Tokens that each rank keeps when a sequence is split over context-parallel ranks by default."""

_COLUMNS = tuple(f.name for f in fields(StrategyTable))


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyOptions:
    """Choices that are pinned (`fix`) or left out (`forbid`), by column of the table.

    Each maps a column to the values meant, numbers or names. A pinned column is searched over
    exactly the values given, even such as are not searched by default.
    """

    fix: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    forbid: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse columns that no strategy has (`nodes` is the caller's)."""
        for column in (*self.fix, *self.forbid):
            if column not in (*_COLUMNS, "nodes"):
                raise ValueError(f"unknown choice {column!r}; known are {', '.join(_COLUMNS)}")

    def values(self, column: str, default: Sequence[Any]) -> list[Any]:
        """Return the values of a column to search, in order and without repeats."""
        wanted = list(dict.fromkeys(self.fix.get(column, default)))
        banned = set(self.forbid.get(column, ()))
        return [value for value in wanted if value not in banned]


def divisors(number: int) -> list[int]:
    """Return the divisors of a positive number, ascending."""
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return small + [number // d for d in reversed(small) if d * d != number]


def enumerate_strategies(
    job: Job, nodes: int, wiring: Wiring, options: StrategyOptions | None = None
) -> StrategyTable:
    """Return all strategies that use every GPU of some nodes, feasible in memory or not.

    Without options: tp divides the heads and stays inside the scale-up domain (or host); vpp
    divides the layers of a stage, of uneven stages as `pipeline.counted_layers` counts them;
    ZeRO-2 and ZeRO-3 go without a pipeline; cp leaves each rank 4,096 tokens; ep divides the
    experts and etp is 1 or tp.
    """
    blocks = list(strategy_blocks(job, nodes, wiring, options))
    if not blocks:
        return StrategyTable.of([])
    return concatenate(blocks)


def strategy_blocks(
    job: Job,
    nodes: int,
    wiring: Wiring,
    options: StrategyOptions | None = None,
    rows: int = BLOCK_ROWS,
) -> Iterator[StrategyTable]:
    """Yield the same strategies in blocks of about `rows`, always in the same order."""
    chosen = options or StrategyOptions()
    held: list[StrategyTable] = []
    count = 0
    for degrees in _degrees(job, nodes * wiring.host_gpus, wiring, chosen):
        part = _fill(job, degrees, chosen)
        if part is None:
            continue
        held.append(part)
        count += len(part)
        if count >= rows:
            yield concatenate(held)
            held, count = [], 0
    if held:
        yield concatenate(held)


def _degrees(
    job: Job, gpus: int, wiring: Wiring, options: StrategyOptions
) -> Iterator[dict[str, int]]:
    """Yield the parallel degrees that multiply to all GPUs and divide the batch."""
    network = job.network
    if not network.sequential:
        yield from _replicated(job, gpus, options)
        return
    near = max(wiring.domain_gpus, wiring.host_gpus)
    heads = network.num_attention_heads
    tps = [d for d in divisors(gpus) if d <= near and heads % d == 0]
    for tp in options.values("tp", tps):
        if gpus % tp:
            continue
        pps = [d for d in divisors(gpus // tp) if d <= network.num_hidden_layers]
        for pp in options.values("pp", pps):
            if (gpus // tp) % pp or pp > network.num_hidden_layers:
                continue
            for cp in options.values("cp", _contexts(job, gpus // tp // pp)):
                if (gpus // tp // pp) % cp:
                    continue
                dp = gpus // (tp * pp * cp)
                if job.global_batch % dp == 0 and options.values("dp", [dp]) == [dp]:
                    yield {"tp": tp, "pp": pp, "cp": cp, "dp": dp}


def _replicated(job: Job, gpus: int, options: StrategyOptions) -> Iterator[dict[str, int]]:
    """Yield the one layout of networks that are not split: a replica per GPU."""
    wanted = {"tp": 1, "pp": 1, "cp": 1, "dp": gpus}
    if job.global_batch % gpus == 0 and all(
        options.values(name, [value]) == [value] for name, value in wanted.items()
    ):
        yield wanted


def _fill(job: Job, degrees: dict[str, int], options: StrategyOptions) -> StrategyTable | None:
    """Return all strategies with some degrees, or None."""
    micro = options.values("micro_batch", divisors(job.global_batch // degrees["dp"]))
    choices = {
        "micro_batch": [b for b in micro if job.global_batch % (b * degrees["dp"]) == 0],
        "sharding": _shardings(job, degrees, options),
        "recompute": options.values("recompute", _recomputes(job)),
        "sequence_parallel": options.values("sequence_parallel", [degrees["tp"] > 1]),
        "precision": options.values("precision", [job.precision]),
        "offload": options.values("offload", ["none"]),
        "rank_order": options.values("rank_order", [DEFAULT_ORDER]),
        "ep": options.values("ep", divisors(max(job.network.num_experts, 1))),
        "etp": options.values("etp", _expert_tensors(job, degrees)),
        "pipeline": _pipelines(job, degrees, options),
    }
    if not all(choices.values()):
        return None
    return _grid(job, degrees, choices)


def _contexts(job: Job, ranks: int) -> list[int]:
    """Return context-parallel degrees that leave each rank a long enough part of the sequence."""
    longest = job.sequence_length // LEAST_CONTEXT
    return [d for d in divisors(ranks) if d == 1 or (d <= longest and not longest % d)]


def _expert_tensors(job: Job, degrees: dict[str, int]) -> list[int]:
    return sorted({1, degrees["tp"]}) if job.network.num_experts else [1]


def _recomputes(job: Job) -> list[str]:
    if not job.network.sequential:
        return ["none"]
    return ["none", "selective", "full"]


def _shardings(
    job: Job, degrees: dict[str, int], options: StrategyOptions
) -> list[tuple[str, int]]:
    """Return pairs of sharding and shard group."""
    ranks = degrees["dp"] * degrees["cp"]
    default = ["ddp"] if ranks == 1 else ["ddp", "zero1"]
    if ranks > 1 and degrees["pp"] == 1 and job.network.sequential:
        default += ["zero2", "zero3"]
    pairs = []
    for name in options.values("sharding", default):
        groups = options.values("shard_group", _groups(ranks)) if name == "hsdp" else [1]
        pairs += [(name, group) for group in groups]
    return pairs


def _groups(ranks: int) -> list[int]:
    return [d for d in divisors(ranks) if 1 < d < ranks]


def _pipelines(
    job: Job, degrees: dict[str, int], options: StrategyOptions
) -> list[tuple[str, int]]:
    """Return pairs of schedule and chunks per stage."""
    pp = degrees["pp"]
    counted = counted_layers(job.network.num_hidden_layers, pp)
    default = ["none"] if pp == 1 else ["1f1b", "interleaved"]
    pairs = []
    for name in options.values("schedule", default):
        if (name == "none") != (pp == 1):
            continue
        if name != "interleaved":
            pairs += [(name, 1)] if options.values("vpp", [1]) == [1] else []
        elif counted:
            chunks = options.values("vpp", divisors(counted // pp))
            pairs += [(name, v) for v in chunks if v > 1 and (counted // pp) % v == 0]
    return pairs


_PAIRS = {"sharding": ("sharding", "shard_group"), "pipeline": ("schedule", "vpp")}
"""Choices that set two columns at once."""


def _grid(job: Job, degrees: dict[str, int], choices: dict[str, list[Any]]) -> StrategyTable | None:
    """Return the product of all choices as columns, the last choice varying fastest."""
    size = prod(len(values) for values in choices.values())
    cells = np.empty((len(_COLUMNS), size), dtype=np.int32)
    columns = dict(zip(_COLUMNS, cells, strict=True))
    for name, value in degrees.items():
        columns[name][:] = value
    inner = size
    for choice, values in choices.items():
        inner //= len(values)
        names = _PAIRS.get(choice, (choice,))
        rows = values if choice in _PAIRS else [(value,) for value in values]
        for place, name in enumerate(names):
            codes = [encode(name, row[place]) for row in rows]
            if len(codes) == 1:
                columns[name][:] = codes[0]
            else:
                blocks = columns[name].reshape(-1, len(codes), inner)
                blocks[:] = np.array(codes, dtype=np.int32)[:, None]
    table = StrategyTable(**columns)
    keep = _runnable(job, table)
    if keep.all():
        return table
    return table.take(np.flatnonzero(keep)) if keep.any() else None


def _runnable(job: Job, table: StrategyTable) -> Mask:
    """Interleaving runs micro-batches in rounds of pp; experts must divide evenly."""
    micro = job.global_batch // (table.dp.astype(np.int64) * table.micro_batch)
    keep: Mask = (table.vpp == 1) | (micro % table.pp == 0)
    experts = max(job.network.num_experts, 1)
    inside = table.dp.astype(np.int64) * table.cp * table.tp
    keep &= (experts % table.ep == 0) & (inside % (table.ep * table.etp) == 0)
    return keep
