"""Every scale-up kind with every family and topology: complete, summed right, as it is named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.domain.combination import DIRECT, Combination, beside_grid, combined
from planner.domain.solution import DesignPart, Solution
from planner.domain.units import cents
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation
from planner.verify.workloads import LIMIT_SLACK_S

SOLVED = ("chosen", "optimal", "feasible")
SUMMARY = re.compile(r"\d+ x (.+?), (?:no switch|([a-z]+) [0-9.]+G, .+)")
"""Server, and family of the fabric, in the words of a design."""


def check_combinations(record: Record) -> Iterator[Violation]:
    """Yield combinations that are missing, or that contradict the answer or their own words."""
    solution = record.solution
    if not solution.combinations:
        return
    if solution.objective_usd is None or solution.design is None:
        yield violation(
            "combination-status", "$.combinations", "none", len(solution.combinations),
            "without an answer there is nothing that a combination is dearer than",
        )  # fmt: skip
        return
    kinds = {server.scale_up for server in record.catalog.servers.values()}
    wanted = list(combined(kinds))
    found = [(c.scale_up, c.family, c.topology) for c in solution.combinations]
    if found != wanted:
        wrong = [", ".join(names) for names in sorted(set(wanted) ^ set(found))] or ["the order"]
        yield violation(
            "combination-complete", "$.combinations", f"{len(wanted)} in order",
            f"{len(found)}, wrong: {wrong[0]}",
            "each scale-up kind of the catalogue stands once with each family and topology",
        )  # fmt: skip
    for i, one in enumerate(solution.combinations):
        where = f"$.combinations[{i}]"
        yield from _status(one, where)
        yield from _money(solution, one, where)
        yield from _chosen(solution, solution.design, one, where)
        yield from _words(record, one, where)
        yield from _times(solution, one, where)
        yield from _alternatives(solution, one, where)


def _name(one: Combination) -> str:
    return f"{one.scale_up} with {one.family}, {one.topology}"


def _status(one: Combination, where: str) -> Iterator[Violation]:
    solved, known = one.status in SOLVED, one.status != "infeasible"
    given = {
        "objective_usd": (solved, one.objective_usd is not None),
        "bound_usd": (known, one.bound_usd is not None),
        "delta_usd": (known, one.delta_usd is not None),
        "summary": (solved, bool(one.summary)),
        "step_times_s": (solved, bool(one.step_times_s)),
        "reason": (one.status != "chosen", bool(one.reason)),
    }
    for key, (expected, present) in given.items():
        if expected != present:
            yield violation(
                "combination-status", f"{where}.{key}", "present" if expected else "absent",
                "present" if present else "absent", f"{_name(one)} is {one.status}",
            )  # fmt: skip


def _money(solution: Solution, one: Combination, where: str) -> Iterator[Violation]:
    base, floor = solution.objective_usd, solution.bound_usd
    usd = one.bound_usd if one.objective_usd is None else one.objective_usd
    if usd is None or one.bound_usd is None or base is None:
        return
    difference = cents(usd) - cents(base)
    if one.delta_usd is None or cents(one.delta_usd) != difference:
        yield violation(
            "combination-delta", f"{where}.delta_usd", difference / 100, one.delta_usd,
            f"{_name(one)}: the difference is its cost, or bound, less the answer's cost",
        )  # fmt: skip
    beside = beside_grid(solution.instance, one.topology)
    if solution.status == "optimal" and difference < 0 and not beside:
        yield violation(
            "combination-cheaper", where, f"at least {base:.2f}", usd,
            f"{_name(one)} is cheaper than an answer called optimal",
        )  # fmt: skip
    proved = one.status == "optimal" or (one.status == "chosen" and solution.status == "optimal")
    if cents(one.bound_usd) > cents(usd) or (proved and cents(one.bound_usd) != cents(usd)):
        yield violation(
            "combination-bound", f"{where}.bound_usd", usd, one.bound_usd,
            f"{_name(one)}: a bound is at most the cost, and equal where that is proved",
        )  # fmt: skip
    elif floor is not None and cents(one.bound_usd) < cents(floor) and not beside:
        yield violation(
            "combination-bound", f"{where}.bound_usd", f"at least {floor:.2f}", one.bound_usd,
            f"{_name(one)}: no design of the instance costs less than the answer's bound",
        )  # fmt: skip


def _chosen(
    solution: Solution, design: DesignPart, one: Combination, where: str
) -> Iterator[Violation]:
    """Yield a violation where the choice that was made is not the answer."""
    fabric = design.fabric
    made = (design.platform.scale_up, fabric.family, fabric.topology)
    if (one.status == "chosen") != ((one.scale_up, one.family, one.topology) == made):
        yield violation(
            "combination-chosen", f"{where}.status", f"chosen only for {', '.join(made)}",
            one.status, f"{_name(one)}: the choice made is the answer's",
        )  # fmt: skip
    if one.status != "chosen":
        return
    steps = {w.name: w.step_time_s for w in solution.workloads}
    alike = steps.keys() == one.step_times_s.keys() and all(
        same(one.step_times_s[name], seconds) for name, seconds in steps.items()
    )
    if one.delta_usd != 0 or not alike:
        yield violation(
            "combination-chosen", where, f"{solution.objective_usd} USD, {steps}",
            f"{one.objective_usd} USD, {one.step_times_s}",
            "the choice made costs what the answer costs and steps as fast",
        )  # fmt: skip


def _words(record: Record, one: Combination, where: str) -> Iterator[Violation]:
    """Yield a violation if the words of a design name another server, family or topology."""
    if not one.summary:
        return
    match = SUMMARY.fullmatch(one.summary)
    model, family = (match[1], match[2] or "none") if match else ("", "")
    servers = record.catalog.servers.values()
    kinds = {server.scale_up for server in servers if server.model == model}
    shape = one.topology.replace("_", " ")
    told = one.topology in (DIRECT, "single") or shape in one.summary
    if one.scale_up not in kinds or family != one.family or not told:
        yield violation(
            "combination-words", f"{where}.summary", _name(one), one.summary,
            "the design is of the combination that it answers",
        )  # fmt: skip


def _times(solution: Solution, one: Combination, where: str) -> Iterator[Violation]:
    limits = {w.name: w for w in solution.workloads}
    if one.step_times_s and one.step_times_s.keys() != limits.keys():
        yield violation(
            "combination-workloads", f"{where}.step_times_s", ", ".join(sorted(limits)),
            ", ".join(sorted(one.step_times_s)), f"{_name(one)} times other workloads",
        )  # fmt: skip
    for name, seconds in one.step_times_s.items():
        job = limits.get(name)
        if job is None or job.goodput is not None:
            continue
        if not 0 < seconds <= job.limit_s + LIMIT_SLACK_S:
            yield violation(
                "combination-limit", f"{where}.step_times_s", f"at most {job.limit_s:.10g}", seconds,
                f"{_name(one)} must keep the step time of {name}",
            )  # fmt: skip


def _alternatives(solution: Solution, one: Combination, where: str) -> Iterator[Violation]:
    """Yield a violation where a proved choice that holds the combination contradicts it."""
    names = {"scale_up": one.scale_up, "family": one.family, "topology": one.topology}
    for other in solution.alternatives:
        if not other.forced or any(names.get(k) != v for k, v in other.forced.items()):
            continue
        if "topology" not in other.forced and beside_grid(solution.instance, one.topology):
            continue
        if other.status == "infeasible" and one.status != "infeasible":
            yield violation(
                "combination-alternative", where, "infeasible", one.status,
                f"{_name(one)} is a case of {other.name}, which has no design",
            )  # fmt: skip
        least = other.objective_usd if other.status == "optimal" else None
        if least is None or one.bound_usd is None:
            continue
        if cents(one.bound_usd) < cents(least):
            yield violation(
                "combination-alternative", f"{where}.bound_usd", f"at least {least}", one.bound_usd,
                f"{_name(one)} is a case of {other.name}, whose cheapest design is proved",
            )  # fmt: skip
