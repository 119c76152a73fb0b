"""Modelled availability inside the decision: brute force, and spares against failure rates."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.domain.json_file import validate
from planner.program.market import open_market
from planner.program.scan import scan
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify

FILE = Path("goodput.json")
DAY_S = 86400.0
RUN_DAYS = 30.0
TOKENS = 5.0e11
REPAIR_DAYS = 4.0


def fields(factor: float, **more: Any) -> dict[str, Any]:
    """Return a small purchase with failures scaled so that a few servers feel them."""
    job = {
        "name": "job", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 256,
        "tokens": TOKENS, "deadline_days": RUN_DAYS, "margin": 0.1,
    }  # fmt: skip
    return {
        "name": "goodput",
        "workloads": [job | more.pop("job", {})],
        "goodput": {"storage_gbytes_per_s": 2, "rate_factor": factor, "repair_days": REPAIR_DAYS},
        "site": {"racks": 12, "rack_kw": 20},
        "grid": {"max_nodes": 10},
        "fix": {"server": "hgx-h100-8", "topology": ["direct", "single"], "family": "infiniband",
                "switch": "qm9700"},
    } | more  # fmt: skip


def best(document: dict[str, Any]):
    """Return the market and the best design of an instance."""
    market = open_market(Instance.model_validate(document), FILE)
    return market, scan(market).best


def own_availability(factor: float, used: int, spares: int) -> float:
    """Count the availability anew: intervals tried one by one, states summed."""
    per_day = 419 / (54 * 2048) * factor
    broken_per_day = (268 / (54 * 16384) * 8 + (419 - 268 - 98) / (54 * 2048)) * factor
    mtbf = DAY_S / (per_day * used)
    write, restart = 8.03e9 * 14 / 2e9, 900.0
    share = max(
        t / (mtbf * math.exp(restart / mtbf) * math.expm1((t + write) / mtbf))
        for t in (mtbf * k / 20_000 for k in range(1, 40_000))
    )
    offered = broken_per_day * used * REPAIR_DAYS
    weights = [offered**k / math.factorial(k) for k in range(spares + 2)]
    return share * (1 - weights[-1] / sum(weights))


def step_s(used: int) -> float | None:
    """Return the step time on exactly so many servers, from an instance without failures."""
    plain = fields(1.0, job={"fix": {"nodes": used}, "deadline_days": 3000.0, "availability": 1.0})
    plain.pop("goodput")
    plain["fix"] = plain["fix"] | {"nodes": [max(used, 2)]}
    found = best(plain)[1]
    return None if found is None else found.steps.steps[0].step_time_s


@pytest.mark.parametrize("factor", [1.0, 8.0, 30.0])
def test_servers_and_spares_are_those_of_brute_force(factor: float) -> None:
    """Every number of servers and of servers in use is tried with own arithmetic."""
    steps = TOKENS / (256 * 4096)
    limit = RUN_DAYS * DAY_S / steps / 1.1
    times = {used: step_s(used) for used in range(1, 11)}
    feasible = [
        nodes
        for nodes in range(1, 11)
        for used in range(1, nodes + 1)
        if (t := times[used]) is not None
        and t / own_availability(factor, used, nodes - used) <= limit
    ]
    found = best(fields(factor))[1]
    assert (found is None) == (not feasible)
    if found is not None:
        assert found.column.nodes == min(feasible)


def test_a_higher_failure_rate_never_lowers_the_spares_or_the_cost() -> None:
    """Spares of a given job size, and cost of the free choice."""
    spares, costs = [], []
    for factor in (0.5, 2.0, 6.0, 12.0, 25.0):
        _, pinned = best(fields(factor, job={"fix": {"nodes": 4}}))
        spares.append(99 if pinned is None else pinned.column.nodes - 4)
        _, free = best(fields(factor))
        costs.append(math.inf if free is None else free.placed.cost_cents)
    assert all(a <= b for a, b in pairwise(spares))
    assert all(a <= b for a, b in pairwise(costs))
    assert spares[0] < spares[-1]


def test_the_answer_states_it_and_the_checker_counts_it_again() -> None:
    """Target, limit, run days and hours carry the modelled availability; a corruption is seen."""
    instance = Instance.model_validate(fields(8.0))
    decision = decide(instance, FILE, DecideOptions(alternatives=False), lambda _: None)
    solution = decision.solution
    assert solution.status == "optimal"
    part = solution.workloads[0].goodput
    assert part is not None
    assert solution.workloads[0].target_s == pytest.approx(
        RUN_DAYS * DAY_S * part.availability / (TOKENS / (256 * 4096))
    )
    assert verify(solution, decision.catalog) == []
    for name in ("availability", "waiting_share", "mtbf_h", "expected_failures", "spares"):
        wrong = part.model_copy(update={name: getattr(part, name) * 1.01 + 1e-3})
        job = solution.workloads[0].model_copy(update={"goodput": wrong})
        checks = {
            v.check
            for v in verify(solution.model_copy(update={"workloads": [job]}), decision.catalog)
        }
        assert "goodput-figures" in checks, name
    job = solution.workloads[0].model_copy(update={"goodput": None})
    dropped = verify(solution.model_copy(update={"workloads": [job]}), decision.catalog)
    assert "goodput-stated" in {v.check for v in dropped}


def test_an_availability_that_is_given_stays() -> None:
    """The section changes nothing for a workload with its own figure or a bare step time."""
    given = fields(8.0, job={"availability": 0.9})
    without = dict(given)
    without.pop("goodput")
    one, other = best(given)[1], best(without)[1]
    assert one is not None
    assert other is not None
    assert one.order == other.order
    assert one.steps.steps[0].goodput is None


def test_checkpoints_need_a_rate() -> None:
    """The message says which key gives it."""
    document = fields(1.0) | {"goodput": {}}
    with pytest.raises(InputError) as caught:
        validate(Instance, document, "x.json")
    assert "storage_gbytes_per_s" in str(caught.value.faults)
