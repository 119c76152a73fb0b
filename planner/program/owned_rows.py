"""Inventory in the selection program: units that are owned are taken before any are bought.

Columns enter at the full price of everything; `owned_used` lets each part count as many owned units
as the chosen column needs, `owned_stock` no more than there are, and each spares its price.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.domain.units import CENTS_PER_USD

if TYPE_CHECKING:
    from planner.program.selection import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedPart:
    """A part of which some units are owned."""

    count: int
    saved_cents: int
    """Present value that one owned unit spares."""
    saved_capex_cents: int
    """Purchase price that one owned unit spares."""


Inventory = Mapping[str, OwnedPart]


def full_price(candidate: Candidate, inventory: Inventory) -> tuple[int, int]:
    """Return present value and purchase price of a column as if nothing were owned, cents."""
    cost, capex = candidate.cost_cents, candidate.capex_cents
    for part, need in candidate.needs.items():
        owned = inventory[part]
        used = min(need, owned.count)
        cost += used * owned.saved_cents
        capex += used * owned.saved_capex_cents
    return cost, capex


def add_owned(problem: Any, use: Mapping[int, Any], candidates: Sequence[Candidate],
              inventory: Inventory) -> tuple[Any, Any]:  # fmt: skip
    """Add `owned_stock` and `owned_used`; return what they spare of value and of price, USD."""
    import pulp

    value, price = [], []
    for k, (part, owned) in enumerate(sorted(inventory.items())):
        taken = problem.add_variable(f"owned_p{k}", lowBound=0)
        needs = [c.needs[part] * use[c.key] for c in candidates if c.needs.get(part)]
        problem += (taken <= owned.count, f"owned_stock_p{k}")
        problem += (taken - pulp.lpSum(needs) <= 0, f"owned_used_p{k}")
        value.append(owned.saved_cents / CENTS_PER_USD * taken)
        price.append(owned.saved_capex_cents / CENTS_PER_USD * taken)
    return pulp.lpSum(value), pulp.lpSum(price)
