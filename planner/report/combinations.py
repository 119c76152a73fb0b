"""The combinations of an answer as a reader takes them in: by scale-up kind, alike ones together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from planner.domain.combination import DIRECT, Combination
from planner.domain.solution import Solution
from planner.report.plain import plain
from planner.report.view import View
from planner.report.words import Words
from planner.study.alternatives import SCALE_UP_WORDS

BARRED = "the instance does not allow "
"""How the reasons begin of what `fix` or `forbid` leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedRow:
    """One design, or the networks of which the same is known."""

    network: str
    one: Combination
    verdict: str
    steps: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedKind:
    """One scale-up kind: its rows, or the one reason why it is impossible with every network."""

    name: str
    rows: tuple[CombinedRow, ...]
    impossible: str


def combined_kinds(view: View) -> list[CombinedKind]:
    """Return the scale-up kinds, the chosen one first, then by the least that each would cost."""
    kinds: dict[str, list[Combination]] = {}
    for one in view.solution.combinations:
        kinds.setdefault(one.scale_up, []).append(one)
    ordered = sorted(kinds.items(), key=lambda item: (min(map(_order, item[1])), item[0]))
    return [_kind(view, name, members) for name, members in ordered]


def _order(one: Combination) -> tuple[bool, bool, float]:
    """Return the order of reading: chosen, priced from the least, impossible."""
    usd = one.objective_usd if one.objective_usd is not None else one.bound_usd
    return one.status != "chosen", usd is None, usd or 0.0


def _kind(view: View, name: str, members: list[Combination]) -> CombinedKind:
    label = view.w.said(SCALE_UP_WORDS.get(name, name))
    if all(one.status == "infeasible" for one in members):
        reasons = list(dict.fromkeys(one.reason for one in members))
        if len(reasons) == 1:
            return CombinedKind(name=label, rows=(), impossible=view.w.said(plain(reasons[0])))
    alike: dict[object, list[Combination]] = {}
    for one in sorted(members, key=_order):
        told = BARRED if one.reason.startswith(BARRED) else one.reason
        key = (one.bound_usd, told) if one.objective_usd is None else id(one)
        alike.setdefault(key, []).append(one)
    rows = [_row(view, group, members) for group in alike.values()]
    return CombinedKind(name=label, rows=tuple(rows), impossible="")


def _row(view: View, group: list[Combination], members: list[Combination]) -> CombinedRow:
    one, w, n = group[0], view.w, view.n
    mixed = len({other.reason for other in group}) > 1
    steps = "; ".join(n.seconds(seconds) for seconds in one.step_times_s.values())
    return CombinedRow(
        network=networks_text(w, group, members),
        one=one,
        verdict=combined_verdict(view, one),
        steps=steps,
        reason=w("combinations.barred") if mixed else w.said(plain(one.reason)),
    )


def networks_text(w: Words, group: list[Combination], members: list[Combination]) -> str:
    """Return the networks of a group: by family, `any topology` where it holds them all."""
    if len(group) == len(members):
        return w("combinations.any_network")
    parts = []
    for family in dict.fromkeys(one.family for one in members):
        held = [one.topology for one in group if one.family == family]
        every = [one.topology for one in members if one.family == family]
        if not held:
            continue
        if every == [DIRECT]:
            parts.append(w("combinations.direct"))
            continue
        names = ", ".join(w.label("topology", topology) for topology in held)
        shape = w("combinations.any_topology") if len(held) == len(every) > 1 else names
        parts.append(f"{w.label('family', family)}, {shape}")
    return "; ".join(parts)


def combined_verdict(view: View, one: Combination) -> str:
    """Return in one short phrase what a combination costs more, or at least, or that none works."""
    w, n, base = view.w, view.n, view.solution.objective_usd
    if one.status == "chosen":
        return w("alternative.chosen")
    if one.delta_usd is None:
        return w("alternative.status.infeasible")
    if one.status == "bounded" and one.delta_usd <= 0:
        return w("combinations.open" if one.delta_usd < 0 else "combinations.not_cheaper")
    if one.delta_usd == 0:
        return w("alternative.same_cost")
    share = (
        ""
        if not base
        else f" ({'+' if one.delta_usd > 0 else ''}{n.percent(one.delta_usd / base)})"
    )
    shown = f"{n.signed_money(one.delta_usd)}{share}"
    return w("combinations.at_least", cost=shown) if one.status == "bounded" else shown


def counted(solution: Solution) -> dict[str, int]:
    """Return how many combinations were proved, found without proof, bounded and ruled out."""
    found = Counter[str](one.status for one in solution.combinations)
    proved = found["optimal"] + found["chosen"]
    return {"proved": proved} | {k: found[k] for k in ("feasible", "bounded", "infeasible")}
