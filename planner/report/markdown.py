"""`summary.md`: the decision in Markdown, the same facts as the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planner.domain.solution import Solution
from planner.report import decision
from planner.report.alternatives import losers, verdict
from planner.report.binding import binding_text, quantity, shown_bindings, unit_text
from planner.report.cabling import cable_lines
from planner.report.confidence import confidence_lines
from planner.report.extra import Extra, extras
from planner.report.inventory import inventory_lines, inventory_text, part_text
from planner.report.notation import Notation, conversion_text, notation
from planner.report.plain import markdown, plain
from planner.report.targets import Target, margin_text, run_text, targets
from planner.report.words import Words, words

COST_KEYS = ("capex", "energy", "support", "other", "total")


def summary_markdown(solution: Solution, lang: str = "en") -> str:
    """Return the summary.

    Raises
    ------
    UsageError
        If the language is unknown.
    """
    w, n = words(lang), notation(lang, solution.instance)
    sections = (
        _head(solution, w, n),
        _cost(solution, w, n),
        _targets(solution, w, n),
        _steps(solution, w, n),
        *(_extra(extra) for extra in extras(solution, w, n)),
        _bindings(solution, w, n),
        _alternatives(solution, w, n),
        _confidence(solution, w, n),
        _owned(solution, w, n),
        _bill(solution, w, n),
        _cabling(solution, w, n),
        _assumptions(solution, w),
        _proof(solution, w, n),
    )
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: str = "") -> list[str]:
    """Return a table; `right` has one letter a column, r for numbers."""
    marks = ["---:" if mark == "r" else "---" for mark in right.ljust(len(heads), "l")]
    lines = ["", f"| {' | '.join(heads)} |", f"| {' | '.join(marks)} |"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _head(solution: Solution, w: Words, n: Notation) -> list[str]:
    lines = [f"# {markdown(decision.title(solution))}", ""]
    lines += [
        f"**{decision.status(solution, w, n)}.** {markdown(decision.headline(solution, w, n))}."
    ]
    texts = (decision.fabric_text(solution, w, n), decision.place_text(solution, w, n))
    for text in (*texts, inventory_text(solution, w, n)):
        lines += [f"- {markdown(text)}"] if text else []
    if solution.reasons:
        lines += ["", f"## {w('reasons.title')}", ""]
        lines += [f"- {markdown(w.said(plain(reason)))}" for reason in solution.reasons]
    note = plain(solution.instance.note)
    return lines + (["", f"> {markdown(note)}"] if note else [])


def _cost(solution: Solution, w: Words, n: Notation) -> list[str]:
    cost = solution.cost
    if cost is None:
        return []
    title = f"{w('cost.title', years=n.short(cost.years, 1))} ({n.currency})"
    heads = [w("cost.component"), *(w(f"cost.{key}") for key in COST_KEYS)]
    rows = [
        [w.label("component", line.component)]
        + [n.amount(getattr(line, f"{key}_usd")) for key in COST_KEYS]
        for line in cost.components
    ]
    total = [f"**{n.amount(getattr(cost, f'{key}_usd'))}**" for key in COST_KEYS]
    rows.append([f"**{w('cost.total')}**", *total])
    lines = [f"## {title}", *_table(heads, rows, "lrrrrr"), "", w("cost.other_note")]
    if cost.not_priced:
        missing = ", ".join(markdown(w.said(item)) for item in cost.not_priced)
        lines += ["", f"{w('cost.not_priced')}: {missing}."]
    conversion = conversion_text(solution.instance, w, n)
    return [*lines, "", conversion] if conversion else lines


def _targets(solution: Solution, w: Words, n: Notation) -> list[str]:
    if not solution.workloads:
        return []
    heads = [w(f"step.{key}") for key in ("workload", "time", "limit", "target", "spare", "run")]
    rows = []
    for target in targets(solution):
        result = target.result
        rows.append(
            [
                markdown(result.name),
                n.seconds(result.step_time_s),
                n.seconds(result.limit_s),
                n.seconds(result.target_s),
                n.percent(target.spare_share),
                run_text(target, w, n),
            ]
        )
    return [
        f"## {w('step.title')}",
        *_table(heads, rows, "lrrrrr"),
        "",
        margin_text(solution, w, n),
    ]


def _steps(solution: Solution, w: Words, n: Notation) -> list[str]:
    lines: list[str] = []
    for target in targets(solution):
        lines += _step(target, w, n)
    return lines[1:]


def _step(target: Target, w: Words, n: Notation) -> list[str]:
    result = target.result
    how = w(
        "step.on",
        network=plain(result.network),
        gpus=n.number(result.gpus_used),
        strategy=w.said(plain(result.strategy_label)),
    )
    memory = w(
        "step.memory",
        total=n.short(result.memory_gib.get("total", 0.0), 2),
        limit=n.short(result.memory_gib.get("limit", 0.0), 2),
    )
    rates = w(
        "step.rates",
        mfu=n.percent(result.mfu),
        hfu=n.percent(result.hfu),
        tokens=n.number(result.tokens_per_s_per_gpu, 1),
    )
    rows = [
        [
            markdown(w.label("part", part)),
            n.number(seconds, 6),
            n.percent(seconds / result.step_time_s),
        ]
        for part, seconds in target.parts
    ]
    rows.append([f"**{w('cost.total')}**", f"**{n.number(result.step_time_s, 6)}**", ""])
    heads = [w("step.part"), w("step.seconds"), w("step.share")]
    title = f"### {markdown(result.name)}"
    return ["", title, "", f"{markdown(how)}. {rates}. {memory}.", *_table(heads, rows, "lrr")]


def _extra(extra: Extra) -> list[str]:
    lines = [f"## {extra.title}", ""]
    lines += [f"- {markdown(line)}" for line in extra.lines]
    if not extra.rows:
        return lines
    rows = [[markdown(cell) for cell in row] for row in extra.rows]
    return [*lines, extra.caption, *_table(extra.heads, rows, "l" + "r" * (len(extra.heads) - 1))]


def _bindings(solution: Solution, w: Words, n: Notation) -> list[str]:
    if not solution.binding:
        return []
    found = shown_bindings(solution)
    lines = [f"## {w('binding.title' if solution.design else 'binding.fails')}", ""]
    lines += [
        f"- {markdown(w.said(item.limit))}: {markdown(binding_text(item, w, n))}" for item in found
    ]
    if not found:
        lines.append(w("binding.none"))
    heads = [
        w(f"binding.{key}") for key in ("limit", "used", "available", "unit", "binds", "constraint")
    ]
    rows = [
        [
            markdown(w.said(item.limit)),
            quantity(item.used, item.unit, n),
            quantity(item.available, item.unit, n),
            markdown(unit_text(item.unit, w, n)),
            w("binding.yes" if item.binding else "binding.no"),
            markdown(item.constraint),
        ]
        for item in solution.binding
    ]
    return [*lines, *_table(heads, rows, "lrr")]


def _alternatives(solution: Solution, w: Words, n: Notation) -> list[str]:
    found = losers(solution)
    if not found:
        return []
    heads = [w(f"alternatives.{key}") for key in ("question", "name", "cost", "delta", "why")]
    rows = [
        [
            markdown(w.said(item.question)),
            markdown(w.said(item.name)),
            n.amount(item.objective_usd) if item.objective_usd is not None else "",
            verdict(solution, item, w, n),
            markdown(w.said(plain(item.reason))),
        ]
        for item in found
    ]
    return [f"## {w('alternatives.title')}", *_table(heads, rows, "llrr")]


def _confidence(solution: Solution, w: Words, n: Notation) -> list[str]:
    lines = [f"- {markdown(line)}" for line in confidence_lines(solution, w, n)]
    return [f"## {w('confidence.title')}", "", *lines]


def _owned(solution: Solution, w: Words, n: Notation) -> list[str]:
    if solution.inventory is None:
        return []
    heads = [w("bill.part"), w("bill.component")]
    heads += [w(f"owned.{key}") for key in ("owned", "in_use", "idle_units", "bought")]
    rows = [
        [
            markdown(part_text(use)),
            w.label("component", use.component),
            *(n.number(v) for v in (use.owned, use.used, use.owned - use.used, use.bought)),
        ]
        for use in solution.inventory.uses
    ]
    lines = [f"- {markdown(line)}" for line in inventory_lines(solution, w, n)]
    return [f"## {w('owned.title')}", "", *lines, *_table(heads, rows, "llrrrr")]


def _bill(solution: Solution, w: Words, n: Notation) -> list[str]:
    if not solution.bill_of_materials:
        return []
    keys = ("part", "description", "quantity", "unit_price", "total", "price_kind", "date")
    rows = [
        [
            markdown(line.part),
            markdown(w.said(plain(line.description))),
            n.number(line.quantity),
            n.amount(line.unit_price_usd),
            n.amount(line.total_usd),
            markdown(w.label("price_kind", line.price_kind)),
            markdown(w.day(line.price_date)),
        ]
        for line in solution.bill_of_materials
    ]
    title = f"{w('bill.title')} ({n.currency})"
    return [f"## {title}", *_table([w(f"bill.{key}") for key in keys], rows, "llrrr")]


def _cabling(solution: Solution, w: Words, n: Notation) -> list[str]:
    if not solution.link_count:
        return []
    keys = ("tier", "part", "length", "links", "assemblies", "modules", "longest")
    rows = [
        [
            w.label("cable", group.tier),
            markdown(decision.part_name(solution, group.part, w)),
            n.short(group.length_m, 2),
            n.number(group.links),
            n.number(group.assemblies),
            n.number(group.modules),
            n.short(group.longest_m, 2),
        ]
        for group in cable_lines(solution)
    ]
    heads = [w(f"cabling.{key}") for key in keys]
    return [f"## {w('cabling.title')}", *_table(heads, rows, "llrrrrr")]


def _assumptions(solution: Solution, w: Words) -> list[str]:
    if not solution.assumptions:
        return []
    heads = [w(f"assumptions.{key}") for key in ("what", "value", "kind", "source")]
    rows = [
        [
            markdown(w.said(item.what)),
            markdown(w.said(plain(item.value))),
            w.label("assumption_kind", item.kind),
            markdown(w.source(plain(item.source))),
        ]
        for item in solution.assumptions
    ]
    return [f"## {w('assumptions.title')}", *_table(heads, rows)]


def _proof(solution: Solution, w: Words, n: Notation) -> list[str]:
    run = solution.run
    identity = w(
        "proof.identity",
        run=markdown(run.run_id),
        version=markdown(run.planner_version),
        started=markdown(n.moment(run.started)),
    )
    return [
        f"## {w('proof.title')}",
        "",
        f"{markdown(decision.proof_text(solution, w, n))}.",
        "",
        identity,
    ]
