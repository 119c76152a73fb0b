"""Solve one instance three ways and describe what it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.domain.instance import FabricRules
from planner.program.market import open_market
from planner.program.monolith import grid_columns, solve_monolith
from planner.program.placement_program import has_program
from planner.program.scan import ScanResult, scan
from planner.study.decide import DecideOptions, confirm
from tests.program.brute_force import brute_force
from tests.program.random_instances import FILE, SMALLER, TOPOLOGIES, Drawn, Most, random_instance


@dataclass(frozen=True)
class Ways:
    """Least cents by each way, None where it finds nothing; and what the instance was like."""

    drawn: Drawn
    by_scan: int | None
    by_program: int | None
    by_force: int | None
    designs: int
    topology: str
    limited: bool
    """Budget or step time moved the cheapest design's boxes or changed its cables."""

    @property
    def agree(self) -> bool:
        """True where all three have the same cents, or all find nothing."""
        return self.by_scan == self.by_program == self.by_force

    def line(self) -> str:
        """Return one line with all figures, for a person who looks for a cause."""
        instance = self.drawn.instance
        return (
            f"seed {self.drawn.seed}: scan {self.by_scan}, program {self.by_program}, brute force "
            f"{self.by_force}; {self.designs} designs, {instance.site.racks} racks, "
            f"{len(instance.workloads)} workloads, tight {self.drawn.tight}, {self.topology or '-'}"
            f"{', limited' if self.limited else ''}"
        )


def three_ways(
    seed: int,
    most: Most = Most(),
    topologies: Sequence[str] = TOPOLOGIES,
    rules: FabricRules = FabricRules(),
) -> Ways:
    """Return what scan (confirmed by the selection program), monolith and brute force find.

    Raises
    ------
    SolverError
        If the selection program disagrees with the scan.
    AssertionError
        If the scan ends without a proof.
    """
    drawn = random_instance(seed, most, topologies)
    instance = drawn.instance.model_copy(update={"fabric": rules})
    drawn = replace(drawn, instance=instance)
    market = open_market(drawn.instance, FILE)
    result = scan(market)
    confirm(market, result, DecideOptions())
    assert result.proved
    by_scan = result.best.placed.cost_cents if result.best else None
    by_program = by_scan
    if all(has_program(market.placer.problem(column)) for column in grid_columns(market)):
        by_program = solve_monolith(open_market(drawn.instance, FILE)).cost_cents
    else:
        assert rules.reserved_slots, "only racks without servers are no part of the program"
    force = brute_force(drawn.instance)
    best = result.best
    return Ways(
        drawn=drawn,
        by_scan=by_scan,
        by_program=by_program,
        by_force=force.cents,
        designs=force.designs,
        topology=best.column.plan.choice.topology if best else "",
        limited=best is not None and _limited(result, market),
    )


def _limited(result: ScanResult, market: object) -> bool:
    best = result.best
    return best is not None and best.column.key in market._limited  # type: ignore[attr-defined]


def main(first: int, last: int, size: str = "") -> None:
    """Print a line for each seed and the composition of all."""
    from collections import Counter

    total: Counter[str] = Counter()
    for seed in range(first, last):
        ways = three_ways(seed, SMALLER if size == "smaller" else Most())
        kind = "infeasible" if ways.by_scan is None else ways.topology
        many = len(ways.drawn.instance.workloads) > 1
        total.update(["agree" if ways.agree else "DIFFER", kind, f"tight {ways.drawn.tight}"])
        total.update(["several workloads"] * many + ["limited"] * ways.limited)
        print("" if ways.agree else "DIFFER", ways.line(), flush=True)
    print(sorted(total.items()))


if __name__ == "__main__":
    import sys

    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
