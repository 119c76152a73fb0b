"""A few plain ways to put the leafs, to begin the search with."""

from __future__ import annotations

from collections.abc import Iterator

from planner.program.placement_counts import Counts

Rows = tuple[tuple[int, ...], ...]


def leaf_starts(counts: Counts) -> list[Rows]:
    """Return distinct ways to put all leafs, unit after unit into racks one after another.

    The leafs are shared out evenly over 1, 2, 3, ... racks that stand together in the middle, or
    apart, each in the middle of its share of the racks. Racks that cannot hold their share are
    left out.
    """
    leafs = counts.group * len(counts.unit_servers)
    alike = counts.problem.room.alike
    used = min(counts.racks, counts.racks_needed) if alike else counts.racks
    found: dict[Rows, None] = {}
    for hubs in _hub_counts(counts, leafs, used):
        for racks in _racks(used, hubs):
            rows = _share_out(counts, racks)
            if rows is not None:
                found[rows] = None
    return list(found)


def _hub_counts(counts: Counts, leafs: int, racks: int) -> list[int]:
    """Return numbers of racks to share the leafs over: few, as the switches need, by unit, by leaf."""
    units = len(counts.unit_servers)
    most = max(1, min(counts.rack.most(counts.loads[1]), counts.rack.most(counts.loads[2])))
    all_switches = -(-(leafs + counts.spines) // most)
    wanted = (1, 2, 3, 4, all_switches, all_switches + 1, units, 2 * units, leafs)
    return sorted({n for n in wanted if 1 <= n <= min(leafs, racks)})


def _racks(used: int, hubs: int) -> Iterator[list[int]]:
    first = (used - hubs) // 2
    yield list(range(first, first + hubs))
    yield [(2 * k + 1) * used // (2 * hubs) for k in range(hubs)]


def _share_out(counts: Counts, racks: list[int]) -> Rows | None:
    """Return the leafs shared out evenly over racks, None where a share does not fit."""
    units = len(counts.unit_servers)
    leafs = counts.group * units
    rows = [[0] * units for _ in range(counts.racks)]
    for leaf in range(leafs):
        rows[racks[leaf * len(racks) // leafs]][leaf // counts.group] += 1
    if any(counts.most_servers(sum(row), at=k) < 0 for k, row in enumerate(rows)):
        return None
    return tuple(tuple(row) for row in rows)
