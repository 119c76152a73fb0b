"""Growth recounted: what is held against what each phase needs, every price, every sum.

Each phase's document is checked by itself like any answer; here its bill says what the phase needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.domain.catalog import Catalog
from planner.domain.growth import Growth
from planner.domain.growth_part import GrowthPart
from planner.domain.instance import Instance
from planner.domain.solution import Device, Solution
from planner.verify.arithmetic import check_bound, check_scan
from planner.verify.document import check_identity
from planner.verify.growth_money import Units, check_growth_money, needs, phase_names
from planner.verify.money import Span, rounded
from planner.verify.violation import Violation, violation

GROWS = ("direct", "single", "rail_only", "leaf_spine", "rail_optimised")
"""Topologies whose leafs reach every spine; where pods or planes change all links move."""


OF_THE_WHOLE = {
    "instance", "status", "objective_usd", "bound_usd", "gap", "placement_gap", "cost",
    "bill_of_materials", "networks", "assumptions", "growth", "phases", "scan", "run", "seal",
}  # fmt: skip
"""Fields of the answer that are not the first phase's."""


def check_growth(solution: Solution, catalog: Catalog) -> Iterator[Violation]:
    """Yield contradictions between the phases, what is bought when, and the whole."""
    yield from check_identity(solution)
    yield from check_bound(solution)
    yield from check_scan(solution)
    part, growth = solution.growth, solution.instance.growth
    if part is None or growth is None:
        yield violation(
            "growth-phase", "$.growth", "an instance with growth", "none",
            "phases are stated for an instance that has none",
        )  # fmt: skip
        return
    wanted = solution.instance.phases()
    if not len(wanted) == len(part.phases) == len(solution.phases):
        yield violation(
            "growth-phase", "$.phases", len(wanted), len(solution.phases),
            "one document and one row for each phase",
        )  # fmt: skip
        return
    years = [0.0, *(phase.month / 12 for phase in growth.phases), solution.instance.finance.years]
    yield from _phases(solution, part, growth, wanted)
    yield from _first(solution)
    yield from _held(solution, part, growth)
    yield from _moves(solution, part, growth, years)
    yield from check_growth_money(solution, catalog, part, growth, years)


def _phases(
    solution: Solution, part: GrowthPart, growth: Growth, wanted: list[Instance]
) -> Iterator[Violation]:
    """Yield phases whose document is of another instance or design than stated."""
    months = [0, *(phase.month for phase in growth.phases)]
    base = solution.instance.fabric.reserved_leafs
    for k, (row, document) in enumerate(zip(part.phases, solution.phases, strict=True)):
        instance, design = document.instance, document.design
        reserved = instance.fabric.reserved_leafs
        rules = wanted[k].fabric.model_copy(update={"reserved_leafs": reserved})
        asked = wanted[k].model_copy(update={"fabric": rules, "fix": instance.fix})
        facts: tuple[tuple[str, bool, object, object], ...] = (
            ("name", row.name == phase_names(growth)[k], phase_names(growth)[k], row.name),
            ("month", row.month == months[k], months[k], row.month),
            ("instance", instance == asked, "workloads, site and rules of the phase",
             instance.name),
            ("reserved_leafs", row.reserved_leafs == reserved, reserved, row.reserved_leafs),
            ("reserved_leafs", reserved - base in growth.reserve_leafs, growth.reserve_leafs,
             reserved - base),
            ("design", design is not None, "a design", "none"),
            ("nodes", design is None or row.nodes == design.nodes,
             design and design.nodes, row.nodes),
            ("gpus", design is None or row.gpus == design.gpus, design and design.gpus, row.gpus),
            ("racks", row.racks == len(document.racks), len(document.racks), row.racks),
            ("max_power_kw", design is None or row.max_power_kw == design.max_power_kw,
             design and design.max_power_kw, row.max_power_kw),
        )  # fmt: skip
        for name, holds, expected, found in facts:
            if not holds:
                yield violation(
                    "growth-phase", f"$.growth.phases[{k}].{name}", expected, found,
                    "the phase and its document say otherwise",
                )  # fmt: skip
    yield from _fixed(solution)


def _fixed(solution: Solution) -> Iterator[Violation]:
    """Yield designs that the instance's own fix and forbid leave out."""
    fix, forbid = solution.instance.fix.values(), solution.instance.forbid.values()
    for k, document in enumerate(solution.phases):
        for key, values in document.instance.fix.values().items():
            left_out = [v for v in values if key in fix and v not in fix[key]]
            left_out += [v for v in values if v in forbid.get(key, ())]
            if left_out:
                yield violation(
                    "growth-phase", f"$.phases[{k}].instance.fix.{key}", fix.get(key, "allowed"),
                    left_out, "the instance does not allow this choice",
                )  # fmt: skip


def _first(solution: Solution) -> Iterator[Violation]:
    """Yield what the answer shows as the design of now that the first document has not."""
    first = solution.phases[0]
    for name in sorted(set(Solution.model_fields) - OF_THE_WHOLE):
        if getattr(solution, name) != getattr(first, name):
            yield violation(
                "growth-now", f"$.{name}", "as in the first phase", "something else",
                "what is built now is the first phase's document",
            )  # fmt: skip
    networks = {name: net for phase in solution.phases for name, net in phase.networks.items()}
    if solution.networks != networks:
        yield violation(
            "growth-now", "$.networks", sorted(networks), sorted(solution.networks),
            "the networks are those of the phases",
        )  # fmt: skip


def _held(solution: Solution, part: GrowthPart, growth: Growth) -> Iterator[Violation]:
    names = phase_names(growth)
    place = {name: k for k, name in enumerate(names)}
    for k, document in enumerate(solution.phases):
        held: Units = Counter()
        for row in part.holdings:
            until = place.get(row.until, len(names)) if row.until else len(names)
            if place.get(row.phase, len(names)) <= k < until:
                held[row.part, row.component] += row.quantity
        for (name, component), count in needs(document).items():
            if held[name, component] < count:
                yield violation(
                    "growth-held", f"$.growth.holdings ({name})", count, held[name, component],
                    f"{name} in {component}: phase {names[k]} needs more than is held then",
                )  # fmt: skip
    for k, row in enumerate(part.holdings):
        early = growth.resale is not None and growth.resale.early and row.component == "servers"
        right = row.phase in place and row.quantity > 0
        if row.until:
            right &= early and place.get(row.until, -1) > place.get(row.phase, len(names))
        if not right:
            yield violation(
                "growth-held", f"$.growth.holdings[{k}]", "bought in a phase, sold in a later one",
                f"{row.quantity} from {row.phase} until {row.until or 'the end'}",
                "servers alone may be sold, where resale is allowed",
            )  # fmt: skip


def _moves(
    solution: Solution, part: GrowthPart, growth: Growth, years: list[float]
) -> Iterator[Violation]:
    worth = solution.instance.finance.discount_rate
    for k, row in enumerate(part.phases):
        links = moved(solution.phases[k - 1], solution.phases[k]) if k else 0
        unit = rounded(growth.rewire_usd_per_link * (1 + worth) ** -years[k])
        total = Span(unit.low * links, unit.high * links)
        if row.moved_links != links or not total.holds(row.moving_usd):
            yield violation(
                "growth-moves", f"$.growth.phases[{k}].moved_links", f"{links}, {total} USD",
                f"{row.moved_links}, {row.moving_usd} USD",
                "links that stand elsewhere than in the phase before",
            )  # fmt: skip


def _links_of(document: Solution) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """Return links to servers by leaf, and links by (leaf, spine)."""
    kind = {device.id: device.kind for device in document.devices}
    hosts: Counter[str] = Counter()
    up: Counter[tuple[str, str]] = Counter()
    for link in document.links():
        ends = {kind.get(link.a, ""): link.a, kind.get(link.b, ""): link.b}
        if link.tier == "node_leaf" and "leaf" in ends:
            hosts[ends["leaf"]] += 1
        if link.tier == "leaf_spine" and {"leaf", "spine"} <= set(ends):
            up[ends["leaf"], ends["spine"]] += 1
    return hosts, up


def _of_kind(document: Solution, kind: str) -> list[Device]:
    return [device for device in document.devices if device.kind == kind]


def moved(before: Solution, after: Solution) -> int:
    """Return the links that move from one phase to the next, from their documents.

    Leafs of the earlier phase, fullest first, become those of the later one; each keeps as many
    links to servers as a full leaf has then, and of its links to a spine as many as each pair has.
    """
    one, two = before.design, after.design
    if one is None or two is None:
        return 0
    platform = (one.platform.server, one.platform.nic, one.platform.nics, one.platform.link_gbps)
    if platform != (two.platform.server, two.platform.nic, two.platform.nics,
                    two.platform.link_gbps):  # fmt: skip
        return 0
    hosts, up = _links_of(before)
    old, new = one.fabric, two.fabric
    switches = [{t.tier: t.switch for t in f.tiers} for f in (old, new)]
    full = new.servers_per_unit * _each(after)
    unmoved = old.model_copy(update={"transceivers": new.transceivers}) == new
    if unmoved and one.nodes == two.nodes:
        found = 0
    elif (
        old.topology in GROWS
        and (old.family, old.topology, switches[0]) == (new.family, new.topology, switches[1])
        and (_each(before) == _each(after))
    ):
        leafs = sorted(_of_kind(before, "leaf"), key=lambda leaf: (-hosts[leaf.id], leaf.id))
        count, spines = len(_of_kind(after, "leaf")), len(_of_kind(after, "spine"))
        beyond = sum(
            max(0, hosts[leaf.id] - (full if rank < count else 0))
            for rank, leaf in enumerate(leafs)
        )
        found = min(beyond, two.nodes * new.links_per_server)
        found += sum(_uplinks_moved(leaf.id, before, up, new.links_per_leaf_spine, spines)
                     for leaf in leafs[:count])  # fmt: skip
    else:
        found = min(one.nodes, two.nodes) * old.links_per_server
    gone = needs(before) - needs(after)
    pulled = sum(count for (_, component), count in gone.items() if component == "cables")
    pulled -= max(0, old.cables.node_leaf - new.cables.node_leaf)
    pulled -= max(0, old.cables.leaf_spine - new.cables.leaf_spine)
    return max(found, pulled)


def _each(document: Solution) -> int:
    """Return the links between one server and one of its leafs."""
    found: Counter[tuple[str, str]] = Counter()
    for link in document.links():
        if link.tier == "node_leaf":
            found[link.a, link.b] += 1
    return max(found.values(), default=0)


def _uplinks_moved(
    leaf: str, before: Solution, up: Counter[tuple[str, str]], pair: int, spines: int
) -> int:
    """Return the links of one leaf that leave their spine for one that lacks some."""
    has = sorted((up[leaf, spine.id] for spine in _of_kind(before, "spine")), reverse=True)
    if not spines:
        return 0
    has += [0] * max(0, spines - len(has))
    wanted = [pair] * spines + [0] * (len(has) - spines)
    beyond = sum(max(0, n - m) for n, m in zip(has, wanted, strict=True))
    lacking = sum(max(0, m - n) for n, m in zip(has, wanted, strict=True))
    return min(beyond, lacking)
