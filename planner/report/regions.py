"""The answer over several sites: who holds what, the lines, what security costs, joint totals.

Each part is built once, as sentences and a table, and shown alike in Markdown and on the page.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.regions_answer import RegionsAnswer, SecurityCost, WanLine
from planner.report.markdown_table import table
from planner.report.notation import Notation, notation
from planner.report.plain import markdown, plain
from planner.report.words import Words, words

DASH = "\N{EN DASH}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a cell shows, and the unrounded figure behind it."""

    text: str
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionPart:
    """One part of the page: sentences and a table whose first column names the row."""

    key: str
    title: str
    lines: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    marked: int | None = None
    """Row that was chosen."""


def regions_markdown(answer: RegionsAnswer, lang: str = "en") -> str:
    """Return the page in Markdown."""
    n = notation(lang, answer.instance)
    w = words(lang, n)
    instance = answer.instance
    lines = [f"# {markdown(instance.title or instance.name)}", "", f"**{headline(answer, w, n)}**"]
    for part in region_parts(answer, w, n):
        lines += ["", f"## {part.title}"]
        if part.lines:
            lines += ["", *(f"- {markdown(line)}" for line in part.lines)]
        if part.rows:
            rows = [[markdown(cell.text) for cell in row] for row in part.rows]
            lines += table(part.heads, rows, "l" + "r" * (len(part.heads) - 1))
    return "\n".join(lines) + "\n"


def headline(answer: RegionsAnswer, w: Words, n: Notation) -> str:
    """Return the answer in one sentence."""
    if answer.objective_usd is None or answer.step_time_s is None:
        return w("regions.none")
    where = ", ".join(f"{n.number(s.nodes)} x {plain(s.server)} {plain(s.name)}"
                      for s in answer.sites)  # fmt: skip
    return w("regions.headline", where=where, amount=n.money(answer.objective_usd),
             years=n.short(answer.instance.finance.years, 1))  # fmt: skip


def region_parts(answer: RegionsAnswer, w: Words, n: Notation) -> list[RegionPart]:
    """Return the parts in the reader's order."""
    if answer.status == "infeasible":
        said = tuple(w.said(plain(reason)) for reason in answer.reasons)
        return [RegionPart(key="reasons", title=w("reasons.title"), lines=said)]
    return [
        _sites(answer, w, n),
        _lines(answer, w, n),
        _security(answer, w, n),
        _totals(answer, w, n),
        RegionPart(key="notes", title=w("regions.notes"),
                   lines=tuple(w.said(plain(note)) for note in answer.notes)),
    ]  # fmt: skip


def _heads(w: Words, group: str, *keys: str) -> tuple[str, ...]:
    return tuple(w(f"regions.{group}.{key}") for key in keys)


def _seconds(value: float, n: Notation) -> Cell:
    return Cell(text=n.seconds(value), value=value)


def _usd(value: float, n: Notation) -> Cell:
    return Cell(text=n.money(value), value=value)


def _sites(answer: RegionsAnswer, w: Words, n: Notation) -> RegionPart:
    rows = [
        (
            Cell(text=plain(s.name)),
            Cell(text=f"{n.number(s.nodes)} x {plain(s.server)}", value=s.nodes),
            Cell(text=n.number(s.gpus), value=s.gpus),
            Cell(text=w("regions.batch", count=n.number(s.global_batch)), value=s.global_batch)
            if s.stages is None
            else Cell(text=w.count("regions.stages", s.stages), value=s.stages),
            _seconds(s.step_time_s, n),
            Cell(text=w.said(plain(s.strategy))),
        )
        for s in answer.sites
    ]
    step = answer.step_time_s or 0.0
    line = w("regions.step", step=n.seconds(step), limit=n.seconds(answer.limit_s),
             target=n.seconds(answer.target_s), margin=n.percent(answer.margin))  # fmt: skip
    return RegionPart(
        key="sites", title=w("regions.sites"), lines=(line,), rows=tuple(rows),
        heads=_heads(w, "site", "name", "servers", "gpus", "part", "step", "strategy"),
    )  # fmt: skip


def _lines(answer: RegionsAnswer, w: Words, n: Notation) -> RegionPart:
    crossing = answer.crossing
    if crossing is None:
        return RegionPart(key="lines", title=w("regions.lines"), lines=(w("regions.one"),))
    sites = f" {DASH} ".join(plain(name) for name in crossing.sites)
    share = crossing.exchange_s / answer.step_time_s if answer.step_time_s else 0.0
    said = (
        w(f"regions.crosses.{crossing.pattern}", sites=sites, hub=plain(crossing.sites[0])),
        w("regions.adds", seconds=n.seconds(crossing.exchange_s), share=n.percent(share),
          rounds=n.number(crossing.rounds)),
    )  # fmt: skip
    return RegionPart(
        key="lines", title=w("regions.lines"), lines=said,
        heads=_heads(w, "line", "between", "km", "rate", "encryption", "goodput", "latency",
                     "sent", "adds", "rent", "traffic", "cards", "source"),
        rows=tuple(_line(line, w, n) for line in answer.lines),
    )  # fmt: skip


def _line(line: WanLine, w: Words, n: Notation) -> tuple[Cell, ...]:
    cards = w("regions.cards", count=n.number(line.gateways), amount=n.money(line.gateway_usd))
    return (
        Cell(text=f" {DASH} ".join(plain(name) for name in line.between)),
        Cell(text=f"{n.short(line.km, 1)} km", value=line.km),
        Cell(text=f"{n.short(line.gbps, 1)} Gbit/s", value=line.gbps),
        Cell(text=w(f"regions.cipher.{line.encryption}")),
        Cell(text=f"{n.number(line.goodput_gbps, 1)} Gbit/s", value=line.goodput_gbps),
        Cell(text=f"{n.number(line.latency_s * 1e3, 3)} ms", value=line.latency_s),
        Cell(text=f"{n.number(line.exchange_bytes / 1e9, 2)} GB", value=line.exchange_bytes),
        _seconds(line.exchange_s, n),
        _usd(line.rent_usd, n),
        _usd(line.traffic_usd, n),
        Cell(text=cards if line.gateways else DASH, value=line.gateway_usd),
        Cell(text=w.source(plain(line.source))),
    )


def _security(answer: RegionsAnswer, w: Words, n: Notation) -> RegionPart:
    """Return every option against the plain line, where one can be had."""
    plain_line = next((a for a in answer.alternatives if a.name == "none"), None)
    base = plain_line if plain_line is not None and plain_line.status == "optimal" else None
    names = [item.name for item in answer.alternatives]
    used = sorted({line.encryption for line in answer.lines})
    said = [w("regions.demanded" if _demanded(answer) else "regions.free")]
    said.append(w("regions.estimate"))
    return RegionPart(
        key="security", title=w("regions.security"), lines=tuple(said),
        heads=_heads(w, "option", "name", "servers", "rate", "step", "slower", "amount", "dearer"),
        rows=tuple(_option(item, base, w, n) for item in answer.alternatives),
        marked=names.index(used[0]) if len(used) == 1 and used[0] in names else None,
    )  # fmt: skip


def _demanded(answer: RegionsAnswer) -> bool:
    return answer.instance.regions is not None and answer.instance.regions.encryption == "required"


def _option(
    item: SecurityCost, base: SecurityCost | None, w: Words, n: Notation
) -> tuple[Cell, ...]:
    name = w(f"regions.option.{item.name.replace(' ', '_')}")
    if not item.allowed:
        name = w("regions.excluded", name=name)
    if item.objective_usd is None or item.step_time_s is None:
        empty = (Cell(text=DASH),) * 5
        return (Cell(text=name), Cell(text=w.said(plain(item.summary))), *empty)
    slower = dearer = Cell(text=DASH)
    if base is not None and base is not item and base.step_time_s and base.objective_usd:
        share = item.step_time_s / base.step_time_s - 1.0
        usd = item.objective_usd - base.objective_usd
        slower = Cell(text=("+" if share > 0 else "") + n.percent(share, 2), value=share)
        dearer = Cell(text=n.signed_money(usd), value=usd)
    where = ", ".join(w.said(plain(part)) for part in item.summary.split(", "))
    rate = DASH if item.gbps is None else f"{n.short(item.gbps, 1)} Gbit/s"
    return (
        Cell(text=name),
        Cell(text=where),
        Cell(text=rate, value=item.gbps),
        _seconds(item.step_time_s, n),
        slower,
        _usd(item.objective_usd, n),
        dearer,
    )


def _totals(answer: RegionsAnswer, w: Words, n: Notation) -> RegionPart:
    """Return purchase and present value of each site and line, and of all."""
    rows = [
        (Cell(text=plain(s.name)), _usd(s.capex_usd, n), _usd(s.objective_usd, n))
        for s in answer.sites
    ]
    for line in answer.lines:
        total = line.rent_usd + line.traffic_usd + line.gateway_usd
        name = f" {DASH} ".join(plain(end) for end in line.between)
        rows.append((Cell(text=w("regions.line.of", sites=name)),
                     _usd(line.gateway_capex_usd, n), _usd(total, n)))  # fmt: skip
    capex = sum(s.capex_usd for s in answer.sites)
    capex += sum(line.gateway_capex_usd for line in answer.lines)
    total_usd = answer.objective_usd or 0.0
    rows.append((Cell(text=w("regions.all")), _usd(capex, n), _usd(total_usd, n)))
    return RegionPart(
        key="totals", title=w("regions.totals"), rows=tuple(rows), marked=len(rows) - 1,
        heads=_heads(w, "total", "what", "capex", "amount"),
    )  # fmt: skip
