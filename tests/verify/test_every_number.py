"""Every number of the answers to the shipped instances is counted again, or is free by reason.

The seal is left aside: a forger would seal again. Run with -s for the figures.
"""

from __future__ import annotations

import json

import pytest

from planner.domain.instance import load_instance
from planner.domain.resources import data_root
from planner.study.decide import DecideOptions, decide
from planner.study.regions import decide_regions
from planner.verify.check import verify
from planner.verify.regions import verify_regions
from tests.verify.every_number import REGIONS_FREE, move_all, of_regions, of_solution

INSTANCES = (
    "tiny", "budget", "flip-64-links", "flip-72-links", "goodput-70b", "goodput-spares",
    "pools-mixed", "pools-concurrent", "cloud-peaks", "cloud-reserve", "room-rows",
    "growth-70b", "growth-platform", "growth-resale", "growth-spine", "growth-switch",
)  # fmt: skip
SAMPLED = {"scale-128": 40, "superpod-127": 40, "scale-2048": 1000}
"""Answers of so many numbers that of each kind only each so manieth is moved."""
ALIKE = ("scale-12500",)
"""Of the same kinds of numbers as scale-2048; each move would take 15 s."""
REGIONAL = ("two-sites", "three-regions")


def answer(name: str, *, alternatives: bool = True):
    """Return the document of a shipped instance's answer as it is written, and the catalogue."""
    instance, file = load_instance(name)
    decision = decide(instance, file, DecideOptions(alternatives=alternatives), lambda _: None)
    assert verify(decision.solution, decision.catalog) == []
    document = json.loads(decision.solution.model_dump_json(by_alias=True))
    return document, decision.catalog


def test_every_kind_of_number_of_a_shipped_answer_is_held() -> None:
    """Of each kind of number some are moved; what no check catches is free by a stated reason."""
    document, catalog = answer("flip-72-links", alternatives=False)
    found = move_all(document, of_solution(catalog), every=40)
    assert found.numbers > 150
    assert found.missed == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [*INSTANCES, *SAMPLED])
def test_every_number_of_a_shipped_answer_is_held(name: str) -> None:
    """Each number of an answer, a step or a hundredth up and down, without the seal."""
    document, catalog = answer(name)
    found = move_all(document, of_solution(catalog), SAMPLED.get(name, 1))
    print(f"\n{name}: {found.line()}")
    assert found.missed == []


@pytest.mark.parametrize(
    "name", [REGIONAL[0], *(pytest.param(name, marks=pytest.mark.slow) for name in REGIONAL[1:])]
)
def test_every_number_of_an_answer_over_sites_is_held(name: str) -> None:
    """The same of what joins the sites."""
    decision = decide_regions(*load_instance(name))
    solutions, catalog = [d.solution for d in decision.sites], decision.sites[0].catalog
    assert verify_regions(decision.answer, solutions, catalog) == []
    document = json.loads(decision.answer.model_dump_json(by_alias=True))
    found = move_all(document, of_regions(solutions, catalog), free=REGIONS_FREE)
    print(f"\n{name}: {found.line()}")
    assert found.missed == []


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIONAL)
def test_every_kind_of_number_of_a_sites_solution_is_held(name: str) -> None:
    """Each site's own solution is an answer like those of a single site."""
    for decision in decide_regions(*load_instance(name)).sites:
        document = json.loads(decision.solution.model_dump_json(by_alias=True))
        found = move_all(document, of_solution(decision.catalog), every=20)
        print(f"\n{decision.solution.instance.name}: {found.line()}")
        assert found.missed == []


def test_every_shipped_instance_is_in_one_of_the_lists() -> None:
    """So that a new one is not forgotten."""
    names = {path.stem for path in (data_root() / "instances").glob("*.json")} - {"schema"}
    assert names == {*INSTANCES, *SAMPLED, *ALIKE, *REGIONAL}


@pytest.mark.parametrize("name", ["goodput-70b"])
def test_a_written_answer_holds_when_it_is_read_again(name: str) -> None:
    """What the instance leaves open stays open in the file: the reader sees the same problem."""
    from planner.domain.solution import Solution

    document, catalog = answer(name, alternatives=False)
    assert verify(Solution.model_validate(document), catalog) == []
    assert "availability" not in document["instance"]["workloads"][0]
