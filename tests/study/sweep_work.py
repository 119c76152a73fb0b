"""Work of sweeps for the tests, in a module that workers can import: it leaves traces, or dies."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from planner.study.sweep_store import Record
from planner.study.sweep_task import Done, Task
from planner.verify.check import verify

LOG = "SWEEP_TEST_LOG"
PAUSE_S = 0.5


def note(line: str) -> None:
    """Append a line to the log, whole even when several processes write."""
    handle = os.open(os.environ[LOG], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line} {os.getpid()}\n".encode())
    os.close(handle)


def counted_check(solution, catalog):
    """Stand in for the checker at the end of a solve: log it, slowly enough to be killed in it."""
    note(f"begin {solution.run.run_id}")
    time.sleep(PAUSE_S)
    found = verify(solution, catalog)
    note(f"end {solution.run.run_id}")
    return found


def quick(task: Task) -> Done:
    """End at once; a task whose file is named `poison` kills its worker."""
    note(f"begin {task.key}")
    if task.file == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    if task.file == "wrong":
        raise ValueError("wrong")
    return Done(record=Record(key=task.key, outcome="infeasible", reason="none"))


def dies_once(task: Task) -> Done:
    """Kill the worker the first time that a task is tried."""
    mark = Path(os.environ[LOG]).parent / f"tried-{task.key}"
    if task.file == "fragile" and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Done(record=Record(key=task.key, outcome="infeasible"))
