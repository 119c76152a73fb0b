"""`planner solve` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.cli.main import run

SMALL = {
    "name": "small",
    "workloads": [
        {
            "name": "gpt2",
            "network": "gpt2-xl",
            "sequence_length": 1024,
            "global_batch": 256,
            "step_time_s": 2.0,
        }
    ],
    "site": {"racks": 3, "rack_kw": 24},
    "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "family": ["infiniband", "roce"]},
    "grid": {"max_nodes": 4},
}


def write(folder: Path, **changes: object) -> Path:
    """Write the small instance with changes and return its file."""
    path = folder / "small.json"
    path.write_text(json.dumps(SMALL | changes))
    return path


def solve(folder: Path, capsys: pytest.CaptureFixture, *options: str, **changes: object):
    """Solve the small instance with changes; return exit code, output and errors."""
    code = run(["solve", str(write(folder, **changes)), "-o", str(folder / "out"), *options])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_json_carries_the_keys_that_scripts_rely_on(tmp_path, capsys) -> None:
    """One JSON document on standard output, with every documented key."""
    code, out, _ = solve(tmp_path, capsys, "--json", "--no-alternatives")
    document = json.loads(out)
    assert code == 0
    for key in (
        "status",
        "objective_usd",
        "bound_usd",
        "gap",
        "placement_gap",
        "wall_s",
        "cost",
        "design",
        "workloads",
        "binding",
        "alternatives",
    ):
        assert key in document, key
    assert document["status"] == "optimal"
    assert document["gap"] == 0
    assert {"capex_usd", "energy_usd", "support_usd", "total_usd"} <= set(document["cost"])
    fabric = document["design"]["fabric"]
    assert {"family", "topology", "tiers", "cables", "transceivers"} <= set(fabric)
    assert {"node_leaf", "leaf_spine", "spine_core"} <= set(fabric["cables"])
    assert {"name", "step_time_s", "target_s", "strategy", "breakdown", "memory_gib", "mfu"} <= set(
        document["workloads"][0]
    )


def test_report_is_written_and_verifies(tmp_path, capsys) -> None:
    """The folder holds solution, page, summary and CSV, and `verify` finds nothing."""
    code, out, _ = solve(tmp_path, capsys)
    assert code == 0
    assert "Proved optimal" in out
    for name in ("solution.json", "index.html", "summary.md", "bi/fact_bom_line.csv"):
        assert (tmp_path / "out" / name).is_file(), name
    assert run(["verify", str(tmp_path / "out")]) == 0


def test_same_instance_and_seed_give_the_same_bytes(tmp_path, capsys) -> None:
    """Two runs differ in nothing but their times."""
    texts = []
    for _ in range(2):
        solve(tmp_path, capsys)
        document = json.loads((tmp_path / "out" / "solution.json").read_text())
        for key in ("wall_s", "started"):
            document["run"].pop(key)
        texts.append(json.dumps(document))
    assert texts[0] == texts[1]


def test_infeasible_is_an_answer_with_reasons(tmp_path, capsys) -> None:
    """Exit 3; the text names the limit that must give and what lifting it would bring."""
    workload = SMALL["workloads"][0] | {"step_time_s": 0.001}
    code, out, _ = solve(tmp_path, capsys, workloads=[workload])
    assert code == 3
    assert "gpt2" in out
    code, out, _ = solve(tmp_path, capsys, budget={"capex_usd": 1000})
    assert code == 3
    assert "the budget is 1,000 USD" in out
    assert "USD to buy (" in out  # the least budget with a design
    assert json.loads((tmp_path / "out" / "solution.json").read_text())["status"] == "infeasible"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"site": {"racks": 0, "rack_kw": -3}}, ["$.site.racks", "$.site.rack_kw"]),
        ({"fix": {"server": "hgx-h100-9"}}, ["$.fix.server", "hgx-h100-8"]),
        ({"forbid": {"family": "infinibant"}}, ["$.forbid.family", "infiniband"]),
        ({"quotes": {"sn5601": {"usd": 1, "date": "2026"}}}, ["$.quotes.sn5601", "sn5600"]),
        ({"catalog": "nowhere"}, ["$.catalog", "nowhere"]),
        ({"site": {"racks": 1, "rack_kw": 9, "rack": "rack-48u-801"}}, ["rack-48u-800"]),
    ],
)
def test_bad_input_is_one_line_a_fault(tmp_path, capsys, changes, words) -> None:
    """Exit 2, the file and path of each fault with what would be right, nothing written."""
    code, out, err = solve(tmp_path, capsys, **changes)
    assert code == 2
    assert out == ""
    assert all(word in err for word in words), err
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()


def test_unknown_network_and_file_are_named(tmp_path, capsys) -> None:
    """The nearest known name is offered."""
    workload = SMALL["workloads"][0] | {"network": "gpt2-xxl"}
    code, _, err = solve(tmp_path, capsys, workloads=[workload])
    assert code == 2
    assert "$.workloads[0].network" in err
    assert run(["solve", "budgett"]) == 2
    assert "budget" in capsys.readouterr().err


def test_a_foreign_folder_is_refused_and_left_whole(tmp_path, capsys) -> None:
    """A folder that holds something else is not replaced."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    code, _, err = solve(tmp_path, capsys, "--no-alternatives")
    assert code == 2
    assert "out" in err
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"


def test_time_limit_without_a_design_exits_4(tmp_path, capsys, monkeypatch) -> None:
    """Stopped before anything was found: exit 4 and a sentence."""
    import planner.study.decide as decide

    monkeypatch.setattr(decide, "SHARE_FOR_DESIGN", 0.0)
    code, out, _ = solve(tmp_path, capsys, "--time-limit", "0.1")
    assert code == 4
    assert "time limit" in out


def test_program_exports_to_the_same_optimum(tmp_path, capsys) -> None:
    """The LP, solved by another engine from its text, gives the solution's objective."""
    from ortools.linear_solver.python import model_builder

    solve(tmp_path, capsys)
    objective = json.loads((tmp_path / "out" / "solution.json").read_text())["objective_usd"]
    path = tmp_path / "selection.mps"
    assert run(["export", str(tmp_path / "out"), "--to", "mps", "-o", str(path)]) == 0
    text = path.read_text()
    constant = float(text.splitlines()[0].split()[2])
    model = model_builder.Model()
    assert model.import_from_mps_string(text)
    solver = model_builder.Solver("SCIP")
    assert solver.solve(model) == model_builder.SolveStatus.OPTIMAL
    assert solver.objective_value + constant == pytest.approx(objective, abs=0.005)


def test_a_calibration_changes_the_step_time_and_still_verifies(tmp_path, capsys) -> None:
    """Logs that show a tenth of the network's bandwidth slow the step; the answer says so."""
    row = {"level": "network", "architecture": "hopper", "scale_up": "nvswitch",
           "network": "infiniband", "bandwidth_factor": 0.1, "latency_fitted": False,
           "bandwidth_fitted": True, "rows": 9, "bytes_min": 1e6, "bytes_max": 1e9,
           "ranks_min": 16, "ranks_max": 16, "error_before_pct": 60, "error_after_pct": 5,
           "p90_after_pct": 9, "extrapolates": []}  # fmt: skip
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({"collectives": [row]}))
    pinned = {"server": "hgx-h100-8", "family": "infiniband", "nodes": 2}
    times = []
    for options in ((), ("--calibration", str(file))):
        code, _, err = solve(tmp_path, capsys, "--no-alternatives", *options, fix=pinned)
        assert code == 0, err
        document = json.loads((tmp_path / "out" / "solution.json").read_text())
        times.append(document["workloads"][0]["step_time_s"])
        assert run(["verify", str(tmp_path / "out")]) == 0
    assert times[1] > times[0]
