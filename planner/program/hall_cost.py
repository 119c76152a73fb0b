"""What a laid-out hall costs with each medium, and the media that cost least together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from planner.program.hall_blocks import Block
from planner.program.hall_tiers import (
    TIERS,
    Media,
    bundle_of_servers,
    pair_of_switches,
)
from planner.program.link_prices import IMPOSSIBLE, Medium

Shape = tuple[int, int, int]
"""Devices a (of a tier of servers, else 1), links of each pair, index of the route's length."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """Bundles of a hall by shape: how many there are of each, by tier."""

    counts: tuple[Counter[Shape], ...]

    @classmethod
    def of(cls, blocks: list[Block]) -> Shapes:
        """Count the bundles of all blocks."""
        counts: tuple[Counter[Shape], ...] = tuple(Counter() for _ in TIERS)
        for block in blocks:
            if block.tier == 0:
                counts[0][block.a_count, block.each, block.step] += block.b_count
            else:
                counts[block.tier][1, block.each, block.step] += block.a_count * block.b_count
        return cls(counts)

    def cents(self, tier: int, medium: Medium) -> int:
        """Return the cost of a tier beyond the modules of all optics, cents."""
        total = 0
        for (servers, each, step), bundles in self.counts[tier].items():
            if tier == 0:
                one = bundle_of_servers(medium, servers, each, step)
            else:
                one = pair_of_switches(medium, each, step)
            total += bundles * min(one, IMPOSSIBLE)
        return total


def cheapest_media(shapes: Shapes, media: list[tuple[Media, int]]) -> tuple[int, Media] | None:
    """Return the least cost of modules, cables and fibres with its media; None if none reaches.

    Parameters
    ----------
    shapes
        Its bundles.
    media
        The media to choose from, each with the cost of its modules.
    """
    known: dict[tuple[int, int], int] = {}
    best: tuple[int, Media] | None = None
    for chosen, base in media:
        total = base
        for tier, medium in enumerate(chosen):
            if medium is not None:
                key = tier, id(medium)
                if key not in known:
                    known[key] = shapes.cents(tier, medium)
                total += known[key]
        if total < IMPOSSIBLE and (best is None or total < best[0]):
            best = total, chosen
    return best
