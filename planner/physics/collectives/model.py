"""Time of collectives: the choice of algorithm and protocol, and what that choice takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.domain.physics_constants import CollectiveConstants
from planner.physics.collectives import collnet, nvls, pairwise, pat, rings, trees
from planner.physics.collectives.cluster import Cluster, Line
from planner.physics.collectives.names import (
    ALGORITHMS,
    COLLECTIVES,
    COLLNET_CHAIN,
    COLLNET_DIRECT,
    LL,
    LL128,
    NVLS,
    NVLS_TREE,
    PAIRWISE,
    PAT,
    PCIE,
    PROTOCOLS,
    RING,
    TREE,
    candidate_pairs,
)
from planner.physics.collectives.tuner import Tuner
from planner.physics.wiring import FloatArray, Group, Wiring

Choice = Literal["tuner", "best"]
_BLOCK = 16384


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Times of collectives and what was chosen; arrays of the broadcast shape."""

    time_s: FloatArray
    algorithm: NDArray[np.int8]
    """Index into ALGORITHMS; -1 where nothing is sent or nothing is allowed."""
    protocol: NDArray[np.int8]


def _line(collective: str, algorithm: int, protocol: int, cluster: Cluster) -> Line:
    """Return the line of a pair; a ValueError names an algorithm that is not modelled."""
    if algorithm == RING:
        return rings.ring(collective, protocol, cluster)
    if algorithm == TREE:
        return trees.tree(protocol, cluster)
    if algorithm == NVLS:
        return nvls.nvls(collective, cluster)
    if algorithm == NVLS_TREE:
        return nvls.nvls_tree(cluster)
    if algorithm == PAT:
        return pat.pat(collective, cluster)
    if algorithm == COLLNET_DIRECT:
        return collnet.collnet_direct(cluster)
    if algorithm == COLLNET_CHAIN:
        return collnet.collnet_chain(cluster)
    exchange = pairwise.all_to_all if collective == "all_to_all" else pairwise.send_recv
    return exchange(protocol, cluster)


def _allowed(line: Line, protocol: int, cluster: Cluster) -> NDArray[np.bool_] | None:
    """Return where a pair may be used; None for everywhere."""
    allowed = line.allowed
    if protocol == LL128 and cluster.wiring.scale_up in PCIE:
        alone = cluster.span.within <= 0
        return alone if allowed is None else allowed & alone
    return allowed


def _pairwise_cost(
    protocol: int, size: FloatArray, cluster: Cluster, collective: str
) -> FloatArray:
    """Return an order of preference: LL up to NCCL's limit for one peer, Simple above."""
    per_peer = size / cluster.span.ranks if collective == "all_to_all" else size
    small = per_peer <= cluster.constants.tuner.pairwise_ll_bytes
    return np.where(small == (protocol == LL), 0.0, 1.0)


def _evaluate(
    collective: str,
    size: FloatArray,
    cluster: Cluster,
    pairs: list[tuple[int, int]],
    choice: Choice,
) -> Timing:
    shape = np.broadcast_shapes(size.shape, cluster.span.ranks.shape)
    time = np.full(shape, np.inf)
    cost = np.full(shape, np.inf)
    chosen = np.full(shape, -1, dtype=np.int8)
    tuner = Tuner.of(cluster) if choice == "tuner" and len(pairs) > 1 else None
    for index, (algorithm, protocol) in enumerate(pairs):
        line = _line(collective, algorithm, protocol, cluster)
        own = line.latency_s + size * line.s_per_byte
        if line.fill_s is not None and line.fill_bytes is not None:
            own = own + line.fill_s * (size / (size + line.fill_bytes))
        if tuner is None:
            rank = own
        elif algorithm == PAIRWISE:
            rank = _pairwise_cost(protocol, size, cluster, collective)
        else:
            rank = tuner.time_s(collective, algorithm, protocol, size)
        allowed = _allowed(line, protocol, cluster)
        better = rank < cost
        if allowed is not None:
            better &= allowed
        np.copyto(cost, rank, where=better)
        np.copyto(time, own, where=better)
        np.copyto(chosen, np.int8(index), where=better)
    algorithms = np.array([a for a, _ in pairs] + [-1], dtype=np.int8)
    protocols = np.array([p for _, p in pairs] + [-1], dtype=np.int8)
    idle = (size <= 0.0) | (cluster.span.ranks <= 1.0)
    chosen[np.broadcast_to(idle, shape)] = -1
    time[np.broadcast_to(idle, shape)] = 0.0
    return Timing(time_s=time, algorithm=algorithms[chosen], protocol=protocols[chosen])


def _check(collective: str, algorithm: str | None, protocol: str | None, choice: str) -> None:
    for value, known, what in (
        (collective, COLLECTIVES, "collective"),
        (algorithm, (None, *ALGORITHMS), "algorithm"),
        (protocol, (None, *PROTOCOLS), "protocol"),
        (choice, ("tuner", "best"), "choice"),
    ):
        if value not in known:
            raise ValueError(f"unknown {what} {value!r}; known are {known}")


def collective_time(
    collective: str,
    size_bytes: ArrayLike,
    group: Group,
    wiring: Wiring,
    *,
    constants: CollectiveConstants,
    algorithm: str | None = None,
    protocol: str | None = None,
    choice: Choice = "tuner",
) -> Timing:
    """Return the time of a collective, for arrays of messages and groups.

    Parameters
    ----------
    collective
        One of COLLECTIVES.
    size_bytes
        Message in bytes as nccl-tests counts it: the total array, of shape that broadcasts with
        the group's arrays.
    group
        Where the ranks sit.
    wiring
        How the GPUs are joined.
    constants
        Constants of the model.
    algorithm, protocol
        Names that force a choice, as NCCL_ALGO and NCCL_PROTO do.
    choice
        ``tuner`` takes what NCCL's own tables would choose and charges this model's time of it;
        ``best`` takes the fastest allowed.

    Returns
    -------
    Timing
        Zero seconds for zero bytes or one rank; infinite where no allowed algorithm remains.

    Raises
    ------
    ValueError
        For an unknown name.
    """
    _check(collective, algorithm, protocol, choice)
    size = np.asarray(size_bytes, dtype=np.float64)
    has_nvls = constants.architecture(wiring.architecture).nvls_efficiency.value > 0.0
    pairs = candidate_pairs(
        collective, wiring, has_nvls=has_nvls, algorithm=algorithm, protocol=protocol
    )
    fields = [np.asarray(getattr(group, name)) for name in Group.__slots__]
    shape = np.broadcast_shapes(size.shape, *(f.shape for f in fields))
    total = int(np.prod(shape, dtype=np.int64))
    if total <= _BLOCK:
        timing = _evaluate(collective, size, Cluster.of(group, wiring, constants), pairs, choice)
        return Timing(
            time_s=np.broadcast_to(timing.time_s, shape),
            algorithm=np.broadcast_to(timing.algorithm, shape),
            protocol=np.broadcast_to(timing.protocol, shape),
        )
    return _in_blocks(collective, size, fields, shape, wiring, constants, pairs, choice)


def _in_blocks(
    collective: str,
    size: FloatArray,
    fields: list[NDArray[np.int64]],
    shape: tuple[int, ...],
    wiring: Wiring,
    constants: CollectiveConstants,
    pairs: list[tuple[int, int]],
    choice: Choice,
) -> Timing:
    """Evaluate in blocks that stay in the processor's cache."""
    total = int(np.prod(shape, dtype=np.int64))
    time = np.empty(total)
    algorithm = np.empty(total, dtype=np.int8)
    protocol = np.empty(total, dtype=np.int8)
    single = all(field.size == 1 for field in fields)
    sizes = np.broadcast_to(size, shape).reshape(-1)
    flat = [f.reshape(-1) if single else np.broadcast_to(f, shape).reshape(-1) for f in fields]
    cluster = None
    for start in range(0, total, _BLOCK):
        part = slice(start, min(start + _BLOCK, total))
        if not single or cluster is None:
            arrays = [f if single else f[part] for f in flat]
            group = Group(**dict(zip(Group.__slots__, arrays, strict=True)))
            cluster = Cluster.of(group, wiring, constants)
        timing = _evaluate(collective, sizes[part], cluster, pairs, choice)
        time[part], algorithm[part] = timing.time_s, timing.algorithm
        protocol[part] = timing.protocol
    return Timing(
        time_s=time.reshape(shape),
        algorithm=algorithm.reshape(shape),
        protocol=protocol.reshape(shape),
    )
