"""Every alternative of an answer is what solving with that choice pinned gives by itself."""

from __future__ import annotations

import pytest

from planner.domain.instance import Instance, load_instance
from planner.study.decide import DecideOptions, decide


def check_again(name: str, most: int | None = None) -> None:
    """Pin each alternative's choice in the instance and solve anew, without alternatives."""
    instance, file = load_instance(name)
    answer = decide(instance, file, DecideOptions(), lambda _: None).solution
    priced = [a for a in answer.alternatives if a.status == "optimal"][:most]
    assert priced
    for alternative in priced:
        document = instance.model_dump(by_alias=True)
        fixed = {k: v for k, v in document["fix"].items() if v is not None}
        for key, value in alternative.forced.items():
            wanted = value if isinstance(value, list) else [value]
            allowed = instance.fix.values().get(key, wanted)
            fixed[key] = [v for v in wanted if v in allowed]
        pinned = Instance.model_validate(document | {"fix": fixed})
        again = decide(pinned, file, DecideOptions(alternatives=False), lambda _: None).solution
        assert again.status == "optimal", alternative.name
        assert again.objective_usd == alternative.objective_usd, alternative.name
        assert {w.name: w.step_time_s for w in again.workloads} == pytest.approx(
            alternative.step_times_s
        ), alternative.name


def test_an_alternative_is_solved_again() -> None:
    """The first two of an instance with a single platform."""
    check_again("flip-72-links", 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["tiny", "budget", "flip-64-links", "flip-72-links", "goodput-70b", "room-rows"],
)
def test_every_alternative_is_solved_again(name: str) -> None:
    """All of the shipped instances that name alternatives."""
    check_again(name)
