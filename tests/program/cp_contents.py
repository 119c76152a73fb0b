"""What a rack can hold, and the least that links inside it may cost, counted for CP-SAT."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.program.cp_prices import server_links, spine_links

Load = tuple[int, int, int]
"""Units, milliwatts and grams."""
Held = tuple[int, int, int]
"""Leafs, spines and servers of a rack."""


def load_of(box: Any) -> Load:
    """Return what a box takes of a rack, nothing if there is none."""
    if box is None:
        return 0, 0, 0
    return box.units, round(1000 * box.max_w), round(1000 * box.weight_kg)


def contents_of(kinds: list[tuple[int, Load]], limits: Load) -> list[Held]:
    """Return all numbers of leafs, spines and servers, of so many each, that a rack can hold."""
    numbers = [
        range(
            min([n, *(have // need for need, have in zip(load, limits, strict=True) if need)]) + 1
        )
        for n, load in kinds
    ]
    return [
        held
        for held in product(*numbers)
        if all(sum(n * k[1][r] for n, k in zip(held, kinds, strict=True)) <= limits[r] for r in range(3))
    ]  # fmt: skip


def inside_cents(
    problem: Any,
    media: tuple[Any, Any],
    groups: list[tuple[int, int, int]],
    held: Held,
    step: int,
) -> int:
    """Return the least that links inside a rack cost, however leafs and servers are dealt.

    Parameters
    ----------
    groups
        Units that are not told apart, servers and leafs of each.
    step
        The length inside a rack.
    """
    leafs, spines, servers = held
    down, up = media
    least = {(0, 0): 0}
    for n, size, of_one in groups:
        ways: dict[tuple[int, int], int] = {}
        for (y, x), cents in least.items():
            for more_y, more_x in product(
                range(min(n * of_one, leafs - y) + 1), range(min(n * size, servers - x) + 1)
            ):
                met = _met(problem, down, (n, size), (more_y, more_x), step)
                key = (y + more_y, x + more_x)
                ways[key] = min(ways.get(key, cents + met), cents + met)
        least = ways
    join = (spine_links(problem, up, step) or 0) if up else 0
    return min(0, least.get((leafs, servers), 0)) + min(0, leafs * spines * join)


def _met(problem: Any, down: Any, group: tuple[int, int], here: tuple[int, int], step: int) -> int:
    """Return the least cost of links between leafs and servers of a group in one rack."""
    (units, size), (leafs, servers) = group, here
    if not leafs or not servers:
        return 0
    if units == 1:
        return leafs * (server_links(problem, down, servers, step) or 0)
    one = server_links(problem, down, 1, step) or 0
    return min(0, min(servers, size * leafs) * one)
