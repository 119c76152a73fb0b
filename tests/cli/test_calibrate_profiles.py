"""`planner import` and `planner calibrate` on profiles, and what becomes of them in `solve`."""

from __future__ import annotations

import json

import pytest

from planner.cli.main import run
from planner.domain.calibration import read_calibration
from planner.domain.profile import read_profile
from tests.importers.trace_builders import (
    ADAM,
    ALL_REDUCE,
    GEMM,
    Run,
    message,
    two_steps,
    write_nsys,
    write_torch,
)

PINS = {"tp": 1, "pp": 1, "cp": 1, "dp": 8, "micro_batch": 8, "sharding": "zero1",
        "recompute": "none"}  # fmt: skip


@pytest.fixture
def instance(tmp_path):
    """An instance that pins what was profiled."""
    document = {
        "name": "mine",
        "workloads": [{"name": "gpt2-xl", "network": "gpt2-xl", "sequence_length": 1024,
                       "global_batch": 512, "step_time_s": 6.0, "fix": PINS}],
        "site": {"racks": 2, "rack_kw": 12},
        "fix": {"accelerator": "h100-sxm"},
    }  # fmt: skip
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document))
    return path


def training(count=4):
    """Return steps of 2 s with gradients reduced at 300 GB/s, microseconds."""
    run_ = Run()
    for k in range(count):
        at = 2e6 * k
        run_.step(f"ProfilerStep#{k}", at, 2e6).kernel(GEMM, at, 1.5e6)
        for j, elements in enumerate((2**24, 2**26, 2**27)):
            took = 2.0 * elements * 2 / 300e3
            args = message("allreduce", elements, list(range(8)))
            run_.kernel(ALL_REDUCE, at + 1e5 * j, took, 20, **args)
        run_.kernel(ADAM, at + 1.6e6, 5e4)
    return run_


def test_a_trace_is_shown_as_a_table(tmp_path, capsys):
    """People read parts, collectives and peaks."""
    path = write_torch(tmp_path / "t.json.gz", two_steps())
    assert run(["import", "torch-trace", str(path)]) == 0
    shown = capsys.readouterr()
    for text in ("network waited for", "all_reduce", "33.3% of it hidden", "Longest waits"):
        assert text in shown.out
    assert "steps counted" in shown.err


@pytest.mark.parametrize("kind", ["nsys", "nsight-systems"])
def test_json_is_one_document(kind, tmp_path, capsys):
    """Scripts read the same figures."""
    path = write_nsys(tmp_path / "t.sqlite", two_steps())
    assert run(["import", kind, str(path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    mean = document["documents"]["profile.json"]["mean"]
    assert mean["exposed_network_s"] == pytest.approx(200e-6)


def test_a_written_profile_is_a_document_of_its_own(tmp_path, capsys):
    """The table is shown all the same."""
    path, target = write_torch(tmp_path / "t.json", two_steps()), tmp_path / "p.json"
    assert run(["import", "torch-trace", str(path), "-o", str(target)]) == 0
    assert "part of a step" in capsys.readouterr().out
    assert read_profile(target).mean.compute_s == pytest.approx(600e-6)


def calibrated(arguments, tmp_path):
    """Run calibrate and return what it wrote."""
    target = tmp_path / "calibration.json"
    assert run(["calibrate", *map(str, arguments), "-o", str(target), "--json"]) == 0
    return read_calibration(target)


def test_a_profile_calibrates_compute_and_collectives(instance, tmp_path, capsys):
    """One trace with sizes of messages gives both."""
    path = write_torch(tmp_path / "t.json.gz", training())
    found = calibrated([path, "--instance", instance], tmp_path)
    (part,) = found.compute
    assert (part.accelerator, part.family, part.networks) == (
        "h100-sxm",
        "transformer",
        ("gpt2-xl",),
    )
    assert part.residuals[0].measured_s == pytest.approx(1.55)
    (links,) = found.collectives
    assert (links.level, links.scale_up, links.rows) == ("scale_up", "nvswitch", 3)
    assert found.logs == (str(path),)
    capsys.readouterr()


def test_every_form_of_a_profile_calibrates_alike(instance, tmp_path, capsys):
    """Trace, export, written profile and printed document are told apart by their content."""
    trace = write_torch(tmp_path / "a", training())
    export = write_nsys(tmp_path / "b", training())
    written, printed = tmp_path / "c.json", tmp_path / "d.json"
    assert run(["import", "torch-trace", str(trace), "-o", str(written)]) == 0
    capsys.readouterr()
    assert run(["import", "torch-trace", str(trace), "--json"]) == 0
    printed.write_text(capsys.readouterr().out)
    factors = [
        calibrated([path, "--instance", instance], tmp_path).compute[0].factor
        for path in (trace, export, written, printed)
    ]
    assert factors == pytest.approx([factors[0]] * 4)


def test_the_text_says_factor_residuals_and_limits(instance, tmp_path, capsys):
    """As for logs."""
    path = write_torch(tmp_path / "t.json", training())
    assert run(["calibrate", str(path), "--instance", str(instance)]) == 0
    text = capsys.readouterr().out
    for part in (
        "compute of transformer networks on h100-sxm",
        "time of kernels x",
        "extrapolates",
    ):
        assert part in text


def test_without_an_instance_only_messages_calibrate(tmp_path, capsys):
    """The GPU's name tells its links; what is missing is said."""
    path = write_torch(tmp_path / "t.json", training())
    found = calibrated([path, "--nodes", "1"], tmp_path)
    assert found.compute == ()
    assert len(found.collectives) == 1
    assert "compute is not calibrated" in capsys.readouterr().err


def test_logs_and_profiles_calibrate_together(instance, tmp_path, capsys):
    """Each residual names its file."""
    trace = write_torch(tmp_path / "t.json", training())
    table = tmp_path / "table.csv"
    table.write_text(
        "collective,bytes,gpu,gpus,nodes,gpus_per_node,scale_up,scale_up_gbytes_per_s,time_us\n"
        + "".join(f"all_reduce,{2**p},h100-sxm,8,1,8,nvswitch,450,{40 + 2**p / 2.5e5}\n"
                  for p in range(12, 30, 3))
    )  # fmt: skip
    found = calibrated([table, trace, "--instance", instance], tmp_path)
    assert {r.log for part in found.collectives for r in part.residuals} == {str(table), str(trace)}
    assert len(found.compute) == 1
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workload", "gpt2-xl"], "give --instance"),
        (["--instance", "{instance}", "--workload", "other"], "gpt2-xl"),
        ([], "nothing to calibrate"),
    ],
)
def test_what_is_missing_is_asked_for_in_one_line(options, said, instance, tmp_path, capsys):
    """No traceback, exit code 2."""
    path = write_nsys(tmp_path / "t.sqlite", two_steps())
    given = [option.format(instance=instance) for option in options]
    assert run(["calibrate", str(path), *given]) == 2
    assert said in capsys.readouterr().err


def test_an_instance_without_a_profile_is_refused(instance, tmp_path, capsys):
    """It would say nothing."""
    table = tmp_path / "table.csv"
    table.write_text("collective\n")
    assert run(["calibrate", str(table), "--instance", str(instance)]) == 2
    assert "no profile" in capsys.readouterr().err


def test_solve_says_what_the_profile_changes(instance, tmp_path, capsys):
    """From trace to answer: the sentence is in the document and in every report."""
    trace = write_torch(tmp_path / "t.json", training())
    target, out = tmp_path / "calibration.json", tmp_path / "out"
    assert run(["calibrate", str(trace), "--instance", str(instance), "-o", str(target)]) == 0
    capsys.readouterr()
    arguments = ["solve", "tiny", "--calibration", str(target), "--no-alternatives"]
    assert run([*arguments, "-o", str(out), "--json"]) == 0
    effect = json.loads(capsys.readouterr().out)["calibration_effect"]
    assert effect.startswith("The calibration keeps the design; gpt2-xl keeps its strategy")
    for name in ("index.html", "summary.md"):
        assert "The calibration keeps the design" in (out / name).read_text(encoding="utf-8")
