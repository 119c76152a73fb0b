"""Which links a leaf has to which spine: as equal as whole links allow."""

from __future__ import annotations


def spread_links(leafs: int, spines: int, uplinks: int) -> list[list[int]]:
    """Return links by leaf and spine, rows adding up to `uplinks`, shape (leafs, spines).

    Rule `cabling_spread`.

    Uplink t of leaf i goes to spine (i x uplinks + t) mod spines: every pair has
    floor(uplinks / spines) links or one more, and the loads of two spines differ by at most one.
    """
    table = [[uplinks // spines] * spines for _ in range(leafs)]
    extra = uplinks % spines
    for leaf, row in enumerate(table):
        for k in range(extra):
            row[(leaf * uplinks + k) % spines] += 1
    return table


def spread_row(leaf: int, spines: int, uplinks: int) -> list[tuple[int, int, int]]:
    """Return the links of one leaf as (first spine, spine after the last, links to each).

    The same rule as `spread_links`, without the whole table.
    """
    few, extra = divmod(uplinks, spines)
    begin = leaf * uplinks % spines
    end = begin + extra
    wrapped = max(0, end - spines)
    end = min(end, spines)
    parts = [
        (0, wrapped, few + 1), (wrapped, begin, few), (begin, end, few + 1), (end, spines, few)
    ]  # fmt: skip
    return [part for part in parts if part[0] < part[1]]
