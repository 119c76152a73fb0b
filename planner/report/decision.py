"""The decision in sentences: what to buy, how it is wired, where it stands, how sure it is."""

from __future__ import annotations

from planner.domain.solution import DesignPart, Fabric, Solution, Tier
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.words import Words


def sentence(text: str) -> str:
    """Return text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def title(solution: Solution) -> str:
    """Return the instance's title, or its name."""
    return plain(solution.instance.title) or plain(solution.instance.name)


def status(solution: Solution, w: Words, n: Notation) -> str:
    """Return the status in words; "optimal" only where it was proved."""
    if solution.question == "evaluate":
        return w("status.meets" if solution.status == "optimal" else "status.misses")
    if solution.status == "feasible" and solution.gap is not None:
        return w("status.feasible_gap", gap=gap_text(solution.gap, n))
    return w(f"status.{solution.status}")


def gap_text(gap: float, n: Notation) -> str:
    """Return a gap in percent; one that is not zero never reads as zero."""
    least = 0.0001
    return f"< {n.percent(least, 2)}" if 0 < gap < least else n.percent(gap, 2 if gap else 0)


def headline(solution: Solution, w: Words, n: Notation) -> str:
    """Return one sentence: what to buy, or that nothing can be bought."""
    design = solution.design
    given = solution.question == "evaluate"
    if solution.portfolio is not None:
        part = solution.portfolio
        bought = w.count("headline.pools", len(part.pools), n.number(len(part.pools)))
        rented = w.count("headline.rents", len(part.rents), n.number(len(part.rents)))
        both = [text for text, some in ((bought, part.pools), (rented, part.rents)) if some]
        return "; ".join(both)
    if design is None:
        return w("headline.breaks" if given else f"headline.{solution.status}")
    if solution.growth is not None:
        later = [
            w("headline.later", month=n.number(row.month), nodes=n.number(row.nodes))
            for row in solution.growth.phases[1:]
        ]
        now = headline(solution.model_copy(update={"growth": None}), w, n)
        return "; ".join([now, *later])
    if not design.fabric.tiers:
        return w(
            "headline.have_alone" if given else "headline.buy_alone", **_platform(design, w, n)
        )
    fabric = w.label("family", design.fabric.family)
    rate = f"{n.short(design.fabric.link_gbps)}G"
    return w(
        "headline.have" if given else "headline.buy",
        fabric=fabric,
        rate=rate,
        **_platform(design, w, n),
    )


def _platform(design: DesignPart, w: Words, n: Notation) -> dict[str, str]:
    return {
        "nodes": n.number(design.nodes),
        "server": w.said(plain(design.platform.model)),
        "gpus": n.number(design.gpus),
        "accelerator": w.said(plain(design.platform.accelerator_model)),
    }


def headline_short(solution: Solution, w: Words, n: Notation) -> str:
    """Return the chosen servers alone, marked as chosen; empty without a design."""
    design = solution.design
    if design is None:
        return ""
    servers = f"{n.number(design.nodes)} x {w.said(plain(design.platform.model))}"
    return f"{servers} ({w('alternative.chosen')})"


def fabric_text(solution: Solution, w: Words, n: Notation) -> str:
    """Return how the servers are joined: topology, switches, taper, NIC ports."""
    design = solution.design
    if design is None:
        return ""
    if not design.fabric.tiers:
        return w("fabric.none")
    switches = ", ".join(tier_text(solution, tier, w, n) for tier in design.fabric.tiers)
    return w(
        "fabric.text",
        topology=w.label("topology", design.fabric.topology),
        taper=taper(design.fabric, w, n),
        switches=switches,
        nics=w.count("fabric.nics", design.platform.nics, n.number(design.platform.nics)),
    )


def taper(fabric: Fabric, w: Words, n: Notation) -> str:
    """Return the oversubscription in words."""
    if fabric.oversubscription <= 1:
        return w("fabric.nonblocking")
    return w("fabric.tapered", ratio=n.short(fabric.oversubscription, 2))


def tier_text(solution: Solution, tier: Tier, w: Words, n: Notation) -> str:
    """Return the switches of one tier in words."""
    name = w.label("tier", tier.tier)
    return f"{n.number(tier.count)} x {part_name(solution, tier.switch, w)} ({name})"


def part_name(solution: Solution, part: str, w: Words) -> str:
    """Return the description of a part as the bill of materials gives it, or its id."""
    for line in solution.bill_of_materials:
        if line.part == part and line.description:
            return w.said(plain(line.description))
    return plain(part)


def place_text(solution: Solution, w: Words, n: Notation) -> str:
    """Return racks and power in words."""
    design = solution.design
    if design is None:
        return ""
    return w(
        "place.text",
        racks=n.number(design.racks),
        of=n.number(solution.instance.site.racks),
        maximum=n.short(design.max_power_kw, 1),
        average=n.short(design.average_power_kw, 1),
    )


def proof_text(solution: Solution, w: Words, n: Notation) -> str:
    """Return bound, gaps, solver, seed and time in words."""
    run = solution.run
    parts = []
    if solution.bound_usd is not None:
        parts.append(w("proof.bound", bound=n.money(solution.bound_usd, 2)))
    if solution.gap is not None:
        parts.append(w("proof.gap", gap=gap_text(solution.gap, n)))
    if solution.placement_gap is not None:
        parts.append(w("proof.placement_gap", gap=gap_text(solution.placement_gap, n)))
    parts.append(
        w(
            "proof.run",
            solver=w.said(plain(run.solver)),
            version=plain(run.solver_version),
            seed=run.seed,
            threads=w.count("proof.threads", run.threads),
            wall=n.number(run.wall_s, 1),
        )
    )
    parts.append(w("proof.columns", columns=n.number(solution.scan.columns)))
    return ", ".join(parts)
