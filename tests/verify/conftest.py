"""The hand-made answers, as fresh documents and as validated solutions."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from planner.domain.catalog import Catalog, load_catalog
from planner.domain.solution import Solution


def _hand_made():
    spec = importlib.util.spec_from_file_location(
        "planner_verify_hand_made", Path(__file__).with_name("hand_made.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="session")
def built(catalog: Catalog) -> dict[str, dict[str, Any]]:
    made = _hand_made()
    return {
        "rail": made.rail_optimised(catalog),
        "grouped": made.grouped(made.rail_optimised(catalog)),
        "single": made.single_switch(catalog),
        "spine": made.leaf_spine(catalog),
    }


@pytest.fixture
def documents(built: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Fresh copies that a test may corrupt."""
    return copy.deepcopy(built)


@pytest.fixture
def solutions(built: dict[str, dict[str, Any]]) -> dict[str, Solution]:
    return {name: Solution.model_validate(document) for name, document in built.items()}
