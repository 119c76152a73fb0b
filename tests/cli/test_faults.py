"""Kills, Ctrl-C, full disks, folders without permission and too little memory, as a user meets them."""

from __future__ import annotations

import ctypes
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planner.cli.main import run
from planner.program.market import Market
from planner.report import write

ROOT = Path(__file__).parents[2]
SMALL = {
    "name": "small",
    "workloads": [
        {"name": "gpt2", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 256,
         "step_time_s": 2.0}
    ],
    "site": {"racks": 3, "rack_kw": 24},
    "fix": {"server": ["hgx-h100-8", "l40s-8-pcie"], "family": ["infiniband", "roce"]},
    "grid": {"max_nodes": 4},
}  # fmt: skip
PARTS = ("solution.json", "index.html", "summary.md", "bill_of_materials.csv", "bi/fact_cost.csv")
SWEEP = ("--vary", "site.electricity_usd_per_kwh=0.05:0.2:0.05", "--workers", "1")


@pytest.fixture
def small(tmp_path):
    """Return the file of the small instance."""
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SMALL))
    return path


def content(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def command(*arguments):
    return [sys.executable, "-m", "planner", *map(str, arguments)]


def started(*arguments, **options):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command(*arguments), env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def finished(*arguments, **options):
    """Return exit code, output and errors of a run in a process of its own."""
    process = started(*arguments, **options)
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    return process.returncode, out, err


def whole(folder, names):
    """A report is whole: all its files are there, and all speak of one run."""
    found = content(folder)
    assert set(found) == names
    run_ = json.loads(found["solution.json"])["run"]
    table = found["bi/dim_run.csv"].decode("utf-8-sig")
    assert run_["run_id"] in table
    return found


def killed_after(delay_s, *arguments):
    """Kill a run and all its workers after a while."""
    process = started(*arguments)
    time.sleep(delay_s)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    return process.returncode


def kill_while_solving(small, folder, runs, seed):
    """Kill `solve` at random moments; after each, the report is a whole one."""
    began = time.monotonic()
    assert finished("solve", small, "-o", folder, "--no-alternatives")[0] == 0
    needs_s = time.monotonic() - began
    first = content(folder)
    names, dice, ended = set(first), random.Random(seed), 0
    for _ in range(runs):
        # the second half of a run is where reports are checked, drawn and swapped
        code = killed_after(dice.uniform(0.3, 1.1) * needs_s, "solve", small, "-o", folder,
                            "--no-alternatives")  # fmt: skip
        ended += code == 0
        now = whole(folder, names)
        if code != 0 and now != first:
            assert run(["verify", str(folder)]) == 0
        first = now
    assert finished("solve", small, "-o", folder, "--no-alternatives")[0] == 0
    assert [p.name for p in folder.parent.iterdir() if p.name.startswith(".")] == []
    return ended


def kill_while_writing(sample_solution, folder, runs, seed):
    """Kill a process that does nothing but write reports, again and again."""
    write.write_report(sample_solution, folder)
    names, dice, moments = set(content(folder)), random.Random(seed), 0
    for _ in range(runs):
        child = os.fork()
        if child == 0:
            while True:
                write.write_report(sample_solution, folder)
        time.sleep(dice.uniform(0.0, 1.5))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        moments += any(p.name.startswith(".") for p in folder.parent.iterdir())
        whole(folder, names)
    write.write_report(sample_solution, folder)
    assert sorted(p.name for p in folder.parent.iterdir()) == [folder.name]
    return moments


def kill_while_sweeping(small, folder, runs, seed):
    """Kill `sweep` at random moments; what it wrote is whole, and the same command goes on."""
    began = time.monotonic()
    assert finished("sweep", small, *SWEEP, "-o", folder.with_name("other"))[0] == 0
    needs_s = time.monotonic() - began
    good = (folder.with_name("other") / "summary.csv").read_bytes()
    dice = random.Random(seed)
    for _ in range(runs):
        killed_after(dice.uniform(0.2, 1.0) * needs_s, "sweep", small, *SWEEP, "-o", folder)
        if (folder / "summary.csv").is_file():
            assert (folder / "summary.csv").read_bytes() == good
        if (folder / "bi").is_dir():
            assert set(content(folder / "bi")) == set(content(folder.with_name("other") / "bi"))
        if dice.random() < 0.3:  # begin anew, or nearly all kills would meet the last steps
            for path in (folder / "results").glob("*.gz"):
                path.unlink()
    assert finished("sweep", small, *SWEEP, "-o", folder)[0] == 0
    assert (folder / "summary.csv").read_bytes() == good
    left = [p for p in folder.rglob(".*") if p.name.startswith((".part-", ".bi."))]
    assert left == []


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """Return the small instance's report and its solution."""
    from planner.domain.solution import load_solution

    folder = tmp_path_factory.mktemp("solved")
    (folder / "small.json").write_text(json.dumps(SMALL))
    assert run(["solve", str(folder / "small.json"), "-o", str(folder / "r")]) == 0
    return load_solution(folder / "r" / "solution.json")


def test_kills_leave_the_old_report_or_the_new(small, solved, tmp_path) -> None:
    """A few of each kind; the long test has two hundred."""
    kill_while_writing(solved, tmp_path / "reports" / "w", 3, seed=1)
    kill_while_solving(small, tmp_path / "reports" / "s", 1, seed=2)


@pytest.mark.slow
def test_two_hundred_kills(small, solved, tmp_path, record_property) -> None:
    """Of report writing, `solve` and `sweep`: never a half-written report."""
    moments = kill_while_writing(solved, tmp_path / "w" / "w", 90, seed=3)
    ended = kill_while_solving(small, tmp_path / "s" / "s", 70, seed=4)
    kill_while_sweeping(small, tmp_path / "sweep", 40, seed=5)
    record_property("kills_while_a_new_report_was_half_written", moments)
    record_property("solves_that_ended_before_their_kill", ended)
    assert moments > 20


def interrupting(monkeypatch, owner, name, times):
    """Let a method send Ctrl-C to this process whenever it is first called."""
    real, calls = getattr(owner, name), []

    def call(*arguments, **options):
        if not calls:
            calls.append(1)
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, call)


def test_ctrl_c_with_a_design_writes_it(small, tmp_path, monkeypatch, capsys) -> None:
    """Exit 0 with status and gap as proved; what was left undecided says so."""
    interrupting(monkeypatch, Market, "settle", 1)
    assert run(["solve", str(small), "-o", str(tmp_path / "r"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] in ("optimal", "feasible")
    assert (document["status"] == "optimal") == (document["gap"] == 0)
    assert document["bound_usd"] <= document["objective_usd"]
    undecided = [a for a in document["alternatives"] if a["status"] == "stopped"]
    assert undecided
    assert {a["reason"] for a in undecided} == {"not decided before the search was stopped"}
    monkeypatch.undo()
    assert run(["verify", str(tmp_path / "r")]) == 0


@pytest.mark.parametrize("method", ["free_steps", "place", "least_cents"])
def test_ctrl_c_before_any_design_writes_nothing(
    small, tmp_path, monkeypatch, capsys, method
) -> None:
    """Exit 130 in one line; an older report stays."""
    interrupting(monkeypatch, Market, method, 1)
    assert run(["solve", str(small), "-o", str(tmp_path / "r")]) == 130
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.strip().endswith("Interrupted; nothing was written.")
    assert not (tmp_path / "r").exists()


def test_ctrl_c_twice_ends_at_once_and_the_old_report_stays(
    small, tmp_path, monkeypatch, capsys
) -> None:
    """Even while the new one is being written."""
    assert run(["solve", str(small), "-o", str(tmp_path / "r")]) == 0
    before = content(tmp_path / "r")
    interrupting(monkeypatch, write, "summary_markdown", 2)
    assert run(["solve", str(small), "-o", str(tmp_path / "r")]) == 130
    assert content(tmp_path / "r") == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r", "small.json"]
    capsys.readouterr()


LOADING = """
import builtins, sys
real = builtins.__import__
def load(name, *rest, **named):
    if name == "planner.cli.main":
        raise KeyboardInterrupt
    return real(name, *rest, **named)
builtins.__import__ = load
import runpy
{enter}
"""


@pytest.mark.parametrize(
    "enter", ["from planner.start import main; main()",
              "runpy.run_module('planner', run_name='__main__')"],
)  # fmt: skip
def test_ctrl_c_while_loading_is_quiet_by_every_way_in(enter) -> None:
    """The `planner` command and `python -m planner` begin in one place."""
    done = subprocess.run(
        [sys.executable, "-c", LOADING.format(enter=enter)], check=False, capture_output=True,
        text=True, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "")


def test_the_command_begins_where_ctrl_c_is_quiet() -> None:
    """The entry point of the wheel is that place."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"planner": "planner.start:main"}


def test_a_time_limit_returns_what_was_found_with_its_gap(small, tmp_path, capsys) -> None:
    """Stopped before any design is exit 4; with one, its bound is never above its cost."""
    for limit in ("0.1", "60"):
        code = run(
            ["solve", str(small), "-o", str(tmp_path / "r"), "--json", "--time-limit", limit]
        )
        document = json.loads(capsys.readouterr().out)
        assert code == (4 if document["status"] == "stopped" else 0)
        if document["objective_usd"] is not None:
            assert document["bound_usd"] <= document["objective_usd"]
            assert (document["status"] == "optimal") == (document["gap"] == 0)


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
from planner.start import main
main()
"""


def in_a_small_disk(size, *arguments):
    """Run with files of at most `size` bytes, which is what a full disk looks like."""
    return subprocess.run(
        [sys.executable, "-c", FULL.format(size=size), *map(str, arguments)], check=False,
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip


def test_a_full_disk_is_one_line_and_the_old_report_stays(small, tmp_path) -> None:
    """Of `solve` in the middle of its files, and of an export."""
    fill_the_disk(small, tmp_path, [20_000], ["xlsx"])


@pytest.mark.slow
def test_a_full_disk_is_one_line_for_every_writer(small, tmp_path) -> None:
    """Whichever file meets it, of `solve`, `sweep` and `export`."""
    fill_the_disk(small, tmp_path, [100, 20_000, 60_000], ["bi", "xlsx", "pbip", "lp"])
    done = in_a_small_disk(300, "sweep", small, *SWEEP, "-o", tmp_path / "s")
    assert done.returncode in (2, 4)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "s" / "summary.csv").exists()
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def fill_the_disk(small, tmp_path, sizes, kinds):
    """Run `solve` and exports with files that cannot grow beyond a size."""
    folder = tmp_path / "r"
    assert run(["solve", str(small), "-o", str(folder), "--no-alternatives"]) == 0
    before = content(folder)
    for size in sizes:
        done = in_a_small_disk(size, "solve", small, "-o", folder, "--no-alternatives")
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.splitlines()[-1].endswith(
            "File too large; name a folder that can be written"
        )
        assert len(done.stderr.splitlines()) == 1
        assert content(folder) == before
    for kind in kinds:
        done = in_a_small_disk(100, "export", folder, "--to", kind, "-o", tmp_path / f"x.{kind}")
        assert done.returncode == 2, done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert "File too large" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_answer_that_cannot_be_printed_is_an_error(small, tmp_path) -> None:
    """A script that redirects into a full disk must not see exit code 0."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("catalog", "check"), check=False, stdout=full, stderr=subprocess.PIPE, text=True,
            cwd=ROOT,
        )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "No space left on device" in done.stderr


def without_privilege():
    """Take root's right to write everywhere from the program that follows (capabilities(7))."""
    if os.geteuid() == 0:
        drop_from_bounding_set, override_permissions = 24, 1
        ctypes.CDLL(None).prctl(drop_from_bounding_set, override_permissions, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")
def test_folders_without_permission_are_one_line(small, tmp_path) -> None:
    """Exit 2, and nothing of the old or the new is touched."""
    locked = tmp_path / "locked"
    locked.mkdir()
    folder = tmp_path / "r"
    assert run(["solve", str(small), "-o", str(folder), "--no-alternatives"]) == 0
    locked.chmod(0o555)
    tries = (
        ("solve", small, "-o", locked / "r"),
        ("sweep", small, *SWEEP, "-o", locked / "s"),
        ("export", folder, "--to", "bi", "-o", locked / "b"),
        ("export", folder, "--to", "netbox", "-o", locked / "n"),
        ("export", folder, "--to", "megatron", "-o", locked / "m.sh"),
        ("import", "hf-config", ROOT / "tests/data/importers/config.json", "-o", locked / "n.json"),
    )
    for arguments in tries:
        code, _, err = finished(*arguments, preexec_fn=without_privilege)
        assert code == 2, (arguments, err)
        assert len([line for line in err.splitlines() if "ermission denied" in line]) == 1
    assert list(locked.iterdir()) == []


MEMORY = """
import re, resource, sys
import highspy, numpy, pulp
import planner.cli.solve, planner.report.write, planner.study.decide, planner.verify.check
size = int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10
limit = size + ({mib} << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from planner.start import main
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("mib", [5, 10])
def test_memory_that_ends_while_solving_is_a_clear_message(tmp_path, mib) -> None:
    """Exit 4, one line with the limit, nothing written."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY.format(mib=mib), "solve", "budget", "-o", tmp_path / "r"],
        check=False, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Not enough memory" in done.stderr
    assert "ulimit -v" in done.stderr
    assert list(tmp_path.iterdir()) == []


def limited(mib):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))

    return limit


def test_a_shell_with_too_little_address_space_is_told(small, tmp_path) -> None:
    """The libraries would end the process with messages of their own."""
    code, out, err = finished("solve", small, preexec_fn=limited(200))
    assert (code, out) == (4, "")
    assert len(err.splitlines()) == 1
    assert "0.2 GiB" in err


def test_a_report_needs_no_more_address_space_than_solving(small, tmp_path) -> None:
    """The engine of charts reserves tens of GiB; without them the report is whole but for charts."""
    folder = tmp_path / "r"
    code, _, err = finished("solve", small, "-o", folder, preexec_fn=limited(4000))
    assert (code, err) == (0, "")
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "ulimit -v" in page
    assert finished("solve", small, "-o", folder)[0] == 0
    assert "ulimit -v" not in (folder / "index.html").read_text(encoding="utf-8")
