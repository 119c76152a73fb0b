"""Sequences longer than the network was made for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from planner.domain.errors import Fault, InputError
from planner.domain.instance import Instance
from planner.domain.network import Network
from planner.domain.solution import Assumption


def check_contexts(instance: Instance, networks: Sequence[Network], file: Path) -> None:
    """Refuse sequences for which a network has no positions.

    Raises
    ------
    InputError
        If a network's learned table of positions is shorter than the sequences of its workload.
    """
    faults = [
        Fault(
            f"$.workloads[{index}].sequence_length",
            f"{workload.sequence_length} tokens, but {network.name} has learned positions for "
            f"{network.max_position_embeddings}",
            f"at most {network.max_position_embeddings}, or another network",
        )
        for index, (workload, network) in enumerate(zip(instance.workloads, networks, strict=True))
        if network.position_embedding == "learned" and _beyond(workload.sequence_length, network)
    ]
    if faults:
        raise InputError(str(file), faults)


def long_contexts(instance: Instance, networks: Sequence[Network]) -> Iterator[Assumption]:
    """Yield a line for every workload whose sequences are longer than the published context."""
    for workload, network in zip(instance.workloads, networks, strict=True):
        if _beyond(workload.sequence_length, network):
            most = network.max_position_embeddings
            yield Assumption(
                what=f"sequence length of {workload.name}",
                value=f"{workload.sequence_length} tokens, longer than the {most} of the published "
                "network: its positions have to be stretched",
                kind="default",
                source="own rule",
            )


def _beyond(sequence: int, network: Network) -> bool:
    return 0 < network.max_position_embeddings < sequence
