"""A design that is pinned: the choice that leaves it alone, and the catalogue it is priced from.

What stands already or is offered may be out of sale.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from planner.domain.catalog import Catalog
from planner.domain.instance import HardwareChoice, Instance
from planner.domain.price import Price
from planner.program.columns import Column


def pinned_hardware(column: Column) -> HardwareChoice:
    """Return the choice of hardware that leaves one column alone."""
    choice = column.plan.choice
    switches = [s for s in (choice.leaf_switch, choice.spine_switch, choice.core_switch) if s]
    return HardwareChoice(
        server=column.option.server.id,
        nic=column.option.nics.nic,
        nics_per_node=column.option.platform.nics,
        nodes=column.nodes,
        family=choice.family if column.plan.leafs else None,
        switch=switches or None,
        topology=choice.topology,
        oversubscription=choice.oversubscription,
        spine_oversubscription=choice.spine_oversubscription if choice.core_switch else None,
    )


def as_pinned(catalog: Catalog, instance: Instance) -> Catalog:
    """Return the catalogue in which the pinned server, NIC and switch count as on sale.

    Prices stay as they are; a product without one still needs a quote (0 for what is owned).
    """
    fixed = instance.fix.values()
    changed: dict[str, Any] = {}
    for table, key in (("servers", "server"), ("nics", "nic"), ("switches", "switch")):
        wanted = [i for i in fixed.get(key, ()) if i in getattr(catalog, table)]
        if wanted:
            rows = dict(getattr(catalog, table))
            for row_id in wanted:
                rows[row_id] = _on_sale(rows[row_id])
            changed[table] = MappingProxyType(rows)
    return replace(catalog, **changed)


def _on_sale(row: Any) -> Any:
    price: Price | None = row.price
    if row.availability == "included" or price is None:
        return row
    new = price.model_copy(update={"market": "new"})
    return row.model_copy(update={"availability": "on-sale", "price": new})
