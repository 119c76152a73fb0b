"""The whole decision: scan, program, alternatives, answer."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planner import __version__
from planner.domain.calibration import Calibration
from planner.domain.catalog import Catalog
from planner.domain.errors import SolverError, UsageError
from planner.domain.instance import Instance
from planner.domain.solution import Alternative, Run, Solution
from planner.program.answer import Answered, Status, solution_of
from planner.program.binding import binding_limits
from planner.program.engines import EngineOptions, EngineResult, solve
from planner.program.growth_search import GrowthSearch
from planner.program.market import Market, open_market
from planner.program.reduced import candidates_of, limits_of
from planner.program.scan import ScanResult, scan
from planner.program.selection import build_selection
from planner.study.alternatives import alternatives
from planner.study.asked import Asked, check_asked, with_studies
from planner.study.calibration_effect import calibration_effect
from planner.study.decide_growth import decide_growth
from planner.study.decide_portfolio import decide_portfolio
from planner.study.shortfall import shortfall

Say = Callable[[str], None]
SHARE_FOR_DESIGN = 0.6
"""Of a time limit: for the design itself; the rest is left for alternatives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideOptions:
    """How to decide; see ``planner solve --help``."""

    time_limit_s: float | None = None
    gap: float = 0.0
    engine: str = "highs"
    threads: int = 1
    seed: int = 0
    alternatives: bool = True
    asked: Asked = field(default_factory=Asked)
    """What is studied beside the decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An answer and the catalogue that it was made with."""

    solution: Solution
    catalog: Catalog


def decide(
    instance: Instance,
    file: Path,
    options: DecideOptions,
    say: Say,
    calibration: Calibration | None = None,
) -> Decision:
    """Return the decision of an instance, with the user's own measurements if there are any.

    Raises
    ------
    InputError
        If the instance names something unknown.
    SolverError
        If an engine fails, or the program and the scan disagree.
    """
    began = time.monotonic()
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    if instance.regions is not None:
        raise UsageError(f"{file}: an instance with regions is answered by planner regions")
    check_asked(instance, file, options.asked)
    market = open_market(instance, file, calibration)
    limit_s = options.time_limit_s
    deadline = None if limit_s is None else began + limit_s * SHARE_FOR_DESIGN
    if instance.split or instance.growth is not None:
        return _decided_together(market, options, began, started, say)

    def progress(opened: int, incumbent: int | None, bound: int) -> None:
        best = "none yet" if incumbent is None else f"{incumbent / 100:,.0f} USD"
        say(f"{instance.name}: {opened:,} columns, best {best}, bound {bound / 100:,.0f} USD")

    result = scan(market, deadline_s=deadline, progress=progress, gap=options.gap)
    last = None if limit_s is None else began + limit_s
    reasons: list[str] = []
    found: list[Alternative] = []
    if result.best is not None and options.alternatives:
        found = alternatives(market, result.best, deadline_s=last, say=say)
    elif result.best is None and not result.stopped:
        say(f"{instance.name}: how far the limits miss")
        reasons = shortfall(market, result, deadline_s=last)
    elif result.best is None:
        reasons = ["The time limit ended the search before any design was found."]
    say(f"{instance.name}: selection program")
    engine = confirm(market, result, options)
    run = Run(
        planner_version=__version__,
        run_id=run_id(market, options),
        solver=engine.engine,
        solver_version=engine.version,
        seed=options.seed,
        threads=options.threads,
        wall_s=time.monotonic() - began,
        started=started,
    )
    answered = Answered(
        status=status_of(result),
        reasons=reasons,
        alternatives=found,
        run=run,
        binding_limits=binding_limits(result),
    )
    solution = solution_of(market, result, answered)
    effect = calibration_effect(market, result, deadline_s=last, gap=options.gap)
    if effect:
        solution = solution.model_copy(update={"calibration_effect": effect})
    solution = with_studies(market, result, solution, options.asked, deadline_s=last, say=say)
    return Decision(solution=solution, catalog=market.catalog)


def _decided_together(
    market: Market, options: DecideOptions, began: float, started: str, say: Say
) -> Decision:
    """Return the decision of an instance with growth, several pools or a cloud."""

    def run_of(engine: str, version: str) -> Run:
        return Run(
            planner_version=__version__,
            run_id=run_id(market, options),
            solver=engine,
            solver_version=version,
            seed=options.seed,
            threads=options.threads,
            wall_s=time.monotonic() - began,
            started=started,
        )

    limit_s = options.time_limit_s
    deadline = None if limit_s is None else began + limit_s
    engine = EngineOptions(engine=options.engine, seed=options.seed, threads=options.threads)
    if market.instance.growth is not None:
        search = GrowthSearch(market=market, engine=engine, deadline_s=deadline, say=say)
        solution = decide_growth(search, run_of, others=options.alternatives)
    else:
        solution = decide_portfolio(
            market,
            engine,
            run_of,
            deadline_s=deadline,
            others=options.alternatives,
            say=say,
        )
    return Decision(solution=solution, catalog=market.catalog)


def status_of(result: ScanResult) -> Status:
    """Return the status of a scan: optimal only when proved."""
    if result.best is None:
        return "stopped" if result.stopped else "infeasible"
    return "optimal" if result.proved else "feasible"


def confirm(market: Market, result: ScanResult, options: DecideOptions) -> EngineResult:
    """Solve the selection program over every column whose physics is known.

    Raises
    ------
    SolverError
        If it disagrees with the scan on feasibility or on the cost, to the cent.
    """
    engine = EngineOptions(engine=options.engine, seed=options.seed, threads=options.threads)
    candidates = candidates_of(market, result)
    if not candidates:
        return EngineResult(
            status="infeasible", objective=None, bound=None, values={},
            engine=f"scan ({options.engine} not needed)", version=__version__,
        )  # fmt: skip
    model = build_selection(candidates, limits_of(market))
    solved = solve(model.problem, engine)
    if (solved.status == "infeasible") != (result.best is None):
        raise SolverError(f"{solved.engine} and the scan disagree on feasibility")
    if result.best is not None:
        chosen = [c for c in candidates if solved.values.get(model.use[c.key].name, 0.0) > 0.5]
        if len(chosen) != 1 or chosen[0].cost_cents != result.best.placed.cost_cents:
            costs = ", ".join(str(c.cost_cents) for c in chosen)
            raise SolverError(
                f"{solved.engine} chooses cost {costs} cents, "
                f"the scan {result.best.placed.cost_cents}"
            )
    return solved


def run_id(market: Market, options: DecideOptions) -> str:
    """Return a hash of everything that decides the answer."""
    text = hashlib.sha256()
    for part in (
        __version__,
        market.instance.model_dump_json(by_alias=True),
        repr(options),
        repr(market.calibration),
        *(repr(row) for table in _tables(market.catalog) for row in table),
    ):
        text.update(part.encode())
    return text.hexdigest()[:16]


def _tables(catalog: Catalog) -> list[list[Any]]:
    from dataclasses import fields

    return [list(getattr(catalog, f.name).values()) for f in fields(catalog)]
