"""`planner sweep` as a user meets it."""

from __future__ import annotations

import csv
import json

from planner.cli.main import run
from planner.export.csv_file import csv_text
from planner.export.star import star_files, write_star
from planner.export.sweep_table import SweepRow, columns, sweep_text
from planner.study.sweep_store import SweepStore


def test_a_sweep_answers_keeps_and_appends(tmp_path, capsys) -> None:
    """An infeasible point is an answer; the rerun solves nothing; equal points share a run."""
    folder = tmp_path / "sweep"
    words = ["sweep", "tiny", "--vary", "workloads[0].step_time_s=6,0.001", "--vary", "finance.years=5,5.0001", "-o", str(folder),
             "--workers", "1", "--json"]  # fmt: skip
    assert run(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["outcomes"] == {"infeasible": 2, "optimal": 2}
    assert (first["solved"], first["kept"]) == (4, 0)
    assert run(words[:-1]) == 0
    assert "0 solved now, 4 kept" in capsys.readouterr().out
    table = list(csv.DictReader((folder / "summary.csv").open(encoding="utf-8-sig", newline="")))
    assert [row["workloads[0].step_time_s"] for row in table] == ["6", "6", "0.001", "0.001"]
    assert float(table[0]["objective_usd"]) > 0
    assert table[2]["reason"]
    runs = list(csv.DictReader((folder / "bi" / "dim_run.csv").open(encoding="utf-8-sig")))
    assert [r["run_key"] for r in runs] == [row["run_key"] for row in table]
    store = SweepStore(folder)
    whole = [store.solution(record.key) for record in store.records.values()]
    ordered = sorted(whole, key=lambda s: [r["run_key"] for r in runs].index(s.run.run_id))
    store.close()
    for name, text in star_files(ordered):
        assert (folder / "bi" / name).read_bytes() == text.encode(), name
    write_star(iter(ordered), tmp_path / "bi")
    assert (tmp_path / "bi" / "dim_run.csv").is_file()


def test_faulty_variations_are_bad_input(tmp_path, capsys) -> None:
    """Exit 2 with every fault, before anything is solved or written."""
    folder = tmp_path / "sweep"
    assert run(["sweep", "tiny", "--vary", "site.racks=0,-1", "-o", str(folder)]) == 2
    assert "$.site.racks" in capsys.readouterr().err
    assert run(["sweep", "tiny", "--vary", "workloads[4].name=x", "-o", str(folder)]) == 2
    assert run(["sweep", "tiny", "--vary", "site.racks", "-o", str(folder)]) == 2
    assert not folder.exists()


def test_an_instance_without_answer_is_named(tmp_path, capsys) -> None:
    """A network that is unknown is found by the worker: exit 4, the others are answered."""
    words = ["sweep", "tiny", "--vary", "workloads[0].network=gpt2-xl,no-such-network",
             "-o", str(tmp_path / "s"), "--workers", "1", "--json"]  # fmt: skip
    assert run(words) == 4
    answer = json.loads(capsys.readouterr().out)
    assert answer["outcomes"] == {"optimal": 1, "refused": 1}
    assert "no-such-network" in answer["rows"][1]["reason"]
    assert run(words) == 4
    assert json.loads(capsys.readouterr().out)["solved"] == 0
    assert run([*words, "--retry-failed"]) == 4
    assert json.loads(capsys.readouterr().out)["solved"] == 1


def test_several_pools_stand_in_one_row(tmp_path, capsys) -> None:
    """Servers add up over the pools, names are joined."""
    words = ["sweep", "pools-concurrent", "-o", str(tmp_path / "s"), "--workers", "1", "--json"]
    assert run(words) == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert row["outcome"] == "optimal"
    assert row["nodes"] >= 3
    assert row["server"]
    assert row["step_times_s"].count(";") == 2


def test_every_row_has_a_cell_for_each_column() -> None:
    """Also without a solution, and with values that are objects or look like formulas."""
    row = SweepRow(number=1, values=({"a": 1}, "=x", None, True), outcome="error", reason="why")
    text = sweep_text(["p", "q", "r", "s"], [row])
    assert text.startswith(csv_text(columns(["p", "q", "r", "s"]), ()))
    cells = next(csv.reader([text.splitlines()[1]]))
    assert cells[:6] == ["1", '{"a":1}', "'=x", "null", "true", "error"]
    assert cells[-2:] == ["why", ""]
