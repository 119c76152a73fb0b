"""Who runs where: pools that are bought, servers that are rented, what deciding otherwise costs."""

from __future__ import annotations

from planner.domain.portfolio_part import RentPart
from planner.domain.solution import Solution
from planner.report.extra import Extra
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.sections.table_section import table_section
from planner.report.view import View
from planner.report.words import Words


def _table(view: View) -> Extra:
    """Return who runs where: pools that are bought, servers that are rented, other decisions."""
    solution, w, n = view.solution, view.w, view.n
    part = solution.portfolio
    rents = part.rents if part else []
    rows = [
        *_pool_rows(solution, w, n),
        *(_rent_row(rent, w, n) for rent in rents),
    ]
    heads = ("where", "workloads", "servers", "what", "cost", "busy", "break_even")
    return Extra(
        caption=w("portfolio.caption", currency=n.currency),
        lines=tuple(portfolio_lines(solution, w, n)),
        heads=tuple(w(f"portfolio.{key}") for key in heads),
        rows=tuple(rows),
    )


def portfolio_lines(solution: Solution, w: Words, n: Notation) -> list[str]:
    """Return the reservations, rented steps, and what deciding otherwise would cost."""
    part = solution.portfolio
    if part is None or solution.objective_usd is None:
        return []
    lines = [
        w("portfolio.reserved", count=n.number(row.instances), offer=plain(row.row),
          amount=n.money(row.total_usd))
        for row in part.reservations
    ]  # fmt: skip
    lines += [_rented_step(rent, w, n) for rent in part.rents if rent.strategy is not None]
    for other in part.others:
        name = w(f"portfolio.{other.name}")
        if other.total_usd is None:
            lines.append(w("portfolio.impossible", name=name))
        elif other.total_usd > solution.objective_usd:
            share = other.total_usd / solution.objective_usd - 1 if solution.objective_usd else 0.0
            lines.append(
                w("portfolio.dearer", name=name, amount=n.money(other.total_usd),
                  share=n.percent(share))
            )  # fmt: skip
        else:
            lines.append(w("portfolio.same", name=name, amount=n.money(other.total_usd)))
    return lines


def _rented_step(rent: RentPart, w: Words, n: Notation) -> str:
    """Return a rented job's step against its limit, what it computes of it, and its strategy."""
    return w(
        "portfolio.rented_step",
        name=plain(rent.workload),
        seconds=n.seconds(rent.step_time_s),
        limit=n.seconds(rent.limit_s),
        compute=n.percent(rent.breakdown.get("compute", 0.0) / rent.step_time_s),
        strategy=w.said(plain(rent.strategy_label)),
    )


def _pool_rows(solution: Solution, w: Words, n: Notation) -> list[tuple[str, ...]]:
    pools = solution.portfolio.pools if solution.portfolio else []
    places = [w("portfolio.colocation") if p.place == "colocation" else "" for p in pools]
    pairs = zip(solution.pools, places, strict=True)
    return [_pool_row(document, place, w, n) for document, place in pairs]


def _pool_row(document: Solution, place: str, w: Words, n: Notation) -> tuple[str, ...]:
    design, cost = document.design, document.cost
    assert design is not None
    assert cost is not None
    asked = {job.name: job.runs for job in document.instance.workloads}
    busy = sum(r.busy_fraction for r in document.workloads if asked.get(r.name) == "time_shared")
    return (
        ", ".join(text for text in (plain(document.instance.name), place) if text),
        ", ".join(plain(result.name) for result in document.workloads),
        n.number(design.nodes),
        w.said(plain(design.platform.model)),
        n.amount(cost.total_usd, 0),
        n.percent(busy),
        "",
    )


def _rent_row(rent: RentPart, w: Words, n: Notation) -> tuple[str, ...]:
    share, months = rent.break_even_busy, rent.break_even_months
    shown = [] if share is None else [n.percent(share)]
    shown += [] if months is None else [w("portfolio.months", months=n.number(months))]
    return (
        f"{plain(rent.provider)}, {w(f'portfolio.term.{rent.term}')}",
        plain(rent.workload),
        n.number(rent.instances),
        w.said(plain(rent.instance)),
        n.amount(rent.total_usd + rent.egress_usd, 0),
        n.percent(rent.busy_fraction),
        ", ".join(shown),
    )


def portfolio_console(solution: Solution, w: Words, n: Notation) -> list[str]:
    """Return one line a pool or rent, then what deciding otherwise would cost."""
    part = solution.portfolio
    if part is None:
        return []
    rows = _pool_rows(solution, w, n)
    rows += [_rent_row(rent, w, n) for rent in part.rents]
    lines = [
        w("portfolio.line", where=row[0], jobs=row[1], servers=row[2], what=row[3], cost=row[4])
        for row in rows
    ]
    return [*lines, *portfolio_lines(solution, w, n)]


SECTION = table_section(
    key="portfolio",
    title="portfolio.title",
    shown=lambda solution: solution.portfolio is not None,
    make=_table,
)
