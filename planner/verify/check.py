"""Recount every number of a solution from its own documents, sharing only the domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from planner.domain.catalog import Catalog
from planner.domain.solution import Solution
from planner.verify.alternatives import check_alternatives
from planner.verify.arithmetic import check_arithmetic, check_money_total
from planner.verify.bill import check_bill
from planner.verify.cables import check_cables
from planner.verify.choices import check_choices
from planner.verify.combinations import check_combinations
from planner.verify.costs import check_costs
from planner.verify.design import check_design
from planner.verify.document import check_document
from planner.verify.goodput import check_goodput
from planner.verify.growth import check_growth
from planner.verify.joint import check_joint
from planner.verify.limits import check_limits
from planner.verify.modules import check_modules
from planner.verify.owned import check_owned
from planner.verify.portfolio import check_portfolio
from planner.verify.portfolio_whole import check_whole
from planner.verify.ports import check_ports
from planner.verify.power import check_power
from planner.verify.rack_units import check_rack_units
from planner.verify.racks import check_racks
from planner.verify.record import Record, build_record
from planner.verify.services import check_services
from planner.verify.shape import check_shape
from planner.verify.steptime import check_steptime
from planner.verify.studies import check_studies
from planner.verify.tiers import check_tiers
from planner.verify.topology import check_topology
from planner.verify.violation import Violation, violation
from planner.verify.workloads import check_workloads

Check = Callable[[Record], Iterator[Violation]]

CHECKS: tuple[Check, ...] = (
    check_document,
    check_arithmetic,
    check_alternatives,
    check_combinations,
    check_money_total,
    check_design,
    check_choices,
    check_topology,
    check_shape,
    check_tiers,
    check_joint,
    check_rack_units,
    check_ports,
    check_cables,
    check_modules,
    check_racks,
    check_power,
    check_services,
    check_bill,
    check_owned,
    check_costs,
    check_workloads,
    check_goodput,
    check_steptime,
    check_limits,
    check_studies,
)


SALE_CHECKS = ("bill-buyable",)
"""What stands already, or is offered, may be out of sale."""
LIMIT_CHECKS = (
    "step-within-limit", "busy-sum", "binding-within",
    "budget-capex", "budget-power", "budget-gpus", "site-power",
)  # fmt: skip
"""Checks of limits that a pinned design may break: `evaluate` says so among its reasons."""


def verify(solution: Solution, catalog: Catalog) -> list[Violation]:
    """Return every contradiction in a solution, in the order of the checks.

    Parameters
    ----------
    solution
        The answer of `solve` or `evaluate`, infeasible ones included.
    catalog
        The catalogue that it was made with; the instance's quotes need not be in it.
    """
    if solution.portfolio is not None:
        return [
            *check_portfolio(solution, catalog),
            *check_whole(solution, catalog),
            *_of_parts("pools", solution.pools, catalog),
        ]
    if solution.growth is not None or solution.phases:
        return [
            *check_growth(solution, catalog),
            *_of_parts("phases", solution.phases, catalog),
        ]
    record = build_record(solution, catalog)
    violations: list[Violation] = []
    for check in CHECKS:
        violations.extend(_run(check, record))
    if solution.question != "evaluate":
        return violations
    allowed = (*SALE_CHECKS, *(LIMIT_CHECKS if solution.reasons else ()))
    return [v for v in violations if v.check not in allowed]


def _of_parts(name: str, documents: list[Solution], catalog: Catalog) -> list[Violation]:
    """Return the contradictions of every document inside, with its place in front."""
    return [
        replace(found, where=f"$.{name}[{k}]{found.where.removeprefix('$')}")
        for k, document in enumerate(documents)
        for found in verify(document, catalog)
    ]


def _run(check: Check, record: Record) -> Iterator[Violation]:
    """Yield a check's findings; a figure that no arithmetic takes is itself a finding."""
    try:
        yield from check(record)
    except (ArithmeticError, ValueError, LookupError) as error:
        yield violation(
            "document-range", "$", "figures in their range", error,
            f"{check.__name__} cannot count with a figure of the document",
        )  # fmt: skip
