"""Processes of a parallel test run."""

from __future__ import annotations

import os

import pytest

MOST = 8
"""Each process holds up to 0.5 GiB and makes its own answers that tests of one file share."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `-n auto` starts: one a core, eight at most."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(MOST, cores or 1)
