"""Constants of the collective cost model: validated figures, each with its source and status."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.json_file import read_json, validate
from planner.domain.resources import data_root

Status = Literal["sourced", "fitted", "unvalidated"]
ProtocolName = Literal["LL", "LL128", "Simple"]
Size = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Figure(_Frozen):
    """One figure; `status` says whether it is a published figure, a fit, or neither checked."""

    value: Size
    status: Status
    source: Annotated[str, Field(min_length=1, max_length=300)]


class ByProtocol(_Frozen):
    """A figure for each protocol."""

    LL: Figure
    LL128: Figure
    Simple: Figure

    def of(self, protocol: str) -> float:
        """Return the value for a protocol."""
        figure: Figure = getattr(self, protocol)
        return figure.value


class ArchitectureConstants(_Frozen):
    """What depends on the generation of the accelerator."""

    tuner_generation: Literal["volta", "ampere", "hopper", "blackwell"]
    """The column of NCCL's tuner tables that this generation is closest to."""
    launch_s: Figure
    """Fixed time of one collective call, seconds."""
    scale_up_efficiency: Figure
    """Share of the marketed scale-up rate that ring and tree sustain."""
    pairwise_efficiency: Figure
    """Share of the marketed scale-up rate that all-to-all and send/receive sustain."""
    nvls_efficiency: Figure
    """Share of the marketed rate that in-switch reduction sustains; 0 where there is none."""
    nvls_s: Figure
    """Fixed time of a collective reduced in the NVSwitch, seconds."""
    nvls_fill_rank_s: Figure
    """Pipeline fill per rank of the NVSwitch domain, counted as eight at least, seconds."""
    pcie_gen: Annotated[int, Field(ge=1, le=7)]
    """PCIe generation of the accelerator, where the wiring gives none."""
    ll_gbytes_per_s: Figure
    """Highest bus bandwidth of protocol LL, GB/s."""


class ScaleUpConstants(_Frozen):
    """What depends on how the GPUs of one host or domain are joined."""

    ring_hop_s: ByProtocol
    tree_hop_s: ByProtocol
    fill_hop_s: Figure
    """Pipeline fill of one hop with protocol Simple, seconds."""
    pcie_efficiency: Figure
    """Share of the raw PCIe rate that GPU to GPU copies sustain; 0 for links that are not PCIe."""
    link_efficiency: Figure
    """Factor on the architecture's efficiency for this way of joining; 0 for PCIe."""
    peer_s: Figure
    """Time to set up the exchange with one more peer of an all-to-all, seconds."""


class NetworkConstants(_Frozen):
    """What depends on the scale-out network."""

    efficiency: Figure
    """Share of the line rate that a well-run network leaves to the payload."""
    all_to_all_efficiency: Figure
    """Further factor for all-to-all, once per doubling of nodes: flows meet at each receiver."""
    ring_hop_s: ByProtocol
    tree_hop_s: ByProtocol
    fill_hop_s: Figure
    shared_nic_efficiency: Figure
    """Share of the NIC rate left where a host has fewer NICs than GPUs."""
    offset_s: Figure
    """Fixed time of a collective that leaves the host, seconds."""
    nic_gbytes_per_s: Figure
    """Highest rate of one NIC whatever its line rate, GB/s (processor-bound stacks)."""
    peer_s: Figure
    in_network_s: Figure
    """Time of one reduction inside the network (SHARP), seconds."""
    in_network_efficiency: Figure
    """Further share of the NICs' rate that a reduction inside the network sustains."""


class TunerGeneration(_Frozen):
    """Caps and speed lists of NCCL's tuner for one GPU generation (GB/s)."""

    planned_share: Annotated[float, Field(gt=0, le=1)]
    """Share of the marketed NVLink rate that NCCL's channel search plans with."""
    one_node_speeds: tuple[float, ...]
    many_node_speeds: tuple[float, ...]
    ll_max: float
    ring_ll128: tuple[float, float, float]
    tree_ll128: tuple[float, float, float]
    tree_max: tuple[float, float, float]
    nvls_tree: tuple[float, float, float]
    nvls_efficiency: float
    ring_simple_factor: float


class HopLatencies(_Frozen):
    """NCCL's latency per hop of one link kind, microseconds, LL / LL128 / Simple."""

    ring: tuple[float, float, float]
    tree: tuple[float, float, float]
    nvls: float
    nvls_tree: float
    collnet_direct: float
    collnet_chain: float
    pat: float


class TunerTables(_Frozen):
    """NCCL's own cost tables, with which it chooses algorithm and protocol."""

    source: str
    status: Status
    base_us_ring: tuple[float, float, float]
    base_us_tree: tuple[float, float, float]
    base_us_pat: float
    hops_us: dict[Literal["nvlink", "pcie", "network"], HopLatencies]
    post_overhead_us: float
    ll_max_many_nodes: tuple[float, float]
    tree_correction: dict[ProtocolName, tuple[float, ...]]
    generations: dict[Literal["volta", "ampere", "hopper", "blackwell"], TunerGeneration]
    pcie_gbytes_per_s: dict[str, float]
    pairwise_ll_bytes: float
    """Largest message to one peer that point-to-point transfers send with protocol LL, bytes."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for name, row in self.tree_correction.items():
            if len(row) != 24:
                raise ValueError(f"tree_correction {name} has {len(row)} entries; give 24")
        return self


class CollectiveConstants(_Frozen):
    """All constants of the collective cost model."""

    schema_version: Literal[1]
    payload_share: ByProtocol
    """Share of the link rate that carries payload, by protocol."""
    tree_efficiency: Figure
    """Bandwidth of the tree algorithm over that of the ring."""
    tree_ll_share: Figure
    """Share of the link rate that carries payload in trees with protocol LL."""
    nvls_slowdown_per_rank: Figure
    """Relative slowdown of NVSwitch reduction with each rank of the domain beyond eight."""
    nvls_tree_efficiency: Figure
    """Bandwidth of NVSwitch reduction joined by trees over the slower of its two parts."""
    pat_efficiency: Figure
    exchange_s: Figure
    """Fixed time of a group of point-to-point transfers beyond that of a call, seconds."""
    fill_bytes: Figure
    """Message per rank of a ring at which half of the pipeline fill is reached, bytes."""
    architectures: dict[str, ArchitectureConstants]
    scale_ups: dict[str, ScaleUpConstants]
    networks: dict[str, NetworkConstants]
    pcie_gbytes_per_s: dict[str, Figure]
    """Raw rate of 16 lanes by generation, GB/s, one direction."""
    nic_pcie_efficiency: Figure
    """Share of the raw PCIe rate that a transfer between GPU and NIC sustains."""
    cable_s_per_m: Figure
    tuner: TunerTables

    @model_validator(mode="after")
    def _has_unknown(self) -> Self:
        if "unknown" not in self.architectures:
            raise ValueError("architectures lacks 'unknown'; it stands in for unlisted ones")
        return self

    def architecture(self, name: str) -> ArchitectureConstants:
        """Return the constants of an architecture, those of `unknown` if it is not listed."""
        return self.architectures.get(name, self.architectures["unknown"])


def read_collective_constants(path: Path) -> CollectiveConstants:
    """Return the constants of a file; raises InputError naming every fault."""
    return validate(CollectiveConstants, read_json(path), str(path))


@lru_cache(maxsize=1)
def shipped_collective_constants() -> CollectiveConstants:
    """Return the constants that ship with the program."""
    return read_collective_constants(data_root() / "models" / "hardware" / "collectives.json")
