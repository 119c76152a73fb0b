from __future__ import annotations

import os

import pytest

from planner.domain.errors import UsageError
from planner.domain.seal import sealed
from planner.domain.solution import load_solution
from planner.export import whole_folder
from planner.report import write
from planner.report.write import write_report


def _bytes(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_folder_holds_the_whole_answer(plan, tmp_path):
    """Page, summary, lists, tables, drawings, and the solution that reads back equal."""
    folder = tmp_path / "reports" / "budget"
    written = write_report(plan, folder)
    names = {str(path.relative_to(folder)) for path in written}
    assert {"solution.json", "index.html", "summary.md", "bill_of_materials.csv",
            "cable_schedule.csv", "bi/fact_cost.csv", "bi/data_dictionary.csv",
            "bi/datapackage.json",
            "drawings/topology.svg", "drawings/rack-1.svg"} <= names  # fmt: skip
    assert names == set(_bytes(folder))
    assert load_solution(folder / "solution.json") == sealed(plan)
    assert [p.name for p in folder.parent.iterdir()] == ["budget"]


def test_equal_answers_give_equal_bytes(sample, tmp_path):
    """Apart from the times of the run, which are equal here."""
    write_report(sample.feasible(8), tmp_path / "a", "es")
    write_report(sample.feasible(8), tmp_path / "b", "es")
    assert _bytes(tmp_path / "a") == _bytes(tmp_path / "b")


def test_a_new_report_replaces_the_old_one(plan, lost, tmp_path):
    """Files of the old answer do not linger; files of others stay."""
    folder = tmp_path / "r"
    write_report(plan, folder)
    (folder / "notes.txt").write_text("mine")
    (folder / "quotes").mkdir()
    (folder / "quotes" / "a.txt").write_text("also mine")
    write_report(lost, folder)
    assert not (folder / "drawings").exists()
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "quotes" / "a.txt").read_text() == "also mine"
    assert load_solution(folder / "solution.json").status == "infeasible"


@pytest.mark.parametrize("failing", [1, 3, 12])
def test_a_failure_while_writing_leaves_the_old_report_whole(
    plan, large, tmp_path, monkeypatch, failing
):
    """Whatever file it happens at, also for an interrupt."""
    folder = tmp_path / "r"
    write_report(plan, folder)
    before = _bytes(folder)
    real, calls = write._write, []

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) == failing:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(write, "_write", fail)
    with pytest.raises(KeyboardInterrupt):
        write_report(large, folder)
    assert _bytes(folder) == before
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


def test_a_failing_swap_puts_the_old_report_back(plan, large, tmp_path, monkeypatch):
    """Where names cannot be exchanged: the second rename fails, the first is undone."""
    monkeypatch.setattr(whole_folder, "exchange", lambda one, other: False)
    folder = tmp_path / "r"
    write_report(plan, folder)
    before = _bytes(folder)
    kind = type(folder)
    real = kind.rename

    def rename(self, target):
        if self.name.startswith(".r.new-"):
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(kind, "rename", rename)
    with pytest.raises(UsageError, match="No space left"):
        write_report(large, folder)
    assert _bytes(folder) == before
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


def test_what_a_killed_run_left_is_finished_first(plan, large, tmp_path):
    """Killed between the two renames, the old report is found again; half a new one goes."""
    folder = tmp_path / "r"
    write_report(plan, folder)
    folder.rename(tmp_path / ".r.old")
    (tmp_path / ".r.new-1").mkdir()
    (tmp_path / ".r.new-1" / "solution.json").write_text("half")
    write_report(large, folder)
    assert load_solution(folder / "solution.json") == sealed(large)
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


def test_a_folder_with_other_files_is_refused(plan, tmp_path):
    """A mistyped -o must not replace somebody's folder."""
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="no report"):
        write_report(plan, tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_a_file_in_the_place_of_the_folder_is_refused(plan, tmp_path):
    """With a sentence, not a traceback."""
    (tmp_path / "r").write_text("x")
    with pytest.raises(UsageError, match="this is a file"):
        write_report(plan, tmp_path / "r")


def test_a_folder_that_cannot_be_made_is_refused(plan, tmp_path):
    """The parent is a file."""
    (tmp_path / "f").write_text("x")
    with pytest.raises(UsageError, match="name a folder that can be written"):
        write_report(plan, tmp_path / "f" / "r")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_to_a_report_stays_a_link(plan, large, tmp_path):
    """The folder behind the link is replaced."""
    write_report(plan, tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_report(large, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load_solution(tmp_path / "real" / "solution.json") == sealed(large)


def test_an_unknown_language_writes_nothing(plan, tmp_path):
    """Refused before the first file."""
    with pytest.raises(UsageError):
        write_report(plan, tmp_path / "r", "fr")
    assert list(tmp_path.iterdir()) == []


def test_the_workbook_is_written_where_its_library_is(plan, tmp_path, monkeypatch, capsys):
    """Else a line says how to get it, and no workbook of an older answer stays behind."""
    write_report(plan, tmp_path / "r", "es")
    assert (tmp_path / "r" / "bill_of_materials.xlsx").read_bytes().startswith(b"PK")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(write, "can_write", lambda: False)
    names = [path.name for path in write_report(plan, tmp_path / "r", "es")]
    assert "bill_of_materials.xlsx" not in names
    assert not (tmp_path / "r" / "bill_of_materials.xlsx").exists()
    said = capsys.readouterr()
    assert "pip install XlsxWriter" in said.err
    assert said.out == ""
