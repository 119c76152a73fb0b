"""Cables and modules in the monolithic program: one pair of optics, one choice a tier and length.

The links of a tier on one length are built alike: all optics, or as many of one fixed cable as the
bundles hold. Sums of links and assemblies come from `monolith_placement`; their products with the
choice are flows. Constraint ids are those of ``models/formulation/monolith.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from planner.program.link_prices import Medium
from planner.program.monolith_placement import Positions, down_terms, up_terms
from planner.program.tier_menu import Money, OpticPrices, Part, TierMenu, module_money


class Term(NamedTuple):
    """What one unit of a variable costs."""

    money: Money
    variable: Any


class Way(NamedTuple):
    """One way to build a tier's links of one length."""

    optic: int
    """Index into the menu's optics."""
    cable: Part | None
    """None where all links are optical."""
    chosen: Any


@dataclass(slots=True)
class Cabling:
    """Variables of one column's links."""

    at: Positions
    down: TierMenu | None
    up: TierMenu | None
    pairs: dict[tuple[int, int], Any] = field(default_factory=dict)
    """Binaries by optic of the lower and of the upper tier; -1 without a tier."""
    ways: dict[tuple[str, int], list[Way]] = field(default_factory=dict)
    """By tier and index of the length."""
    linked: dict[int, list[tuple[Any, int]]] = field(default_factory=dict)
    """By index of the length: (number of links, most that there can be) of each tier."""
    terms: list[Term] = field(default_factory=list)


def add_cabling(lp: Any, at: Positions, down: TierMenu | None, up: TierMenu | None) -> Cabling:
    """Add the links of one column to a program and return their variables and costs."""
    plan = at.problem.plan
    cabling = Cabling(at=at, down=down, up=up)
    if down is None:
        return cabling
    _pairs(lp, cabling)
    _tier(lp, cabling, "down", down, down_terms(at, down), plan.node_leaf_links)
    if up is not None:
        _tier(lp, cabling, "up", up, up_terms(at, up), plan.leaf_spine_links or plan.joint_links)
    return cabling


def _pairs(lp: Any, cabling: Cabling) -> None:
    """Add `monolith_optics`: one optic each tier, of pairs that the leafs' cages hold."""
    import pulp

    at, down, up = cabling.at, cabling.down, cabling.up
    assert down is not None
    above: list[tuple[int, OpticPrices | None]] = [(-1, None)]
    if up is not None:
        above = list(enumerate(up.optics))
    for i, below in enumerate(down.optics):
        for j, optic in above:
            base = module_money(at.problem, below, optic)
            if base is None:
                continue
            pair = lp.add_variable(f"optics_{at.name}_d{i}_u{j + 1}", cat="Binary")
            cabling.pairs[i, j] = pair
            cabling.terms.append(Term(base, pair))
    lp += (pulp.lpSum(cabling.pairs.values()) - at.use == 0, f"monolith_optics_{at.name}")


def _tier(
    lp: Any,
    cabling: Cabling,
    tier: str,
    menu: TierMenu,
    sums: dict[int, tuple[list[Any], list[Any]]],
    most: int,
) -> None:
    """Add a tier's links, length by length.

    Builds `monolith_way`, `monolith_links`, `monolith_built`, `monolith_assemblies`,
    `monolith_bundled` and `monolith_all_links`.
    """
    import pulp

    of_optic: dict[int, list[Any]] = {m: [] for m in range(len(menu.optics))}
    for step, (links, whole) in sorted(sums.items()):
        name = f"{cabling.at.name}_{tier}_l{step}"
        all_links, all_whole = pulp.lpSum(links), pulp.lpSum(whole)
        cabling.linked.setdefault(step, []).append((all_links, most))
        ways = _ways(lp, name, menu, step, bool(whole))
        cabling.ways[tier, step] = ways
        lp += (
            pulp.lpSum(way.chosen for way in ways) - cabling.at.use <= 0,
            f"monolith_way_{name}",
        )
        carried, bundled = [], []
        for n, way in enumerate(ways):
            of_links = lp.add_variable(f"links_{name}_{n}", 0, most)
            of_whole = lp.add_variable(f"assemblies_{name}_{n}", 0, most) if whole else 0
            carried.append(of_links)
            of_optic[way.optic].append(of_links)
            bundled.append(of_whole)
            lp += (of_links - most * way.chosen <= 0, f"monolith_built_{name}_{n}")
            _price(lp, cabling, f"{name}_{n}", menu, step, way, of_links, of_whole)
        lp += (pulp.lpSum(carried) - all_links == 0, f"monolith_links_{name}")
        if whole:
            lp += (pulp.lpSum(bundled) - all_whole == 0, f"monolith_assemblies_{name}")
            for n, of_whole in enumerate(bundled):
                row = menu.assembly_links * of_whole - carried[n]
                lp += (row <= 0, f"monolith_bundled_{name}_{n}")
        _one_optic(lp, cabling, tier, name, ways)
    for m, links in of_optic.items():
        row = pulp.lpSum(links) - most * _with_optic(cabling, tier, m)
        lp += (row == 0, f"monolith_all_links_{cabling.at.name}_{tier}_m{m}")


def _with_optic(cabling: Cabling, tier: str, m: int) -> Any:
    """Return whether a tier has an optic: the sum of its pairs."""
    import pulp

    place = 0 if tier == "down" else 1
    return pulp.lpSum(pair for key, pair in cabling.pairs.items() if key[place] == m)


def _ways(lp: Any, name: str, menu: TierMenu, step: int, bundles: bool) -> list[Way]:
    """Return the ways to build links of one length."""
    found: list[Way] = []
    for m, optic in enumerate(menu.optics):
        cables: tuple[Part | None, ...] = menu.cables[step] if bundles else ()
        if optic.fibre[step] is not None:
            cables = (None, *cables)
        for cable in cables:
            chosen = lp.add_variable(f"way_{name}_{len(found)}", cat="Binary")
            found.append(Way(m, cable, chosen))
    return found


def _price(
    lp: Any,
    cabling: Cabling,
    name: str,
    menu: TierMenu,
    step: int,
    way: Way,
    links: Any,
    whole: Any,
) -> None:
    """Cost one way: every link its fibre, save those that fixed assemblies carry."""
    optic = menu.optics[way.optic]
    fibre = optic.fibre[step]
    if fibre is not None:
        cabling.terms.append(Term(fibre.money, links))
    if way.cable is None:
        return
    each = way.cable.money.less(menu.replaced(optic))
    if fibre is not None:
        each = each.less(fibre.money.times(menu.assembly_links))
    else:
        # `monolith_odd_link`: nothing carries a link that fills no assembly
        lp += (links - menu.assembly_links * whole == 0, f"monolith_odd_link_{name}")
    cabling.terms.append(Term(each, whole))


def _one_optic(lp: Any, cabling: Cabling, tier: str, name: str, ways: list[Way]) -> None:
    """Add `monolith_one_optic`: what is built uses the tier's optic."""
    import pulp

    for m in sorted({way.optic for way in ways}):
        pairs = _with_optic(cabling, tier, m)
        built = pulp.lpSum(way.chosen for way in ways if way.optic == m)
        lp += (built - pairs <= 0, f"monolith_one_optic_{name}_m{m}")


def media_of(cabling: Cabling, values: dict[str, float]) -> tuple[Medium | None, Medium | None]:
    """Return both tiers' media as the program chose them."""
    if cabling.down is None:
        return None, None
    i, j = max(cabling.pairs, key=lambda key: values[cabling.pairs[key].name])
    down = _medium(cabling, values, "down", cabling.down, i)
    up = None if cabling.up is None else _medium(cabling, values, "up", cabling.up, j)
    return down, up


def _medium(
    cabling: Cabling, values: dict[str, float], tier: str, menu: TierMenu, optic: int
) -> Medium:
    fixed: list[Part | None] = [None] * len(menu.cables)
    for (of, step), ways in cabling.ways.items():
        if of == tier:
            taken = [way for way in ways if values[way.chosen.name] > 0.5]
            fixed[step] = taken[0].cable if taken else None
    return menu.medium(menu.optics[optic], tuple(fixed))
