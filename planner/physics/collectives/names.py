"""Names of collectives, algorithms and protocols, and which pairs NCCL allows."""

from __future__ import annotations

from planner.physics.wiring import Wiring

COLLECTIVES = (
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "send_recv",
)  # fmt: skip
ALGORITHMS = (
    "ring", "tree", "nvls", "nvls_tree", "collnet_direct", "collnet_chain", "pat", "pairwise",
)  # fmt: skip
PROTOCOLS = ("LL", "LL128", "Simple")

RING, TREE, NVLS, NVLS_TREE, COLLNET_DIRECT, COLLNET_CHAIN, PAT, PAIRWISE = range(8)
LL, LL128, SIMPLE = range(3)

SWITCHED = ("nvswitch", "nvl72")
PCIE = ("pcie_host", "pcie_p2p", "none")
MESHES = ("nvlink_mesh", "xgmi")
GATHERING = ("all_gather", "reduce_scatter")

_BY_COLLECTIVE = {
    "all_reduce": (RING, TREE, NVLS, NVLS_TREE, COLLNET_DIRECT, COLLNET_CHAIN),
    "all_gather": (RING, NVLS, PAT),
    "reduce_scatter": (RING, NVLS, PAT),
    "broadcast": (RING,),
    "reduce": (RING,),
    "all_to_all": (PAIRWISE,),
    "send_recv": (PAIRWISE,),
}
_THREE = (LL, LL128, SIMPLE)


def candidate_pairs(
    collective: str, wiring: Wiring, *, has_nvls: bool, algorithm: str | None, protocol: str | None
) -> list[tuple[int, int]]:
    """Return the (algorithm, protocol) pairs to consider on a wiring, before a group is known.

    NVSwitch algorithms, SHARP algorithms and pairwise transfers have no LL128; LL128 needs NVLink
    (NCCL checks the path types), so it is left out where GPUs of one host meet over PCIe.
    """
    pairs = []
    for alg in _BY_COLLECTIVE[collective]:
        if algorithm is not None and ALGORITHMS[alg] != algorithm:
            continue
        if alg in (NVLS, NVLS_TREE) and not (has_nvls and wiring.scale_up in SWITCHED):
            continue
        if alg in (COLLNET_DIRECT, COLLNET_CHAIN) and not wiring.sharp:
            continue
        if alg == COLLNET_DIRECT and wiring.scale_up not in SWITCHED:
            continue
        protocols: tuple[int, ...] = (SIMPLE,)
        if alg in (RING, TREE):
            protocols = _THREE
        elif alg == PAIRWISE:
            protocols = (LL, SIMPLE)
        pairs += [(alg, p) for p in protocols if protocol is None or PROTOCOLS[p] == protocol]
    return pairs
