"""Combinations that contradict the answer, their words or what was proved are caught."""

from __future__ import annotations

import pytest

from planner.domain.combination import combined
from planner.domain.solution import Solution
from planner.verify.check import verify

MODEL = "HGX H100 8-GPU server"
ONE = {"scale_up": "nvswitch", "family": "infiniband"}


@pytest.fixture
def document(documents, catalog):
    """The rail-optimised answer with every combination: four of them answered."""
    document = documents["rail"]
    total, steps = document["objective_usd"], {"tune": document["workloads"][0]["step_time_s"]}
    kinds = {server.scale_up for server in catalog.servers.values()}
    rows = {
        names: dict(zip(("scale_up", "family", "topology"), names, strict=True))
        | {"status": "infeasible", "reason": "too slow"}
        for names in combined(kinds)
    }
    shown = f"8 x {MODEL}, infiniband 400G, 8 x qm9700"
    rows["nvswitch", "infiniband", "rail_optimised"] |= {
        "status": "chosen", "reason": "", "objective_usd": total, "bound_usd": total,
        "delta_usd": 0.0, "summary": f"{shown} + 4 x qm9700, rail optimised 1:1",
        "step_times_s": steps,
    }  # fmt: skip
    rows["nvswitch", "infiniband", "rail_only"] |= {
        "status": "optimal", "objective_usd": total + 500, "bound_usd": total + 500,
        "delta_usd": 500.0, "summary": f"{shown}, rail only", "step_times_s": steps,
        "reason": "over the years in USD: switches +500",
    }  # fmt: skip
    rows["nvswitch", "infiniband", "leaf_spine"] |= {
        "status": "feasible", "objective_usd": total + 900, "bound_usd": total + 700,
        "delta_usd": 900.0, "summary": f"{shown} + 4 x qm9700, leaf spine 1:1",
        "step_times_s": steps, "reason": "over the years in USD: switches +900",
    }  # fmt: skip
    rows["nvswitch", "roce", "single"] |= {
        "status": "bounded", "bound_usd": total + 300, "delta_usd": 300.0, "reason": "at least",
    }  # fmt: skip
    document["combinations"] = list(rows.values())
    return document


def _at(document, family, topology):
    return next(
        c
        for c in document["combinations"]
        if (c["scale_up"], c["family"], c["topology"]) == ("nvswitch", family, topology)
    )


def test_combinations_that_fit_pass(document, catalog):
    """The example contradicts nothing."""
    assert [str(v) for v in verify(Solution.model_validate(document), catalog)] == []


IB = "infiniband"
CHANGES = {
    "one is missing": ("combination-complete", lambda d: d["combinations"].pop(5)),
    "another order": ("combination-complete", lambda d: d["combinations"].reverse()),
    "a kind that nobody sells": (
        "combination-complete", lambda d: d["combinations"][0].update(scale_up="magic")),
    "priced though impossible": (
        "combination-status", lambda d: _at(d, "roce", "rail_only").update(objective_usd=1e9)),
    "impossible without reason": (
        "combination-status", lambda d: _at(d, "roce", "rail_only").update(reason="")),
    "bounded without a bound": (
        "combination-status", lambda d: _at(d, "roce", "single").update(bound_usd=None)),
    "solved without a design": (
        "combination-status", lambda d: _at(d, IB, "rail_only").update(summary="")),
    "no answer at all": (
        "combination-status", lambda d: d.update(objective_usd=None, status="infeasible")),
    "difference of a bound": (
        "combination-delta", lambda d: _at(d, "roce", "single").update(delta_usd=301.0)),
    "difference of a cost": (
        "combination-delta", lambda d: _at(d, IB, "leaf_spine").update(delta_usd=700.0)),
    "cheaper than the optimum": (
        "combination-cheaper", lambda d: _moved(_at(d, IB, "rail_only"), -800.0)),
    "bound below the optimum": (
        "combination-cheaper", lambda d: _moved(_at(d, "roce", "single"), -800.0)),
    "bound above the cost": (
        "combination-bound",
        lambda d: _at(d, IB, "leaf_spine").update(bound_usd=d["objective_usd"] + 2e6)),
    "proof with an open bound": (
        "combination-bound",
        lambda d: _at(d, IB, "rail_only").update(bound_usd=d["objective_usd"] + 100)),
    "bound below the answer's": (
        "combination-bound", lambda d: _at(d, IB, "leaf_spine").update(bound_usd=1000.0)),
    "another choice": (
        "combination-chosen", lambda d: _at(d, IB, "rail_only").update(status="chosen")),
    "choice that steps otherwise": (
        "combination-chosen",
        lambda d: _at(d, IB, "rail_optimised").update(step_times_s={"tune": 3.5})),
    "another family's design": (
        "combination-words", lambda d: _said(_at(d, IB, "rail_only"), "infiniband", "roce")),
    "another topology's design": (
        "combination-words", lambda d: _said(_at(d, IB, "rail_only"), "rail only", "leaf spine")),
    "another scale-up's server": (
        "combination-words", lambda d: _said(_at(d, IB, "rail_only"), MODEL, "4x L40S PCIe server")),
    "times of another job": (
        "combination-workloads", lambda d: _at(d, IB, "rail_only").update(step_times_s={"x": 1.0})),
    "too slow for its job": (
        "combination-limit", lambda d: _at(d, IB, "rail_only").update(step_times_s={"tune": 4e3})),
    "a case of the impossible": (
        "combination-alternative",
        lambda d: d["alternatives"][2].update(forced={"family": "infiniband"})),
    "cheaper than a proved choice": (
        "combination-alternative",
        lambda d: d["alternatives"][1].update(forced={"topology": "rail_only"})),
}  # fmt: skip


def _moved(one, usd):
    for key in ("objective_usd", "bound_usd", "delta_usd"):
        if one.get(key) is not None:
            one[key] += usd


def _said(one, old, new):
    one["summary"] = one["summary"].replace(old, new)


@pytest.mark.parametrize("name", CHANGES)
def test_a_corrupted_combination_is_caught(document, catalog, name):
    """Each corruption is named by its own check."""
    check, change = CHANGES[name]
    change(document)
    found = {v.check for v in verify(Solution.model_validate(document), catalog)}
    assert check in found, sorted(found)
