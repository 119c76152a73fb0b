"""Where the ranks of each group sit, from the rank order and the wiring's levels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.domain.strategy import RANK_ORDERS
from planner.physics.strategies import HSDP, StrategyTable
from planner.physics.wiring import Group, IntArray, Wiring

Dimensions = tuple[str, ...]

DENSE_DIMENSIONS = ("tp", "cp", "shard", "replica", "pp")
"""Dimensions of the grid on which everything but experts is laid out; dp = shard x replica."""
EXPERT_DIMENSIONS = ("etp", "ep", "edp", "pp")
"""Dimensions of the grid on which experts are laid out; edp replicates an expert."""


def expert_replicas(table: StrategyTable) -> IntArray:
    """Return the ranks that hold the same expert shard (edp)."""
    inside = table.tp.astype(np.int64) * table.cp * table.dp
    return np.maximum(inside // (table.ep.astype(np.int64) * table.etp), 1)


def shard_ranks(table: StrategyTable) -> IntArray:
    """Return the ranks over which sharding spreads dense tensors: dp x cp, less under HSDP."""
    every = table.dp.astype(np.int64) * table.cp
    return np.where(table.sharding == HSDP, np.minimum(table.shard_group, every), every)


def _sizes(table: StrategyTable) -> dict[str, IntArray]:
    names = ("tp", "cp", "pp", "ep", "etp")
    sizes: dict[str, IntArray] = {name: getattr(table, name).astype(np.int64) for name in names}
    sizes["edp"] = expert_replicas(table)
    sizes["shard"] = np.maximum(shard_ranks(table) // sizes["cp"], 1)
    sizes["replica"] = np.maximum(table.dp // sizes["shard"], 1)
    return sizes


def _order(order: str, expert: bool) -> list[str]:
    """Return the dimensions of one grid from the innermost outwards."""
    names = order.split("-")
    if not expert:
        inner: list[str] = []
        for name in names:
            inner += ["shard", "replica"] if name == "dp" else [name] if name != "ep" else []
        return inner
    swap = {"tp": "etp", "dp": "edp"}
    return [swap.get(name, name) for name in names if name != "cp"]


def _strides(table: StrategyTable, expert: bool) -> tuple[dict[str, IntArray], dict[str, IntArray]]:
    """Return size and stride of every dimension of one grid, arrays of shape (strategies,)."""
    sizes = _sizes(table)
    names = EXPERT_DIMENSIONS if expert else DENSE_DIMENSIONS
    strides = {name: np.ones(len(table), dtype=np.int64) for name in names}
    for code in np.unique(table.rank_order):
        rows = table.rank_order == code
        stride = np.ones(int(rows.sum()), dtype=np.int64)
        for name in _order(RANK_ORDERS[code], expert):
            strides[name][rows] = stride
            stride = stride * sizes[name][rows]
    return sizes, strides


def _inside(size: IntArray, stride: IntArray, block: int, gpus: IntArray) -> IntArray:
    """Return how many members of one dimension lie in an aligned block of GPUs.

    Where groups straddle blocks the worst group counts; a job of no more GPUs than a block lies
    in one block, so nothing of it straddles.
    """
    reach = size * stride
    aligned = block % np.maximum(reach, 1) == 0
    whole = ((reach <= block) & aligned) | (gpus <= block)
    room = np.maximum(block // stride, 1)
    part = np.where(block % stride == 0, np.gcd(size, room), 1)
    return np.where(whole, size, np.where(stride >= block, 1, part))


def _blocks(wiring: Wiring) -> tuple[int, int, int, int]:
    leaf = wiring.hosts_per_leaf * wiring.host_gpus
    return wiring.domain_gpus, wiring.host_gpus, leaf, wiring.hosts_per_pod * wiring.host_gpus


def _dealt(ranks: IntArray, gpus: IntArray, wiring: Wiring) -> Group:
    """Return groups whose ranks are dealt over domains, hosts, leafs and pods by turns.

    Of r ranks over b blocks max(1, floor(r / b)) share one: as few of a group meet as can be.
    """
    counts = []
    for block in _blocks(wiring):
        blocks = np.maximum(-(-gpus // block), 1)
        counts.append(np.maximum(ranks // blocks, 1))
    domain, host, leaf, pod = counts
    host = np.minimum(host, wiring.host_gpus)
    return Group(
        ranks=ranks,
        per_domain=np.minimum(domain, wiring.domain_gpus),
        per_host=host,
        nic_sharing=np.maximum(np.minimum(wiring.host_gpus, gpus) // host, 1),
        per_leaf=np.maximum(leaf, host),
        per_pod=np.maximum(pod, np.maximum(leaf, host)),
    )


def group_over(table: StrategyTable, dimensions: Dimensions, wiring: Wiring) -> Group:
    """Return the groups that span some dimensions, arrays of shape (strategies,).

    Parameters
    ----------
    dimensions
        Names of one grid: DENSE_DIMENSIONS or EXPERT_DIMENSIONS.
    """
    expert = any(name in ("etp", "ep", "edp") for name in dimensions)
    sizes, strides = _strides(table, expert)
    ones = np.ones(len(table), dtype=np.int64)
    gpus = _gpus(table)
    ranks = ones.copy()
    counts: list[NDArray[np.int64]] = [ones.copy() for _ in range(4)]
    for name in dimensions:
        ranks = ranks * sizes[name]
        for index, block in enumerate(_blocks(wiring)):
            counts[index] = counts[index] * _inside(sizes[name], strides[name], block, gpus)
    if wiring.dealt:
        return _dealt(ranks, gpus, wiring)
    domain, host, leaf, pod = counts
    present = np.minimum(wiring.host_gpus, gpus)
    return Group(
        ranks=ranks,
        per_domain=domain,
        per_host=host,
        nic_sharing=np.maximum(present // host, 1),
        per_leaf=np.maximum(leaf, host),
        per_pod=np.maximum(pod, np.maximum(leaf, host)),
    )


def neighbour_pair(table: StrategyTable, wiring: Wiring, dimension: str = "pp") -> Group:
    """Return the pairs of neighbours along a dimension (pp or cp); the farthest pair counts."""
    sizes, strides = _strides(table, expert=False)
    if wiring.dealt:
        pair = np.minimum(sizes[dimension], 2)
        return _dealt(pair, _gpus(table), wiring)
    reach = sizes[dimension] * strides[dimension]
    near = [np.where(reach <= block, 2, 1).astype(np.int64) for block in _blocks(wiring)]
    domain, host, leaf, pod = near
    return Group(
        ranks=np.where(sizes[dimension] > 1, 2, 1).astype(np.int64),
        per_domain=domain,
        per_host=host,
        nic_sharing=np.maximum(np.minimum(strides[dimension], wiring.host_gpus), 1),
        per_leaf=leaf,
        per_pod=pod,
    )


def _gpus(table: StrategyTable) -> IntArray:
    return table.tp.astype(np.int64) * table.cp * table.dp * table.pp
