"""From the profile of a job to a factor on its computation, and back to what was measured."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from planner.domain.calibration import Calibration
from planner.domain.compute_constants import shipped_constants
from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.domain.model_constants import model_constants
from planner.domain.profile import ProfiledStep, StepParts, StepProfile
from planner.study.calibrate_compute import Profiled, calibrate_compute
from planner.study.profiled_job import profiled_job

CONSTANTS = shipped_constants()
FILE = Path("job.json")
PINS = {"tp": 2, "pp": 1, "cp": 1, "micro_batch": 1, "sharding": "zero1", "recompute": "none"}


def instance(fix=None, pins=None, **changes):
    """Return an instance with one pinned workload on a fixed server."""
    workload = {"name": "train", "network": "llama3-8b", "sequence_length": 4096,
                "global_batch": 64, "step_time_s": 60.0, "fix": PINS if pins is None else pins}  # fmt: skip
    document = {"name": "mine", "workloads": [workload], "site": {"racks": 4, "rack_kw": 44},
                "fix": {"accelerator": "h100-sxm"} if fix is None else fix}  # fmt: skip
    return Instance.model_validate(document | changes)


def profile(compute_s, world=16, idle_s=0.0, count=4):
    """Return a profile of some steps that compute for some time."""
    parts = {"wall_s": compute_s + idle_s + 0.1, "compute_s": compute_s, "network_s": 0.2,
             "exposed_network_s": 0.1, "copy_s": 0.0, "exposed_copy_s": 0.0, "idle_s": idle_s}  # fmt: skip
    steps = tuple(
        ProfiledStep(name=f"s{k}", start_s=k, counted=True, **parts) for k in range(count)
    )
    return StepProfile(
        tool="torch-trace", file="t.json", world_size=world, steps_found_by="annotation",
        mean=StepParts(**parts), steps=steps, collectives=(), messages=(), peaks=(), gaps=(),
        gap_count=0,
    )  # fmt: skip


def job_of(given=None, found=None, workload=None, gpu=None):
    """Return the job that an instance says was profiled."""
    return profiled_job(
        given or instance(), FILE, workload, found or profile(1.0), gpu, CONSTANTS.compute
    )


def taken(job, compute_s, log="t.json", **about):
    """Return a profile together with its job."""
    return Profiled(log=log, profile=profile(compute_s, **about), job=job)


def modelled(job, factor=1.0):
    """Return what a profile would show if kernels took a factor longer than modelled."""
    return factor * job.computing_s(CONSTANTS.compute) + job.slowed_s(CONSTANTS)


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.37])
def test_a_known_factor_is_found_again(factor):
    """And the calibrated model computes for as long as the profile did."""
    job = job_of()
    (found,) = calibrate_compute([taken(job, modelled(job, factor))], CONSTANTS)
    assert (found.accelerator, found.family) == ("h100-sxm", "transformer")
    assert found.factor == pytest.approx(factor)
    assert found.error_after_pct == pytest.approx(0.0, abs=1e-9)
    calibrated = model_constants(Calibration(compute=(found,)))
    computed = job.computing_s(calibrated.compute) + job.slowed_s(CONSTANTS)
    assert computed == pytest.approx(modelled(job, factor))


def test_several_profiles_meet_in_the_middle():
    """Their geometric mean is taken and each keeps its residual."""
    job = job_of()
    found = [taken(job, modelled(job, f), f"{f}.json") for f in (0.8, 1.25)]
    (part,) = calibrate_compute(found, CONSTANTS)
    assert part.factor == pytest.approx(1.0)
    assert [round(r.error_pct) for r in part.residuals] == [25, -20]
    assert part.error_after_pct > 20


def test_it_says_where_it_extrapolates():
    """Network, strategy, precision and gaps that the factor leaves alone are named."""
    job = job_of()
    (found,) = calibrate_compute([taken(job, modelled(job), idle_s=2.0, count=2)], CONSTANTS)
    text = "; ".join(found.extrapolates)
    for part in ("llama3-8b", "TP2 x DP8", "bf16", "gaps", "fewer than 3"):
        assert part in text


@pytest.mark.parametrize("factor", [0.02, 40.0])
def test_a_profile_of_another_job_is_refused(factor):
    """Nobody's kernels are forty times slower: the question is asked instead."""
    job = job_of()
    with pytest.raises(InputError, match="is it that job, with TP2"):
        calibrate_compute([taken(job, modelled(job, factor))], CONSTANTS)


def test_hidden_communication_is_not_counted_twice():
    """On a known fabric the model counts what it costs the kernels apart."""
    job = job_of(instance(fix={"accelerator": "h100-sxm", "family": "infiniband"}))
    assert job.networked
    assert job.slowed_s(CONSTANTS) > 0.0
    blind = job_of()
    assert not blind.networked
    assert blind.slowed_s(CONSTANTS) == 0.0
    (found,) = calibrate_compute([taken(blind, modelled(blind))], CONSTANTS)
    assert any("other fabrics" in text for text in found.extrapolates)


def test_pins_that_leave_several_strategies_are_asked_for():
    """What has to be pinned is named; what no computation depends on may stay open."""
    with pytest.raises(InputError, match=r"pin .*micro_batch"):
        job_of(instance(pins={"tp": 2, "pp": 1}))
    assert job_of(instance(pins={**PINS, "rank_order": ["tp-cp-ep-dp-pp", "dp-tp-cp-ep-pp"]}))


def test_pins_that_fit_no_strategy_are_refused():
    """A batch that does not divide leaves nothing."""
    with pytest.raises(InputError, match="leaves no strategy for 24 GPUs"):
        job_of(found=profile(1.0, world=24))


def test_the_accelerator_must_be_one():
    """It is fixed, or the profile names it, or it is asked for."""
    free = instance(fix={})
    assert job_of(free, gpu="h100-sxm").machine.accelerator == "h100-sxm"
    with pytest.raises(InputError, match="does not say on which accelerator"):
        job_of(free)
    with pytest.raises(InputError, match="no server with b200-sxm"):
        job_of(gpu="b200-sxm")


def test_the_workload_must_be_named_where_there_are_several():
    """The names are given."""
    one = instance().workloads[0]
    two = instance().model_copy(
        update={"workloads": [one, one.model_copy(update={"name": "other"})]}
    )
    assert job_of(two, workload="other").workload == "other"
    for name in (None, "third"):
        with pytest.raises(InputError, match="train, other"):
            job_of(two, workload=name)


def test_the_number_of_gpus_comes_from_pins_where_the_profile_is_silent():
    """Nsight's exports do not say how many ranks took part."""
    silent = profile(1.0).model_copy(update={"world_size": None})
    assert job_of(instance(pins={**PINS, "dp": 4}), silent).strategy.gpus == 8
    assert job_of(instance(pins={**PINS, "nodes": 2}), silent).strategy.gpus == 16
    with pytest.raises(InputError, match="how many GPUs"):
        job_of(found=silent)


def test_a_calibration_with_compute_comes_back_whole(tmp_path):
    """Written and read, nothing is lost; files without compute are read as before."""
    from planner.domain.calibration import read_calibration

    job = job_of()
    found = Calibration(compute=calibrate_compute([taken(job, modelled(job, 1.2))], CONSTANTS))
    path = tmp_path / "c.json"
    path.write_text(json.dumps(found.model_dump(mode="json")))
    assert read_calibration(path) == found
    path.write_text('{"schema_version": 1}')
    assert read_calibration(path).compute == ()


def test_other_accelerators_keep_their_constants():
    """The factor holds for the accelerator that was profiled."""
    job = job_of()
    found = Calibration(compute=calibrate_compute([taken(job, modelled(job, 1.5))], CONSTANTS))
    other = replace(job, machine=replace(job.machine, accelerator="h200-sxm"))
    calibrated = model_constants(found).compute
    assert other.computing_s(calibrated) == other.computing_s(CONSTANTS.compute)
