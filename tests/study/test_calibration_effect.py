"""Whether measurements flip the design or a strategy, in one sentence of the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.domain.calibration import Calibration, ComputeCalibration
from planner.domain.instance import Instance, load_instance
from planner.domain.solution import Solution
from planner.report.console import console_text
from planner.report.markdown import summary_markdown
from planner.study.decide import DecideOptions, decide
from planner.verify.check import verify

OPTIONS = DecideOptions(alternatives=False)


def factor(accelerator, value):
    """Return a calibration that a profile on one accelerator gave."""
    part = ComputeCalibration(
        accelerator=accelerator, family="transformer", factor=value, networks=("gpt2-xl",),
        error_before_pct=0.0, error_after_pct=0.0, extrapolates=(),
    )  # fmt: skip
    return Calibration(compute=(part,))


def answer(calibration=None, **changes):
    """Return the decision of the tiny instance."""
    loaded, file = load_instance("tiny")
    document = json.loads(loaded.model_dump_json()) | changes
    return decide(Instance.model_validate(document), file, OPTIONS, lambda _: None, calibration)


@pytest.fixture(scope="module")
def plain():
    """The answer without measurements."""
    return answer()


def test_without_measurements_nothing_is_said(plain):
    """The sentence is empty and the report has no line for it."""
    assert plain.solution.calibration_effect == ""
    assert "alibration" not in console_text(plain.solution)


def test_measurements_elsewhere_keep_the_answer(plain):
    """And the sentence says so, with the step times side by side."""
    found = answer(factor("v100-sxm2-32", 1.4)).solution
    assert found.objective_usd == plain.solution.objective_usd
    assert "keeps the design; gpt2-xl keeps its strategy" in found.calibration_effect


def test_slow_kernels_flip_the_design(plain):
    """The chosen accelerator measured at half its speed loses; what it was is named."""
    chosen = plain.solution.design.platform
    decision = answer(factor(chosen.accelerator, 2.0))
    found = decision.solution
    assert found.objective_usd > plain.solution.objective_usd
    assert found.calibration_effect.startswith("The calibration flips the design")
    assert f"{plain.solution.objective_usd:,.0f} USD" in found.calibration_effect
    assert verify(found, decision.catalog) == []


def test_a_calibrated_answer_rests_on_the_calibrated_step(plain):
    """On a fixed server and strategy the step computes for the measured share of its time."""
    first = plain.solution
    fix = {"server": first.design.platform.server, "nodes": first.design.nodes}
    (job,), (asked,) = first.workloads, first.instance.workloads
    names = ("tp", "pp", "dp", "micro_batch", "recompute", "schedule", "sharding")
    pins = {name: getattr(job.strategy, name) for name in names}
    workload = json.loads(asked.model_dump_json()) | {"fix": pins}
    found = answer(factor(first.design.platform.accelerator, 0.5), fix=fix, workloads=[workload])
    computed = found.solution.workloads[0].breakdown["compute"]
    assert computed == pytest.approx(0.5 * job.breakdown["compute"], rel=1e-2)  # launches stay


def test_a_design_that_no_longer_fits_is_said(plain):
    """Where only one accelerator is allowed and it is too slow, nothing fits."""
    fix = {"server": plain.solution.design.platform.server, "nodes": plain.solution.design.nodes}
    chosen = plain.solution.design.platform.accelerator
    found = answer(factor(chosen, 3.0), fix=fix).solution
    assert found.status == "infeasible"
    assert found.calibration_effect.startswith("The calibration rules out every design")


@pytest.fixture(scope="module")
def flipped(plain):
    """An answer that a calibration flips."""
    return answer(factor(plain.solution.design.platform.accelerator, 2.0)).solution


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "The calibration flips the design"), ("es", "La calibración cambia el diseño")],
)
def test_every_report_shows_the_sentence(flipped, lang, words):
    """Console and Markdown have it among what a buyer should know, in the reader's language."""
    for text in (console_text(flipped, lang), summary_markdown(flipped, lang)):
        assert words in text


def test_the_document_keeps_it(flipped, tmp_path: Path):
    """A solution is read back with it; older ones without it are read too."""
    text = flipped.model_dump_json(by_alias=True)
    assert Solution.model_validate_json(text).calibration_effect == flipped.calibration_effect
    document = json.loads(text)
    del document["calibration_effect"]
    assert Solution.model_validate(document).calibration_effect == ""
