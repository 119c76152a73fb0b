"""A sweep on a Dask cluster: a killed worker, then a killed sweep, and the rerun ends complete."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest

from planner.domain.errors import UsageError
from planner.study.sweep_pools import DaskPool

HERE = Path(__file__).parent
pytest.importorskip("distributed")


def _sibling():
    spec = importlib.util.spec_from_file_location("sweep_test_parts", HERE / "test_sweep.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def cluster(monkeypatch, tmp_path):
    """Return the address of a scheduler with two worker processes that nannies keep alive."""
    from distributed import LocalCluster

    path = os.pathsep.join([str(HERE.parents[1]), str(HERE)])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setenv("SWEEP_TEST_LOG", str(tmp_path / "log"))
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        local_directory=str(tmp_path / "dask"), silence_logs=50,
    ) as found:  # fmt: skip
        yield found.scheduler_address


def test_a_killed_dask_worker_and_a_killed_sweep_lose_nothing(cluster, tmp_path) -> None:
    """SIGKILL of a worker in the middle of a solve, then of the sweep; nothing is solved twice."""
    parts = _sibling()
    folder, log = tmp_path / "sweep", tmp_path / "log"
    first = parts.start_sweep(folder, log, "--scheduler", cluster)
    parts.wait_for(log, "end", 1, first)
    begun = parts.wait_for(log, "begin", 3, first)
    os.kill(int(begun[-1][2]), signal.SIGKILL)
    parts.wait_for(log, "end", 3, first)
    first.kill()
    first.communicate()
    parts.check_complete(folder, log, parts.start_sweep(folder, log, "--scheduler", cluster))


def test_no_scheduler_is_said_in_one_sentence(monkeypatch) -> None:
    """An address where nothing listens, and an installation without Dask."""
    monkeypatch.setattr("planner.study.sweep_pools.CONNECT_S", 0.5)
    with pytest.raises(UsageError, match="no workers to be had"):
        DaskPool("tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match="pip install"):
        DaskPool("tcp://127.0.0.1:9")
