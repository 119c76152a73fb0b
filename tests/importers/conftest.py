"""What the importer tests share: a text read as a file, small files in the layouts people hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.importers.source import Source

DATA = Path(__file__).parents[1] / "data" / "importers"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder of the small files that were written for these tests."""
    return DATA


@pytest.fixture(scope="session")
def known_networks() -> list[dict]:
    """Configurations of published models with their published parameter counts."""
    return json.loads((DATA / "known_networks.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def text():
    """Make a source of a text."""

    def make(content: str, name: str = "file.txt") -> Source:
        return Source(name=name, text=content)

    return make
