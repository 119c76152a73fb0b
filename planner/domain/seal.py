"""The seal of a solution: a checksum that tells a changed document from the one that was written."""

from __future__ import annotations

import hashlib
import json

from planner.domain.solution import Solution

UNSEALED_RUN = ("wall_s", "started")
"""Fields of the run that differ between equal answers."""


def seal_of(solution: Solution) -> str:
    """Return the SHA-256 of a solution's content, hexadecimal.

    Over the JSON document with sorted keys, without the seal itself, fields at their default and
    times of the run, so that layout, key order, the clock and a later schema do not matter.
    """
    document = solution.model_dump(
        mode="json", by_alias=True, exclude={"seal"}, exclude_defaults=True
    )
    for name in UNSEALED_RUN:
        document["run"].pop(name, None)
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sealed(solution: Solution) -> Solution:
    """Return the solution with its seal."""
    return solution.model_copy(update={"seal": seal_of(solution)})
