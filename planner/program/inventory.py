"""What the chosen design makes of what is owned: units used, bought beside them, left idle."""

from __future__ import annotations

from planner.domain.solution import InventoryResult, OwnedUse
from planner.program.bill import description, quantities
from planner.program.market import Market
from planner.program.scan import Found


def inventory_result(market: Market, best: Found) -> InventoryResult | None:
    """Return the use of every owned part; None where nothing is owned."""
    book, column, placement = market.book, best.column, best.placed.placement
    if market.instance.owned is None:
        return None
    racks = market.placer.bought(placement.racks)
    needed: dict[tuple[str, str], int] = {}
    for part, component, count in quantities(column, placement.parts, racks, book):
        needed[part, component] = needed.get((part, component), 0) + count
    uses = [
        OwnedUse(
            part=part,
            component=component,
            description=description(book.row(part)),
            owned=owned,
            used=min(owned, needed.get((part, component), 0)),
            bought=max(0, needed.get((part, component), 0) - owned),
        )
        for (part, component), owned in book.stock.items()
    ]
    joining = column.joining
    return InventoryResult(
        uses=uses,
        joining="" if joining is None else "joined" if joining.kept else "replaced",
        moved_links=0 if joining is None else joining.moved_links,
    )
