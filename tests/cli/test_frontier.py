"""`planner frontier`: table, document, exit codes."""

from __future__ import annotations

import csv
import json
import re

from planner.cli.main import run


def test_a_frontier_is_printed_and_written(tmp_path, capsys) -> None:
    """The table, the document and the star schema hold the same points; exit code 0."""
    folder = tmp_path / "report"
    asked = ["frontier", "tiny", "--points", "3", "-o", str(folder)]
    assert run([*asked, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    points = document["frontier"]["points"]
    assert [p["status"] for p in points] == ["optimal"] * 3 + ["infeasible"]  # none is faster
    costs = [p["objective_usd"] for p in points[:-1]]
    assert costs == sorted(costs)
    assert not document["frontier"]["complete"]
    with (folder / "bi" / "fact_frontier.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["objective_usd"]) for row in rows[:-1]] == costs
    assert rows[-1]["objective_usd"] == ""
    assert run(["verify", str(folder)]) == 0
    capsys.readouterr()
    assert run(asked) == 0
    said = capsys.readouterr().out
    assert said.count("  proved  ") == len(costs)
    assert any(point["chosen"] for point in points)
    assert "the decision" in said
    assert run([*asked, "--lang", "es"]) == 0
    said = capsys.readouterr().out
    assert said.count("  demostrado  ") == len(costs)
    assert not re.search(r"proved|decision|points|designs|Design|\bstep\b", said)


def test_time_before_any_design_is_no_proof(tmp_path) -> None:
    """Exit code 4, never 3, where the first search was cut short."""
    asked = ["frontier", "tiny", "-o", str(tmp_path / "r"), "--time-limit", "0.1"]
    assert run([*asked, "--points", "3"]) in (0, 4)


def test_what_no_design_reaches_is_infeasible(tmp_path, capsys) -> None:
    """Exit code 3 where even the slowest limit is too fast; 2 for a job that is not there."""
    asked = ["frontier", "tiny", "-o", str(tmp_path / "r")]
    assert run([*asked, "--slowest", "0.01"]) == 3
    assert run([*asked, "--workload", "nobody"]) == 2
    assert "gpt2-xl" in capsys.readouterr().err
