"""Alternatives are the instance with one choice pinned, within the instance's own choices."""

from __future__ import annotations

import pytest

from planner.domain.instance import HardwareChoice, Instance
from planner.study.alternatives import force
from planner.study.decide import DecideOptions, decide

BASE = {
    "name": "small",
    "workloads": [
        {"name": "gpt2", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 256,
         "step_time_s": 1.2}
    ],
    "site": {"racks": 4, "rack_kw": 24},
    "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "topology": ["single", "rail_optimised"],
            "family": ["infiniband", "roce"]},
    "grid": {"max_nodes": 4},
}  # fmt: skip


def test_a_forced_choice_never_widens_what_the_instance_fixed() -> None:
    """Of several forced values only those that `fix` and `forbid` leave are pinned."""
    instance = Instance.model_validate(BASE)
    forced = force(instance, {"topology": ["leaf_spine", "rail_optimised"]})
    assert isinstance(forced, Instance)
    assert forced.fix.values()["topology"] == ("rail_optimised",)
    assert forced.fix.values()["server"] == instance.fix.values()["server"]
    assert isinstance(force(instance, {"family": "ethernet"}), str)
    barred = instance.model_copy(update={"forbid": HardwareChoice(topology="rail_optimised")})
    assert isinstance(force(barred, {"topology": ["leaf_spine", "rail_optimised"]}), str)


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory):
    """Return a solved instance with its alternatives."""
    file = tmp_path_factory.mktemp("instance") / "small.json"
    instance = Instance.model_validate(BASE)
    return decide(instance, file, DecideOptions(), lambda _: None).solution


def test_no_alternative_is_cheaper_than_the_optimum(solution) -> None:
    """Each forced optimum costs at least the answer, and its difference is stated exactly."""
    costed = [a for a in solution.alternatives if a.objective_usd is not None]
    assert costed
    for item in costed:
        assert item.objective_usd >= solution.objective_usd
        assert item.delta_usd == pytest.approx(item.objective_usd - solution.objective_usd)


def test_each_alternative_has_a_cost_or_a_reason(solution) -> None:
    """Nothing is left unexplained, and the classic questions are asked."""
    assert all(a.objective_usd is not None or a.reason for a in solution.alternatives)
    asked = {a.question for a in solution.alternatives}
    assert {"InfiniBand or RoCE?", "NVSwitch or PCIe?", "Which topology?", "Which server?"} <= asked


def test_a_forced_answer_equals_the_alternative(solution, tmp_path) -> None:
    """Solving the instance with the choice pinned gives the alternative's cost, to the cent."""
    item = next(a for a in solution.alternatives if a.objective_usd is not None)
    forced = force(Instance.model_validate(BASE), item.forced)
    assert isinstance(forced, Instance)
    options = DecideOptions(alternatives=False)
    again = decide(forced, tmp_path / "small.json", options, lambda _: None).solution
    assert again.objective_usd == item.objective_usd


def test_fewer_servers_stay_within_the_grid(tmp_path) -> None:
    """A grid that pins the number of servers leaves no choice of one fewer, and the engine agrees."""
    pinned = BASE | {"grid": {"min_nodes": 2, "max_nodes": 2}, "fix": {"server": "hgx-h100-8"}}
    instance = Instance.model_validate(pinned)
    assert force(instance, {"nodes": 1}) == "1 servers are not in the declared grid"
    solution = decide(instance, tmp_path / "small.json", DecideOptions(), lambda _: None).solution
    assert solution.design.nodes == 2
    fewer = next(a for a in solution.alternatives if a.forced.get("nodes") == 1)
    assert fewer.status == "infeasible"


def test_numbers_that_are_pinned_need_not_be_on_the_grid(tmp_path) -> None:
    """`fix` stands in the place of the grid's step; the alternatives keep to what is pinned."""
    pinned = BASE | {
        "grid": {"min_nodes": 1, "max_nodes": 6, "step": 3},
        "fix": {"server": "hgx-h100-8", "nodes": [2, 3]},
    }
    instance = Instance.model_validate(pinned)
    assert not isinstance(force(instance, {"nodes": 2}), str)
    solution = decide(instance, tmp_path / "small.json", DecideOptions(), lambda _: None).solution
    assert solution.design.nodes == 2


def test_the_reason_is_what_refuses_the_cheapest_design(tmp_path) -> None:
    """A server too hot for a rack is told so, not that dozens of them exceed the site's power."""
    instance = Instance.model_validate(
        BASE
        | {"site": {"racks": 2, "rack_kw": 12}, "fix": {"server": ["l40s-8-pcie", "hgx-b200-8"]}}
    )
    found = decide(instance, tmp_path / "hot.json", DecideOptions(), lambda _: None).solution
    reason = next(a.reason for a in found.alternatives if a.forced == {"server": "hgx-b200-8"})
    assert reason == "one server hgx-b200-8 draws 14.3 kW; a rack has 12 kW"
