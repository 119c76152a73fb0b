"""The environment that lets NCCL use the fabric as it was planned."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.solution import Solution


def nccl_env_text(solution: Solution) -> str:
    """Return export lines with a comment each.

    Only what follows from the design is set; NCCL's own choice of algorithm and protocol is left
    alone unless the answer rests on the best choice.
    """
    return "\n".join(_lines(solution)) + "\n"


def _lines(solution: Solution) -> Iterator[str]:
    design = solution.design
    if design is None:
        yield "# no design: nothing to set"
        return
    fabric = design.fabric
    yield f"# {design.nodes} x {design.platform.model}, {fabric.family}, {fabric.topology}"
    yield "export NCCL_DEBUG=WARN"
    if fabric.family == "none":
        yield "# one server alone: no network"
        return
    if fabric.family == "ethernet":
        yield "# plain TCP: no RDMA device is used"
        yield "export NCCL_IB_DISABLE=1"
        return
    rails = fabric.topology in (
        "rail_optimised",
        "rail_only",
        "rack_rails",
        "joined_pair",
        "three_tier",
    )
    yield "# rails: a NIC speaks to the same NIC of other servers (2 lets NCCL cross rails)"
    yield f"export NCCL_CROSS_NIC={0 if rails else 2}"
    if rails:
        yield "# all-to-all moves over NVLink to the GPU on the right rail first"
        yield "export NCCL_PXN_DISABLE=0"
    if fabric.family == "roce":
        yield "# RoCE v2: check the index with show_gids; the traffic class must match the switches"
        yield "export NCCL_IB_GID_INDEX=3"
        yield "export NCCL_IB_TC=106"
    if solution.instance.tuner == "best":
        yield "# the plan assumes the best algorithm for each collective, not the tuner's choice:"
        chosen = sorted({(u.collective, u.algorithm, u.protocol)
                         for w in solution.workloads for u in w.collectives})  # fmt: skip
        for collective, algorithm, protocol in chosen:
            yield f"#   {collective}: {algorithm}, {protocol}"
