"""Plans to report on: small, usual and large, infeasible, hostile and in another currency."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def _sample():
    name = "planner_report_sample"
    if name not in sys.modules:
        path = Path(__file__).with_name("sample.py")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def sample():
    """Return the module that builds plans."""
    return _sample()


@pytest.fixture(scope="session")
def plan(sample):
    """Return a proved plan of 8 servers."""
    return sample.feasible(8)


@pytest.fixture(scope="session")
def large(sample):
    """Return a proved plan of 128 servers in 4 units."""
    return sample.feasible(128)


@pytest.fixture(scope="session")
def lost(sample):
    """Return an infeasible answer."""
    return sample.infeasible()


@pytest.fixture(scope="session")
def hostile_plan(sample):
    """Return a plan whose every free text is an attack."""
    return sample.hostile()


@pytest.fixture(scope="session")
def euro_plan(sample):
    """Return a plan that is reported in euro."""
    return sample.euro()


@pytest.fixture(scope="session")
def studied(sample):
    """Return a plan with a frontier and a sensitivity study."""
    return sample.studied()
