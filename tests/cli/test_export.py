"""`planner export`: each kind from files, several runs in one model, refusals in sentences."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import sys
from pathlib import Path

import openpyxl
import pytest

from planner.cli.export import KINDS
from planner.cli.main import run

BUILDER = Path(__file__).parents[1] / "report" / "sample.py"


@pytest.fixture(scope="module")
def sample():
    spec = importlib.util.spec_from_file_location("planner_cli_sample", BUILDER)
    builder = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = builder
    spec.loader.exec_module(builder)
    return builder


@pytest.fixture
def folders(tmp_path, sample):
    """Return the report folders of two runs."""
    found = []
    for number, nodes in enumerate((8, 16)):
        plan = sample.feasible(nodes)
        plan = plan.model_copy(update={"run": plan.run.model_copy(update={"run_id": f"r{number}"})})
        folder = tmp_path / f"report-{number}"
        folder.mkdir()
        (folder / "solution.json").write_text(plan.model_dump_json(by_alias=True), encoding="utf-8")
        found.append(str(folder))
    return found


def _rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def test_two_runs_append_into_one_star_schema(folders, tmp_path, capsys):
    """Folder or file; every written file is named on standard output."""
    out = tmp_path / "bi"
    second = str(Path(folders[1]) / "solution.json")
    assert run(["export", folders[0], second, "--to", "bi", "-o", str(out), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)["written"]
    assert {Path(path) for path in written} == set(out.iterdir())
    assert [row["run_key"] for row in _rows(out / "dim_run.csv")] == ["r0", "r1"]
    assert {row["run_key"] for row in _rows(out / "fact_cost.csv")} == {"r0", "r1"}
    assert json.loads((out / "datapackage.json").read_text())["runs"] == ["r0", "r1"]


def test_a_power_bi_project_of_two_runs(folders, tmp_path, capsys):
    """Held data, then linked over the old one with --force."""
    out = tmp_path / "pbip"
    assert run(["export", *folders, "--to", "pbip", "-o", str(out)]) == 0
    assert (out / "sample.pbip").is_file()
    query = out / "sample.SemanticModel" / "definition" / "tables" / "Cost.tmdl"
    assert "Binary.FromText" in query.read_text(encoding="utf-8")
    assert run(["export", *folders, "--to", "pbip", "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    linked = ["--link-folder", r"C:\plans", "--force"]
    assert run(["export", *folders, "--to", "pbip", "-o", str(out), *linked]) == 0
    assert "Folder.Files(DataFolder)" in query.read_text(encoding="utf-8")


def test_a_workbook_in_spanish(folders, tmp_path, capsys):
    """One file, named on standard output."""
    path = tmp_path / "pedido.xlsx"
    assert run(["export", folders[0], "--to", "xlsx", "--lang", "es", "-o", str(path)]) == 0
    assert capsys.readouterr().out.strip() == str(path)
    assert "Lista de materiales" in openpyxl.load_workbook(path).sheetnames


def test_texts_go_to_standard_output(folders, capsys):
    """Without -o."""
    assert run(["export", folders[0], "--to", "graphml"]) == 0
    assert "<graphml" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--to", "xlsx"], "takes one solution"),
        (["--to", "graphml"], "takes one solution"),
        (["--to", "bi", "--link-folder", "C:\\x"], "--link-folder"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(folders, capsys, arguments, word):
    """Exit 2, nothing written."""
    assert run(["export", *folders, *arguments]) == 2
    said = capsys.readouterr()
    assert word in said.err
    assert said.out == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_solution_is_named(tmp_path, capsys, kind):
    """Whatever it was to become."""
    assert run(["export", str(tmp_path / "none.json"), "--to", kind]) == 2
    assert "none.json" in capsys.readouterr().err


def test_netbox_is_a_folder_of_files_in_order(folders, tmp_path, capsys):
    """Every table is written and named; the last is that of the cables."""
    out = tmp_path / "netbox"
    assert run(["export", folders[0], "--to", "netbox", "-o", str(out), "--json"]) == 0
    written = [Path(path).name for path in json.loads(capsys.readouterr().out)["written"]]
    assert sorted(written) == sorted(path.name for path in out.iterdir())
    assert written[-1] == "9_cables.csv"


@pytest.mark.parametrize("kind", ["netbox", "port-map", "infragraph", "graphml"])
def test_an_answer_without_a_design_has_nothing_to_export(kind, sample, tmp_path, capsys):
    """Exit code 3 and one line that says why, instead of an empty file."""
    file = tmp_path / "solution.json"
    file.write_text(sample.infeasible().model_dump_json(by_alias=True), encoding="utf-8")
    assert run(["export", str(file), "--to", kind, "-o", str(tmp_path / "out")]) == 3
    said = capsys.readouterr()
    assert len(said.err.strip().splitlines()) == 1
    assert "no design" in said.err
    assert not (tmp_path / "out").exists()
