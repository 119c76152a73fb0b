"""Which layers have experts, in the two numbers that a network takes."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any

from planner.importers.imported import Notes


def placement_fields(sparse: Collection[int], layers: int, notes: Notes) -> dict[str, Any]:
    """Return `first_k_dense_replace` and `moe_layer_freq` for the layers that have experts.

    An irregular pattern keeps its number of dense layers, put first, with a warning.
    """
    places = sorted(place for place in set(sparse) if 0 <= place < layers)
    count = len(places)
    if places == list(range(layers - count, layers)):
        return {"first_k_dense_replace": layers - count}
    steps = {after - before for before, after in pairwise(places)}
    every = next(iter(steps)) if len(steps) == 1 else layers
    for first in (places[0] - every + 1, places[0]):
        if first >= 0 and (layers - first) // every == count:
            return {"first_k_dense_replace": first, "moe_layer_freq": every}
    notes.warn(
        f"{layers - count} of {layers} layers are dense and stand in no regular pattern; the "
        "network has them first: parameters and arithmetic are exact, their place is not"
    )
    return {"first_k_dense_replace": layers - count}
