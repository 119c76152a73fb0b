"""What the profile of a known run says, whichever tool wrote it."""

from __future__ import annotations

import json

import pytest

from planner.domain.errors import InputError
from planner.domain.profile import read_profile
from planner.importers.nsys import nsys_profile
from planner.importers.torch_trace import torch_profile
from tests.importers.trace_builders import (
    ADAM,
    ALL_GATHER,
    ALL_REDUCE,
    GEMM,
    SEND_RECV,
    Run,
    message,
    torch_document,
    two_steps,
    write_nsys,
    write_torch,
)

US = 1e-6
TOOLS = pytest.mark.parametrize(
    ("write", "read", "name"),
    [(write_torch, torch_profile, "t.json"), (write_torch, torch_profile, "t.json.gz"),
     (write_nsys, nsys_profile, "t.sqlite")],
)  # fmt: skip


@TOOLS
@pytest.mark.parametrize("lag", [0.0, 350.0])
def test_parts_of_a_known_step(write, read, name, lag, tmp_path):
    """Computation, waits, copies and gaps are those of the run, however far the GPU lags."""
    found = read(write(tmp_path / name, two_steps(lag)))
    first = found.steps[0]
    assert first.name == "ProfilerStep#3"
    assert first.wall_s == pytest.approx(1000 * US)
    assert first.compute_s == pytest.approx(600 * US)
    assert first.network_s == pytest.approx(300 * US)
    assert first.exposed_network_s == pytest.approx(200 * US)
    assert first.exposed_copy_s == pytest.approx(50 * US)
    assert first.idle_s == pytest.approx(150 * US)
    assert first.overlap_share == pytest.approx(1 / 3)
    assert found.device == "NVIDIA H100 80GB HBM3"
    assert found.steps_found_by == "annotation"


@TOOLS
def test_the_last_step_ends_with_its_last_activity(write, read, name, tmp_path):
    """No kernel follows that would end it: its trailing gap is unknown."""
    found = read(write(tmp_path / name, two_steps(100.0)))
    assert found.steps[1].wall_s == pytest.approx(850 * US)
    assert found.steps[1].idle_s == 0.0
    assert [step.counted for step in found.steps] == [True, False]
    assert found.mean.wall_s == pytest.approx(1000 * US)


@TOOLS
def test_parts_add_up_to_the_step(write, read, name, tmp_path):
    """What computes, waits, copies and idles is the whole step."""
    for step in read(write(tmp_path / name, two_steps(40.0, 5))).steps:
        parts = step.compute_s + step.exposed_network_s + step.exposed_copy_s + step.idle_s
        assert parts == pytest.approx(step.wall_s)


@TOOLS
def test_peaks_say_when_and_for_what(write, read, name, tmp_path):
    """The longest wait begins where computation ends, and names its collective."""
    peak = read(write(tmp_path / name, two_steps())).peaks[0]
    assert peak.at_s == pytest.approx(500 * US)
    assert peak.duration_s == pytest.approx(200 * US)
    assert peak.collective == "all_reduce"
    assert peak.kernel == ALL_REDUCE


def test_streams_that_overlap_count_once(tmp_path):
    """Two kernels at a time are one time of computation; two collectives one wait."""
    run = Run().step("ProfilerStep#1", 0, 1000)
    run.kernel(GEMM, 0, 400, 7).kernel(GEMM, 100, 400, 8)
    run.kernel(ALL_REDUCE, 600, 200, 20).kernel(ALL_GATHER, 700, 200, 21)
    (step,) = torch_profile(write_torch(tmp_path / "t.json", run)).steps
    assert step.compute_s == pytest.approx(500 * US)
    assert step.exposed_network_s == pytest.approx(300 * US)


def test_each_collective_has_calls_bytes_and_waits(tmp_path):
    """Sizes count as nccl-tests does: the larger of what a rank sends and receives."""
    run = Run().step("ProfilerStep#1", 0, 1000).kernel(GEMM, 0, 300)
    run.kernel(ALL_REDUCE, 100, 100, 20, **message("allreduce", 1000, [0, 1]))
    run.kernel(ALL_GATHER, 300, 100, 20, **message("_allgather_base", 4096, [0, 1, 2, 3], "Float"))
    found = {
        c.collective: c for c in torch_profile(write_torch(tmp_path / "t.json", run)).collectives
    }
    assert found["all_reduce"].exposed_s == 0.0
    assert found["all_reduce"].bytes == 2000
    assert found["all_gather"].bytes == 16384
    assert found["all_gather"].exposed_s == pytest.approx(100 * US)


def test_what_the_framework_recorded_counts_before_the_kernel(tmp_path):
    """An all-to-all that runs as grouped sends and receives is an all-to-all."""
    run = Run().step("ProfilerStep#1", 0, 1000).kernel(GEMM, 0, 300)
    run.kernel(SEND_RECV, 300, 100, 20, **message("all_to_allv", 4096, [0, 1, 2, 3]))
    (only,) = torch_profile(write_torch(tmp_path / "t.json", run)).collectives
    assert only.collective == "all_to_all"


def test_messages_of_the_operator_belong_to_its_kernel(tmp_path):
    """Older traces record the message with the operator, joined by its external id."""
    run = Run().step("ProfilerStep#1", 0, 1000).kernel(GEMM, 0, 300)
    run.kernel(ALL_REDUCE, 300, 100, 20, **{"External id": 77})
    document = torch_document(run)
    args = message("allreduce", 500, [0, 1], "Float") | {"External id": 77}
    document["traceEvents"].append(
        {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 1, "dur": 1, "args": args}
    )
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    (only,) = torch_profile(path).messages
    assert (only.size_bytes, only.ranks, only.members) == (2000.0, 2, (0, 1))


def test_groups_are_listed_once_for_the_whole_file(tmp_path):
    """Where a message names its group only, the file's list says who is in it."""
    args = message("allreduce", 500, [0, 8, 16, 24])
    args["Process Group Ranks"] = "[0, 8, ..., 24]"
    run = Run().step("ProfilerStep#1", 0, 1000).kernel(ALL_REDUCE, 0, 100, 20, **args)
    document = torch_document(run)
    document["distributedInfo"]["pg_config"] = [{"pg_name": "1", "ranks": [0, 8, 16, 24]}]
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    (only,) = torch_profile(path).messages
    assert only.members == (0, 8, 16, 24)


def test_coalesced_messages_have_no_size(tmp_path):
    """Several messages in one kernel are not taken for one of their total size."""
    args = message("allreduce_coalesced", 500, [0, 1])
    run = Run().step("ProfilerStep#1", 0, 1000).kernel(ALL_REDUCE, 0, 100, 20, **args)
    found = torch_profile(write_torch(tmp_path / "t.json", run))
    assert found.messages == ()
    assert found.collectives[0].bytes is None


@TOOLS
def test_recurring_kernels_tell_steps_that_nobody_marked(write, read, name, tmp_path):
    """Without marks, the rarest kernel that recurs with everything between is the step."""
    run = Run()
    for k in range(5):
        for j in range(6):
            run.kernel(GEMM, 1000.0 * k + 100.0 * j, 80.0).kernel(
                "act", 1000.0 * k + 100 * j + 80, 10
            )
        run.kernel(ADAM, 1000.0 * k + 900.0, 50.0)
    found = read(write(tmp_path / name, run))
    assert found.steps_found_by == "pattern"
    assert len(found.steps) == 4
    assert found.mean.wall_s == pytest.approx(1000 * US)
    assert found.mean.compute_s == pytest.approx(590 * US)


@TOOLS
def test_without_marks_or_pattern_all_is_one_step(write, read, name, tmp_path):
    """Then the profile says so."""
    run = Run().kernel(GEMM, 0, 10).kernel("act", 20, 10).kernel(ADAM, 40, 10)
    found = read(write(tmp_path / name, run))
    assert found.steps_found_by == "window"
    assert found.mean.wall_s == pytest.approx(50 * US)
    assert any("whole profile" in note for note in found.notes)


@TOOLS
def test_a_range_of_any_name_can_mark_the_steps(write, read, name, tmp_path):
    """The user names it; an unknown name is answered with those that there are."""
    run = Run().step("forward 1", 0, 100).step("forward 2", 100, 100)
    run.kernel(GEMM, 0, 50).kernel(GEMM, 100, 60)
    path = write(tmp_path / name, run)
    assert [s.name for s in read(path, None, "forward").steps] == ["forward 1", "forward 2"]
    with pytest.raises(InputError, match="'forward'"):
        read(path, None, "backward")


@TOOLS
def test_a_step_far_longer_than_the_others_is_not_counted(write, read, name, tmp_path):
    """A checkpoint or the first step does not blur the mean."""
    run = Run()
    for k, (start, dur) in enumerate([(0, 5000), (5000, 1000), (6000, 1000), (7000, 1000)]):
        run.step(f"iteration {k}", start, dur).kernel(GEMM, start, 500).kernel(
            ADAM, start + dur - 1, 1
        )
    found = read(write(tmp_path / name, run))
    assert [step.counted for step in found.steps] == [False, True, True, False]
    assert found.mean.wall_s == pytest.approx(1000 * US)


def test_gpu_annotations_of_several_streams_are_one_step(tmp_path):
    """A step that the GPU's own marks show begins where the first stream begins it."""
    run = Run()
    for k in range(2):
        run.kernel(GEMM, 1000 * k, 500).kernel(ALL_REDUCE, 1000 * k + 400, 300, 20)
    document = torch_document(run)
    for k in range(2):
        for stream, start, dur in ((7, 0, 500), (20, 400, 300)):
            document["traceEvents"].append(
                {"ph": "X", "cat": "gpu_user_annotation", "name": f"ProfilerStep#{k}", "pid": 0,
                 "tid": stream, "ts": 1000 * k + start, "dur": dur}
            )  # fmt: skip
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    found = torch_profile(path)
    assert [round(s.wall_s / US) for s in found.steps] == [700, 700]
    assert found.mean.exposed_network_s == pytest.approx(200 * US)


def test_a_written_profile_comes_back_whole(tmp_path):
    """The document of an import is a profile that calibration reads."""
    found = torch_profile(write_torch(tmp_path / "t.json", two_steps()))
    path = tmp_path / "profile.json"
    path.write_text(found.model_dump_json())
    assert read_profile(path) == found


def test_one_of_several_gpus_is_taken_and_named(tmp_path):
    """A profile of a whole host is read rank by rank."""
    document = torch_document(two_steps())
    for event in torch_document(two_steps())["traceEvents"]:
        if event.get("cat") == "kernel":
            document["traceEvents"].append(event | {"args": {"device": 3}, "dur": 10})
    path = tmp_path / "t.json"
    path.write_text(json.dumps(document))
    assert any("2 GPUs" in note for note in torch_profile(path).notes)
    assert torch_profile(path, 3).steps != torch_profile(path, 0).steps
    with pytest.raises(InputError, match="no device 5"):
        torch_profile(path, 5)
