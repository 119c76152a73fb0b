"""Solve many instances through an executor, losing nothing when a worker or the sweep itself dies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field

from planner.domain.errors import SolverError
from planner.study.sweep_pools import Pool
from planner.study.sweep_store import Record, SweepStore
from planner.study.sweep_task import Done, Task

WAKE_S = 1.0
"""Longest time without a look at the progress."""
Work = Callable[[Task], Done]
Say = Callable[[int], None]
"""Told the number of instances that have ended so far, about once a second."""


class SweepStoppedError(SolverError):
    """The workers have gone for good; what is solved is kept."""


@dataclass
class Sweep:
    """The state of one run over the tasks that are still to do."""

    store: SweepStore
    pool: Pool
    work: Work
    tries: int
    """Times that a task may kill a worker while it runs alone."""
    say: Say = lambda _: None
    ended: int = 0
    _running: dict[Future[Done], Task] = field(default_factory=dict)
    _suspects: deque[Task] = field(default_factory=deque)
    """Tasks in work when a pool broke; each runs alone, so that the guilty one is known."""
    _alone: bool = False
    """Whether a suspect is in work, beside which nothing else runs."""
    _killed: dict[str, int] = field(default_factory=dict)

    def run(self, tasks: Iterable[Task]) -> None:
        """Solve every task, journalling each as it ends.

        Raises
        ------
        SweepStoppedError
            If the executor cannot be started again.
        """
        waiting = iter(tasks)
        executor = self.pool.start()
        at_once = True
        try:
            while True:
                if not self._fill(executor, waiting):
                    executor = self._again(executor)
                    continue
                if not self._running:
                    break
                done, _ = wait(self._running, timeout=WAKE_S, return_when=FIRST_COMPLETED)
                whole = [self._settle(future) for future in done]
                if not all(whole):
                    executor = self._again(executor)
                self.say(self.ended)
            at_once = False
        finally:
            self.pool.stop(executor, at_once=at_once)

    def _fill(self, executor: Executor, waiting: Iterator[Task]) -> bool:
        """Submit what may run now; returns False if the executor is broken."""
        while not (self._alone and self._running):
            self._alone = bool(self._suspects)
            if len(self._running) >= (1 if self._alone else self.pool.window):
                break
            task = self._suspects.popleft() if self._alone else next(waiting, None)
            if task is None:
                break
            try:
                future = executor.submit(self.work, task)
            except Exception as error:
                self._suspects.appendleft(task)
                if self.pool.cause(error) == "broken":
                    return False
                raise SweepStoppedError(f"no more work is accepted: {error}") from error
            self._running[future] = task
        return True

    def _settle(self, future: Future[Done]) -> bool:
        """Journal a task that ended; returns False if the executor broke under it."""
        task = self._running.pop(future)
        error = _error(future)
        if error is None:
            done = future.result()
            self._end(done.record, done.data)
            return True
        cause = self.pool.cause(error)
        if cause == "lost":
            raise SweepStoppedError(f"the workers have gone ({type(error).__name__})") from error
        if cause == "poison":
            self._end(_poison(task, f"{error}", 1), None)
        elif cause == "task":
            text = f"{type(error).__name__}: {error}"
            self._end(Record(key=task.key, outcome="error", reason=text[:2000]), None)
        else:
            self._broke(task)
        return cause != "broken"

    def _broke(self, task: Task) -> None:
        """Take a task back whose pool broke, or give it up after enough tries alone."""
        if self._alone:
            self._killed[task.key] = self._killed.get(task.key, 0) + 1
        if self._killed.get(task.key, 0) >= self.tries:
            self._end(_poison(task, f"killed its worker {self.tries} times", self.tries), None)
        else:
            self._suspects.append(task)

    def _again(self, executor: Executor) -> Executor:
        """Take back everything a broken executor held, and start another."""
        self._suspects.extend(self._running.values())
        self._running.clear()
        self.pool.stop(executor, at_once=True)
        return self.pool.start()

    def _end(self, record: Record, data: bytes | None) -> None:
        self.store.add(record, data)
        self.ended += 1


def _error(future: Future[Done]) -> BaseException | None:
    try:
        return future.exception()
    except BaseException as error:  # a cancelled future raises instead of returning
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return error


def _poison(task: Task, cause: str, tries: int) -> Record:
    return Record(key=task.key, outcome="poison", reason=cause[:2000], tries=tries)
