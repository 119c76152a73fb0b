"""The portfolio program: which pools are bought, what is rented, who runs where.

The mathematics stands in ``models/formulation/portfolio.md``; each function builds the constraint
family whose id it names. A block is a complete design for some of the workloads: column, placement
and strategies were evaluated exactly before the program is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.domain.units import CENTS_PER_USD
from planner.program.engines import EngineOptions, solve
from planner.program.rent import RentOption, Reservation

EPSILON = 1e-9
CHOSEN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A bought pool for some workloads, with its exact cost and what it uses."""

    key: int
    jobs: frozenset[int]
    cost_cents: int
    capex_cents: int
    power_w: float
    racks: int
    gpus: int
    place: str = "room"
    """room or colocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLimits:
    """What all pools share; None is no limit."""

    pools: int
    capex_cents: int | None = None
    power_w: float | None = None
    """Of the room, as `racks`."""
    racks: int | None = None
    hall_power_w: float | None = None
    """Of the colocation hall, as `hall_racks`."""
    hall_racks: int | None = None
    budget_power_w: float | None = None
    """Of both places together."""
    gpus: int | None = None
    storage_cents: int = 0
    """Paid once where anything is bought."""


@dataclass(slots=True)
class PortfolioModel:
    """The PuLP model with its variables at hand."""

    problem: Any
    buy: dict[int, Any] = field(default_factory=dict)
    rent: dict[int, Any] = field(default_factory=dict)
    base: dict[int, Any] = field(default_factory=dict)
    peak: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portfolio:
    """A solution of the program, recosted in whole cents."""

    blocks: tuple[Block, ...]
    rents: tuple[RentOption, ...]
    reserved: tuple[tuple[Reservation, int], ...]
    cost_cents: int
    engine: str
    version: str


def build_portfolio(
    jobs: Sequence[int],
    blocks: Sequence[Block],
    rents: Sequence[RentOption],
    reservations: Sequence[Reservation],
    limits: SharedLimits,
) -> PortfolioModel:
    """Return the program that covers `jobs`."""
    import pulp

    model = PortfolioModel(problem=pulp.LpProblem("portfolio", pulp.LpMinimize))
    lp = model.problem
    for block in blocks:
        model.buy[block.key] = lp.add_variable(f"buy_b{block.key}", cat="Binary")
    for option in rents:
        model.rent[option.key] = lp.add_variable(f"rent_o{option.key}", cat="Binary")
    for row in reservations:
        model.base[row.key] = lp.add_variable(
            f"base_r{row.key}", lowBound=0, upBound=row.most, cat="Integer"
        )
    _cost(model, blocks, rents, reservations, limits)
    _cover_rows(model, jobs, blocks, rents)
    _shared_rows(model, blocks, limits)
    _peak_rows(model, rents, reservations)
    _turn_rows(model, rents)
    return model


def _cost(
    model: PortfolioModel,
    blocks: Sequence[Block],
    rents: Sequence[RentOption],
    reservations: Sequence[Reservation],
    limits: SharedLimits,
) -> None:
    """Build the objective, and `storage_once`: storage is paid once where anything is bought."""
    import pulp

    lp = model.problem
    terms = [b.cost_cents / CENTS_PER_USD * model.buy[b.key] for b in blocks]
    for option in rents:
        cents = option.egress_cents if option.kind == "shared" else option.alone_cents
        terms.append(cents / CENTS_PER_USD * model.rent[option.key])
    terms += [r.unit_cents / CENTS_PER_USD * model.base[r.key] for r in reservations]
    for job in sorted({o.job for o in rents if o.kind == "shared"}):
        model.peak[job] = lp.add_variable(f"peak_w{job}", lowBound=0)
        terms.append(model.peak[job])
    if limits.storage_cents and blocks:
        stored = lp.add_variable("storage", cat="Binary")
        terms.append(limits.storage_cents / CENTS_PER_USD * stored)
        for block in blocks:
            lp += (model.buy[block.key] - stored <= 0, f"storage_once_b{block.key}")
    lp.setObjective(pulp.lpSum(terms))


def _cover_rows(
    model: PortfolioModel,
    jobs: Sequence[int],
    blocks: Sequence[Block],
    rents: Sequence[RentOption],
) -> None:
    """Build `cover`: every workload runs in exactly one pool or on one rented option."""
    import pulp

    for job in jobs:
        terms = [model.buy[b.key] for b in blocks if job in b.jobs]
        terms += [model.rent[o.key] for o in rents if o.job == job]
        model.problem += (pulp.lpSum(terms) == 1, f"cover_w{job}")


def _shared_rows(model: PortfolioModel, blocks: Sequence[Block], limits: SharedLimits) -> None:
    """Build `pools`, `shared_capex`, `shared_power`, `shared_racks` and `shared_gpus`.

    Power and racks are those of each place: `hall_power` and `hall_racks` in the colocation hall;
    `budget_power` is of both.
    """
    import pulp

    if not blocks:
        return
    model.problem += (pulp.lpSum(model.buy.values()) <= limits.pools, "pools")
    capex = limits.capex_cents
    rows: list[tuple[str, float | None, list[float]]] = [
        ("shared_capex", None if capex is None else capex / CENTS_PER_USD,
         [b.capex_cents / CENTS_PER_USD for b in blocks]),
        ("shared_power", limits.power_w, _at(blocks, "room", [b.power_w for b in blocks])),
        ("shared_racks", limits.racks, _at(blocks, "room", [float(b.racks) for b in blocks])),
        ("hall_power", limits.hall_power_w,
         _at(blocks, "colocation", [b.power_w for b in blocks])),
        ("hall_racks", limits.hall_racks,
         _at(blocks, "colocation", [float(b.racks) for b in blocks])),
        ("budget_power", limits.budget_power_w, [b.power_w for b in blocks]),
        ("shared_gpus", limits.gpus, [float(b.gpus) for b in blocks]),
    ]  # fmt: skip
    for name, limit, uses in rows:
        if limit is not None:
            terms = [u * model.buy[b.key] for u, b in zip(uses, blocks, strict=True)]
            model.problem += (pulp.lpSum(terms) <= limit, name)


def _at(blocks: Sequence[Block], place: str, uses: Sequence[float]) -> list[float]:
    """Return what blocks use of a place: nothing if they stand elsewhere."""
    return [use if b.place == place else 0.0 for b, use in zip(blocks, uses, strict=True)]


def _peak_rows(
    model: PortfolioModel, rents: Sequence[RentOption], reservations: Sequence[Reservation]
) -> None:
    """Build `peak`: servers above an offer's reserved base are paid by the hour.

    peak(w) >= unit(o) (servers(o) rent(o) - sum of base): exact for the chosen option, and below
    zero for every other.
    """
    import pulp

    for option in (o for o in rents if o.kind == "shared"):
        unit = option.unit_cents / CENTS_PER_USD
        base = [model.base[r.key] for r in reservations if r.offer.offer == option.offer.offer]
        above = option.servers * model.rent[option.key] - pulp.lpSum(base)
        model.problem += (model.peak[option.job] - unit * above >= 0, f"peak_o{option.key}")


def _turn_rows(model: PortfolioModel, rents: Sequence[RentOption]) -> None:
    """Build `turns`: workloads that share an offer's reserved servers use them in turn."""
    import pulp

    for offer in sorted({o.offer.offer for o in rents if o.kind == "shared"}):
        terms = [
            min(1.0, option.kept) * model.rent[option.key]
            for option in rents
            if option.kind == "shared" and option.offer.offer == offer
        ]
        model.problem += (pulp.lpSum(terms) <= 1 + EPSILON, f"turns_{offer.replace('-', '_')}")


def solve_portfolio(
    jobs: Sequence[int],
    blocks: Sequence[Block],
    rents: Sequence[RentOption],
    reservations: Sequence[Reservation],
    limits: SharedLimits,
    engine: EngineOptions,
) -> Portfolio | None:
    """Return the cheapest portfolio, its money counted again in whole cents; None if there is none."""
    if not jobs:
        return Portfolio(blocks=(), rents=(), reserved=(), cost_cents=0, engine="", version="")
    able = frozenset().union(*(b.jobs for b in blocks), {o.job for o in rents})
    if not set(jobs) <= able:
        return None
    model = build_portfolio(jobs, blocks, rents, reservations, limits)
    solved = solve(model.problem, engine)
    if solved.objective is None:
        return None

    def taken(variable: Any) -> float:
        return solved.values.get(variable.name, 0.0)

    bought = tuple(b for b in blocks if taken(model.buy[b.key]) > CHOSEN)
    rented = tuple(o for o in rents if taken(model.rent[o.key]) > CHOSEN)
    base = tuple((r, n) for r in reservations if (n := round(taken(model.base[r.key]))))
    cost = recount(bought, rented, base) + (limits.storage_cents if bought else 0)
    return Portfolio(
        blocks=bought,
        rents=rented,
        reserved=base,
        cost_cents=cost,
        engine=solved.engine,
        version=solved.version,
    )


def recount(
    blocks: Sequence[Block],
    rents: Sequence[RentOption],
    reserved: Sequence[tuple[Reservation, int]],
) -> int:
    """Return the cost in whole cents, storage not counted."""
    total = sum(b.cost_cents for b in blocks) + sum(r.unit_cents * n for r, n in reserved)
    for option in rents:
        held = reserved_for(option, reserved)
        total += option.unit_cents * (option.servers - held) + option.egress_cents
    return total


def reserved_for(option: RentOption, reserved: Sequence[tuple[Reservation, int]]) -> int:
    """Return how many of an option's servers are of its offer's reserved base."""
    if option.kind != "shared":
        return 0
    base = sum(n for r, n in reserved if r.offer.offer == option.offer.offer)
    return min(option.servers, base)
