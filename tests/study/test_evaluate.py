"""`planner evaluate`: one pinned design, priced and timed, limits that it breaks as reasons."""

from __future__ import annotations

import json

import pytest

from planner.cli.main import run

HAVE = {
    "name": "have",
    "workloads": [
        {"name": "train", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 256,
         "step_time_s": 60.0, "fix": {"tp": 2, "pp": 1, "sharding": "zero1", "micro_batch": 1}}
    ],
    "site": {"racks": 4, "rack_kw": 44},
    "fix": {"server": "dgx-h100", "nodes": 4, "family": "infiniband", "switch": "qm9700",
            "topology": "rail_optimised", "oversubscription": 1.0},
}  # fmt: skip


def evaluate(folder, capsys, **changes):
    """Evaluate the design with changes; return exit code, document and errors."""
    file = folder / "have.json"
    file.write_text(json.dumps(HAVE | changes))
    code = run(["evaluate", str(file), "-o", str(folder / "out"), "--json"])
    out = capsys.readouterr()
    return code, json.loads(out.out) if out.out else None, out.err


def test_a_design_out_of_sale_is_priced_and_timed(tmp_path, capsys) -> None:
    """What stands already may be out of sale; its strategy is the pinned one."""
    code, document, _ = evaluate(tmp_path, capsys)
    assert code == 0
    assert document["design"]["platform"]["server"] == "dgx-h100"
    assert document["design"]["nodes"] == 4
    strategy = document["workloads"][0]["strategy"]
    assert (strategy["tp"], strategy["pp"], strategy["sharding"]) == (2, 1, "zero1")
    parts = document["workloads"][0]["breakdown"]
    assert sum(parts.values()) == pytest.approx(document["workloads"][0]["step_time_s"])
    assert run(["verify", str(tmp_path / "out")]) == 0


def test_a_placement_that_is_not_proved_is_feasible_with_its_gap(tmp_path, capsys) -> None:
    """A hall of 64 servers in two tiers: laid out with a bound, never called optimal by mistake."""
    fix = {**HAVE["fix"], "server": "hgx-h100-8", "nodes": 64, "family": "roce",
           "switch": "arista-7060x6-64pe", "topology": "leaf_spine"}  # fmt: skip
    site = {"racks": 800, "racks_per_row": 40, "rack_kw": 45}
    code, document, err = evaluate(tmp_path, capsys, fix=fix, site=site)
    assert code == 0, err
    assert document["status"] == "feasible"
    assert 0 < document["gap"] < 0.01
    assert run(["verify", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"workloads": [HAVE["workloads"][0] | {"step_time_s": 0.1}]}, "misses its target"),
        ({"budget": {"capex_usd": 1000}}, "budget"),
        ({"budget": {"gpus": 8}}, "GPUs"),
    ],
)
def test_a_broken_limit_is_a_reason_beside_the_figures(tmp_path, capsys, changes, word) -> None:
    """Exit 3, the sentence, and still every number; the report verifies."""
    code, document, _ = evaluate(tmp_path, capsys, **changes)
    assert code == 3
    assert any(word in reason for reason in document["reasons"])
    assert document["cost"]["capex_usd"] > 0
    assert run(["verify", str(tmp_path / "out")]) == 0


def test_a_strategy_that_does_not_fit_is_said(tmp_path, capsys) -> None:
    """Pins that leave no strategy within the memory end in one sentence."""
    workload = HAVE["workloads"][0] | {
        "network": "gpt3-175b", "sequence_length": 2048, "fix": {"tp": 1, "sharding": "ddp"}
    }  # fmt: skip
    code, document, _ = evaluate(tmp_path, capsys, workloads=[workload])
    assert code == 3
    assert "does not fit" in document["reasons"][0]
    assert document["design"] is None


def test_an_open_choice_is_named(tmp_path, capsys) -> None:
    """More than one design: exit 2 with the keys that are still open and their values."""
    fix = {k: v for k, v in HAVE["fix"].items() if k not in ("nodes", "topology")}
    code, _, err = evaluate(tmp_path, capsys, fix=fix)
    assert code == 2
    assert "nodes" in err
    assert "topology" in err
    code, _, err = evaluate(tmp_path, capsys, fix=HAVE["fix"] | {"nodes": 3000})
    assert code == 2
    assert "leaves no design" in err


SHARED = {
    "workloads": [
        {"name": "a", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 512,
         "tokens": 3e9, "deadline_days": 1, "repeat_days": 1},
        {"name": "b", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 256,
         "tokens": 2.68e10, "deadline_days": 7, "repeat_days": 7},
    ],
    "site": {"racks": 2, "rack_kw": 12},
    "fix": {"server": "ws-4x-rtx6000ada", "family": "roce", "switch": "sn3700", "nodes": 2,
            "topology": "single", "nics_per_node": 1, "nic": "cx6-vpi-200"},
}  # fmt: skip
"""Two jobs that meet their own limits on two servers, but not both within all hours."""


def test_hours_that_do_not_suffice_are_what_binds(tmp_path, capsys) -> None:
    """A limit that the pinned design breaks is never followed by words that none is used up."""
    code, document, _ = evaluate(tmp_path, capsys, **SHARED)
    assert code == 3
    assert all(w["step_time_s"] < w["limit_s"] for w in document["workloads"])
    text = (tmp_path / "out" / "summary.md").read_text()
    assert "hours of the pool with margin: 1.0" in text
    assert "No limit is used up" not in text


def test_short_hours_are_not_told_as_slow_steps(tmp_path, capsys) -> None:
    """Where a design keeps every step time and lacks hours alone, no step is called too slow."""
    fix = {key: SHARED["fix"][key] for key in ("server", "family", "switch", "topology")}
    file = tmp_path / "wish.json"
    file.write_text(json.dumps(HAVE | SHARED | {"fix": fix, "grid": {"max_nodes": 2}}))
    assert run(["solve", str(file), "-o", str(tmp_path / "wish")]) == 3
    reasons = json.loads((tmp_path / "wish" / "solution.json").read_text())["reasons"]
    assert any("more hours than there are" in reason for reason in reasons)
    assert not any("must step within" in reason for reason in reasons)


def test_what_is_left_to_pin_is_named(tmp_path, capsys) -> None:
    """Whatever the key in which the designs differ: here the network card."""
    fix = {key: value for key, value in SHARED["fix"].items() if key != "nic"}
    code, _, err = evaluate(tmp_path, capsys, **(SHARED | {"fix": fix}))
    assert code == 2
    assert "Pin: nic (" in err
    assert "cx6-vpi-200" in err
