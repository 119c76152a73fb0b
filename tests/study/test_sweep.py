"""A sweep loses nothing: dead workers, poison, a torn journal, a killed sweep."""

from __future__ import annotations

import collections
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planner.domain.errors import InputError, UsageError
from planner.domain.resources import data_root
from planner.study.decide import DecideOptions
from planner.study.sweep import Sweep
from planner.study.sweep_axes import parse_axis
from planner.study.sweep_points import Plan
from planner.study.sweep_pools import LocalPool
from planner.study.sweep_store import JOURNAL, Record, SweepStore, packed
from planner.study.sweep_task import Task

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def no_check(solution, catalog):
    """Find nothing wrong."""
    return []


def task(store: SweepStore, key: str, file: str = "") -> Task:
    """Return a task that only the test's work reads."""
    return Task(
        key=key, document="{}", file=file, options=DecideOptions(), calibration=None,
        check=len, folder=str(store.folder), token=store.token,
    )  # fmt: skip


@pytest.fixture
def work(monkeypatch, tmp_path):
    """Return the module of work, importable here and in spawned workers."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setenv("SWEEP_TEST_LOG", str(tmp_path / "log"))
    import sweep_work

    return sweep_work


def plan(*axes: str, instance: str = "tiny") -> Plan:
    """Return a plan over axes."""
    return Plan(instance=instance, axes=tuple(map(parse_axis, axes)), question="q")


def test_a_poison_instance_is_left_out_and_the_others_are_answered(work, tmp_path) -> None:
    """The pool breaks under one task again and again; every other ends once, with its own answer."""
    store = SweepStore(tmp_path / "sweep")
    tasks = [task(store, f"k{i}", {3: "poison", 5: "wrong"}.get(i, "")) for i in range(9)]
    Sweep(store=store, pool=LocalPool(2), work=work.quick, tries=2).run(tasks)
    store.close()
    outcomes = {key: record.outcome for key, record in store.records.items()}
    assert outcomes.pop("k3") == "poison"
    assert outcomes.pop("k5") == "error"
    assert set(outcomes.values()) == {"infeasible"}
    assert len(outcomes) == 7
    lines = (tmp_path / "sweep" / JOURNAL).read_text().splitlines()
    assert sorted(json.loads(line)["key"] for line in lines) == [f"k{i}" for i in range(9)]


def test_a_worker_that_dies_once_costs_no_answer(work, tmp_path) -> None:
    """The pool is started again and the task solved."""
    store = SweepStore(tmp_path / "sweep")
    tasks = [task(store, f"k{i}", "fragile" if i == 1 else "") for i in range(4)]
    Sweep(store=store, pool=LocalPool(1), work=work.dies_once, tries=1).run(tasks)
    store.close()
    assert {r.outcome for r in store.records.values()} == {"infeasible"}
    assert len(store.records) == 4


def test_a_torn_line_and_a_lost_result_are_done_again(tmp_path) -> None:
    """Only what is whole counts; a result that no line names is adopted."""
    store = SweepStore(tmp_path)
    for key in ("a", "b"):
        record = Record(key=key, outcome="optimal")
        store.add(record, packed(record, "null"))
    store.close()
    with (tmp_path / JOURNAL).open("ab") as journal:
        journal.write(b'{"schema":1,"key":"c","outc')
    store.result_file("b").unlink()
    adopted = Record(key="d", outcome="optimal")
    store.result_file("d").write_bytes(packed(adopted, "null"))
    store.result_file("e").write_bytes(b"torn")
    again = SweepStore(tmp_path)
    assert set(again.records) == {"a"}
    assert again.adopt("d") == adopted
    assert again.adopt("e") is None
    again.add(Record(key="c", outcome="error"), None)
    again.close()
    last = SweepStore(tmp_path)
    assert set(last.records) == {"a", "c", "d"}
    last.close()


def test_two_sweeps_do_not_write_one_folder(tmp_path) -> None:
    """The second is refused until the first has ended."""
    first = SweepStore(tmp_path)
    with pytest.raises(UsageError, match="another sweep"):
        SweepStore(tmp_path)
    first.close()
    SweepStore(tmp_path).close()


def test_all_combinations_are_made_and_faults_named_before_any_is_solved() -> None:
    """The last axis runs fastest; a fault names its path; equal content has one key."""
    points = plan("site.racks=1,2", "workloads[0].step_time_s=4,6,8").points()
    assert [p.values for p in points][:4] == [(1, 4), (1, 6), (1, 8), (2, 4)]
    assert len({p.key for p in points}) == 6
    assert plan("site.racks=2").points()[0].key == plan("site.rack_kw=12").points()[0].key
    with pytest.raises(InputError) as raised:
        plan("site.racks=0,2", "workloads[0].step_time_s=-1,4").points()
    assert {f.where for f in raised.value.faults} == {"$.site.racks", "$.workloads[0].step_time_s"}
    with pytest.raises(UsageError, match="twice"):
        plan("site.racks=1", "site.racks=2").points()


def test_the_key_follows_the_files_that_an_instance_rests_on(tmp_path) -> None:
    """A changed network or price table is another question; another folder is not."""
    text = (data_root() / "instances" / "tiny.json").read_text()
    network = (data_root() / "models" / "networks" / "gpt2-xl.json").read_text()
    folders = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "tiny.json").write_text(text)
        (folder / "gpt2-xl.json").write_text(network)
        folders.append(str(folder / "tiny.json"))
    one, two = (plan(instance=name).points()[0].key for name in folders)
    assert one == two
    (tmp_path / "two" / "gpt2-xl.json").write_text(network.replace("{", "{ ", 1))
    assert plan(instance=folders[1]).points()[0].key != one


def test_instances_are_an_axis_too(tmp_path) -> None:
    """`instance=a,b` takes each file in place of the swept one."""
    points = plan("instance=tiny,budget", "site.racks=12,14").points()
    assert [Path(p.file).stem for p in points] == ["tiny", "tiny", "budget", "budget"]


def start_sweep(folder: Path, log: Path, *options: str) -> subprocess.Popen[str]:
    """Start `planner sweep` with the logging checker as a process of its own."""
    instance = json.loads((data_root() / "instances" / "tiny.json").read_text())
    instance["fix"] = {"server": "ws-4x-rtx6000ada", "nodes": 2, "family": "roce"}
    path = folder.parent / "swept.json"
    path.write_text(json.dumps(instance))
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{HERE}", "SWEEP_TEST_LOG": str(log)}
    words = [sys.executable, str(HERE / "sweep_cli.py"), "sweep", str(path), "-o", str(folder),
             "--vary", "workloads[0].step_time_s=7:15:1", "--json", *options]  # fmt: skip
    return subprocess.Popen(
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def logged(log: Path, what: str) -> list[list[str]]:
    """Return the log's lines of one kind."""
    lines = log.read_text().splitlines() if log.is_file() else []
    return [line.split() for line in lines if line.startswith(what)]


def wait_for(log: Path, what: str, count: int, process: subprocess.Popen[str]) -> list[list[str]]:
    """Wait until the log has enough lines."""
    for _ in range(1200):
        found = logged(log, what)
        if len(found) >= count:
            return found
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError(f"no {count} lines of {what}")


def check_complete(folder: Path, log: Path, process: subprocess.Popen[str]) -> None:
    """The rerun has every answer, kept some, and nothing was solved twice."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    answer = json.loads(out)
    assert answer["outcomes"] == {"optimal": 9}
    assert answer["kept"] >= 2
    assert answer["solved"] + answer["kept"] == 9
    ended = collections.Counter(line[1] for line in logged(log, "end"))
    assert len(ended) == 9
    assert set(ended.values()) == {1}
    journal = (folder / JOURNAL).read_text().splitlines()
    keys = [json.loads(line)["key"] for line in journal]
    assert len(keys) == len(set(keys)) == 9
    runs = (folder / "bi" / "dim_run.csv").read_text().splitlines()
    assert len(runs) == 10
    assert len((folder / "summary.csv").read_text().splitlines()) == 10


@pytest.mark.slow
def test_a_killed_worker_and_a_killed_sweep_lose_nothing(tmp_path) -> None:
    """Local processes: SIGKILL in the middle of a solve, then of the sweep; the rerun ends it."""
    folder, log = tmp_path / "sweep", tmp_path / "log"
    first = start_sweep(folder, log, "--workers", "2")
    wait_for(log, "end", 1, first)
    os.kill(int(wait_for(log, "begin", 3, first)[-1][2]), signal.SIGKILL)
    wait_for(log, "end", 3, first)
    first.kill()
    first.communicate()
    check_complete(folder, log, start_sweep(folder, log, "--workers", "2"))
