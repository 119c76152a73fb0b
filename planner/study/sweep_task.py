"""One instance of a sweep, solved in a worker: a process here, or of a Dask cluster elsewhere."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from planner.domain.calibration import Calibration
from planner.domain.catalog import Catalog
from planner.domain.errors import InputError, PlannerError, UsageError
from planner.domain.instance import Instance
from planner.domain.json_file import parse_json, validate
from planner.domain.solution import Solution
from planner.domain.whole_file import write_whole
from planner.study.decide import DecideOptions, decide
from planner.study.sweep_store import (
    MARK,
    RESULTS,
    Outcome,
    Record,
    key_lock,
    packed,
    unpacked,
)

Check = Callable[[Solution, Catalog], Sequence[object]]
ONE_AT_A_TIME = threading.Lock()
"""A worker of several threads solves one instance at a time: solvers keep state by process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everything a worker needs."""

    key: str
    document: str
    """The instance as JSON text."""
    file: str
    options: DecideOptions
    calibration: str | None
    check: Check
    """The independent checker; what it finds is no answer."""
    folder: str
    token: str
    """Content of the sweep folder's mark, by which a worker knows that it sees that folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a worker returns; `data` is the result file where the worker could not write it."""

    record: Record
    data: bytes | None = None


def solve_task(task: Task) -> Done:
    """Solve an instance once: a result that is already in the sweep's folder is returned.

    A worker that sees the folder holds the instance's lock while it solves and leaves the result
    there before it returns, so that neither its own end nor the sweep's loses it.
    """
    folder = Path(task.folder)
    with ONE_AT_A_TIME:
        if not _sees(folder, task.token):
            record, text = _solved(task)
            return Done(record=record, data=packed(record, text))
        path = folder / RESULTS / f"{task.key}.json.gz"
        with key_lock(folder, task.key):
            if path.is_file():
                return Done(record=unpacked(path.read_bytes())[0])
            record, text = _solved(task)
            if text is not None:
                write_whole(path, packed(record, text))
            return Done(record=record)


def _sees(folder: Path, token: str) -> bool:
    try:
        return (folder / MARK).read_text(encoding="ascii") == token
    except (OSError, ValueError):
        return False


def _solved(task: Task) -> tuple[Record, str | None]:
    began = time.process_time()
    record, text = _answer(task)
    return replace(record, cpu_s=round(time.process_time() - began, 3)), text


def _answer(task: Task) -> tuple[Record, str | None]:
    try:
        instance = validate(Instance, parse_json(task.document, task.file), task.file)
        own = None if task.calibration is None else _calibration(task.calibration)
        decision = decide(instance, Path(task.file), task.options, lambda _: None, own)
        violations = task.check(decision.solution, decision.catalog)
    except (InputError, UsageError) as error:
        return _failed(task, "refused", str(error)), None
    except PlannerError as error:
        return _failed(task, "error", str(error)), None
    except MemoryError:
        return _failed(task, "error", "not enough memory"), None
    except Exception as error:  # one instance must not end the others
        return _failed(task, "error", f"{type(error).__name__}: {error}"), None
    if violations:
        text = "; ".join(str(v) for v in violations[:3])
        return _failed(task, "contradicted", f"{len(violations)} contradictions: {text}"), None
    solution: Solution = decision.solution
    reason = " ".join(solution.reasons)
    return Record(key=task.key, outcome=solution.status, reason=reason), json.dumps(
        solution.model_dump(mode="json", by_alias=True), ensure_ascii=False
    )


def _calibration(text: str) -> Calibration:
    return validate(Calibration, parse_json(text, "calibration"), "calibration")


def _failed(task: Task, outcome: Outcome, reason: str) -> Record:
    return Record(key=task.key, outcome=outcome, reason=reason[:2000])
