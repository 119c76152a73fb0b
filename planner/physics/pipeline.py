"""How pipeline schedules spend a step: stages, micro-batches in flight, bubbles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.domain.network import Network
from planner.physics.strategies import GPIPE, INTERLEAVED, NO_PIPELINE, ZERO_BUBBLE, StrategyTable
from planner.physics.wiring import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """Layers of the stages; arrays of shape (strategies,)."""

    first: FloatArray
    middle: FloatArray
    """Layers of the fullest stage between the first and the last (0 with two stages or fewer)."""
    last: FloatArray

    @classmethod
    def of(cls, layers: int, table: StrategyTable) -> Stages:
        """Spread layers over stages; a remainder goes to the middle, then to the first stages."""
        pp = table.pp.astype(np.float64)
        base = np.floor(layers / pp)
        rest = layers - base * pp
        inner = np.maximum(pp - 2.0, 0.0)
        left = np.maximum(rest - inner, 0.0)
        return cls(
            first=base + np.where(left >= 1.0, 1.0, 0.0),
            middle=np.where(inner > 0.0, base + np.where(rest > 0.0, 1.0, 0.0), 0.0),
            last=base + np.where(left >= 2.0, 1.0, 0.0),
        )


def stage_layers(layers: int, pp: int) -> list[int]:
    """Return the layers of every stage, as `Stages.of` spreads them."""
    base, rest = divmod(layers, pp)
    inner = range(1, max(pp - 1, 1))
    fuller = [*inner, 0][:rest]
    return [base + (stage in fuller) for stage in range(pp)]


def counted_layers(layers: int, pp: int) -> int | None:
    """Return the layers that model chunks divide when a schedule interleaves, or None.

    Chunks hold the same number of layers. Where the layers do not divide over the stages, the
    loss, or embedding and loss, count as one layer each, so that the outer stages hold a layer
    less: Megatron Core's `account_for_embedding_in_pipeline_split` and
    `account_for_loss_in_pipeline_split`. So Llama 3 405B interleaves 126 layers over 16 stages
    (The Llama 3 Herd of Models, arXiv:2407.21783, section 3.3.2).
    """
    return next((count for count in range(layers, layers + 3) if count % pp == 0), None)


def dense_layers(network: Network, layers: FloatArray, *, first: bool) -> FloatArray:
    """Return how many of a stage's layers have a dense feed-forward, shape (strategies,).

    The leading dense layers of a network with experts lie in the first stage; after them one
    layer in `moe_layer_freq` has experts.
    """
    if not network.num_experts:
        return layers
    leading = np.minimum(layers, float(network.first_k_dense_replace)) if first else 0.0
    return leading + (layers - leading) * (1.0 - 1.0 / network.moe_layer_freq)


def in_flight(table: StrategyTable, micro_batches: FloatArray) -> FloatArray:
    """Return the micro-batches whose activations the first stage holds at once.

    GPipe holds all; 1F1B one per stage; interleaving 1 + (pp - 1) / (pp vpp) of that
    (Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3).
    """
    pp = table.pp.astype(np.float64)
    vpp = table.vpp.astype(np.float64)
    depth = np.where(table.schedule == INTERLEAVED, pp * (1.0 + (pp - 1.0) / (pp * vpp)), pp)
    held = np.where(table.schedule == GPIPE, micro_batches, np.minimum(depth, micro_batches))
    return np.where(table.schedule == NO_PIPELINE, 1.0, held)


def bubble_passes(table: StrategyTable) -> FloatArray:
    """Return (pp - 1) / vpp: the passes of a micro-batch that a stage waits for others."""
    return (table.pp - 1.0) / table.vpp


def bubble_weight_share(table: StrategyTable) -> FloatArray:
    """Return the share of the weight gradients that fills the bubble.

    Zero-bubble schedules of the memory of 1F1B move the weight gradients behind the warm-up
    (ZB-H1: Qi et al. 2023, arXiv:2401.10241), so each waiting pass is shorter by one of them.
    """
    return np.where(table.schedule == ZERO_BUBBLE, 1.0, 0.0)
