"""Constants measured on a user's own machines, and how they change the shipped ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from planner.domain.json_file import read_json, validate
from planner.domain.physics_constants import (
    ArchitectureConstants,
    ByProtocol,
    CollectiveConstants,
    Figure,
    NetworkConstants,
    ScaleUpConstants,
)

Factor = Annotated[float, Field(gt=0.001, lt=1000, allow_inf_nan=False)]
Percent = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
_SOURCE = "calibrated to the user's own logs"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Residual(_Frozen):
    """One measurement beside what the calibrated model gives for it."""

    log: str
    collective: str
    ranks: Annotated[int, Field(ge=2)]
    bytes: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    measured_us: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    predicted_us: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    error_pct: Annotated[float, Field(allow_inf_nan=False)]


class CollectiveCalibration(_Frozen):
    """Factors on the constants of one level: inside a node, or between nodes.

    `latency_factor` multiplies times per call and hop, `bandwidth_factor` what the links sustain.
    """

    level: Literal["scale_up", "network"]
    architecture: str
    """The accelerators' generation; the factors of a network hold for every generation."""
    scale_up: str
    network: str
    latency_factor: Factor = 1.0
    bandwidth_factor: Factor = 1.0
    latency_fitted: bool
    bandwidth_fitted: bool
    """False where no message was long enough to show the bandwidth; the factor then is 1."""
    rows: Count
    bytes_min: float
    bytes_max: float
    ranks_min: Count
    ranks_max: Count
    error_before_pct: Percent
    """Median absolute error with the shipped constants."""
    error_after_pct: Percent
    p90_after_pct: Percent
    extrapolates: tuple[str, ...]
    """Where the calibrated model goes beyond what was measured, in sentences."""
    residuals: tuple[Residual, ...] = ()


class ComputeResidual(_Frozen):
    """One profile beside what the calibrated model gives for its job."""

    log: str
    strategy: str
    gpus: Annotated[int, Field(ge=1)]
    measured_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """Seconds of a step in which the profiled GPU computed."""
    predicted_s: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    error_pct: Annotated[float, Field(allow_inf_nan=False)]


class ComputeCalibration(_Frozen):
    """A factor on the time of every kernel of one family of jobs on one accelerator."""

    accelerator: str
    family: str
    factor: Factor
    networks: tuple[str, ...]
    error_before_pct: Percent
    """Median absolute error with the shipped constants."""
    error_after_pct: Percent
    extrapolates: tuple[str, ...]
    residuals: tuple[ComputeResidual, ...] = ()


class Calibration(_Frozen):
    """Everything fitted to a user's own measurements."""

    schema_version: Literal[1] = 1
    logs: tuple[str, ...] = ()
    collectives: tuple[CollectiveCalibration, ...] = ()
    compute: tuple[ComputeCalibration, ...] = ()


def read_calibration(path: Path) -> Calibration:
    """Return a calibration file's content; raises InputError naming every fault."""
    return validate(Calibration, read_json(path), str(path))


def _times(figure: Figure, factor: float, most: float = 1e15) -> Figure:
    value = min(figure.value * factor, most)
    return Figure(value=value, status="fitted", source=_SOURCE)


def _share(figure: Figure, factor: float) -> Figure:
    """Return an efficiency times a factor, never above what the link carries."""
    return figure if figure.value == 0 else _times(figure, factor, 1.0)


def _each(figures: ByProtocol, factor: float) -> ByProtocol:
    return ByProtocol(
        LL=_times(figures.LL, factor),
        LL128=_times(figures.LL128, factor),
        Simple=_times(figures.Simple, factor),
    )


def scaled_architecture(
    own: ArchitectureConstants, latency: float, bandwidth: float
) -> ArchitectureConstants:
    """Return an architecture's constants with its times and its shares of the links scaled."""
    return own.model_copy(
        update={
            "launch_s": _times(own.launch_s, latency),
            "nvls_s": _times(own.nvls_s, latency),
            "scale_up_efficiency": _share(own.scale_up_efficiency, bandwidth),
            "pairwise_efficiency": _share(own.pairwise_efficiency, bandwidth),
            "nvls_efficiency": _share(own.nvls_efficiency, bandwidth),
            "ll_gbytes_per_s": _times(own.ll_gbytes_per_s, bandwidth),
            "nvls_fill_rank_s": _times(own.nvls_fill_rank_s, 1.0 / bandwidth),
        }
    )


def scaled_scale_up(own: ScaleUpConstants, latency: float, bandwidth: float) -> ScaleUpConstants:
    """Return a scale-up kind's constants scaled; PCIe keeps its efficiency here."""
    return own.model_copy(
        update={
            "ring_hop_s": _each(own.ring_hop_s, latency),
            "tree_hop_s": _each(own.tree_hop_s, latency),
            "fill_hop_s": _times(own.fill_hop_s, 1.0 / bandwidth),
            "pcie_efficiency": _share(own.pcie_efficiency, bandwidth),
            "peer_s": _times(own.peer_s, latency),
        }
    )


def scaled_network(own: NetworkConstants, latency: float, bandwidth: float) -> NetworkConstants:
    """Return a network kind's constants scaled."""
    return own.model_copy(
        update={
            "efficiency": _share(own.efficiency, bandwidth),
            "nic_gbytes_per_s": _times(own.nic_gbytes_per_s, bandwidth),
            "ring_hop_s": _each(own.ring_hop_s, latency),
            "tree_hop_s": _each(own.tree_hop_s, latency),
            "fill_hop_s": _times(own.fill_hop_s, 1.0 / bandwidth),
            "offset_s": _times(own.offset_s, latency),
            "peer_s": _times(own.peer_s, latency),
            "in_network_s": _times(own.in_network_s, latency),
        }
    )


def with_factors(
    constants: CollectiveConstants,
    level: Literal["scale_up", "network"],
    kind: tuple[str, str, str],
    latency: float,
    bandwidth: float,
) -> CollectiveConstants:
    """Return the constants with one level scaled; `kind` is architecture, scale-up, network."""
    architecture, scale_up, network = kind
    if level == "network":
        own = constants.networks[network]
        networks = {**constants.networks, network: scaled_network(own, latency, bandwidth)}
        return constants.model_copy(update={"networks": networks})
    part = scaled_architecture(constants.architecture(architecture), latency, bandwidth)
    joined = scaled_scale_up(constants.scale_ups[scale_up], latency, bandwidth)
    return constants.model_copy(
        update={
            "architectures": {**constants.architectures, architecture: part},
            "scale_ups": {**constants.scale_ups, scale_up: joined},
        }
    )


def calibrated(constants: CollectiveConstants, calibration: Calibration) -> CollectiveConstants:
    """Return the shipped constants with a calibration's factors applied, innermost level first."""
    for part in sorted(calibration.collectives, key=lambda c: c.level == "network"):
        kind = (part.architecture, part.scale_up, part.network)
        constants = with_factors(
            constants, part.level, kind, part.latency_factor, part.bandwidth_factor
        )
    return constants
