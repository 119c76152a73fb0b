"""A profile whatever file it is in: a trace, an export, or what an import wrote of either."""

from __future__ import annotations

import re
from pathlib import Path

from planner.domain.errors import Fault, InputError
from planner.domain.json_file import read_json, validate
from planner.domain.profile import KIND, MAX_PROFILE_BYTES, StepProfile
from planner.importers.json_stream import GZIP
from planner.importers.nsys import SIGNATURE, nsys_profile
from planner.importers.profile_document import DOCUMENT
from planner.importers.torch_trace import torch_profile

HEAD_BYTES = 4096
_DOCUMENT = re.compile(rb'"kind"\s*:\s*"(?:step_profile|torch-trace|nsys)"')
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{|\[\s*\{)")


def is_profile(path: Path) -> bool:
    """Return whether a file's content is that of a profile rather than of a log or a table."""
    try:
        with path.open("rb") as handle:
            head = handle.read(HEAD_BYTES)
    except (OSError, ValueError):
        return False
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) and b"{" in head[:8]
    return head.startswith((GZIP, SIGNATURE)) or bool(_JSON.match(head)) or wide


def read_any_profile(path: Path, device: int | None = None, step: str | None = None) -> StepProfile:
    """Return the profile in a file for which `is_profile` holds.

    Raises
    ------
    InputError
        If it is none after all.
    """
    with path.open("rb") as handle:
        head = handle.read(HEAD_BYTES)
    if head.startswith(SIGNATURE):
        return nsys_profile(path, device, step)
    if _DOCUMENT.search(head):
        return _written(path)
    return torch_profile(path, device, step)


def _written(path: Path) -> StepProfile:
    """Return the profile of a document as `import -o` or `import --json` writes it."""
    document = read_json(path, MAX_PROFILE_BYTES)
    if isinstance(document, dict) and document.get("kind") != KIND:
        inner = document.get("documents")
        document = inner.get(DOCUMENT) if isinstance(inner, dict) else None
        if document is None:
            raise InputError(str(path), [Fault("$", "is no profile", "import the trace again")])
    return validate(StepProfile, document, str(path))
