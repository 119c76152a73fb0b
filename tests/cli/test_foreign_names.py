"""Names in other languages go whole through every document, export and drawing."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import openpyxl
import pytest

from planner.cli.main import run

ROOT = Path(__file__).parents[2]
NAME, JOB = "Málaga 北京", "Ñandú ألف-7"
INSTANCE = {
    "name": NAME,
    "title": "Clúster de Málaga",
    "workloads": [
        {"name": JOB, "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 256,
         "step_time_s": 2.0}
    ],
    "site": {"racks": 3, "rack_kw": 24},
    "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "family": ["infiniband", "roce"]},
    "grid": {"max_nodes": 4},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Solve once into the folder that the name gives."""
    place = tmp_path_factory.mktemp("foreign")
    (place / "instancia.json").write_text(json.dumps(INSTANCE, ensure_ascii=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert run(["solve", "instancia.json", "--lang", "es"]) == 0
    return place / "reports" / "Málaga-北京"


def test_the_report_holds_the_names_and_verifies(folder, capsys):
    """In the folder's own name, in page, summary, tables, workbook and drawings."""
    for name in ("index.html", "summary.md", "solution.json"):
        assert JOB in (folder / name).read_text(encoding="utf-8"), name
    rows = list(csv.DictReader((folder / "bi/dim_workload.csv").open(encoding="utf-8-sig")))
    assert any(JOB in row.values() for row in rows)
    book = openpyxl.load_workbook(folder / "bill_of_materials.xlsx")
    cells = [c.value for sheet in book for row in sheet.iter_rows() for c in row]
    assert any(JOB in str(value) for value in cells)
    for drawing in (folder / "drawings").glob("*.svg"):
        ET.parse(drawing)
    assert run(["verify", str(folder)]) == 0


@pytest.mark.parametrize("kind", ["lp", "mps"])
def test_the_program_has_plain_names(folder, tmp_path, kind):
    """Solvers take letters of English only; no name of a user stands in a variable."""
    path = tmp_path / f"x.{kind}"
    assert run(["export", str(folder), "--to", kind, "-o", str(path)]) == 0
    assert path.read_text(encoding="utf-8").isascii()


@pytest.mark.parametrize("kind", ["megatron", "deepspeed", "nccl-env", "slurm"])
def test_launch_files_are_read_by_their_readers(folder, tmp_path, kind):
    """A shell parses them, and no line of them is a name that a shell would run."""
    path = tmp_path / "x"
    assert run(["export", str(folder), "--to", kind, "-o", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert text.strip()
    if kind in ("megatron", "nccl-env") and shutil.which("bash"):
        assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0


def test_other_programs_get_what_they_take(folder, tmp_path):
    """Slugs and file names in Latin letters, told apart; labels whole."""
    assert run(["export", str(folder), "--to", "netbox", "-o", str(tmp_path / "n")]) == 0
    site = next(csv.DictReader((tmp_path / "n/3_sites.csv").open(encoding="utf-8")))
    assert site["name"] == NAME
    assert site["slug"].startswith("malaga-")
    assert site["slug"].isascii()
    assert run(["export", str(folder), "--to", "pbip", "-o", str(tmp_path / "p")]) == 0
    names = [p.name for p in (tmp_path / "p").iterdir()]
    assert all(name.isascii() for name in names)
    assert "Malaga.pbip" in names
    assert run(["export", str(folder), "--to", "graphml", "-o", str(tmp_path / "g")]) == 0
    ET.parse(tmp_path / "g")
    assert run(["export", str(folder), "--to", "infragraph", "-o", str(tmp_path / "i")]) == 0
    assert (tmp_path / "i").read_text(encoding="utf-8").isascii()
    assert run(["export", str(folder), "--to", "bi", "-o", str(tmp_path / "b")]) == 0
    row = next(csv.DictReader((tmp_path / "b/dim_scenario.csv").open(encoding="utf-8-sig")))
    assert row["scenario_key"].startswith(f"{NAME}-")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_terminal_without_these_letters_spells_them_out(folder, tmp_path, encoding):
    """Older terminals must not end a run with a traceback, and JSON stays JSON."""
    (tmp_path / "i.json").write_text(json.dumps(INSTANCE, ensure_ascii=False), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "planner", "solve", str(tmp_path / "i.json"), "-o",
         str(tmp_path / "r"), "--no-alternatives", "--json"],
        check=False, capture_output=True, cwd=ROOT,
        env={"PYTHONIOENCODING": encoding, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode(encoding))["workloads"][0]["name"] == JOB
