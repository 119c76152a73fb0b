"""The seal of an answer: a checksum that tells a changed document from the one that was written."""

from __future__ import annotations

import hashlib
import json
from typing import TypeVar

from planner.domain.regions_answer import RegionsAnswer
from planner.domain.solution import Solution

UNSEALED_RUN = ("wall_s", "started")
"""Fields of the run that differ between equal answers."""

Answer = TypeVar("Answer", Solution, RegionsAnswer)


def seal_of(answer: Solution | RegionsAnswer) -> str:
    """Return the SHA-256 of an answer's content, hexadecimal.

    Over the JSON document with sorted keys, without the seal itself, fields at their default and
    times of the run, so that layout, key order, the clock and a later schema do not matter.
    """
    document = answer.model_dump(
        mode="json", by_alias=True, exclude={"seal"}, exclude_defaults=True
    )
    for name in UNSEALED_RUN:
        document.get("run", {}).pop(name, None)
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sealed(answer: Answer) -> Answer:
    """Return the answer with its seal."""
    return answer.model_copy(update={"seal": seal_of(answer)})
