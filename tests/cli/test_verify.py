"""`planner verify` on files: exit codes, JSON, and what a person reads."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest

from planner.cli.main import run
from planner.domain.catalog import load_catalog
from planner.domain.seal import sealed
from planner.domain.solution import Solution

BUILDER = Path(__file__).parents[1] / "verify" / "hand_made.py"


@pytest.fixture(scope="module")
def text() -> str:
    spec = importlib.util.spec_from_file_location("planner_verify_hand_made", BUILDER)
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    document = builder.single_switch(load_catalog())
    return sealed(Solution.model_validate(document)).model_dump_json(by_alias=True)


@pytest.fixture
def folder(tmp_path: Path, text: str) -> Path:
    (tmp_path / "solution.json").write_text(text, encoding="utf-8")
    return tmp_path


def _break(folder: Path) -> None:
    file = folder / "solution.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["design"]["gpus"] += 1
    file.write_text(json.dumps(document), encoding="utf-8")


def test_a_folder_and_its_file_are_the_same(folder, capsys):
    """Both the folder and the file are accepted, exit 0."""
    assert run(["verify", str(folder)]) == 0
    first = capsys.readouterr().out
    assert run(["verify", str(folder / "solution.json")]) == 0
    assert capsys.readouterr().out == first
    assert "5 devices" not in first
    assert "6 devices and 37 links" in first


def test_a_violation_is_one_line_and_exit_1(folder, capsys):
    """A person reads the check, the place, what was expected and what was found."""
    _break(folder)
    assert run(["verify", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "design-gpus: $.design.gpus: GPUs of the servers (expected 32, found 33)" in out
    assert "document-seal" in out
    assert "2 violations in" in out


def test_json_is_one_document(folder, capsys):
    """`--json` prints ok and the violations with their five fields."""
    assert run(["verify", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "violations": []}
    _break(folder)
    assert run(["verify", str(folder), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert set(answer["violations"][0]) == {"check", "where", "expected", "found", "sentence"}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"status": "optimal"}', '{"gap": NaN}'])
def test_a_bad_file_is_exit_2_without_traceback(tmp_path, capsys, content):
    """What is no solution is refused with its faults."""
    file = tmp_path / "solution.json"
    file.write_text(content, encoding="utf-8")
    assert run(["verify", str(file)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_missing_file_is_exit_2(tmp_path, capsys):
    """A path that does not exist is named."""
    assert run(["verify", str(tmp_path / "nothing.json")]) == 2
    assert "nothing.json" in capsys.readouterr().err


def test_a_missing_overlay_is_exit_2(folder, capsys):
    """An instance with its own tables needs their folder."""
    file = folder / "solution.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["instance"]["catalog"] = "prices"
    solution = sealed(Solution.model_validate(document))
    file.write_text(solution.model_dump_json(by_alias=True), encoding="utf-8")
    assert run(["verify", str(folder)]) == 2
    assert "--catalog" in capsys.readouterr().err
    (folder / "prices").mkdir()
    assert run(["verify", str(folder), "--catalog", str(folder / "prices")]) == 0


SAMPLES = sorted((Path(__file__).parents[2] / "reports" / "samples").glob("*/solution.json"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda f: f.parent.name)
def test_a_shipped_sample_is_what_planner_computes(sample, capsys):
    """Every committed report holds today's figures."""
    assert run(["verify", str(sample)]) == 0, capsys.readouterr().out


def test_a_spoiled_file_beside_the_solution_is_named(tmp_path, capsys):
    """One of each kind, found from the folder and from its solution.json; told apart by --no-files."""
    folder = tmp_path / "report"
    shutil.copytree(next(f.parent for f in SAMPLES if f.parent.name == "budget"), folder)
    assert run(["verify", str(folder)]) == 0
    assert re.search(r"counted again; [0-9]+ files beside it say the same", capsys.readouterr().out)
    spoiled = ["index.html", "summary.md", "bill_of_materials.csv", "cable_schedule.csv",
               "bi/fact_cost.csv", "bi/datapackage.json", "drawings/floor.svg"]  # fmt: skip
    for name in spoiled:
        text = (folder / name).read_bytes()
        (folder / name).write_bytes(text.replace(b"8", b"9", 1))
        assert (folder / name).read_bytes() != text
    for given in (folder, folder / "solution.json"):
        assert run(["verify", str(given), "--json"]) == 1
        found = json.loads(capsys.readouterr().out)["violations"]
        assert {v["check"] for v in found} == {"report-file"}
        assert {v["where"] for v in found} == set(spoiled)
    assert run(["verify", str(folder), "--no-files"]) == 0


def test_files_of_another_version_are_told_not_compared(folder, capsys):
    """Their sentences may differ; it is said that they were not read."""
    file = folder / "solution.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["run"]["planner_version"] = "0.0.1"
    solution = sealed(Solution.model_validate(document))
    file.write_text(solution.model_dump_json(by_alias=True), encoding="utf-8")
    (folder / "summary.md").write_text("another", encoding="utf-8")
    assert run(["verify", str(folder)]) == 0
    assert "were not read: planner 0.0.1 wrote them" in capsys.readouterr().err
