"""A folder is replaced in one step, whatever ends the writing and whatever the system can."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import sys
import time

import pytest

from planner.domain.errors import UsageError
from planner.domain.whole_file import write_whole
from planner.export import whole_folder as module
from planner.export.whole_folder import exchange, mend, report_folder, whole_folder

posix = pytest.mark.skipif(os.name != "posix", reason="locks and kills of POSIX")
can_exchange = pytest.mark.skipif(
    sys.platform not in ("linux", "darwin"), reason="no exchange of names"
)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def fill(folder, text):
    """Write a report of two files that hold one text."""
    with report_folder(folder, "mark", ["old"]) as new:
        (new / "mark").write_text(text)
        (new / "other").write_text(text)


@can_exchange
def test_two_folders_exchange_their_names(tmp_path):
    """No moment passes in which one of them has no name."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    assert exchange(tmp_path / "a", tmp_path / "b")
    assert names(tmp_path / "a") == ["b"]
    assert names(tmp_path / "b") == ["a"]
    with pytest.raises(OSError, match="No such file"):
        exchange(tmp_path / "a", tmp_path / "missing")


@pytest.mark.parametrize("able", [True, False])
def test_the_new_folder_takes_the_place_of_the_old(tmp_path, monkeypatch, able):
    """With an exchange of names and without; nothing else is left."""
    if not able:
        monkeypatch.setattr(module, "exchange", lambda one, other: False)
    for text in ("one", "two"):
        with whole_folder(tmp_path / "r") as new:
            assert names(tmp_path) == sorted({new.name, *(["r"] if text == "two" else [])})
            (new / "f").write_text(text)
    assert names(tmp_path) == ["r"]
    assert (tmp_path / "r" / "f").read_text() == "two"


@posix
def test_a_file_system_that_cannot_exchange_is_not_an_error(tmp_path, monkeypatch):
    """Old kernels and network file systems answer EINVAL; others are real errors."""

    class Library:
        def renameat2(self, *arguments):
            return -1

        renamex_np = renameat2

    monkeypatch.setattr(module.ctypes, "CDLL", lambda *a, **k: Library())
    monkeypatch.setattr(module.ctypes, "get_errno", lambda: errno.EINVAL)
    assert not exchange(tmp_path / "a", tmp_path / "b")
    monkeypatch.setattr(module.ctypes, "get_errno", lambda: errno.ENOSPC)
    with pytest.raises(OSError, match="No space left"):
        exchange(tmp_path / "a", tmp_path / "b")


def held(folder, ready, end):
    with whole_folder(folder) as new:
        (new / "f").write_text("slow")
        ready.set()
        end.wait(20)


@posix
def test_two_runs_into_one_folder_do_not_disturb_each_other(tmp_path):
    """The second neither takes the first's half folder for rubbish nor mixes with it."""
    context = multiprocessing.get_context("fork")
    ready, end = context.Event(), context.Event()
    other = context.Process(target=held, args=(tmp_path / "r", ready, end))
    other.start()
    assert ready.wait(20)
    with whole_folder(tmp_path / "r") as new:
        (new / "f").write_text("fast")
    assert (tmp_path / "r" / "f").read_text() == "fast"
    end.set()
    other.join(20)
    assert other.exitcode == 0
    assert (tmp_path / "r" / "f").read_text() == "slow"
    assert names(tmp_path) == ["r"]


@posix
def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    """Its lock ended with it."""
    context = multiprocessing.get_context("fork")
    ready, end = context.Event(), context.Event()
    other = context.Process(target=held, args=(tmp_path / "r", ready, end))
    other.start()
    assert ready.wait(20)
    os.kill(other.pid, signal.SIGKILL)
    other.join(20)
    assert len(names(tmp_path)) == 1
    mend(tmp_path / "r")
    assert names(tmp_path) == []


def rewrite(folder, able):
    if not able:
        module.exchange = lambda one, other: False
    for number in range(10_000):
        fill(folder, str(number))


@posix
@pytest.mark.parametrize("able", [True, False])
def test_a_kill_at_any_moment_leaves_one_whole_report(tmp_path, able):
    """Both files always hold one text; where names cannot be exchanged, the next run mends."""
    folder = tmp_path / "r"
    fill(folder, "first")
    context = multiprocessing.get_context("fork")
    for delay in range(15):
        other = context.Process(target=rewrite, args=(folder, able))
        other.start()
        time.sleep(0.01 + delay * 0.0037)
        os.kill(other.pid, signal.SIGKILL)
        other.join(20)
        if not able:
            mend(folder)
        assert (folder / "mark").read_text() == (folder / "other").read_text()
    fill(folder, "last")
    assert names(tmp_path) == ["r"]


@can_exchange
@posix
def test_a_reader_never_misses_the_folder(tmp_path):
    """While another process replaces it again and again, the name is always there."""
    folder = tmp_path / "r"
    fill(folder, "first")
    context = multiprocessing.get_context("fork")
    other = context.Process(target=rewrite, args=(folder, True))
    other.start()
    looks = 0
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        assert folder.is_dir()
        looks += 1
    os.kill(other.pid, signal.SIGKILL)
    other.join(20)
    assert looks > 100


@pytest.mark.parametrize("call", ["fsync", "mkdir", "rmtree"])
def test_a_full_disk_at_any_step_is_one_line(tmp_path, monkeypatch, call):
    """The old report stays and nothing is left beside it."""
    folder = tmp_path / "r"
    fill(folder, "old")

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if call == "fsync":
            patch.setattr(os, "fsync", full)
        elif call == "mkdir":
            patch.setattr(type(folder), "mkdir", full)
        else:
            patch.setattr(module, "_keep_foreign", full)
        with pytest.raises(UsageError, match="No space left on device; name a folder"):
            fill(folder, "new")
    assert (folder / "mark").read_text() == (folder / "other").read_text() == "old"
    assert names(tmp_path) == ["r"]


def test_the_folder_one_works_in_is_refused(tmp_path, monkeypatch):
    """A shell would be left in a folder that is gone."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="name a folder inside"):
        fill(tmp_path, "x")
    assert names(tmp_path) == []


def test_a_file_that_cannot_be_written_stays_and_leaves_no_part(tmp_path, monkeypatch):
    """A single file is as whole as a folder."""
    path = tmp_path / "f"
    write_whole(path, b"old")

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["f"]
