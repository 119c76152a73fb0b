"""Conflicts are minimal, relaxations the least: checked by solving again from the documents."""

from __future__ import annotations

import copy
import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.cli.main import run
from planner.domain.errors import InputError
from planner.domain.explanation import DesignFigures, Explanation
from planner.domain.instance import Instance, load_instance
from planner.program.market import open_market
from planner.program.scan import scan
from planner.report.explanation import explanation_text
from planner.study.decide import DecideOptions, decide
from planner.study.explain import explain
from planner.study.feasibility import Verdict
from planner.study.limit import Limit, lifted
from planner.study.limits_of_instance import limits_of
from planner.study.relaxation import least_ticks
from tests.study.infeasible_instances import CASES, SHORT, STEP, document

FILE = load_instance("tiny")[1]
PARAMS = [
    pytest.param(name, id=name, marks=[pytest.mark.slow] if case.slow else [])
    for name, case in CASES.items()
]
ROUTES = ("rise_m", "slack_m", "row_pitch_m")
ENGLISH = re.compile(r"\b(the|of|and|with|than|not|each|least|within|at most|racks have)\b")


def feasible(instance: Instance) -> bool:
    """Solve a valid document afresh: nothing is shared with the study."""
    again = Instance.model_validate(instance.model_dump(by_alias=True, exclude_unset=True))
    return scan(open_market(again, FILE), gap=1.0).best is not None


def with_value(case: dict, key: str, value: float) -> Instance:
    """Return the instance with one figure of the document replaced."""
    changed = copy.deepcopy(case)
    if key == "site.routes":
        site = Instance.model_validate(case).site
        changed["site"] |= {name: getattr(site, name) * value for name in ROUTES}
        return Instance.model_validate(changed)
    *path, last = re.findall(r"\w+", key)
    part = changed
    for step in path:
        part = part[int(step)] if step.isdigit() else part[step]
    part[last] = round(value) if isinstance(part.get(last), int) and value == int(value) else value
    return Instance.model_validate(changed)


@pytest.fixture(scope="module")
def explained():
    """Return explanations by name of the case, each made once."""
    made: dict[str, Explanation] = {}

    def of(name: str) -> Explanation:
        if name not in made:
            case = CASES.get(name, SHORT)
            made[name] = explain(Instance.model_validate(case.document), FILE)
        return made[name]

    return of


@pytest.mark.parametrize("name", PARAMS)
def test_a_conflict_is_minimal(name: str, explained) -> None:
    """Alone it is infeasible; with any one of its limits removed it is not."""
    case, found = CASES[name], explained(name)
    instance = Instance.model_validate(case.document)
    assert found.status == "infeasible"
    assert found.complete
    conflict = found.conflicts[0]
    assert conflict.minimal
    assert set(conflict.limits) == case.conflict
    assert conflict.reasons
    assert not feasible(instance)
    limits = {limit.key: limit for limit in limits_of(open_market(instance, FILE))}
    alone = lifted(instance, [v for k, v in limits.items() if k not in case.conflict])
    assert not feasible(alone)
    for key in case.conflict:
        assert feasible(limits[key].put(alone, None)), key


@pytest.mark.parametrize("name", PARAMS)
def test_relaxations_are_the_least(name: str, explained) -> None:
    """The value named lets a design through, its neighbour on the scale does not."""
    case, found = CASES[name], explained(name)
    assert {answer.limit for answer in found.limits} >= case.conflict
    for answer in found.limits:
        if answer.needed is None or answer.refused is None:
            continue
        assert answer.proved
        assert feasible(with_value(case.document, answer.limit, answer.needed)), answer.limit
        assert not feasible(with_value(case.document, answer.limit, answer.refused)), answer.limit
        assert answer.value is not None
        whole = isinstance(answer.needed, float) and answer.unit in ("racks", "GPUs")
        step = abs(answer.needed - answer.refused)
        assert step == 1 if whole else step <= 0.00101 * max(answer.value, answer.needed)
    enough = [answer for answer in found.limits if answer.design is not None]
    costs = [answer.design.total_usd for answer in enough if answer.design]
    assert costs == sorted(costs)


@pytest.mark.parametrize("name", PARAMS)
def test_together_asks_for_no_more_than_needed(name: str, explained) -> None:
    """The values named let a design through; with any of them a step tighter there is none."""
    case, found = CASES[name], explained(name)
    if found.together is None:
        return
    assert found.together.refused_share < found.together.share
    limits = {
        one.key: one for one in limits_of(open_market(Instance.model_validate(case.document), FILE))
    }
    values = found.together.values

    def at(**other: float) -> Instance:
        changed = copy.deepcopy(case.document)
        for key, value in (values | other).items():
            changed = with_value(changed, key, value).model_dump(by_alias=True, exclude_unset=True)
        for key in found.together.lifted:
            changed = (
                limits[key]
                .put(Instance.model_validate(changed), None)
                .model_dump(by_alias=True, exclude_unset=True)
            )
        return Instance.model_validate(changed)

    assert feasible(at())
    for key, value in values.items():
        limit = limits[key]
        assert limit.value is not None
        most = limit.looser(found.together.share)
        assert most is not None
        assert min(limit.value, most) <= value <= max(limit.value, most)
        if value != limit.value:
            tighter = limit.at(limit.ticks(value) + (-1 if limit.raised else 1))
            assert not feasible(at(**{key: tighter})), key


@pytest.mark.parametrize("name", [*PARAMS, "short"])
def test_what_stands_in_the_way_is_named(name: str, explained) -> None:
    """Without the limit that is not enough alone the others named are infeasible, each needed."""
    case, found = CASES.get(name, SHORT), explained(name)
    instance = Instance.model_validate(case.document)
    limits = {limit.key: limit for limit in limits_of(open_market(instance, FILE))}
    for answer in found.limits:
        assert bool(answer.in_the_way) == (answer.alone == "not_enough")
        if not answer.in_the_way:
            continue
        assert answer.limit not in answer.in_the_way
        assert len(answer.in_the_way) == len(answer.in_the_way_words)
        alone = lifted(instance, [v for k, v in limits.items() if k not in answer.in_the_way])
        assert not feasible(alone)
        for key in answer.in_the_way:
            assert feasible(limits[key].put(alone, None)), key


def test_neither_money_nor_time_alone(explained) -> None:
    """Three small racks hold too few servers, and the money buys none: both are said."""
    found = explained("short")
    ways = {answer.limit: set(answer.in_the_way) for answer in found.limits}
    assert ways == {
        "budget.capex_usd": {STEP, "site.racks", "site.rack_kw"},
        STEP: {"budget.capex_usd", "fix.server"},
    }
    assert found.together is not None
    asked, design = found.together.values["budget.capex_usd"], found.together.design
    assert design.capex_usd <= asked <= design.capex_usd * 1.001
    text = " ".join(explanation_text(found, Instance.model_validate(SHORT.document)).split())
    assert f"at most {asked:,.0f} USD to buy, instead of 200,000 USD (+" in text
    assert "alone is not enough; without it these still contradict each other: - 3 places" in text


def test_steps_are_those_that_solve_prints() -> None:
    """Limit and target have the margin and the availability of the instance, though both can give."""
    document_of = copy.deepcopy(SHORT.document)
    document_of["workloads"][0] |= {"margin": 0.25}
    del document_of["workloads"][0]["step_time_s"]
    document_of["workloads"][0] |= {"tokens": 5.12e9, "deadline_days": 0.05, "availability": 0.8}
    instance = Instance.model_validate(document_of)
    target = 0.05 * 86400 * 0.8 / (5.12e9 / (512 * 1024))
    found = explain(instance, FILE)
    said = [reason for part in found.conflicts for reason in part.reasons]
    steps = [line for line in said if "must step within" in line]
    assert steps
    for line in steps:
        assert (
            f"must step within {target / 1.25:.4g} s (target {target:.4g} s less its margin)"
            in line
        )


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("name", PARAMS)
def test_the_text_names_every_limit_in_the_readers_language(
    name: str, lang: str, explained
) -> None:
    """At most 100 columns; nothing English is left in a Spanish text."""
    found = explained(name)
    text = explanation_text(found, Instance.model_validate(CASES[name].document), lang)
    assert max(map(len, text.splitlines())) <= 100
    if lang == "es":
        assert not ENGLISH.search(text), text
    else:
        joined = " ".join(text.split())
        assert all(answer.words in joined for answer in found.limits)


def test_the_command_prints_and_exits_as_documented(tmp_path, capsys) -> None:
    """3 and one JSON document for an infeasible instance, 0 for one with a design."""
    path = tmp_path / "lost.json"
    path.write_text(json.dumps(CASES["cooling"].document))
    assert run(["explain", str(path), "--json"]) == 3
    found = Explanation.model_validate_json(capsys.readouterr().out)
    assert set(found.conflicts[0].limits) == CASES["cooling"].conflict
    assert run(["explain", "tiny"]) == 0
    assert "gpt2-xl steps within 6 s" in capsys.readouterr().out


def test_a_feasible_instance_names_what_binds_and_its_cost() -> None:
    """What lifting a limit saves is the difference of two optima, to the cent."""
    instance, path = load_instance("tiny")
    found = explain(instance, path)
    assert found.status == "feasible"
    assert found.conflicts == []
    assert [a.limit for a in found.limits] == [STEP, "workloads[0].margin"]
    best = scan(open_market(instance, path)).best
    free = scan(open_market(with_value(document(), STEP, 1e9), path)).best
    saving = (best.placed.cost_cents - free.placed.cost_cents) / 100
    assert found.limits[0].saving_usd == pytest.approx(saving, abs=0.001)


@pytest.mark.slow
def test_two_conflicts_without_a_common_limit_are_both_named() -> None:
    """Neither gives way alone; together they do."""
    both = document(
        site={"rack_kw": 130}, fix={"server": "gb200-nvl72"}, budget={"capex_usd": 10_000}
    )
    found = explain(Instance.model_validate(both), FILE)
    sets = [set(conflict.limits) for conflict in found.conflicts]
    assert len(sets) == 2
    assert not sets[0] & sets[1]
    assert all(answer.alone == "not_enough" for answer in found.limits)


def test_what_no_limit_causes_is_said() -> None:
    """A network that nothing holds: no conflict, but reasons."""
    huge = document(
        {"network": "llama3-405b", "sequence_length": 4096, "fix": {"tp": 1}}, grid={"max_nodes": 1}
    )
    huge["workloads"][0]["sequence_length"] = 9_999_999
    found = explain(Instance.model_validate(huge), FILE, deadline_s=time.monotonic() + 30)
    assert found.status in ("infeasible", "stopped")
    text = explanation_text(found, Instance.model_validate(huge))
    assert text.splitlines()[0].startswith("case: ")


def test_a_time_limit_ends_the_study_without_a_claim() -> None:
    """Nothing is called infeasible or least that was not searched."""
    late = explain(
        Instance.model_validate(CASES["budget"].document), FILE, deadline_s=time.monotonic()
    )
    assert late.status == "stopped"
    assert not late.complete
    assert late.conflicts == []


def test_solve_says_in_short_how_far_it_misses() -> None:
    """Closest step, least budget, and where to read on."""
    instance = Instance.model_validate(CASES["GPUs"].document)
    reasons = decide(instance, FILE, DecideOptions(alternatives=False), lambda _: None)
    lines = reasons.solution.reasons
    assert len(lines) <= 8
    assert any("there is one: " in line and "% off" in line for line in lines)
    assert "planner explain" in lines[-1]


def test_unknown_names_of_a_strategy_are_faults() -> None:
    """With the key and the names that there are."""
    wrong = document({"fix": {"sharding": "none"}})
    with pytest.raises(InputError, match=r"workloads\[0\].fix.sharding: unknown sharding 'none'"):
        open_market(Instance.model_validate(wrong), FILE)


@given(
    held=st.integers(-2000, 2000),
    least=st.integers(1, 3000),
    more=st.integers(0, 3000),
    down=st.booleans(),
    sums=st.booleans(),
)
def test_halving_ends_at_neighbours(
    held: int, least: int, more: int, down: bool, sums: bool
) -> None:
    """Whatever the scale and direction; a design's own use never leads past the least."""
    sign = -1 if down else 1
    figures = DesignFigures(summary="", capex_usd=0.0, total_usd=0.0)

    def decide_at(ticks: int) -> Verdict:
        fits = (ticks - held) * sign >= least
        return Verdict(design=figures if fits else None, decided=True, proved=True)

    used = held + sign * least if sums else None
    found = least_ticks(held, held + sign * (least + more), decide_at, lambda _: used)
    assert found.proved
    assert (found.ticks, found.refused) == (held + sign * least, held + sign * (least - 1))


@given(value=st.floats(0.001, 1e9), up=st.booleans(), share=st.floats(0.001, 10))
def test_a_looser_value_is_on_the_scale_and_looser(value: float, up: bool, share: float) -> None:
    """Rounded to the looser side, never past the end."""
    end = None if up else value / 100
    limit = Limit(key="x", words=str, put=lambda instance, _: instance, value=value, end=end)
    found = limit.looser(share)
    assert found is not None
    assert found >= value if up else end <= found <= value
