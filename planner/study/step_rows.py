"""Rows of measured training steps, mapped onto jobs and strategies before anything is predicted."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.catalog import Catalog
from planner.domain.strategy import (
    OFFLOADS,
    PRECISIONS,
    RECOMPUTES,
    SCHEDULES,
    SHARDINGS,
    Strategy,
)
from planner.physics.job import OPTIMIZER_STATES, PRECISION_BYTES, Job
from planner.physics.machine import Machine
from planner.physics.wiring import Wiring
from planner.study.row_cells import UnmappedRowError, choice, flag, integer, number, optional
from planner.study.row_machine import machine_of, wiring_of
from planner.study.row_network import row_network
from planner.study.row_reading import fitting

REQUIRED = (
    "family", "layers", "hidden", "accelerator", "gpus", "gpus_per_node", "global_batch",
    "micro_batch", "tp", "pp", "dp", "measured_step_time_s",
)  # fmt: skip
"""Columns without which no row can be mapped."""

COLUMNS = (
    "src_key", "model", "ffn_hidden", "heads", "kv_heads", "vocab", "seq_len", "gated_ffn",
    "tied_embeddings", "attention", "flash", "moe_experts", "moe_topk", "moe_shared_experts",
    "moe_ffn_hidden", "first_dense_layers", "mla", "scale_up", "scale_up_gbytes_per_s",
    "nics_per_node", "nic_gbps", "network", "cp", "ep", "etp", "vpp", "schedule", "sharding",
    "shard_group", "offload", "recompute", "sequence_parallel", "precision", "gradient_dtype",
    "overlap_grad", "overlap_param", "compile", "optimizer", "peak_memory_gib", "usable",
    "why_not", "defaults_used", "source",
)  # fmt: skip
"""Further columns; a missing one reads as blank."""

DECISIVE = ("network", "recompute", "sharding", "precision", "vpp", "micro_batch")
"""Cells whose guess decides the step time: rows that guess none of them are the strict ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One measured step as the model takes it."""

    index: int
    """Place of the row in the file, from 0."""
    family: str
    source: str
    platform: str
    strict: bool
    """True where no decisive cell was filled from general knowledge."""
    job: Job
    machine: Machine
    wiring: Wiring
    nodes: int
    strategy: Strategy
    step_time_s: float
    peak_memory_gib: float | None


def map_row(index: int, row: dict[str, str], catalog: Catalog) -> StepRow:
    """Return a row as the model takes it.

    Raises
    ------
    UnmappedRowError
        With the reason; nothing has been predicted then.
    """
    cells = dict.fromkeys(COLUMNS, "") | row
    if cells["usable"] and not flag(cells, "usable"):
        why = cells["why_not"].partition(";")[0].partition(" of ")[0].strip()
        raise UnmappedRowError(f"not usable: {why[:80] or 'no reason given'}")
    seconds = number(cells, "measured_step_time_s", least=1e-6)
    machine = machine_of(catalog, cells["accelerator"])
    pcie = catalog.accelerator(cells["accelerator"]).pcie_gen or 4
    wiring, nodes = wiring_of(cells, machine, pcie)
    strategy = _strategy(cells)
    guessed = set(cells["defaults_used"].split(";"))
    job = _job(cells, strategy, wiring.domain_gpus)
    if strategy.gpus != integer(cells, "gpus"):
        raise UnmappedRowError("dp x tp x pp x cp is not gpus")
    job, strategy = fitting(job, strategy, machine, guessed)
    peak = cells["peak_memory_gib"]
    return StepRow(
        index=index,
        family=job.network.family,
        source=cells["src_key"] or cells["source"].partition(",")[0] or "unnamed",
        platform=f"{cells['accelerator']}-{wiring.scale_up}-{wiring.network}",
        strict=not guessed & set(DECISIVE),
        job=job,
        machine=machine,
        wiring=wiring,
        nodes=nodes,
        strategy=strategy,
        step_time_s=seconds,
        peak_memory_gib=float(peak) if peak else None,
    )


def _strategy(row: dict[str, str]) -> Strategy:
    pp, tp = integer(row, "pp"), integer(row, "tp")
    vpp = int(optional(row, "vpp", 1))
    usual = "none" if pp == 1 else "interleaved" if vpp > 1 else "1f1b"
    try:
        return Strategy(
            tp=tp,
            pp=pp,
            vpp=vpp,
            cp=int(optional(row, "cp", 1)),
            ep=int(optional(row, "ep", 1)),
            etp=int(optional(row, "etp", 1)),
            dp=integer(row, "dp"),
            micro_batch=integer(row, "micro_batch"),
            sharding=choice(row, "sharding", SHARDINGS, "ddp"),
            shard_group=int(optional(row, "shard_group", 1)),
            recompute=choice(row, "recompute", RECOMPUTES, "none"),
            sequence_parallel=flag(row, "sequence_parallel") and tp > 1,
            schedule=choice(row, "schedule", SCHEDULES, usual),
            precision=choice(row, "precision", PRECISIONS, "bf16"),
            offload=choice(row, "offload", OFFLOADS, "none"),
        )
    except ValueError as error:
        raise UnmappedRowError(str(error).splitlines()[0][:100]) from None


def _job(row: dict[str, str], strategy: Strategy, domain: int) -> Job:
    """Return the job; a blank overlap reads as what the framework of that sharding does.

    Experts that exchange beyond the scale-up domain of `domain` GPUs do so behind another
    micro-batch where Megatron Core can (interleaved stages, overlap on).
    """
    network = row_network(row)
    flash = flag(row, "flash")
    optimizer = choice(row, "optimizer", tuple(OPTIMIZER_STATES), "adam")
    sharded = strategy.sharding in ("zero2", "zero3", "hsdp")
    batch = integer(row, "global_batch")
    if batch % (strategy.dp * strategy.micro_batch):
        raise UnmappedRowError("global_batch is no multiple of dp x micro_batch")
    classic = not network.gated and network.position_embedding == "learned"
    gradient = row["gradient_dtype"] or ("fp32" if strategy.precision == "fp32" else "bf16")
    plain = sharded or network.family == "encoder"
    narrow = strategy.precision not in ("bf16", "fp16")
    compiled = flag(row, "compile")
    beyond = strategy.ep > 1 and strategy.ep * strategy.tp > domain
    known = "precision" not in row["defaults_used"].split(";")
    accumulated = known and strategy.precision == "bf16" and gradient == "fp32"
    return Job(
        network=network,
        sequence_length=int(optional(row, "seq_len", 1)),
        global_batch=batch,
        precision=strategy.precision,
        gradient_bytes=PRECISION_BYTES.get(gradient, 4.0),
        optimizer=optimizer,
        flash_attention=flash,
        gradient_copy_bytes=2.0 * (classic and strategy.sharding == "zero1" and accumulated),
        fused=not plain or compiled or narrow,
        vendor_attention=not plain or compiled or (narrow and not classic),
        captured=compiled or not network.sequential,
        dropout=classic and not flash,
        overlap_grad=flag(row, "overlap_grad", default=sharded),
        overlap_param=flag(row, "overlap_param", default=sharded),
        overlap_gather=strategy.precision != "fp16",
        overlap_tp="full" if flag(row, "overlap_param") else "backward",
        overlap_pp=flag(row, "overlap_param"),
        overlap_ep=beyond and strategy.vpp > 1 and flag(row, "overlap_param"),
    )
