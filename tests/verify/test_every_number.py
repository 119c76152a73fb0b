"""Every number of the answers to the shipped instances is counted again, or is free by reason.

The seal is left aside: a forger would seal again. Run with -s for the figures.
"""

from __future__ import annotations

import json

import pytest

from planner.domain.instance import load_instance
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify
from tests.verify.every_number import move_all

INSTANCES = (
    "tiny", "budget", "flip-64-links", "flip-72-links", "goodput-70b", "goodput-spares",
    "pools-mixed", "pools-concurrent", "cloud-peaks", "cloud-reserve", "room-rows",
)  # fmt: skip


def answer(name: str, *, alternatives: bool = True):
    """Return the document of a shipped instance's answer as it is written, and the catalogue."""
    instance, file = load_instance(name)
    decision = decide(instance, file, DecideOptions(alternatives=alternatives), lambda _: None)
    assert verify(decision.solution, decision.catalog) == []
    document = json.loads(decision.solution.model_dump_json(by_alias=True))
    return document, decision.catalog


def test_every_kind_of_number_of_a_shipped_answer_is_held() -> None:
    """Of each kind of number some are moved; what no check catches is free by a stated reason."""
    found = move_all(*answer("flip-72-links", alternatives=False), every=40)
    assert found.numbers > 150
    assert found.missed == []


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTANCES)
def test_every_number_of_a_shipped_answer_is_held(name: str) -> None:
    """Each number of an answer, a step or a hundredth up and down, without the seal."""
    found = move_all(*answer(name))
    print(f"\n{name}: {found.line()}")
    assert found.missed == []


@pytest.mark.parametrize("name", ["goodput-70b"])
def test_a_written_answer_holds_when_it_is_read_again(name: str) -> None:
    """What the instance leaves open stays open in the file: the reader sees the same problem."""
    from planner.domain.solution import Solution

    document, catalog = answer(name, alternatives=False)
    assert verify(Solution.model_validate(document), catalog) == []
    assert "availability" not in document["instance"]["workloads"][0]
