"""Move every number of a solution and tell which moves nothing in the document contradicts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from planner.domain.catalog import Catalog
from planner.domain.regions_answer import RegionsAnswer
from planner.domain.solution import Solution
from planner.verify.check import verify
from planner.verify.regions import verify_regions

Path = tuple[str | int, ...]

FREE: dict[str, str] = {
    r"((pools|phases)\.\d+\.)?run\.(seed|threads|wall_s)": "options and clock of the run, not of the answer",
    r"((pools|phases)\.\d+\.)?networks\..*": "input; a figure that the job's steps use is caught there",
    r"alternatives\.\d+\.step_times_s\..*": "of a design that the document does not hold: within "
    "its limit here, solved again in tests/study/test_alternatives_again.py",
    r"combinations\.\d+\.step_times_s\..*": "of a design that the document does not hold: within "
    "its limit here, solved again in tests/study/test_combinations.py",
    r"combinations\.\d+\.bound_usd": "of a design whose proof is open: below its cost and above "
    "the answer's bound here",
    r"((pools|phases)\.\d+\.)?devices\.\d+\.unit": "a decision: a box on other free units is a plan as good",
    r"((pools|phases)\.\d+\.)?design\.fabric\.servers_per_unit": "of a two-tier fabric's only unit: any "
    "size that its ports take",
    r"((pools|phases)\.\d+\.)?design\.careless\.(draws|careless_.*)": "of orders drawn at random that the "
    "document does not hold: a careless step is never faster here",
    r"portfolio\.pools\.\d+\.first_(row|column)": "a decision: other free places are as good",
    r"portfolio\.rents\.\d+\.break_even_(busy|months)": "rests on a pool that was not chosen",
    r"(portfolio|growth)\.others\.\d+\.total_usd": "of a decision that the document does not hold: never "
    "below the optimum here",
    r"((pools|phases)\.\d+\.)?placement_gap": "less than stated may be open: another design's bound is not in the document; "
    "never more than the whole leaves open here",
}
"""Numbers that no check derives again, as patterns of their paths, each with the reason."""
REGIONS_FREE: dict[str, str] = {
    r"alternatives\.\d+\.(exchange_s|step_time_s|lines_usd|gbps)": "of several sites with a choice "
    "forced, which the document does not hold: within its limit and its total here",
    r"alternatives\.\d+\.objective_usd": "the same: never below the bound, and the answer's own "
    "cost where the answer makes that choice",
    r"splits": "how many ways to spread servers over sites were weighed",
}
"""The same of an answer over several sites."""


@dataclass
class Count:
    """What became of the moved numbers."""

    numbers: int = 0
    caught: int = 0
    refused: int = 0
    """Moves that the schema refuses."""
    free: dict[str, int] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return one line of figures."""
        moves = self.caught + self.refused + sum(self.free.values()) + len(self.missed)
        return (
            f"{self.numbers} numbers, {moves} moves: {self.caught} caught by a check, "
            f"{self.refused} by the schema, {sum(self.free.values())} free by reason, "
            f"{len(self.missed)} missed"
        )


def numbers(node: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all numbers of a document but its instances, which are input."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key != "instance":
                yield from numbers(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from numbers(value, (*path, index))
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield path


def moved(value: float) -> tuple[float, float]:
    """Return a number a step, or a hundredth, higher and lower."""
    if isinstance(value, int):
        return value + 1, value - 1
    return (value * 1.01, value * 0.99) if value else (0.5, 1.5)


Judge = Callable[[dict[str, Any]], bool]
"""Whether a check finds something in a document; raises ValidationError where the schema does."""


def of_solution(catalog: Catalog) -> Judge:
    """Return the judge of a plain solution."""
    return lambda document: bool(verify(Solution.model_validate(document), catalog))


def of_regions(solutions: list[Solution], catalog: Catalog) -> Judge:
    """Return the judge of an answer over several sites beside the solutions of its sites."""
    return lambda document: bool(
        verify_regions(RegionsAnswer.model_validate(document), solutions, catalog)
    )


def move_all(
    document: dict[str, Any], judge: Judge, every: int = 1, free: dict[str, str] = FREE
) -> Count:
    """Return what becomes of a document without its seal as one number after the other moves.

    Parameters
    ----------
    every
        Of numbers of one kind (one path but for the places in lists) only each so manieth.
    free
        Patterns of numbers that no check derives again.
    """
    document.pop("seal", None)
    found, seen = Count(), dict[str, int]()
    for path in list(numbers(document)):
        kind = ".".join(key for key in path if isinstance(key, str))
        seen[kind] = seen.get(kind, 0) + 1
        if (seen[kind] - 1) % every:
            continue
        found.numbers += 1
        node: Any = document
        for key in path[:-1]:
            node = node[key]
        old = node[path[-1]]
        for value in moved(old):
            node[path[-1]] = value
            _count(found, document, judge, ".".join(map(str, path)), free)
        node[path[-1]] = old
    return found


def _count(
    found: Count, document: dict[str, Any], judge: Judge, path: str, free: dict[str, str]
) -> None:
    try:
        caught = judge(document)
    except ValidationError:
        found.refused += 1
        return
    if caught:
        found.caught += 1
        return
    pattern = next((p for p in free if re.fullmatch(p, path)), None)
    if pattern is None:
        found.missed.append(path)
    else:
        found.free[pattern] = found.free.get(pattern, 0) + 1
