"""All tables of the star schema, and their rows over one or several appended runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planner.domain.solution import Solution
from planner.export.calendar_days import DIM_DATE
from planner.export.combinations import FACT_COMBINATION, FACT_COMBINATION_STEP
from planner.export.dimensions import DIM_COST_CATEGORY, DIM_PART, DIM_RACK, DIM_RUN, DIM_WORKLOAD
from planner.export.facts import FACTS
from planner.export.frontier import FACT_FRONTIER
from planner.export.goodput import FACT_GOODPUT
from planner.export.growth import FACT_HOLDING, FACT_PHASE
from planner.export.keys import run_key
from planner.export.portfolio import FACT_POOL, FACT_RENT
from planner.export.scenario import DIM_SCENARIO
from planner.export.sensitivity import FACT_FLIP, FACT_QUOTE_NEEDED, FACT_REGRET
from planner.export.table import Row, Table
from planner.export.vocabulary import DIM_COLLECTIVE, DIM_LEVEL

TABLES: tuple[Table, ...] = (
    *FACTS, FACT_GOODPUT, FACT_POOL, FACT_RENT, FACT_PHASE, FACT_HOLDING, FACT_FRONTIER, FACT_COMBINATION,
    FACT_COMBINATION_STEP, FACT_FLIP, FACT_REGRET, FACT_QUOTE_NEEDED, DIM_RUN, DIM_SCENARIO, DIM_PART, DIM_RACK, DIM_WORKLOAD, DIM_LEVEL,
    DIM_COLLECTIVE, DIM_COST_CATEGORY, DIM_DATE,
)  # fmt: skip


def table_rows(table: Table, solutions: Iterable[Solution]) -> Iterator[Row]:
    """Yield the rows of one table over several runs, one row for each key: the first.

    Runs share products, levels, collectives, cost categories and days, and the same run may be
    given twice; everything else carries the run in its key.
    """
    once = RowsOnce(table)
    for solution in solutions:
        yield from once.of(solution)


class RowsOnce:
    """The rows of one table as runs are appended: a key that was seen is passed over.

    Only keys that runs share are kept; a table whose rows name their run keeps the runs.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._places = [table.header.index(name) for name in table.key]
        self._by_run = "run_key" in table.header
        self._seen: set[Row] = set()
        self._runs: set[str] = set()

    def of(self, solution: Solution) -> Iterator[Row]:
        """Yield the rows that a run adds."""
        if self._by_run:
            if run_key(solution) in self._runs:
                return
            self._runs.add(run_key(solution))
        seen: set[Row] = set() if self._by_run else self._seen
        for row in self._table.rows(solution):
            key = tuple(row[place] for place in self._places)
            if key not in seen:
                seen.add(key)
                yield row
