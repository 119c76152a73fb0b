"""Every outcome of a column has words in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planner.report.words import words

PROGRAM = Path(__file__).parents[2] / "planner" / "program"
LITERAL = re.compile(r'(?:limit=|outcomes\[|key = )"([a-z_]+)"')


def codes() -> set[str]:
    """Return the codes that the program gives to refused columns, read from its source."""
    found = {code for path in PROGRAM.glob("*.py") for code in LITERAL.findall(path.read_text())}
    return {code for code in found if not code.endswith(("_w", "_usd"))}


@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_code_has_words(lang: str) -> None:
    """A code without words would stand in the report as it is written in the code."""
    w = words(lang)
    assert len(codes()) > 15
    bare = {code for code in codes() if w.label("outcome", code) == code.replace("_", " ")}
    assert bare <= ({"feasible"} if lang == "en" else set())
