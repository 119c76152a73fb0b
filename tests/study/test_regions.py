"""Several sites, from the instance to the checked answer."""

from __future__ import annotations

import functools
import itertools
import json

import pytest

from planner.domain.errors import InputError, UsageError
from planner.domain.instance import Instance, load_instance
from planner.domain.json_file import validate
from planner.domain.resources import data_root
from planner.domain.seal import sealed
from planner.program.regions import Part
from planner.study.decide import DecideOptions, decide
from planner.study.evaluate import evaluate
from planner.study.region_site import site_instance, with_part
from planner.study.regions import decide_regions
from planner.verify.check import verify
from planner.verify.regions import verify_regions

FILE = data_root() / "instances" / "two-sites.json"


def variant(**changes) -> Instance:
    """Return the shipped instance with other regions or limits."""
    document = json.loads(FILE.read_text())
    document["regions"] |= changes.pop("regions", {})
    return validate(Instance, document | changes, str(FILE))


@functools.cache
def shipped():
    """Return the shipped instance's decision."""
    return decide_regions(load_instance(str(FILE))[0], FILE)


def by_hand(instance: Instance) -> float | None:
    """Return the least cost by pricing and timing every split, line and cipher one by one.

    Sites come from `evaluate`, the exchange is counted packet by packet here.
    """
    regions, job = instance.regions, instance.workloads[0]
    limit = job.target_s / (1 + shipped().answer.margin)
    line = shipped().answer.lines[0]
    card = line.gateway_usd / line.gateways
    annuity = sum(1.08**-k for k in range(1, 6))

    @functools.cache
    def site(number: int, nodes: int, batch: int):
        own = with_part(site_instance(instance, regions.sites[number]), Part(batch=batch))
        fix = own.fix.model_copy(update={"nodes": nodes})
        found = evaluate(own.model_copy(update={"fix": fix}), FILE).solution
        return found.objective_usd, found.workloads[0].step_time_s

    costs = []
    for one, two in itertools.product(range(5), repeat=2):
        if one + two == 0 or job.global_batch * one % (one + two):
            continue
        parts = [site(i, n, job.global_batch * n // (one + two))
                 for i, n in enumerate((one, two)) if n]  # fmt: skip
        lines = [(0.0, 0.0)]
        if one and two:
            lines = []
            for offer, cipher in itertools.product(
                regions.wan[0].offers, regions.wan[0].encryption
            ):
                if cipher == "none" and regions.encryption == "required":
                    continue
                extra = {"none": 0, "macsec": 40, "ipsec": 58}[cipher]
                packets = line.exchange_bytes / (9000 - 52)
                seconds = packets * (9038 + extra) * 8 / (offer.gbps * 1e9)
                seconds += 2 * (30e3 / 2e8 + (0 if cipher == "none" else 6e-6))
                rent = offer.usd_per_month * 12 * annuity
                lines.append((rent + (0 if cipher == "none" else 2 * card), seconds))
        for rent, seconds in lines:
            if max(step for _, step in parts) + seconds <= limit:
                costs.append(sum(cost for cost, _ in parts) + rent)
    return min(costs, default=None)


def test_the_shipped_instance_is_split_encrypted_and_recounted() -> None:
    """Neither room is enough; the cheapest line that holds the step is encrypted."""
    found = shipped()
    answer = found.answer
    assert answer.status == "optimal"
    assert answer.bound_usd == answer.objective_usd
    assert len(answer.sites) == 2
    assert answer.lines[0].encryption != "none"
    assert answer.step_time_s <= answer.limit_s
    assert [verify(d.solution, d.catalog) for d in found.sites] == [[], []]
    solutions = [d.solution for d in found.sites]
    assert verify_regions(answer, solutions, found.sites[0].catalog) == []
    by_name = {a.name: a for a in answer.alternatives}
    assert by_name["one site"].status == "infeasible"
    assert not by_name["none"].allowed
    assert by_name["none"].objective_usd < answer.objective_usd
    assert by_name["none"].step_time_s < answer.step_time_s


@pytest.mark.parametrize("demand", ["any", "required"])
def test_a_small_case_agrees_with_counting_by_hand(demand: str) -> None:
    """Every split of at most four servers a room, every line, every cipher."""
    instance = variant(regions={"encryption": demand})
    answer = decide_regions(instance, FILE).answer
    assert answer.objective_usd == pytest.approx(by_hand(instance), abs=0.02)
    assert (answer.lines[0].encryption == "none") == (demand == "any")


def test_a_demand_for_encryption_on_plain_lines_only_has_no_answer() -> None:
    """The reason names the demand."""
    wan = json.loads(FILE.read_text())["regions"]["wan"]
    wan[0]["encryption"] = ["none"]
    answer = decide_regions(variant(regions={"wan": wan}), FILE).answer
    assert answer.status == "infeasible"
    assert any("encryption" in reason for reason in answer.reasons)


def test_a_budget_below_the_answer_is_named() -> None:
    """Purchases of both sites and of the cards count."""
    answer = decide_regions(variant(budget={"capex_usd": 1e6}), FILE).answer
    assert answer.status == "infeasible"
    assert any("budget" in reason for reason in answer.reasons)


def test_traffic_is_charged_for_what_both_sites_send() -> None:
    """Two cents a gigabyte over all steps, the same as counted by the checker."""
    wan = json.loads(FILE.read_text())["regions"]["wan"]
    wan[0]["offers"] = [{"gbps": 400, "usd_per_month": 0, "usd_per_gbyte": 0.02,
                         "source": "AWS inter-region list price within the US, 2026-01"}]  # fmt: skip
    found = decide_regions(variant(regions={"wan": wan}), FILE)
    line = found.answer.lines[0]
    steps = found.answer.instance.workloads[0].steps
    assert line.traffic_usd == pytest.approx(2 * line.exchange_bytes / 1e9 * steps * 0.02, abs=0.01)
    solutions = [d.solution for d in found.sites]
    assert verify_regions(found.answer, solutions, found.sites[0].catalog) == []


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"encryption": "none"}, "regions-encrypted"),
        ({"gbps": 300.0}, "regions-offer"),
        ({"exchange_s": 0.1}, "regions-exchange"),
        ({"exchange_bytes": 1.0}, "regions-bytes"),
        ({"rent_usd": 1.0}, "regions-rent-usd"),
        ({"gateways": 4}, "regions-gateways"),
        ({"gateway_usd": 1.0}, "regions-gateway-usd"),
        ({"goodput_gbps": 1.0}, "regions-goodput"),
        ({"latency_s": 1.0}, "regions-latency"),
        ({"between": ("centre", "elsewhere")}, "regions-line"),
    ],
)
def test_the_checker_finds_a_corrupted_line(change: dict, check: str) -> None:
    """Each figure of the line is counted again."""
    found = shipped()
    line = found.answer.lines[0].model_copy(update=change)
    answer = found.answer.model_copy(update={"lines": [line]})
    solutions = [d.solution for d in found.sites]
    checks = {v.check for v in verify_regions(answer, solutions, found.sites[0].catalog)}
    assert check in checks


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"nodes": 1}, "regions-site"),
        ({"global_batch": 1}, "regions-batch"),
        ({"step_time_s": 1.0}, "regions-site-step"),
        ({"objective_usd": 1.0}, "regions-site-cost"),
        ({"capex_usd": 1.0}, "regions-site-capex"),
        ({"server": "dgx-a100"}, "regions-site"),
    ],
)
def test_the_checker_finds_a_corrupted_site(change: dict, check: str) -> None:
    """What a site is said to hold must be what its solution holds."""
    found = shipped()
    first, *others = found.answer.sites
    sites = [first.model_copy(update=change), *others]
    answer = found.answer.model_copy(update={"sites": sites, "objective_usd": 1.0})
    solutions = [d.solution for d in found.sites]
    checks = {v.check for v in verify_regions(answer, solutions, found.sites[0].catalog)}
    assert {check, "regions-total"} <= checks


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"lines": []}, "regions-line"),
        ({"crossing": None}, "regions-line"),
        ({"step_time_s": 1.0}, "regions-step"),
        ({"limit_s": 1e6}, "regions-limit"),
        ({"limit_s": 1e-6}, "regions-within-limit"),
        ({"target_s": 1.0}, "regions-target"),
        ({"schema_version": 1}, "regions-version"),
        ({"splits": 0}, "regions-splits"),
        ({"bound_usd": 1e9}, "regions-bound"),
        ({"bound_usd": None}, "regions-bound"),
        ({"bound_usd": 1.0}, "regions-status"),
        ({"status": "feasible"}, "regions-status"),
        ({"alternatives": []}, "regions-alternative"),
        ({"seal": "0" * 64}, "regions-seal"),
    ],
)
def test_the_checker_finds_a_corrupted_answer(change: dict, check: str) -> None:
    """Line, step and limit of the whole answer are counted again."""
    found = shipped()
    answer = found.answer.model_copy(update=change)
    solutions = [d.solution for d in found.sites]
    checks = {v.check for v in verify_regions(answer, solutions, found.sites[0].catalog)}
    assert check in checks


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("none", {"allowed": True}),
        ("macsec", {"allowed": False}),
        ("macsec", {"objective_usd": None}),
        ("macsec", {"objective_usd": 1.0}),
        ("macsec", {"objective_usd": 9e9}),
        ("none", {"status": "optimal", "step_time_s": None}),
        ("none", {"step_time_s": 1e6}),
        ("none", {"exchange_s": 1e6}),
        ("none", {"lines_usd": -1.0}),
        ("none", {"lines_usd": 9e9}),
        ("none", {"gbps": 1.0}),
    ],
)
def test_the_checker_finds_a_corrupted_choice(name: str, change: dict) -> None:
    """A forced choice stays within the bound, its own limits and what the answer itself costs."""
    found = shipped()
    assert {line.encryption for line in found.answer.lines} == {"macsec"}
    changed = [
        one.model_copy(update=change) if one.name == name else one
        for one in found.answer.alternatives
    ]
    answer = found.answer.model_copy(update={"alternatives": changed})
    solutions = [d.solution for d in found.sites]
    checks = {v.check for v in verify_regions(answer, solutions, found.sites[0].catalog)}
    assert checks == {"regions-alternative"}


def test_the_checker_finds_sites_that_do_not_belong() -> None:
    """A lost solution, a part of the batch that follows no servers, a line that ends elsewhere."""
    found = shipped()
    solutions = [d.solution for d in found.sites]
    catalog = found.sites[0].catalog
    lost = {v.check for v in verify_regions(found.answer, solutions[:1], catalog)}
    assert "regions-sites" in lost
    first, *others = found.answer.sites
    for change, check in (
        ({"global_batch": first.global_batch + 1}, "regions-share"),
        ({"name": "nowhere"}, "regions-ends"),
    ):
        sites = [first.model_copy(update=change), *others]
        answer = found.answer.model_copy(update={"sites": sites})
        assert check in {v.check for v in verify_regions(answer, solutions, catalog)}


def test_the_checker_finds_a_site_solution_of_another_report() -> None:
    """A whole solution that was exchanged, as good in itself, is not the one that was joined."""
    found = shipped()
    first, other = (d.solution for d in found.sites)
    run = first.run.model_copy(update={"seed": first.run.seed + 1})
    exchanged = first.model_copy(update={"run": run})
    catalog = found.sites[0].catalog
    checks = {v.check for v in verify_regions(found.answer, [exchanged, other], catalog)}
    assert checks == {"regions-site-seal"}


def test_an_infeasible_answer_is_held_too() -> None:
    """Target, limit and version stand in it as well."""
    wan = json.loads(FILE.read_text())["regions"]["wan"]
    wan[0]["encryption"] = ["none"]
    answer = decide_regions(variant(regions={"wan": wan}), FILE).answer
    catalog = shipped().sites[0].catalog
    assert verify_regions(sealed(answer), [], catalog) == []
    for change, check in (
        ({"target_s": 1e6}, "regions-target"),
        ({"limit_s": 1e6}, "regions-limit"),
        ({"schema_version": 1}, "regions-version"),
        ({"seal": "0" * 64}, "regions-seal"),
    ):
        changed = answer.model_copy(update=change)
        assert check in {v.check for v in verify_regions(changed, [], catalog)}


@pytest.mark.parametrize(
    ("budget", "check"),
    [({"capex_usd": 1e5}, "regions-capex"), ({"power_kw": 1.0}, "regions-power"),
     ({"gpus": 8}, "regions-gpus")],
)  # fmt: skip
def test_the_checker_finds_a_broken_common_limit(budget: dict, check: str) -> None:
    """Both sites together count."""
    found = shipped()
    answer = found.answer.model_copy(update={"instance": variant(budget=budget)})
    solutions = [d.solution for d in found.sites]
    checks = {v.check for v in verify_regions(answer, solutions, found.sites[0].catalog)}
    assert checks == {check}


@pytest.mark.parametrize("budget", [{"power_kw": 60.0}, {"gpus": 40}])
def test_common_limits_hold_over_both_sites(budget: dict) -> None:
    """Six servers are not to be had within them: infeasible, and the limit is named."""
    answer = decide_regions(variant(budget=budget), FILE).answer
    assert answer.status == "infeasible"
    assert any("budget" in reason for reason in answer.reasons)


def test_other_commands_name_the_right_one() -> None:
    """An instance with regions is not solved as if it had one room, and the other way round."""
    instance, path = load_instance(str(FILE))
    with pytest.raises(UsageError, match="planner regions"):
        decide(instance, path, DecideOptions(), lambda _: None)
    with pytest.raises(UsageError, match="planner regions"):
        evaluate(instance, path)
    with pytest.raises(UsageError, match="planner solve"):
        decide_regions(instance.model_copy(update={"regions": None}), path)


@pytest.mark.parametrize("also", [{"pools": 2}, {"goodput": {"storage_gbytes_per_s": 10.0}}])
def test_what_regions_cannot_be_combined_with_is_said(also: dict) -> None:
    """Instead of an answer that leaves it out of account."""
    with pytest.raises(UsageError, match="do not go with"):
        decide_regions(variant(**also), FILE)


@pytest.mark.parametrize(
    "regions",
    [
        {"sites": [{"name": "a"}, {"name": "a"}], "wan": []},
        {"gateway": "no-such-card"},
        {"wan": [{"between": ["centre", "nowhere"], "km": 1,
                  "offers": [{"gbps": 1, "usd_per_month": 1, "source": "estimate"}]}]},
        {"wan": [{"between": ["centre", "centre"], "km": 1,
                  "offers": [{"gbps": 1, "usd_per_month": 1, "source": "estimate"}]}]},
    ],
)  # fmt: skip
def test_faulty_regions_are_bad_input(regions: dict) -> None:
    """Names are checked, in words."""
    with pytest.raises(InputError):
        decide_regions(variant(regions=regions), FILE)
