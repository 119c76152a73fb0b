"""The selection program of an answer as LP or MPS text, to be solved outside planner."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planner.domain.errors import UsageError
from planner.domain.regions_answer import RegionsAnswer
from planner.domain.solution import Solution
from planner.program.engines import EngineOptions
from planner.program.growth_search import GrowthSearch
from planner.program.market import Market, open_market
from planner.program.phases import build_growth
from planner.program.portfolio import build_portfolio
from planner.program.portfolio_search import Search
from planner.program.reduced import candidates_of, limits_of
from planner.program.regions import build_regions
from planner.program.scan import scan
from planner.program.selection import build_selection
from planner.study.alternatives import alternatives
from planner.study.regions import open_regions


def program_text(solution: Solution, file: Path, kind: str) -> str:
    """Return the program over every column whose physics was evaluated.

    Parameters
    ----------
    solution
        The answer; its instance is scanned again.
    file
        Where the answer lies; paths in its instance are relative to that.
    kind
        ``lp`` or ``mps``.

    Raises
    ------
    UsageError
        If no column was evaluated, so that there is no program.
    """
    market = open_market(solution.instance, file, solution.calibration, networks=solution.networks)
    if solution.instance.growth is not None:
        return _written(_growth(market), kind, market.storage.total)
    if solution.instance.split:
        return _written(_portfolio(market), kind, 0)
    result = scan(market)
    if result.best is not None:
        alternatives(market, result.best, deadline_s=None, say=lambda _: None)
    candidates = candidates_of(market, result)
    if not candidates:
        raise UsageError("no column reaches the selection program; there is nothing to write")
    model = build_selection(candidates, limits_of(market))
    return _written(model.problem, kind, model.base_cents)


def regions_text(
    answer: RegionsAnswer, solutions: Sequence[Solution], file: Path, kind: str
) -> str:
    """Return the program of an answer over several sites; the sites' solutions hold its network.

    Raises
    ------
    UsageError
        If no split of servers over the sites steps within the limit.
    """
    networks = {name: network for own in solutions for name, network in own.networks.items()}
    opened = open_regions(answer.instance, file, networks=networks or None)
    if not opened.splits:
        raise UsageError("no split of servers over the sites is fast enough; nothing to write")
    lines = [one.line for one in opened.offered]
    return _written(build_regions(opened.splits, lines, opened.limits).problem, kind, 0)


def _portfolio(market: Market) -> Any:
    """Return the program over every pool that was found and every way to rent."""
    search = Search(market=market, engine=EngineOptions(), deadline_s=None, say=lambda _: None)
    result = search.run()
    if result.best is None:
        raise UsageError("no portfolio meets the limits; there is nothing to write")
    jobs = range(len(market.instance.workloads))
    return build_portfolio(
        jobs, search.blocks(), result.rents, result.reservations, result.limits
    ).problem


def _growth(market: Market) -> Any:
    """Return the program over the columns of all phases that were found."""
    search = GrowthSearch(
        market=market, engine=EngineOptions(), deadline_s=None, say=lambda _: None
    )
    found = search.run()
    if found.plan is None:
        raise UsageError("no plan meets the limits of all phases; there is nothing to write")
    return build_growth(search.problem(found.timeline)).problem


def _written(problem: Any, kind: str, base_cents: int) -> str:
    with tempfile.TemporaryDirectory(prefix="planner-") as folder:
        path = Path(folder) / f"selection.{kind}"
        if kind == "lp":
            problem.writeLP(str(path))
        else:
            problem.writeMPS(str(path))
        text = path.read_text(encoding="utf-8")
    constant = f"constant {base_cents / 100:.2f} USD is added to the objective"
    if kind == "lp":
        return f"\\* {constant} *\\\n{text}"
    return f"* {constant}\n{text}"
