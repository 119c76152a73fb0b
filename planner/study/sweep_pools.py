"""Where a sweep's instances are solved: local processes, or the workers of a Dask cluster.

Both are executors of `concurrent.futures`. They differ in what a dead worker does to them: a
local pool breaks whole and is started again, a Dask scheduler gives the work to another worker.
"""

from __future__ import annotations

import contextlib
import os
import threading
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor
from typing import Any, Literal, Protocol

from planner import __version__
from planner.domain.errors import UsageError

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
CONNECT_S = 15.0
Cause = Literal["broken", "poison", "lost", "task"]


class Pool(Protocol):
    """A source of executors."""

    @property
    def window(self) -> int:
        """Instances to have in work or waiting at a worker; bounds the memory of the sweep."""

    def start(self) -> Executor:
        """Return a working executor, a new one if the last broke."""

    def cause(self, error: BaseException) -> Cause:
        """Return what an exception of a future means.

        broken: the executor must be started again; poison: this task killed its workers; lost:
        the sweep cannot go on; task: the task itself failed.
        """

    def stop(self, executor: Executor, *, at_once: bool) -> None:
        """Let the executor go; `at_once` abandons what it is doing."""


def start_worker() -> None:
    """Prepare a local worker: one thread a library, no reaction to Ctrl-C, no life of its own."""
    import signal

    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that started it has gone, however it went."""
    import multiprocessing
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def cores() -> int:
    """Return the cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class LocalPool:
    """Processes of this machine, each starting afresh (spawn)."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    @property
    def window(self) -> int:
        """Two for each process: one in work, one waiting."""
        return 2 * self.workers

    def start(self) -> Executor:
        """Return a new pool."""
        import multiprocessing

        return ProcessPoolExecutor(
            max_workers=self.workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=start_worker,
        )

    def cause(self, error: BaseException) -> Cause:
        """Return `broken` when a process died, whichever task killed it."""
        from concurrent.futures import BrokenExecutor

        return "broken" if isinstance(error, BrokenExecutor) else "task"

    def stop(self, executor: Executor, *, at_once: bool) -> None:
        """End the processes; at once, those in the middle of a task too."""
        assert isinstance(executor, ProcessPoolExecutor)
        workers = list((executor._processes or {}).values()) if at_once else []  # noqa: SLF001
        executor.shutdown(wait=not at_once, cancel_futures=True)
        for process in workers:
            with contextlib.suppress(OSError, ValueError):
                process.terminate()


class DaskPool:
    """The workers of a running Dask cluster, which must have this version of planner."""

    def __init__(self, address: str) -> None:
        """Connect.

        Raises
        ------
        UsageError
            If Dask is not installed, no scheduler answers, it has no workers, or a worker has
            no planner or another version.
        """
        try:
            from distributed import Client
        except ImportError:
            raise UsageError(
                "--scheduler needs Dask: pip install 'gpu-cluster-planner[dask]'"
            ) from None
        self.address = address
        try:
            self.client: Any = Client(address, timeout=CONNECT_S, set_as_default=False)
            self.client.wait_for_workers(1, timeout=CONNECT_S)
        except (OSError, TimeoutError, ValueError) as error:
            what = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UsageError(f"--scheduler {address}: no workers to be had ({what})") from None
        self._same_version()

    def _same_version(self) -> None:
        try:
            found = self.client.run(installed_version)
            found["scheduler"] = self.client.run_on_scheduler(installed_version)
        except Exception as error:  # a worker without planner fails in many ways
            raise UsageError(
                f"--scheduler {self.address}: planner cannot be imported there ({error}); "
                "install this version on the scheduler and on every worker"
            ) from None
        other = sorted({v for v in found.values() if v != __version__})
        if other:
            raise UsageError(
                f"--scheduler {self.address}: there is planner {', '.join(other)}, "
                f"here is {__version__}; install the same version"
            )

    @property
    def window(self) -> int:
        """Two for each worker thread that is there now; clusters grow and shrink."""
        threads: int = sum(self.client.nthreads().values())
        return 2 * max(1, threads)

    def start(self) -> Executor:
        """Return the client's executor."""
        executor: Executor = self.client.get_executor()
        return executor

    def cause(self, error: BaseException) -> Cause:
        """Tell a task that killed its workers from a scheduler that has gone."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError
        from distributed.comm import CommClosedError

        if isinstance(error, KilledWorker):
            return "poison"
        if isinstance(error, CancelledError | FutureCancelledError | CommClosedError):
            return "lost"
        return "task"

    def stop(self, executor: Executor, *, at_once: bool) -> None:
        """Close the connection; the cluster stays."""
        with contextlib.suppress(Exception):
            executor.shutdown(wait=not at_once)
        with contextlib.suppress(Exception):
            self.client.close(timeout=CONNECT_S)


def installed_version() -> str:
    """Return the version of planner where this runs."""
    return __version__
